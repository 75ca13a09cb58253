/* The Neural Logic Network as a method: its learner, which the benches look into. */
#ifndef NLN_MODELS_NETWORK_LEARNER_H
#define NLN_MODELS_NETWORK_LEARNER_H

#include "models/method.h"
#include "models/model.h"
#include "net/batch_shards.h"
#include "net/profile.h"

/* What the batches since the last clearing have cost. */
typedef struct nln_cost {
    double textbook_flop; /* every vector computed for itself, laws on all of them */
    double executed_flop; /* what the matrix products have really done */
    double rows;          /* vectors, repetitions counted */
    double shared_rows;   /* rows computed */
} nln_cost;

typedef struct nln_network_learner {
    nln_learner base;
    nln_model *model;
    nln_batch *batch[NLN_MOST_NETWORKS]; /* of each network of the model, as are n_each parts */
    int n_each;
    nln_objective objective;
    nln_cost cost;

    /* The queries of the current request as expressions. */
    nln_exprs list;
    uint64_t *keys;
    int32_t *index;
    size_t keys_room, index_room;
} nln_network_learner;

/* The storage and the shapes of the method: see method.h. */
extern const nln_storage nln_network_storage;
int nln_network_tensor(nln_shape *out, const nln_sizes *sizes, int index);

/* Flops of one row of a network forward: a product of [1, a] and [a, b] is 2 a b. */
double nln_network_row_flop(const nln_net *net, nln_module_id module);

/* The learner of a model whose method is the network itself; NULL for any other. */
nln_network_learner *nln_network_of(nln_learner *learner);

/* Whether the mean of `passes` scores, over networks, members and orders, is one of log-odds, as
 * for models of ratings, or of probabilities.  A single score is kept as it is, since its
 * probability could be rounded to 1. */
int nln_network_means_odds(const nln_model *model, int passes);

/* The log-odds of expressions, averaged over networks, members and orders, without the
 * temperature. */
nln_status nln_network_scores(double *score, const nln_model *model, const nln_exprs *list,
                              int orders, int n_threads, nln_error *err);
/* The same; and what it has cost, with the time of all threads by phases. */
nln_status nln_network_measure(nln_cost *cost, nln_profile *profile, double *score,
                               const nln_model *model, const nln_exprs *list, int orders,
                               int n_threads, nln_error *err);
/* Computes vectors as nln_model_vectors does, and keeps its memory between the calls; one's own in
 * each thread. */
typedef struct nln_vector_reader nln_vector_reader;
nln_status nln_vector_reader_create(nln_vector_reader **out, const nln_model *model,
                                    nln_error *err);
nln_status nln_vector_reader_read(real *out, nln_vector_reader *reader, const nln_exprs *list,
                                  int order, nln_error *err);
void nln_vector_reader_free(nln_vector_reader *reader);

/* A scorer, and the answers to queries: see method.h. */
nln_status nln_network_ask(nln_item_scorer **out, const nln_model *model, size_t most,
                           nln_error *err);
nln_status nln_network_answer(double *score, const nln_model *model, const nln_queries *queries,
                              int n_threads, nln_error *err);

/* p[v] = how true OR(expression, v) is, averaged over the networks and their members; member m of
 * the expression's vector, counted through all networks, is vectors[m * stride].  The cost is added
 * to `cost` unless that is NULL. */
void nln_network_rank(double *p, nln_item_scorer *scorer, const real *vectors, size_t stride,
                      nln_running_cost *cost);

#endif
