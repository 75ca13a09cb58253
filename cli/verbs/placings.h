/* The ranks of every liked item of a part, as a file. */
#ifndef CLI_PLACINGS_H
#define CLI_PLACINGS_H

#include "nln.h"

/* Writes a line for each of n placings to the path that the option --per-user gave; returns an
 * exit code. */
int cli_placings_write(const nln_placing *placings, size_t n, const nln_ratings *ratings,
                       const char *path);

#endif
