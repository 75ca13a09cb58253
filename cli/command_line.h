/* Reading a command line into a cli_call. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "command_table.h"

/* The help of options that every command takes and this one does not use. */
#define CLI_UNUSED "taken by every verb; unused here"

/* Gathers the options of the verb, all at their defaults; enough for its help.
 * Returns an exit code; whatever it is, cli_call_close releases the call. */
int cli_call_open(cli_call *call, const cli_command *command);
/* Reads the words after the verb, then the file that --config names. */
int cli_call_read(cli_call *call, char *const *words, int n_words);
/* Sets an option as the command line would have. */
int cli_call_give(cli_call *call, const char *name, const char *value);
void cli_call_close(cli_call *call);

int cli_call_flag(const cli_call *call, const char *name);
const char *cli_call_text(const cli_call *call, const char *name);
/* Whether the command line or the config file has the option. */
int cli_call_has(const cli_call *call, const char *name);
/* The values for a table of the library that the verb has. */
const nln_options *cli_call_library(const cli_call *call, const char *table);
/* A usage message, `--NAME WHY`, if the command line gives an option of a table that this
 * call has no use for. */
int cli_call_refuse(const cli_call *call, const char *table, const char *why);

#endif
