/* The items, or variables, whose vectors are most similar to that of one. */
#ifndef NLN_INFERENCE_SIMILAR_ITEMS_H
#define NLN_INFERENCE_SIMILAR_ITEMS_H

#include "models/model.h"

/* The vectors of all variables, each of length 1: [variables, vector length], for nln_free. */
nln_status nln_similar_vectors(float **out, const nln_model *model, nln_error *err);
/* The k of these vectors with the largest cosine to that of `item`, without itself, best first; of
 * equal ones the lower comes first.  `out` has room for k; returns their number. */
size_t nln_similar_nearest(nln_neighbour *out, size_t k, const float *vectors, size_t n,
                           size_t length, size_t item);

#endif
