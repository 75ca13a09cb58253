/* The state of a training in a file, to go on from.
 *
 * It is a model file, with the weights as they are at that moment and besides them the tensors
 *
 *     training.mean.I, training.square.I, training.last.I    Adam's, of the learner's part I
 *     training.order                                         of the units in this epoch
 *     training.best, training.average                        copies of all weights
 *
 * and the metadata `training`: numbers, written so that they come back as the same bits. */
#ifndef NLN_TRAINING_CHECKPOINT_H
#define NLN_TRAINING_CHECKPOINT_H

#include "training/calibration.h"
#include "training/trainer.h"

/* What a training is besides its trainer. */
typedef struct nln_training_state {
    uint64_t data;         /* fingerprint of what it learns from */
    nln_snapshot best;     /* the weights of the best epoch ... */
    double best_noise;     /* ... and the noise of the labels as it was estimated there */
    nln_snapshot mean;     /* of the epochs so far, where option average asks for it */
    nln_progress progress; /* its epochs, loss, best and valid */
    double seconds;        /* that earlier runs took */
    double seconds_in_epochs;
} nln_training_state;

/* Between two batches or two epochs. */
nln_status nln_checkpoint_write(const nln_trainer *t, const nln_training_state *standing,
                                const char *path, nln_error *err);

/* Takes a training that has just been set up to where the file was written.  A file that was
 * made of other data or with other options is refused.  After a failure the training cannot be
 * used. */
nln_status nln_checkpoint_read(nln_trainer *t, nln_training_state *standing, const char *path,
                               nln_error *err);

#endif
