/* A learner that cuts each request into shards, for the methods that have tables of rows.
 *
 * Each shard has a learner of the method's own, which sees its units alone; threads compute shards,
 * and the gradients are summed along a fixed tree (net/shard_sum.h).  The number of shards depends
 * on the request alone, so the same seed gives the same bits on any number of threads. */
#ifndef NLN_MODELS_DATA_PARALLEL_LEARNER_H
#define NLN_MODELS_DATA_PARALLEL_LEARNER_H

#include "models/table_learner.h"

/* How a method learns from one shard, in one thread.  Its gradient is multiplied by base.per_unit
 * and leaves out l2, which belongs to the rows and not to a shard. */
typedef struct nln_shard_learner {
    size_t size; /* of the method's own struct, which begins with a nln_table_learner */
    /* Completes a struct of zeros whose nln_table_learner is open; NULL where nothing is missing.
     */
    nln_status (*open)(nln_learner *l, nln_model *model, const int32_t *frequency, nln_error *err);
    /* Releases what `open` and `plan` took, also after a failed `open`; NULL where they take
     * nothing. */
    void (*close)(nln_learner *l);
    nln_status (*plan)(nln_learner *l, const nln_request *request, nln_error *err);
    nln_loss (*gradient)(nln_learner *l, uint64_t key);
} nln_shard_learner;

nln_status nln_data_parallel_learner_create(nln_learner **out, const nln_shard_learner *kind,
                                            nln_model *model, nln_thread_pool *team,
                                            const int32_t *frequency, nln_error *err);

#endif
