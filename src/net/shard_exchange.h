/* The sum over the shards of a batch whose shards are on several machines.
 *
 * Every rank has a range of the shards, and computes only these.  The sum follows the tree of
 * shard_rows.h: a node whose shards one rank has is summed there alone; where the two halves of a
 * node are on different ranks, these exchange their sums, and afterwards every rank that has a part
 * of the node knows the sum of the node.  With 2^k ranks that takes k exchanges.  Of a table only
 * the rows that a node touches travel, and without their numbers, which every rank
 * knows from the outlines of the shards (shard_outline.h). */
#ifndef NLN_NET_SHARD_EXCHANGE_H
#define NLN_NET_SHARD_EXCHANGE_H

#include "net/shard_sum.h"

/* Fills in the ranks of the shards, which are about the same work for each; cost[i] is that of
 * shard i, NULL if all are alike.  A batch of one shard is computed by every rank. */
void nln_shard_owners_assign(nln_shard_owners *o, const int64_t *cost, int n_shards);

/* The sums of nln_shard_sum, when o->shared.  Every rank calls it. */
void nln_shard_exchange_sum(nln_shard_exchange *x, nln_shard_part *part, int n_parts,
                            nln_loss *loss, const nln_shard_owners *o, nln_thread_pool *pool);
void nln_shard_exchange_free(nln_shard_exchange *x);

#endif
