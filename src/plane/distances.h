/* Points of a space, and how far they are from each other.
 *
 * One matrix product gives all distances from a point quickly but inexactly; its error is
 * bounded.  Who compares distances computes only those pairs exactly that the bound leaves
 * open.  So answers are exact, and do not depend on how the product was computed. */
#ifndef NLN_PLANE_DISTANCES_H
#define NLN_PLANE_DISTANCES_H

#include "base/thread_pool.h"

typedef struct nln_distances {
    size_t n, dim;
    const float *points; /* [n, dim], borrowed */
    double unit;         /* coordinates are multiplied by it, so that none exceeds 1 by much */
    float *copy;         /* [n, dim]: with the mean at the origin, in units */
    float *turned;       /* [dim, n]: the same, transposed */
    float *square;       /* [n]: squared lengths of the copy */
    float *low;          /* [n]: the same less their part of the error */
    float error;         /* of a squared distance, as a part of the sum of both squares */
} nln_distances;

/* The numbers must be finite and not so many that a matrix of them has no int sizes. */
nln_status nln_distances_create(nln_distances *out, const float *points, size_t n, size_t dim,
                                nln_error *err);
void nln_distances_free(nln_distances *space);

/* The squared distance of two points, in units, exact to the last bits of a double. */
double nln_distances_distance(const nln_distances *space, size_t i, size_t j);

/* What to do with row i: least[j] <= distance(i, j) <= least[j] + nln_distances_gap(i, j). */
typedef void nln_distances_visit(void *context, size_t i, const float *least);
static inline float nln_distances_gap(const nln_distances *space, size_t i, size_t j)
{
    return 3 * space->error * (space->square[i] + space->square[j]);
}
/* Visits every row i = k step, on any thread and in any order. */
nln_status nln_distances_rows(const nln_distances *space, size_t step, nln_distances_visit *visit,
                              void *context, nln_thread_pool *team, nln_error *err);

#endif
