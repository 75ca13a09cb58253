/* What a training leaves behind after each epoch: a line of a log, and copies of the model. */
#ifndef CLI_COMMANDS_EPOCH_LOG_H
#define CLI_COMMANDS_EPOCH_LOG_H

#include <stdio.h>

#include "command_table.h"
#include "show/metrics_table.h"

typedef struct cli_epochs {
    const char *log; /* the path of the log, "" for none ... */
    FILE *stream;    /* ... and the open file */
    int begun;       /* the stream is where the next line belongs */
    int resumed;     /* it may have lines already */
    int curves;      /* lines have the metrics of train and test too */
    int told;        /* that the log cannot be written */
    cli_task task;
    const char *out;       /* the path of the model, which copies take their names from */
    const char *snapshots; /* the epochs to copy, such as 1,5,20; "" for none */
    int last;              /* the last epoch told */
} cli_epochs;

/* Reads the options --log, --snapshots and --resume; returns an exit code.  Whatever it is,
 * cli_epochs_close releases the file.  With --resume the lines of the epochs before the first
 * one told stay in the log. */
int cli_epochs_open(cli_epochs *epochs, const cli_call *call, cli_task task);
/* At every step of a training; writes at the end of an epoch.  Returns an exit code. */
int cli_epochs_step(cli_epochs *epochs, const nln_progress *now);
int cli_epochs_close(cli_epochs *epochs);

#endif
