/* A learner that cuts each request into shards, for the methods that have tables of rows.
 *
 * Each shard has a learner of the method's own, which sees its units alone; threads compute shards,
 * and the gradients are summed along a fixed tree (net/shard_sum.h).  The number of shards depends
 * on the request alone, so the same seed gives the same bits on any number of threads. */
#ifndef NLN_MODELS_SHARDED_LEARNER_H
#define NLN_MODELS_SHARDED_LEARNER_H

#include "models/table_learner.h"

/* Makes the learner of one shard, a nln_table_learner.  It computes in one thread, multiplies what
 * the data say by base.per_unit, and leaves out l2, which belongs to the rows and not to a shard.
 */
typedef nln_status nln_shard_learn(nln_learner **out, nln_model *model, const int32_t *frequency,
                                   nln_error *err);

nln_status nln_sharded_learner_create(nln_learner **out, nln_shard_learn *learn, nln_model *model,
                                      nln_thread_pool *team, const int32_t *frequency,
                                      nln_error *err);

#endif
