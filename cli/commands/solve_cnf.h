/* nln solve FILE.cnf: an assignment of the clauses of a DIMACS file. */
#ifndef CLI_COMMANDS_SOLVE_CNF_H
#define CLI_COMMANDS_SOLVE_CNF_H

#include "command_table.h"

/* Whether the name is that of a DIMACS file: it ends in .cnf or .dimacs, then .gz, .zst or
 * nothing. */
int cli_solve_is_cnf(const char *path);
int cli_solve_cnf(const cli_call *call);

#endif
