/* One of many: which variable v makes OR(h, v) most true.
 *
 * The scores alpha cos(OR(h, v), T) of a history h, one for its target and one for each of
 * some negatives that all histories share, go into a softmax; the loss is -log of what the
 * target gets.  The hidden layer of OR(h, v) is z = relu(p + q), the sum of two projections
 * that are made once for each h and each v.  With W = or.out, cos(z W, T) needs only z . W T and
 * |z W|^2 = z S z', S = W W', and so does its gradient: a pair costs two products with a
 * [hidden, hidden] matrix, forward and backward together, where the plain way costs nine. */
#ifndef NLN_NET_SOFTMAX_LOSS_H
#define NLN_NET_SOFTMAX_LOSS_H

#include "net/request.h"
#include "net/workspace.h"

/* Dropout of OR's hidden units: the same units for all candidates of a history. */
typedef struct nln_softmax_dropout {
    real share;
    uint64_t key;
} nln_softmax_dropout;

/* The memory that a thread needs for it. */
typedef struct nln_softmax nln_softmax;
nln_status nln_softmax_create(nln_softmax **out, const nln_net *net, nln_error *err);
void nln_softmax_free(nln_softmax *c);
nln_status nln_softmax_fit(nln_softmax *c, int32_t n, int32_t n_candidates, nln_error *err);

/* The loss of a request of expressions, times scale, after nln_propagation_forward.  The roots of
 * each member of the plan are the histories, their targets and the candidates.  Adds the gradient
 * to dH of the roots and to the modules' gradient of the workspace. */
double nln_softmax_gradient(nln_softmax *c, nln_workspace *work, const nln_net *net,
                            const nln_plan *plan, const nln_request *request,
                            nln_softmax_dropout dropout, double scale);

#endif
