/* Help, made from the tables of verbs and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command_table.h"

/* The verbs whose name starts with `prefix`; "" lists all. */
void cli_usage_verbs(const char *prefix);
/* One verb: how to call it and every option with its default and range. */
void cli_usage_verb(const cli_call *call);
/* Everything that the help is made from, for the scripts that make manual pages and completions:
 * lines of verb, NAME, OPERANDS, SUMMARY and below each of them its lines of option, NAME, TYPE,
 * DEFAULT, VALUES, HELP, with TABs between.  Returns an exit code. */
int cli_usage_tables(void);

#endif
