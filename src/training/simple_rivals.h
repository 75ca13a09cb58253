/* Whether a model that is solved at once ranks or judges validation better than a trained one: what
 * somebody should know who would rather have the simpler model. */
#ifndef NLN_TRAINING_SIMPLE_RIVALS_H
#define NLN_TRAINING_SIMPLE_RIVALS_H

#include "training/source.h"

/* Trains the simple models of the task from the same ratings, and says in a sentence which of them
 * is best on validation, if it does better than the model, whose metrics are given.  An even result
 * counts as better, since it is simpler. */
nln_status nln_simple_rivals_compare(char note[NLN_NOTE_ROOM], const nln_model *model,
                                     const nln_ratings *ratings, const nln_metrics *valid,
                                     nln_error *err);

#endif
