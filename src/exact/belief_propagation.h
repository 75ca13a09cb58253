/* The posterior marginals of variables, given labelled expressions, by belief propagation.
 *
 * Every variable is T with a prior of 1/2, and every label is wrong with probability `noise`.  An
 * expression e with label y is a factor (1 - noise) P(e = y) + noise P(e != y).  Messages are
 * log-odds along the occurrences of variables.  The result is exact if the expressions form no
 * loops. */
#ifndef NLN_EXACT_BELIEF_PROPAGATION_H
#define NLN_EXACT_BELIEF_PROPAGATION_H

#include "logic/expr.h"

typedef struct nln_belief_propagation_settings {
    double noise;     /* in [0, 1/2]; at least 1e-6 is used, so that contradictions stay finite */
    double damping;   /* in [0, 1): the share of the old message that is kept */
    double tolerance; /* stop if no message changes by more than this (in log-odds) */
    int sweeps;       /* the most sweeps; 0 gives marginals of 1/2 */
} nln_belief_propagation_settings;

/* marginals[v] = P(v is T | labels); 1/2 for a variable without expressions. */
nln_status nln_belief_propagation_fit(double *marginals, const nln_exprs *exprs,
                                      const uint8_t *labels, size_t n_variables,
                                      const nln_belief_propagation_settings *settings,
                                      nln_error *err);

/* p[i] = P(expression i) for independent variables with these marginals. */
nln_status nln_belief_propagation_predict(double *p, const nln_exprs *exprs,
                                          const double *marginals, size_t n_variables,
                                          nln_error *err);

#endif
