/* The sum over the shards of a batch: gradients and losses, along the tree of shard_rows.h, shared
 * by the threads of a pool. */
#ifndef NLN_NET_SHARD_SUM_H
#define NLN_NET_SHARD_SUM_H

#include "base/thread_pool.h"
#include "net/losses.h"
#include "net/shard_assignment.h"
#include "net/shard_rows.h"

enum { NLN_MOST_SHARD_PARTS = 48 };

/* What is summed of one parameter. */
typedef struct nln_shard_part {
    const nln_shard_rows *rows; /* NULL: a block that every shard has, one row */
    size_t width;
    real *gradient[NLN_MOST_SHARDS]; /* of each shard: [its own rows, width]; lost */
    real *sum;                       /* [rows->n, width]; of a block it becomes gradient[0] */
} nln_shard_part;

/* Memory for what ranks send each other. */
typedef struct nln_exchange_buffer {
    char *bytes;
    size_t room;
} nln_exchange_buffer;
typedef struct nln_shard_exchange {
    nln_exchange_buffer *buffer; /* [n] */
    size_t n, room;
} nln_shard_exchange;

/* Sums all parts, and the losses in loss[0].  x is used only if the shards are on several ranks. */
void nln_shard_sum(nln_shard_part *part, int n_parts, nln_loss *loss, const nln_shard_assignment *o,
                   nln_shard_exchange *x, nln_thread_pool *pool);
void nln_shard_sum_losses(nln_loss *loss, int first, int last);
void nln_loss_add(nln_loss *to, const nln_loss *x);

#endif
