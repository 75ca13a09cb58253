/* Which shard of a batch has which rows under the laws.
 *
 * A row that several shards have, with the same vector in each, needs to be under the laws in only
 * one of them, for all its occurrences: gradients add up.  This holds for variables and negated
 * variables as long as nothing random is drawn for each shard.  The shard with the fewest rows
 * takes it, so that all shards have about the same work. */
#ifndef NLN_NET_LAW_SHARDS_H
#define NLN_NET_LAW_SHARDS_H

#include "net/batch_shards.h"

/* Assigns the rows of the planned batch, and sets n_under_laws of its shards. */
void nln_law_sharing_assign(nln_batch *b, const nln_objective *o);
/* Sets `count` of a list for the rows of shard i; shards may call it at the same time. */
void nln_law_sharing_count(nln_law_list *l, nln_batch *b, int i);

#endif
