/* Forward and backward through the rows of a plan, whole groups at a time. */
#ifndef NLN_NET_PROPAGATION_H
#define NLN_NET_PROPAGATION_H

#include "net/workspace.h"

/* The randomness of a pass.  It depends on (key, row or variable) alone, so that backward can
 * repeat the draws of forward. */
typedef struct nln_noise {
    real hidden;    /* dropout: share of the hidden units of the modules */
    real variables; /* dropout: share of the elements of variable vectors */
    real logit;     /* standard deviation of normal noise on the variables' numbers t */
    uint64_t key;

    /* For expressions longer than those of training, without gradients.  Every variable takes the
     * value that the vote of its members, `stride` rows apart, solves it with: a little doubt of
     * each of many literals must not add up.  For the same reason results from level 4 on, which
     * is where training ends, are pulled back to the arc, twice as sure. */
    int settled;    /* members; 0: none of this */
    int32_t stride; /* of the members */
} nln_noise;

/* Fills H from T, F, the variables and up. */
void nln_propagation_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                             nln_noise noise);

/* dH holds the gradient that the objective gives each row directly, F included.  Adds the gradients
 * that come through the users of each row; then work->gradient has those of the leaves, dvector of
 * their variables' vectors or rests and dlogit of their numbers t, and those of the modules are
 * added to its block. */
void nln_propagation_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                              nln_noise noise);

/* The vectors of the rows first + item[i], i < n, of the variables' tables, without noise; of first
 * + i if item is NULL.  scratch is [dim + hidden]. */
void nln_propagation_variables(real *out, const nln_net *net, int32_t first, const int32_t *item,
                               int32_t n, real *scratch);

#endif
