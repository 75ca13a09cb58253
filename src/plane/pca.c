#include "plane/pca.h"

#include <math.h>

#include "base/array.h"
#include "base/random.h"
#include "math/blas.h"

/* Orthogonal iteration: V becomes X'X V with orthonormal columns, until it stays. */
typedef struct iteration {
    const nln_distances *space;
    float *V;      /* [dim, 2] */
    float *next;   /* [dim, 2] */
    float *shadow; /* [n, 2] = X V */
} iteration;

static double column_dot(const float *V, size_t dim, int a, int b)
{
    double sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum += (double)V[2 * d + (size_t)a] * (double)V[2 * d + (size_t)b];
    return sum;
}

/* Scales a column to length 1, its largest number positive; one of (almost) no length
 * compared with `before` becomes 0. */
static void normalise(float *V, size_t dim, int column, double before)
{
    double length = sqrt(column_dot(V, dim, column, column)), largest = 0;
    for (size_t d = 0; d < dim; d++)
        if (fabs((double)V[2 * d + (size_t)column]) > fabs(largest))
            largest = (double)V[2 * d + (size_t)column];
    double by = length > 1e-6 * before ? copysign(1 / length, largest) : 0;
    for (size_t d = 0; d < dim; d++)
        V[2 * d + (size_t)column] = (float)((double)V[2 * d + (size_t)column] * by);
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

/* Returns how far the directions moved. */
static double step(iteration *it)
{
    int n = (int)it->space->n, dim = (int)it->space->dim;
    double moved = 0;
    for (size_t d = 0; d < 2 * it->space->dim; d++)
        it->next[d] = 0;
    nln_blas_nn(it->shadow, 2, it->space->copy, dim, it->V, 2, n, 2, dim);
    nln_blas_tn_add(it->next, 2, it->space->copy, dim, it->shadow, 2, dim, 2, n);
    orthonormalise(it->next, it->space->dim);
    for (size_t d = 0; d < 2 * it->space->dim; d++) {
        double by = fabs((double)(it->next[d] - it->V[d]));
        moved = by > moved ? by : moved; /* gcc 12.2 for arm64 fails on fmax here */
        it->V[d] = it->next[d];
    }
    return moved;
}

static void iterate(iteration *it)
{
    enum { MOST_STEPS = 200 };
    nln_random random = nln_random_seed(1, 1);
    for (size_t d = 0; d < 2 * it->space->dim; d++)
        it->V[d] = (float)nln_random_normal(&random);
    orthonormalise(it->V, it->space->dim);
    for (int i = 0; i < MOST_STEPS && step(it) > 1e-5; i++)
        continue;
}

nln_status nln_pca_plane(double *plane, const nln_distances *space, nln_error *err)
{
    iteration it = {space, nln_array_zeroed(2 * space->dim, sizeof *it.V),
                    nln_array_zeroed(2 * space->dim, sizeof *it.next),
                    nln_array_zeroed(2 * space->n, sizeof *it.shadow)};
    nln_status status = it.V && it.next && it.shadow ? NLN_OK : nln_error_memory(err);
    if (!status) {
        iterate(&it);
        nln_blas_nn(it.shadow, 2, space->copy, (int)space->dim, it.V, 2, (int)space->n, 2,
                    (int)space->dim);
        for (size_t i = 0; i < 2 * space->n; i++)
            plane[i % 2 * space->n + i / 2] = (double)it.shadow[i];
    }
    nln_free(it.V);
    nln_free(it.next);
    nln_free(it.shadow);
    return status;
}
