/* Metrics of predicted probabilities against binary labels. */
#ifndef NLN_EVALUATION_METRICS_H
#define NLN_EVALUATION_METRICS_H

#include "data/labelled.h"
#include "nln.h"

/* Metrics of p[n] against labels[n] in {0, 1}.  The prediction is T if p > 1/2, so p = 1/2 counts
 * as F.  The cross-entropy, and only it, clamps p to [1e-12, 1 - 1e-12].  A single NaN makes every
 * metric NaN; for n = 0 they are 0.  `auc` is NaN: nln_metrics_auc computes it. */
nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n);
/* The same of labels that may be soft and have weights: see nln_metrics. */
nln_metrics nln_metrics_labels(const double *p, nln_truths truths, size_t n);

/* The share of (true, false) pairs in which the true one has the higher p; ties count half.
 * Exact, in time n log n.  NaN if a class is missing or a p is NaN. */
nln_status nln_metrics_auc(double *auc, const double *p, const uint8_t *labels, size_t n,
                           nln_error *err);
/* The same of labels that may be soft and have weights: a pair counts with the product of them. */
nln_status nln_metrics_labels_auc(double *auc, const double *p, nln_truths truths, size_t n,
                                  nln_error *err);

#endif
