/* The files of --per-user and --per-triple: the ranks of every liked item or every triple of a
 * part. Written by train and evaluate, and read again to compare two models user by user or triple
 * by triple, which the first column names. */
#ifndef CLI_SHOW_USER_RANKS_H
#define CLI_SHOW_USER_RANKS_H

#include <stddef.h>

#include "nln_lab.h"

/* Writes a line for each of n placings to the path of --per-user; returns an exit code. */
int cli_user_ranks_write(const nln_placing *placings, size_t n, const nln_ratings *ratings,
                         const char *path);

/* Writes a line for each of the n triples of a part to the path of --per-triple. */
int cli_user_ranks_write_links(const nln_link_placing *placings, size_t n,
                               const nln_triples *triples, const char *path);

typedef struct cli_user_mean {
    char *user;
    double sum;
    size_t n;
} cli_user_mean;

/* The mean of a column for each user, over all lines of all files that were added. */
typedef struct cli_user_ranks {
    cli_user_mean *means; /* [n], after cli_user_ranks_settle one for each user, sorted by name */
    size_t n, room;
} cli_user_ranks;

/* Adds a column of a file; 0 if the file or the column is missing. */
int cli_user_ranks_add(cli_user_ranks *ranks, const char *path, const char *column);
void cli_user_ranks_settle(cli_user_ranks *ranks);
void cli_user_ranks_free(cli_user_ranks *ranks);
/* The paired t-test over the users that both have. */
nln_paired cli_user_ranks_compare(const cli_user_ranks *a, const cli_user_ranks *b);

#endif
