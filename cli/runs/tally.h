/* How a store of runs comes along, on standard error: one live line on a terminal, a line for
 * each run elsewhere, nothing when quiet. */
#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include "runs/runs.h"

typedef struct cli_tally {
    int quiet, live;
    size_t total, there, done; /* runs in all, there before, and ended: those there included */
    double began, drawn;       /* when, by the clock */
    /* Of the runs that ended here, and of those that have not: */
    double weight_done, seconds_done, weight_left;
} cli_tally;

/* A process at work. */
typedef struct cli_busy {
    cli_run *run;
    long pid;
    double began;
} cli_busy;

void cli_tally_open(cli_tally *tally, const cli_runs *runs, int quiet);
/* A run has ended, well or not. */
void cli_tally_end(cli_tally *tally, const cli_run *run, const cli_busy *busy, size_t n_busy,
                   int jobs);
/* Time has passed. */
void cli_tally_show(cli_tally *tally, const cli_busy *busy, size_t n_busy, int jobs);
void cli_tally_close(cli_tally *tally);

#endif
