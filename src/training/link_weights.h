/* What adds to the scores of a network of links besides its vectors, each with a weight that ranks
 * validation best and may be 0: the inverses of its relations, and rules found by counting. */
#ifndef NLN_TRAINING_LINK_WEIGHTS_H
#define NLN_TRAINING_LINK_WEIGHTS_H

#include "data/triples.h"
#include "models/model.h"
#include "training/source.h"

/* Inverses become a part of the relations' vectors; rules are kept beside them.  `known` has the
 * facts of all splits.  Nothing happens without validation. */
nln_status nln_link_weights_fit(char note[NLN_NOTE_ROOM], nln_model *model,
                                const nln_triples *triples, const nln_fact_index *known,
                                nln_error *err);

#endif
