/* Forward and backward through the rows of a plan, whole groups at a time. */
#ifndef NLN_NET_PROPAGATION_H
#define NLN_NET_PROPAGATION_H

#include "net/workspace.h"

/* What is random in a pass.  Draws depend on (key, row or variable) alone, so that
 * backward can repeat those of forward. */
typedef struct nln_perturbation {
    real hidden;    /* dropout: share of the hidden units of the modules */
    real variables; /* dropout: share of the elements of variable vectors */
    real logit;     /* standard deviation of normal noise on the variables' numbers t */
    uint64_t key;
} nln_perturbation;

/* Fills H from T, F, the variables and up. */
void nln_propagation_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                             nln_perturbation jitter);

/* dH holds the gradient that the objective gives each row directly, F's among them.
 * Adds what comes through the users of each row; then work->yield has the gradients of the
 * leaves, dvector of their variables' vectors or rests and dlogit of their numbers t, and its
 * grad has grown by that of the modules. */
void nln_propagation_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                              nln_perturbation jitter);

/* The vectors of rows first .. first + n - 1 of the variables' tables, as they are;
 * scratch is [dim + hidden]. */
void nln_propagation_variables(real *out, const nln_net *net, int32_t first, int32_t n,
                               real *scratch);

#endif
