/* Small fits beside training: copies of the weights, the temperature of the
 * scores, and how much of the surprises they carry over. */
#ifndef NLN_TRAINING_CALIBRATION_H
#define NLN_TRAINING_CALIBRATION_H

#include "data/labelled.h"
#include "models/learner.h"

/* A copy of everything that is trained in a model. */
typedef struct nln_snapshot {
    real *block;
    size_t n;
} nln_snapshot;

nln_status nln_snapshot_create(nln_snapshot *s, const nln_learner *l, nln_error *err);
void nln_snapshot_free(nln_snapshot *s);
void nln_snapshot_take(nln_snapshot *s, const nln_learner *l);
void nln_snapshot_restore(nln_learner *l, const nln_snapshot *s);
/* s = share * s + (1 - share) * the model. */
void nln_snapshot_mix(nln_snapshot *s, const nln_learner *l, double share);

/* The factor on the scores (log-odds) under which they explain the labels best,
 * when a share `noise` of the labels is flipped.  Its logarithm has a standard normal prior,
 * or a sample without errors would send it to infinity. */
double nln_calibration_temperature(const double *score, nln_truths truths, size_t n, double noise);

/* How much of each surprise, from 0 on, is to be added to the scores for them to explain the labels
 * best; with a normal prior of standard deviation 2. */
double nln_calibration_carry(const double *score, const double *surprise, nln_truths truths,
                             size_t n, double noise);

#endif
