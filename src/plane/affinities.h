/* The input similarities p_ij of t-SNE.
 *
 * p_j|i is a Gaussian around point i over its k nearest neighbours, whose width gives the row the
 * wanted perplexity; p_ij = (p_j|i + p_i|j) / 2n. */
#ifndef NLN_PLANE_AFFINITIES_H
#define NLN_PLANE_AFFINITIES_H

#include <stdint.h>

#include "plane/distances.h"

/* A sparse symmetric matrix that sums to 1.  Row i has the entries start[i] .. start[i + 1] - 1,
 * sorted by column. */
typedef struct nln_affinities {
    size_t n;
    size_t *start;   /* [n + 1] */
    int32_t *column; /* [start[n]] */
    float *p;        /* [start[n]] */
} nln_affinities;

/* k < n; n > 1. */
nln_status nln_affinities_create(nln_affinities *out, const nln_distances *space, size_t k,
                                 double perplexity, nln_thread_pool *pool, nln_error *err);
void nln_affinities_free(nln_affinities *affinity);

/* p[j] = exp(-beta distance[j]) / sum, for k squared distances in ascending order.  beta makes
 * exp(entropy) equal to the perplexity, or as close to it as tied distances allow. */
void nln_affinities_row(float *p, const double *distance, size_t k, double perplexity);

#endif
