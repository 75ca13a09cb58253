/* Items that nobody has met in training: what the network has drawn for them is noise, but facts
 * may link them to others. */
#ifndef NLN_TRAINING_COLD_ITEMS_H
#define NLN_TRAINING_COLD_ITEMS_H

#include "models/model.h"

/* Gives every item of frequency 0 the mean of the vectors of the items that facts link it to, the
 * closer ones with more weight, at their mean length.  Returns in *n how many there were. */
nln_status nln_cold_items_place(size_t *n, nln_model *model, const nln_item_knowledge *knowledge,
                                const int32_t *frequency, nln_error *err);

#endif
