/* What the ranks of a job tell each other of the plans of their shards.
 *
 * A rank plans only the shards that it computes.  Of the others it has to know what they touch,
 * since the sums of gradients travel without the numbers of their rows, and what decides which
 * shard has a literal under the laws: how many rows there are, and which variables, how often, and
 * negated or not.  That is an outline: a plan of literals alone, which takes the place of the plan.
 */
#ifndef NLN_NET_SHARD_OUTLINE_H
#define NLN_NET_SHARD_OUTLINE_H

#include "net/plan.h"
#include "net/shard_sum.h"

typedef struct nln_shard_outlines {
    int32_t *words; /* of all shards as they travel */
    size_t room;
    nln_plan *plan; /* [n_made] outlines */
    nln_group *group;
    int32_t **memory; /* of each */
    size_t *memory_room;
    int n_made;
} nln_shard_outlines;

/* Fills in the plans of the shards that other ranks have; those of this rank are there.  Every rank
 * calls it.  They are valid until the next call. */
nln_status nln_shard_outlines_share(nln_shard_outlines *x, const nln_plan **plan,
                                    const nln_shard_assignment *o, nln_error *err);
void nln_shard_outlines_free(nln_shard_outlines *x);

#endif
