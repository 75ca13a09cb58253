/* Squared distances between points.
 *
 * One matrix product gives lower and upper bounds of all distances from a block of points.
 * Callers compute exactly only the pairs that the bounds leave undecided, so their answers are
 * exact and do not depend on how the product was computed. */
#ifndef NLN_PLANE_DISTANCES_H
#define NLN_PLANE_DISTANCES_H

#include "base/thread_pool.h"

typedef struct nln_distances {
    size_t n, dim;
    const float *points; /* [n, dim], borrowed */
    double unit;         /* scales coordinates so that no absolute value is much above 1 */
    float *centred;      /* [n, dim]: the points, centred at their mean and scaled */
    float *transposed;   /* [dim, n]: the same */
    float *square;       /* [n]: squared lengths of the centred points */
    float *low;          /* [n]: the same minus their share of the error */
    float error;         /* of a squared distance, relative to the sum of both squared lengths */
} nln_distances;

/* Fails with NLN_NUMERIC if a number is not finite, with NLN_LIMIT if n or dim exceeds INT_MAX. */
nln_status nln_distances_create(nln_distances *out, const float *points, size_t n, size_t dim,
                                nln_error *err);
void nln_distances_free(nln_distances *space);

/* The exact squared distance of points i and j, scaled by unit^2. */
double nln_distances_exact(const nln_distances *space, size_t i, size_t j);

/* Receives row i: low[j] <= distance(i, j) <= low[j] + nln_distances_gap(i, j). */
typedef void nln_distances_visit(void *context, size_t i, const float *low);
static inline float nln_distances_gap(const nln_distances *space, size_t i, size_t j)
{
    return 3 * space->error * (space->square[i] + space->square[j]);
}
/* Visits the rows 0, step, 2 step, ..., on any thread and in any order. */
nln_status nln_distances_rows(const nln_distances *space, size_t step, nln_distances_visit *visit,
                              void *context, nln_thread_pool *pool, nln_error *err);

#endif
