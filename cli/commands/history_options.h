/* The histories that a command line asks about: of --user, of --like and --dislike, or of a
 * file, --histories. */
#ifndef CLI_COMMANDS_HISTORY_OPTIONS_H
#define CLI_COMMANDS_HISTORY_OPTIONS_H

#include "command_table.h"
#include "commands/item_names.h"

typedef struct cli_history {
    char *name;            /* of the user, or of the line; "" when there is none */
    nln_literal *literals; /* [n], in time order */
    size_t n, room;
} cli_history;

/* The name as the library takes it: NULL when there is none. */
const char *cli_history_user(const cli_history *history);

typedef struct cli_histories {
    cli_history *list; /* [n] */
    size_t n, room;
    int is_file;       /* there may be any number of them; otherwise there is one */
    size_t n_refused;  /* lines of the file that cannot be read; a message told of each */
    size_t n_left_out; /* items of the file that the model does not know */
} cli_histories;

/* A call without any of these options has one history, an empty one.  Returns an exit code;
 * whatever it is, cli_histories_free releases them. */
int cli_histories_read(cli_histories *out, const cli_call *call, const cli_items *items);
void cli_histories_free(cli_histories *histories);

#endif
