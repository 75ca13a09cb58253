/* Help, made from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command_table.h"

/* The commands whose name starts with `prefix`; "" lists all. */
void cli_help_commands(const char *prefix);
/* One command: how to call it, and its options with their defaults, in groups.  --task, --model
 * and --recipe among the words choose the defaults.  Of the options of training it shows the common
 * ones that apply, or every one if `all` is among the words.  Returns an exit code. */
int cli_help_command(cli_call *call, char *const *words, int n_words);
/* Everything that the help is made from, for the scripts that make manual pages and completions:
 * lines of verb, NAME, OPERANDS, SUMMARY and below each of them its lines of option, NAME, TYPE,
 * DEFAULT, VALUES, HELP, with TABs between.  Returns an exit code. */
int cli_help_tables(void);

#endif
