/* The objective of a plan and its gradient: what the data say of Sim(e, T), the laws and the
 * length of the vectors.  (l2 belongs to the parameters: see batch_shards.h.) */
#ifndef NLN_NET_OBJECTIVE_H
#define NLN_NET_OBJECTIVE_H

#include "net/losses.h"
#include "net/propagation.h"
#include "net/request.h"
#include "net/softmax_loss.h"

typedef struct nln_objective {
    nln_loss_kind loss_kind;
    double law_weight;        /* lambda_l */
    double law_sample;        /* each vector is under the laws with this probability, its terms
                               * divided by it: an unbiased estimate of the same sum */
    unsigned laws;            /* the set of active laws: see law_table.h */
    double length_weight;     /* lambda_ell, of |w|^2 */
    double l2;                /* lambda_Theta, on the modules */
    double l2_variables;      /* the same on the vectors of the batch's variables */
    double l2_logit;          /* the prior of a variable's number t: l2_logit * t^2 once an epoch,
                               * spread over the variable's occurrences ... */
    const int32_t *frequency; /* ... [n_names] in the training set; NULL: all 1.  0 is 1 too: what
                               * is drawn need not be counted, as items that nobody met */
    int32_t n_names;          /* variables, without counting members; > 0 with frequency */
    double noise;             /* share of labels taken to be flipped: the likelihood of a label
                               * is (1 - noise) p + noise (1 - p) */
    int mean;                 /* divide the cross-entropy by its expressions, the laws and
                               * lengths by their vectors, instead of summing */
    double dropout, dropout_variables, logit_noise; /* see nln_noise */
} nln_objective;

/* What a plan must know of the batch that it is a shard of. */
typedef struct nln_shard_context {
    const nln_request *request;        /* the units of the shard */
    nln_softmax *softmax;              /* memory for the loss SOFTMAX */
    double per_expression, per_vector; /* factors of the terms: 1 for sums */
    int sharing;                       /* the workspace has room for shared projections */
    int has_truth;                     /* this shard counts the law that T itself is under */
} nln_shard_context;

/* Scores alpha cos(e, T) of the plan's expressions after nln_propagation_forward. */
void nln_objective_scores(double *score, const nln_workspace *work, const nln_net *net,
                          const nln_plan *plan);
/* dH += slope[i] times the gradient of the score of every expression i of the plan. */
void nln_objective_add_score_gradients(nln_workspace *work, const nln_net *net,
                                       const nln_plan *plan, const double *slope);

/* Whether any law counts. */
int nln_objective_has_laws(const nln_objective *o);
/* Whether every vector is under laws of one vector: then they share projections with the tree, see
 * law_rows.h, and a plan is several times the work. */
int nln_objective_shares(const nln_objective *o);

/* Forward, loss, backward.  work->law.count is filled in.  `key` decides dropout, noise, which
 * vectors are under the laws, and with which others.  The gradient is in the gradient. */
nln_loss nln_objective_gradient(nln_shard_gradient *gradient, nln_workspace *work,
                                const nln_net *net, const nln_plan *plan, const nln_objective *o,
                                nln_shard_context share, uint64_t key);

#endif
