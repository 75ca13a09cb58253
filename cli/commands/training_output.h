/* What a training writes after each epoch: a line of the log, and copies of the model. */
#ifndef CLI_COMMANDS_TRAINING_OUTPUT_H
#define CLI_COMMANDS_TRAINING_OUTPUT_H

#include <stdio.h>

#include "command_table.h"
#include "show/metrics_table.h"

typedef struct cli_training_output {
    const char *path; /* of the log, "" for none ... */
    FILE *stream;     /* ... and the open file */
    int begun;        /* the header is written */
    int resumed;      /* the file may have lines already */
    int curves;       /* lines have the metrics of train and test too */
    int told;         /* a message said that the log cannot be written */
    cli_task task;
    const char *out;       /* the path of the model, with which the names of copies begin */
    const char *snapshots; /* the epochs to copy, such as 1,5,20; "" for none */
    int last;              /* the last epoch written */
} cli_training_output;

/* Reads the options --log, --snapshots and --resume; returns an exit code.  Whatever it is,
 * cli_training_output_close closes the file.  With --resume the log keeps the lines of the epochs
 * before the first new one. */
int cli_training_output_open(cli_training_output *log, const cli_call *call, cli_task task);
/* At every step of a training; writes at the end of an epoch.  Returns an exit code. */
int cli_training_output_step(cli_training_output *log, const nln_progress *now);
int cli_training_output_close(cli_training_output *log);

#endif
