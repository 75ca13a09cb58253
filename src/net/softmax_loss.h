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

#include "net/workspace.h"

/* Who competes.  The roots of each member of the plan are n histories, their n targets, and
 * the negatives. */
typedef struct nln_softmax_candidates {
    int32_t n, n_candidates, members;
    const uint8_t *refused; /* [n, n_candidates]: 1 where the negative does not compete */
    real dropout;           /* share of OR's hidden units, the same for all that h meets */
    uint64_t key;
} nln_softmax_candidates;

/* The memory that a thread needs for it. */
typedef struct nln_softmax nln_softmax;
nln_status nln_softmax_create(nln_softmax **out, const nln_net *net, nln_error *err);
void nln_softmax_free(nln_softmax *c);
nln_status nln_softmax_fit(nln_softmax *c, int32_t n, int32_t n_candidates, nln_error *err);

/* The loss, times scale, after nln_propagation_forward; adds its gradient to dH of the roots and to
 * work->gradient->modules. */
double nln_softmax_gradient(nln_softmax *c, nln_workspace *work, const nln_net *net,
                            const nln_plan *plan, const nln_softmax_candidates *contest,
                            double scale);

#endif
