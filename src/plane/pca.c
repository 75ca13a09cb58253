#include "plane/pca.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"
#include "math/blas.h"

static double column_dot(const float *V, size_t dim, size_t a, size_t b)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (double)V[2 * d + a] * (double)V[2 * d + b];
    return sum;
}

/* Scales a column to length 1 with its largest number positive; to 0 if it is (almost) 0
 * compared with `before`. */
static void normalise(float *V, size_t dim, size_t column, double before)
{
    double length = sqrt(column_dot(V, dim, column, column)), largest = 0;
    for (size_t d = 0; d < dim; d++)
        if (fabs((double)V[2 * d + column]) > fabs(largest))
            largest = (double)V[2 * d + column];
    double by = length > 1e-6 * before ? copysign(1 / length, largest) : 0;
    for (size_t d = 0; d < dim; d++)
        V[2 * d + column] = (float)((double)V[2 * d + column] * by);
}

static void orthonormalise(float *V, size_t dim)
{
    double before = sqrt(column_dot(V, dim, 1, 1));
    normalise(V, dim, 0, 0);
    double along = column_dot(V, dim, 0, 1);
    for (size_t d = 0; d < dim; d++)
        V[2 * d + 1] -= (float)(along * (double)V[2 * d]);
    normalise(V, dim, 1, before);
}

/* Orthogonal iteration: V = orthonormalised X'X V, until it no longer moves. */
static void iterate(float *V, float *next, float *projected, const nln_distances *space)
{
    enum { MOST_STEPS = 200 };
    int n = (int)space->n, dim = (int)space->dim;
    nln_random random = nln_random_seed(1, 1);
    for (size_t d = 0; d < 2 * space->dim; d++)
        V[d] = (float)nln_random_normal(&random);
    orthonormalise(V, space->dim);
    double moved = INFINITY;
    for (int i = 0; i < MOST_STEPS && moved > 1e-5; i++) {
        memset(next, 0, 2 * space->dim * sizeof *next);
        nln_blas_nn(projected, 2, space->centred, dim, V, 2, n, 2, dim);
        nln_blas_tn_add(next, 2, space->centred, dim, projected, 2, dim, 2, n);
        orthonormalise(next, space->dim);
        moved = 0;
        for (size_t d = 0; d < 2 * space->dim; d++) {
            double by = fabs((double)(next[d] - V[d]));
            moved = by > moved ? by : moved; /* gcc 12.2 for arm64 fails on fmax here */
            V[d] = next[d];
        }
    }
}

nln_status nln_pca_plane(double *plane, const nln_distances *space, nln_error *err)
{
    float *V = nln_array_zeroed(2 * space->dim, sizeof *V);               /* [dim, 2] */
    float *next = nln_array_zeroed(2 * space->dim, sizeof *next);         /* [dim, 2] */
    float *projected = nln_array_zeroed(2 * space->n, sizeof *projected); /* [n, 2] = X V */
    nln_status status = V && next && projected ? NLN_OK : nln_error_memory(err);
    if (!status) {
        iterate(V, next, projected, space);
        nln_blas_nn(projected, 2, space->centred, (int)space->dim, V, 2, (int)space->n, 2,
                    (int)space->dim);
        for (size_t i = 0; i < 2 * space->n; i++)
            plane[i % 2 * space->n + i / 2] = (double)projected[i];
    }
    nln_free(V);
    nln_free(next);
    nln_free(projected);
    return status;
}
