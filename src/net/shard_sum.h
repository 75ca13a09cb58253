/* The sum over the shards of a batch: gradients and losses, along the tree of shard_rows.h, shared
 * by the threads of a pool. */
#ifndef NLN_NET_SHARD_SUM_H
#define NLN_NET_SHARD_SUM_H

#include "base/thread_pool.h"
#include "net/losses.h"
#include "net/shard_rows.h"

/* A shard has at least 32 units, so this many are enough for batches of any useful size. */
enum { NLN_MOST_SHARDS = 256 };

/* What is summed of one parameter. */
typedef struct nln_shard_part {
    const nln_shard_rows *rows; /* NULL: a block that every shard has, one row */
    size_t width;
    real *gradient[NLN_MOST_SHARDS]; /* of each shard: [its own rows, width]; lost */
    real *sum;                       /* [rows->n, width]; of a block it becomes gradient[0] */
} nln_shard_part;

/* Sums all parts, and the losses in loss[0]. */
void nln_shard_sum(nln_shard_part *part, int n_parts, nln_loss *loss, int n_shards,
                   nln_thread_pool *pool);

#endif
