/* How good probabilities are as answers to yes-or-no questions. */
#ifndef NLN_EVALUATION_METRICS_H
#define NLN_EVALUATION_METRICS_H

#include "nln.h"

/* Of p[n] against labels[n] in {0, 1}.  The answer is T when p > 1/2, so a p of
 * exactly 1/2 counts as F.  For the cross-entropy alone p is held within 1e-12 of
 * 0 and 1.  One NaN among the probabilities makes every metric NaN; n = 0 makes
 * them 0.  The auc, which needs memory, is left NaN for nln_metrics_auc. */
nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n);

/* The share of the pairs of a true and a false one in which the true one has the higher p;
 * ties count half.  Exact, in time n log n; any increasing function of the probabilities
 * gives the same.  NaN when a class is missing or a p is NaN. */
nln_status nln_metrics_auc(double *auc, const double *p, const uint8_t *labels, size_t n,
                           nln_error *err);

#endif
