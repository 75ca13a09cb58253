/* Which shard puts which rows under the laws.
 *
 * A row that several shards have, with the same vector in each, need be under the laws in one
 * of them only, for all its occurrences: gradients add up.  That is so for variables and
 * negated variables as long as nothing random is drawn for a shard of its own.  The shard with
 * the fewest rows takes it, so that all have about as much to do. */
#ifndef NLN_NET_LAW_SHARING_H
#define NLN_NET_LAW_SHARING_H

#include "net/batch.h"

/* Decides it for the planned batch, and sets n_under_laws of its shards. */
void nln_laws_share(nln_batch *b, const nln_objective *o);
/* Sets `count` of a list for the rows of shard i accordingly; shards may do so side by side. */
void nln_laws_take(nln_law_list *l, nln_batch *b, int i);

#endif
