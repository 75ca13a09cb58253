/* A model in training: everything it owns, and one epoch of work on it. */
#ifndef NLN_TRAINING_TRAINER_H
#define NLN_TRAINING_TRAINER_H

#include "models/learner.h"
#include "net/adam.h"
#include "net/profile.h"
#include "training/source.h"

typedef struct nln_trainer {
    nln_model *model; /* owned until taken */
    nln_source *source;
    nln_thread_pool *team;
    nln_learner *learner;                 /* NULL for a method that learns at once */
    nln_adam adam, adam_logit;            /* the same clock, another decay */
    nln_table table[NLN_MOST_PARAMETERS]; /* of the learner's parts */
    int32_t *order;                       /* [units] */
    int32_t *frequency;                   /* [variables] */
    int32_t batch_size;                   /* units in a batch */
    nln_random random;
    int n_epochs;        /* how many the schedule is made for */
    int epoch;           /* 1 in the first */
    size_t at;           /* units of this epoch that are done; 0 between two epochs */
    double sum, flips;   /* of the objective and of the labels, over these units */
    nln_profile profile; /* of what is outside the learner; off unless switched on */
} nln_trainer;

/* Makes the model and opens the source, which it takes, also on failure. */
nln_status nln_trainer_create(nln_trainer *t, nln_source *source, const nln_options *options,
                              nln_error *err);
void nln_trainer_free(nln_trainer *t);

/* Called after each batch but the last with the units done and the objective per unit so
 * far; a status ends the epoch. */
typedef nln_status nln_trainer_hook(void *context, size_t done, double loss, nln_error *err);

/* One pass over the units, or what is left of one that a status ended; *loss is the objective
 * per unit.  A method that learns at once does so in the first. */
nln_status nln_trainer_epoch(double *loss, nln_trainer *t, nln_trainer_hook *hook, void *context,
                             nln_error *err);

/* Makes the clock what it was after the units that `epoch` and `at` say. */
nln_status nln_trainer_rewind(nln_trainer *t, int epoch, size_t at, nln_error *err);

#endif
