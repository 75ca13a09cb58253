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

/* Which rank of a job computes which shard: see shard_exchange.h. */
typedef struct nln_shard_owners {
    int n_shards;
    int shared;      /* on several ranks; else every rank has all */
    int first, last; /* this rank has the shards first .. last - 1 */
    int rank[NLN_MOST_SHARDS];
} nln_shard_owners;

/* Memory for what ranks send each other. */
enum { NLN_EXCHANGE_BUFFERS = 20 };
typedef struct nln_shard_exchange {
    char *buffer[NLN_EXCHANGE_BUFFERS];
    size_t room[NLN_EXCHANGE_BUFFERS];
} nln_shard_exchange;

/* Sums all parts, and the losses in loss[0].  x is used only if the shards are on several ranks. */
void nln_shard_sum(nln_shard_part *part, int n_parts, nln_loss *loss, const nln_shard_owners *o,
                   nln_shard_exchange *x, nln_thread_pool *pool);
void nln_shard_sum_losses(nln_loss *loss, int first, int last);
void nln_loss_add(nln_loss *to, const nln_loss *x);

#endif
