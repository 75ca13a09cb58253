/* How good probabilities are as answers to yes-or-no questions. */
#ifndef NLN_TASK_METRICS_H
#define NLN_TASK_METRICS_H

#include "nln.h"

/* Of p[n] against labels[n] in {0, 1}.  The answer is T when p > 1/2, so a p of
 * exactly 1/2 counts as F.  For the cross-entropy alone p is held within 1e-12 of
 * 0 and 1.  One NaN among the probabilities makes every metric NaN; n = 0 makes
 * them 0. */
nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n);

#endif
