/* What a trained network for ratings gets besides its weights: rules found by counting and facts
 * about items, weighed on validation, and vectors of items that nobody met. */
#ifndef NLN_TRAINING_RATINGS_REFINEMENT_H
#define NLN_TRAINING_RATINGS_REFINEMENT_H

#include "training/source.h"

/* `refine` of a source of ratings; see source.h. */
nln_status nln_ratings_refinement_make(char note[NLN_NOTE_ROOM], const nln_source *source,
                                       const nln_ratings *ratings, nln_model *model,
                                       nln_thread_pool *pool, nln_error *err);

#endif
