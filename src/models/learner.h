/* A model in training: a request goes in, the loss and its gradients come out.
 *
 * Everything trained lies in a few parts, tables of rows.  A request touches some rows of each;
 * the trainer brings these up to date, asks for the gradient, and updates them.  It does not
 * know what the model is. */
#ifndef NLN_MODELS_LEARNER_H
#define NLN_MODELS_LEARNER_H

#include "base/thread_pool.h"
#include "models/queries.h"
#include "net/shard_sum.h"

enum { NLN_MOST_PARAMETERS = NLN_MOST_SHARD_PARTS };

typedef struct nln_parameter {
    real *x; /* [n, width], borrowed from the model */
    size_t n;
    int width;
    double rate;
    int is_logit; /* its second moments decay as beta2-logit says */

    /* Of the planned request. */
    int32_t n_rows;
    const int32_t *row; /* [n_rows] distinct; NULL: 0, 1, ..., n_rows - 1 */
    real *gradient;     /* [n_rows, width] */
} nln_parameter;

typedef struct nln_learner nln_learner;
struct nln_learner {
    int n_parameters;
    nln_parameter parameter[NLN_MOST_PARAMETERS];
    double noise;    /* share of the labels taken to be flipped, where the model knows that */
    double per_unit; /* of a shard: factor of each unit's loss, as option reduce says */

    /* Lists the rows that the request touches; the request stays valid until the gradient.  The
     * last thing that can fail. */
    nln_status (*plan)(nln_learner *l, const nln_request *request, nln_error *err);
    /* The loss of the planned request, summed or averaged over its units as option reduce says;
     * its gradient is then in the parts. */
    nln_loss (*gradient)(nln_learner *l, uint64_t key);
    /* After the parts have changed; NULL if that needs nothing. */
    void (*changed)(nln_learner *l);
    void (*free)(nln_learner *l);
};

#endif
