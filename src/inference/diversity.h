/* Lists of items that are not all alike: maximal marginal relevance (Carbonell and Goldstein,
 * 1998).
 *
 * Of a pool, best first, each next item is the one with the highest (1 - weight) s - weight c,
 * where s is its score scaled to 0 .. 1 over the pool, and c its greatest cosine with an item that
 * was chosen. */
#ifndef NLN_INFERENCE_DIVERSITY_H
#define NLN_INFERENCE_DIVERSITY_H

#include <stddef.h>

#include "nln.h"

/* The size of the pool for a list of `need` items. */
size_t nln_diversity_pool(size_t need, size_t n_items);
/* Puts the chosen items first: the first k of list[n] afterwards, in their order.  `vectors` are of
 * length 1, [items, length]; `nearest` is scratch, [n]. */
void nln_diversity_choose(nln_recommendation *list, size_t n, size_t k, double weight,
                          const float *vectors, size_t length, double *nearest);
/* The mean of 1 - cosine over the pairs of a list; NaN for fewer than two. */
double nln_diversity_of(const nln_recommendation *list, size_t n, const float *vectors,
                        size_t length);

#endif
