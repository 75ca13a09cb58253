/* The rows of a table that the shards of a batch touch, and the sum of their gradients.
 *
 * Floating-point sums depend on their order.  Gradients of shards are therefore summed along one
 * fixed binary tree: the leaves are the shards, and a node of level k is an aligned range of 2^k
 * shards, the last one cut off where the shards end.  The sum of a node is the sum of its two
 * halves; a half that does not touch a row has no part in that row's sum.  Whoever computes a node,
 * a thread or another machine, gets the same bits. */
#ifndef NLN_NET_SHARD_ROWS_H
#define NLN_NET_SHARD_ROWS_H

#include <stdint.h>

#include "base/error.h"
#include "math/real.h"

/* What one shard touches: its own list of distinct rows. */
typedef struct nln_shard_list {
    const int32_t *row; /* [n] */
    int32_t n;
} nln_shard_list;

typedef struct nln_row_holder {
    int32_t shard;
    int32_t at; /* where the row is in the shard's own list */
} nln_row_holder;

typedef struct nln_shard_rows {
    int32_t n;              /* distinct rows of all shards; the place of a row is 0 .. n - 1 */
    int32_t *row;           /* [n] in order of first sight */
    size_t *start;          /* [shards + 1] where each shard begins in ... */
    int32_t *place;         /* [rows of all shards] the place of each row of a shard */
    size_t *first;          /* [n + 1] where the holders of a place begin in ... */
    nln_row_holder *holder; /* ... [rows of all shards], in order of their shards */

    int32_t *slots; /* row -> place + 1 by open addressing */
    size_t n_slots, row_room, start_room, place_room, first_room, holder_room;
} nln_shard_rows;

void nln_shard_rows_free(nln_shard_rows *u);

/* Lists what the shards touch. */
nln_status nln_shard_rows_list(nln_shard_rows *u, const nln_shard_list *shard, int n_shards,
                               nln_error *err);

/* out = the sum of the rows that n >= 1 shards have, in the order of their shards, along the tree.
 * gradient[i] is [rows of shard i, width]; sums are built in these rows, which are lost. */
void nln_shard_rows_sum(real *out, const nln_row_holder *holder, size_t n, real *const *gradient,
                        size_t width);

/* The same for the numbers from .. to - 1 of a block that all shards of a node, first .. last - 1,
 * have: the sum ends in block[first]. */
void nln_shard_blocks_sum(real *const *block, int first, int last, size_t from, size_t to);

#endif
