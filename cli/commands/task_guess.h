/* The task of a training whose command line does not name one. */
#ifndef CLI_COMMANDS_TASK_GUESS_H
#define CLI_COMMANDS_TASK_GUESS_H

#include "command_table.h"

/* Looks at the DATA of a command that trains.  Labelled expressions are task logic, the default;
 * ratings become --task topk, with one line on standard error.  Where it is not plain, the answer
 * is a usage message that names the tasks.  Data that cannot be read are left to the command.
 * Returns an exit code. */
int cli_task_guess(cli_call *call);
/* Whether the file or folder holds triples with named relations, and no ratings; the call has the
 * options of "ratings". */
int cli_task_is_triples(const cli_call *call, const char *path);

#endif
