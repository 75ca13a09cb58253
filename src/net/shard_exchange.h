/* The sum over the shards of a batch whose shards are on several machines.
 *
 * Every rank has a range of the shards, and computes only these.  The sum follows the tree of
 * shard_rows.h.  A rank sums the largest nodes that it has alone, its pieces.  Where two ranks have
 * a node, they swap their pieces of it in one exchange; where more have it, the ranks of one half
 * and those of the other exchange the sums of the halves.  Afterwards every rank that has a part of
 * the node knows terms that make up its sum.  With 2^k ranks that takes k exchanges.  Of a table
 * only the rows that a node touches travel, and without their numbers, which every rank knows from
 * the outlines of the shards (shard_outline.h). */
#ifndef NLN_NET_SHARD_EXCHANGE_H
#define NLN_NET_SHARD_EXCHANGE_H

#include "net/shard_sum.h"

/* The sums of nln_shard_sum, when o->shared.  Every rank calls it. */
void nln_shard_exchange_sum(nln_shard_exchange *x, nln_shard_part *part, int n_parts,
                            nln_loss *loss, const nln_shard_assignment *o, nln_thread_pool *pool);
void nln_shard_exchange_free(nln_shard_exchange *x);

#endif
