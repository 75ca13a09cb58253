/* recommend --all: the list of every user that a model has kept, as a stream. */
#ifndef CLI_COMMANDS_USER_LISTS_H
#define CLI_COMMANDS_USER_LISTS_H

#include "commands/model_question.h"

/* Writes the lists in the format of --as to --out, or to standard output, a block of users at a
 * time, so that memory does not grow with their number.  Returns an exit code. */
int cli_user_lists_write(const cli_question *question, size_t k);

#endif
