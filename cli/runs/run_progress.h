/* How a store of runs comes along, on standard error: one live line on a terminal, a line for
 * each run elsewhere, nothing when quiet. */
#ifndef CLI_RUNS_RUN_PROGRESS_H
#define CLI_RUNS_RUN_PROGRESS_H

#include "runs/run_store.h"

typedef struct cli_run_progress {
    int quiet, live;
    size_t total, there, done; /* runs in all, there before, and ended: those there included */
    double began, drawn;       /* when, by the clock */
    /* Of the runs that ended here, and of those that have not: */
    double weight_done, seconds_done, weight_left;
} cli_run_progress;

/* A process at work. */
typedef struct cli_running_job {
    cli_run *run;
    long pid;
    double began;
} cli_running_job;

void cli_run_progress_open(cli_run_progress *tally, const cli_runs *runs, int quiet);
/* A run has ended, well or not. */
void cli_run_progress_end(cli_run_progress *tally, const cli_run *run, const cli_running_job *busy,
                          size_t n_busy, int jobs);
/* Time has passed. */
void cli_run_progress_show(cli_run_progress *tally, const cli_running_job *busy, size_t n_busy,
                           int jobs);
void cli_run_progress_close(cli_run_progress *tally);

#endif
