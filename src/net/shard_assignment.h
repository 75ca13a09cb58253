/* Which rank of a job computes which shards of a batch.
 *
 * Every rank has a range of the shards, about as much work as the others.  Which shards a rank has
 * does not affect the bits. */
#ifndef NLN_NET_SHARD_ASSIGNMENT_H
#define NLN_NET_SHARD_ASSIGNMENT_H

#include <stdint.h>

/* A shard has at least 32 units, so this many are enough for batches of any useful size. */
enum { NLN_MOST_SHARDS = 256 };

typedef struct nln_shard_assignment {
    int n_shards;
    int shared;      /* on several ranks; else every rank has all */
    int first, last; /* this rank has the shards first .. last - 1 */
    int rank[NLN_MOST_SHARDS];
} nln_shard_assignment;

/* Divides the shards by their work; cost[i] is that of shard i, NULL if all are alike.  A batch of
 * one shard is computed by every rank. */
void nln_shard_assignment_assign(nln_shard_assignment *o, const int64_t *cost, int n_shards);

#endif
