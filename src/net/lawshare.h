/* Which shard puts which rows under the laws.
 *
 * A row that several shards have, with the same vector in each, need be under the laws in one
 * of them only, for all its occurrences: gradients add up.  That is so for variables and
 * negated variables as long as nothing random is drawn for a shard of its own.  The shard with
 * the fewest rows takes it, so that all have about as much to do. */
#ifndef NLN_NET_LAWSHARE_H
#define NLN_NET_LAWSHARE_H

#include "net/batch.h"

/* Sets law.count of all rows of the planned batch. */
void nln_laws_share(nln_batch *b, const nln_objective *o);

#endif
