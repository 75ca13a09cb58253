/* Probabilities beside what came true. */
#ifndef NLN_EVALUATION_RELIABILITY_H
#define NLN_EVALUATION_RELIABILITY_H

#include "data/labelled.h"
#include "nln_lab.h"

/* The bins of p[n] against their labels, and the expected calibration error.  A NaN among p makes
 * the error NaN and is in no bin. */
void nln_reliability_fill(nln_reliability_bin *bins, size_t n_bins, double *error, const double *p,
                          nln_truths truths, size_t n);

/* What nln_evaluate measures: p[n] of the expressions of a split. */
nln_status nln_evaluate_predict(double *p, const nln_model *model, const nln_data *data,
                                nln_split split, const nln_options *options, nln_error *err);
/* What nln_evaluate_ratings measures for task preference: p and labels have room for the whole
 * split, and *n is the number of interactions with items that the model knows. */
nln_status nln_evaluate_preference(double *p, uint8_t *labels, size_t *n, const nln_model *model,
                                   const nln_ratings *r, nln_split split, int threads,
                                   nln_error *err);

#endif
