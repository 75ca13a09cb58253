/* How much points belong together: the probabilities p_ij of t-SNE.
 *
 * p_j|i is a normal density around point i over its k nearest neighbours, as wide as gives the
 * row the wanted perplexity; p_ij = (p_j|i + p_i|j) / 2n. */
#ifndef NLN_PLANE_AFFINITIES_H
#define NLN_PLANE_AFFINITIES_H

#include <stdint.h>

#include "plane/distances.h"

/* Row i has the entries start[i] .. start[i + 1] - 1, by column; p_ij = p_ji, and all of them
 * sum to 1. */
typedef struct nln_affinities {
    size_t n;
    size_t *start;   /* [n + 1] */
    int32_t *column; /* [start[n]] */
    float *p;        /* [start[n]] */
} nln_affinities;

/* k < n; n > 1. */
nln_status nln_affinities_create(nln_affinities *out, const nln_distances *space, size_t k,
                                 double perplexity, nln_thread_pool *team, nln_error *err);
void nln_affinities_free(nln_affinities *affinity);

/* p[j] = exp(-b distance[j]) / sum, for k squared distances in ascending order, with the b for
 * which exp(entropy) is the perplexity, or nearest to it: ties may leave no such b. */
void nln_affinities_row(float *p, const double *distance, size_t k, double perplexity);

#endif
