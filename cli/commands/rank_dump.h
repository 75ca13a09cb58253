/* The ranks of every liked item of a part, as a file. */
#ifndef CLI_COMMANDS_RANK_DUMP_H
#define CLI_COMMANDS_RANK_DUMP_H

#include "nln.h"

/* Writes a line for each of n placings to the path that the option --per-user gave; returns an
 * exit code. */
int cli_placings_write(const nln_placing *placings, size_t n, const nln_ratings *ratings,
                       const char *path);

#endif
