/* What labelled expressions say about their variables: the posterior marginals, by
 * belief propagation.
 *
 * Every variable is T with probability 1/2 before the labels are seen, and every
 * label is wrong with probability `noise`.  An expression of label y is a factor
 * (1 - noise) P(e = y) + noise P(e != y).  Messages are log-odds along the
 * occurrences of variables.  Where expressions form no loops the result is exact. */
#ifndef NLN_EXACT_BELIEF_PROPAGATION_H
#define NLN_EXACT_BELIEF_PROPAGATION_H

#include "logic/expr.h"

typedef struct nln_belief_propagation_settings {
    double noise;     /* in [0, 1/2]; held above 1e-6, so that contradictions stay finite */
    double damping;   /* in [0, 1): the share of the old message that is kept */
    double tolerance; /* stop when no message changes by more (in log-odds) */
    int sweeps;       /* at most; 0 gives 1/2 everywhere */
} nln_belief_propagation_settings;

/* marginals[v] = P(v is T | labels), 1/2 for a variable that no expression has. */
nln_status nln_belief_propagation_fit(double *marginals, const nln_exprs *exprs,
                                      const uint8_t *labels, size_t n_variables,
                                      const nln_belief_propagation_settings *settings,
                                      nln_error *err);

/* p[i] = P(expression i) when variables are independent with these marginals. */
nln_status nln_belief_propagation_predict(double *p, const nln_exprs *exprs,
                                          const double *marginals, size_t n_variables,
                                          nln_error *err);

#endif
