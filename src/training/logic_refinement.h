/* What a network that has learned from labelled expressions gets at the end: modules that compute
 * with probabilities, and variables that are found by messages through them. */
#ifndef NLN_TRAINING_LOGIC_REFINEMENT_H
#define NLN_TRAINING_LOGIC_REFINEMENT_H

#include "training/source.h"

/* `refine` of a source of expressions, for networks whose variables are points of the arc; see
 * source.h.  Where the modules have learned the law of probabilities well, messages come to the
 * posterior and are taken: validation is no fair judge, since the epoch before them was chosen as
 * the best on it.  Where they have not, as after few examples, the lower RMSE on validation
 * decides. All members of a variable come to the same value; if the caller has not asked for
 * several, one of them stays. */
nln_status nln_logic_refinement_make(char note[NLN_NOTE_ROOM], const nln_source *source,
                                     nln_model *model, double noise, nln_thread_pool *pool,
                                     nln_error *err);

#endif
