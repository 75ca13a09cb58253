#include "plane/distances.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/array.h"
#include "math/blas.h"

/* Rows of one product. */
enum { BLOCK = 32 };

static nln_status check(const float *points, size_t n, size_t dim, nln_error *err)
{
    if (n > INT_MAX || dim > INT_MAX)
        return nln_error_set(err, NLN_LIMIT, "%zu points of %zu numbers are too many", n, dim);
    for (size_t i = 0; i < n * dim; i++)
        if (!isfinite(points[i]))
            return nln_error_set(err, NLN_NUMERIC,
                                 "number %zu of point %zu is not finite: leave that point out",
                                 i % dim + 1, i / dim + 1);
    return NLN_OK;
}

/* Denormal numbers count as 0, as they do inside a thread pool. */
static double number(float x)
{
    return fabsf(x) < FLT_MIN ? 0 : (double)x;
}

nln_status nln_distances_create(nln_distances *out, const float *points, size_t n, size_t dim,
                                nln_error *err)
{
    nln_distances s = {.n = n, .dim = dim, .points = points};
    nln_status status = check(points, n, dim, err);
    if (status)
        return status;
    double *mean = nln_array_zeroed(dim, sizeof *mean), most = 0;
    s.centred = nln_array_zeroed(n * dim, sizeof *s.centred);
    s.transposed = nln_array_zeroed(n * dim, sizeof *s.transposed);
    s.square = nln_array_zeroed(n, sizeof *s.square);
    s.low = nln_array_zeroed(n, sizeof *s.low);
    if (!mean || !s.centred || !s.transposed || !s.square || !s.low) {
        nln_free(mean);
        nln_distances_free(&s);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < n * dim; i++)
        mean[i % dim] += number(points[i]) / (double)n;
    for (size_t i = 0; i < n * dim; i++)
        most = fmax(most, fabs(number(points[i]) - mean[i % dim]));
    s.unit = most > 0 ? 1 / most : 1;

    /* The error of a squared distance that was computed with floats has three parts: the dot
     * product of dim terms, the rounded coordinates, and the last few additions.  Numbers too
     * small for a float add a constant. */
    s.error = (1.1F * (float)dim + 16) * FLT_EPSILON / 2;
    double lost = (double)FLT_MIN * (double)(dim + 1);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t d = 0; d < dim; d++) {
            float x = (float)((number(points[i * dim + d]) - mean[d]) * s.unit);
            s.centred[i * dim + d] = s.transposed[d * n + i] = x;
            sum += (double)x * (double)x;
        }
        s.square[i] = (float)(sum + lost / (double)s.error);
        s.low[i] = (float)(sum * (1 - (double)s.error) - lost);
    }
    nln_free(mean);
    *out = s;
    return NLN_OK;
}

void nln_distances_free(nln_distances *space)
{
    nln_free(space->centred);
    nln_free(space->transposed);
    nln_free(space->square);
    nln_free(space->low);
    *space = (nln_distances){0};
}

double nln_distances_exact(const nln_distances *space, size_t i, size_t j)
{
    const float *a = space->points + i * space->dim, *b = space->points + j * space->dim;
    double sum = 0;
    for (size_t d = 0; d < space->dim; d++) {
        double x = (number(a[d]) - number(b[d])) * space->unit;
        sum += x * x;
    }
    return sum;
}

typedef struct sweep {
    const nln_distances *space;
    size_t step;
    nln_distances_visit *visit;
    void *context;
    int n_threads;
    float *scratch; /* [n_threads, BLOCK, dim + n] */
} sweep;

/* Visits every n_threads-th block of rows. */
static void visit_blocks(void *context, int thread)
{
    const sweep *w = context;
    const nln_distances *s = w->space;
    size_t n_rows = (s->n + w->step - 1) / w->step;
    float *scaled = w->scratch + (size_t)thread * BLOCK * (s->dim + s->n);
    float *product = scaled + BLOCK * s->dim;
    for (size_t first = (size_t)thread * BLOCK; first < n_rows;
         first += (size_t)w->n_threads * BLOCK) {
        size_t n = n_rows - first < BLOCK ? n_rows - first : BLOCK;
        for (size_t r = 0; r < n; r++)
            for (size_t d = 0; d < s->dim; d++)
                scaled[r * s->dim + d] = -2 * s->centred[(first + r) * w->step * s->dim + d];
        nln_blas_nn(product, (int)s->n, scaled, (int)s->dim, s->transposed, (int)s->n, (int)n,
                    (int)s->n, (int)s->dim);
        for (size_t r = 0; r < n; r++) {
            size_t i = (first + r) * w->step;
            float *low = product + r * s->n;
            for (size_t j = 0; j < s->n; j++)
                low[j] += s->low[i] + s->low[j];
            w->visit(w->context, i, low);
        }
    }
}

nln_status nln_distances_rows(const nln_distances *space, size_t step, nln_distances_visit *visit,
                              void *context, nln_thread_pool *pool, nln_error *err)
{
    sweep w = {space, step, visit, context, nln_thread_pool_size(pool), NULL};
    w.scratch =
        nln_array_zeroed((size_t)w.n_threads * BLOCK, (space->dim + space->n) * sizeof *w.scratch);
    if (!w.scratch)
        return nln_error_memory(err);
    nln_thread_pool_run(pool, w.n_threads, visit_blocks, &w);
    nln_free(w.scratch);
    return NLN_OK;
}
