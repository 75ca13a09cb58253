/* How much points belong together: the probabilities p_ij of t-SNE.
 *
 * p_j|i is a normal density around point i over its k nearest neighbours, as wide as gives the
 * row the wanted perplexity; p_ij = (p_j|i + p_i|j) / 2n. */
#ifndef NLN_TASK_AFFINITY_H
#define NLN_TASK_AFFINITY_H

#include <stdint.h>

#include "task/space.h"

/* Row i has the entries start[i] .. start[i + 1] - 1, by column; p_ij = p_ji, and all of them
 * sum to 1. */
typedef struct nln_affinity {
    size_t n;
    size_t *start;   /* [n + 1] */
    int32_t *column; /* [start[n]] */
    float *p;        /* [start[n]] */
} nln_affinity;

/* k < n; n > 1. */
nln_status nln_affinity_create(nln_affinity *out, const nln_space *space, size_t k,
                               double perplexity, nln_team *team, nln_error *err);
void nln_affinity_free(nln_affinity *affinity);

/* p[j] = exp(-b distance[j]) / sum, for k squared distances in ascending order, with the b for
 * which exp(entropy) is the perplexity, or nearest to it: ties may leave no such b. */
void nln_affinity_row(float *p, const double *distance, size_t k, double perplexity);

#endif
