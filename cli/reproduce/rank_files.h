/* What users got: the mean of a column of the files that --per-user writes, for each user,
 * over all files and lines.  Two of them can be compared user by user. */
#ifndef CLI_REPRODUCE_RANK_FILES_H
#define CLI_REPRODUCE_RANK_FILES_H

#include <stddef.h>

#include "nln_lab.h"

typedef struct cli_mean {
    char *user;
    double sum;
    size_t n;
} cli_mean;

typedef struct cli_ranks {
    cli_mean *means; /* [n], after cli_ranks_settle one for each user, sorted by name */
    size_t n, room;
} cli_ranks;

/* Adds the column of a file; 0 if the file or the column is not there. */
int cli_ranks_add(cli_ranks *ranks, const char *path, const char *column);
void cli_ranks_settle(cli_ranks *ranks);
void cli_ranks_free(cli_ranks *ranks);

/* The paired t-test over the users that both have. */
nln_paired cli_ranks_compare(const cli_ranks *a, const cli_ranks *b);

#endif
