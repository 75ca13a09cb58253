/* The progress of a training on standard error: a live bar on a terminal, a line per epoch
 * elsewhere, nothing when quiet.  Ctrl-C cancels the training. */
#ifndef CLI_SHOW_PROGRESS_BAR_H
#define CLI_SHOW_PROGRESS_BAR_H

#include "show/metrics_table.h"

typedef struct cli_progress {
    int quiet, live;
    cli_task task;     /* decides which metric of the validation is shown */
    int reported;      /* the last epoch that was printed */
    double drawn;      /* when the bar was last drawn, in seconds of the training */
    nln_progress last; /* epoch 0 before the first call */
    nln_metrics valid; /* of the last finished epoch */
} cli_progress;

/* From here on SIGINT and SIGTERM stop the training; a second one kills the program. */
void cli_progress_open(cli_progress *progress, cli_task task, int quiet);
/* The function of an nln_watch whose context is a cli_progress. */
int cli_progress_step(void *context, const nln_progress *now);
void cli_progress_say(cli_progress *progress, const char *sentence);
void cli_progress_close(cli_progress *progress);

#endif
