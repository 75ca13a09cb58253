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

/* A team of threads takes numbers below FLT_MIN for 0, so everyone here does. */
static double number(float x)
{
    return fabsf(x) < FLT_MIN ? 0 : (double)x;
}

/* mean[d] of the points. */
static void find_mean(double *mean, const nln_distances *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t d = 0; d < s->dim; d++)
            mean[d] += number(s->points[i * s->dim + d]) / (double)s->n;
}

static void find_unit(nln_distances *s, const double *mean)
{
    double most = 0;
    for (size_t i = 0; i < s->n * s->dim; i++)
        most = fmax(most, fabs(number(s->points[i]) - mean[i % s->dim]));
    s->unit = most > 0 ? 1 / most : 1;
}

/* The error of a squared distance from a product of floats has three parts: of a dot product of
 * dim terms, of the rounded coordinates, and of the last few additions; what is too small for a
 * float is lost besides. */
static void fill(nln_distances *s, const double *mean)
{
    s->error = (1.1F * (float)s->dim + 16) * FLT_EPSILON / 2;
    double lost = (double)FLT_MIN * (double)(s->dim + 1);
    for (size_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (size_t d = 0; d < s->dim; d++) {
            float x = (float)((number(s->points[i * s->dim + d]) - mean[d]) * s->unit);
            s->copy[i * s->dim + d] = s->turned[d * s->n + i] = x;
            sum += (double)x * (double)x;
        }
        s->square[i] = (float)(sum + lost / (double)s->error);
        s->low[i] = (float)(sum * (1 - (double)s->error) - lost);
    }
}

nln_status nln_distances_create(nln_distances *out, const float *points, size_t n, size_t dim,
                                nln_error *err)
{
    nln_distances s = {.n = n, .dim = dim, .points = points};
    nln_status status = check(points, n, dim, err);
    if (status)
        return status;
    double *mean = nln_array_zeroed(dim, sizeof *mean);
    s.copy = nln_array_zeroed(n * dim, sizeof *s.copy);
    s.turned = nln_array_zeroed(n * dim, sizeof *s.turned);
    s.square = nln_array_zeroed(n, sizeof *s.square);
    s.low = nln_array_zeroed(n, sizeof *s.low);
    if (mean && s.copy && s.turned && s.square && s.low) {
        find_mean(mean, &s);
        find_unit(&s, mean);
        fill(&s, mean);
        *out = s;
    } else {
        status = nln_error_memory(err);
        nln_distances_free(&s);
    }
    nln_free(mean);
    return status;
}

void nln_distances_free(nln_distances *space)
{
    nln_free(space->copy);
    nln_free(space->turned);
    nln_free(space->square);
    nln_free(space->low);
    *space = (nln_distances){0};
}

double nln_distances_distance(const nln_distances *space, size_t i, size_t j)
{
    const float *a = space->points + i * space->dim, *b = space->points + j * space->dim;
    double sum = 0;
    for (size_t d = 0; d < space->dim; d++) {
        double x = (number(a[d]) - number(b[d])) * space->unit;
        sum += x * x;
    }
    return sum;
}

/* ---- rows -------------------------------------------------------------------------- */

typedef struct sweep {
    const nln_distances *space;
    size_t step;
    nln_distances_visit *visit;
    void *context;
    int n_hands;
    float *room; /* [n_hands, BLOCK, dim + n] */
} sweep;

/* Rows first, first + 1, ... of those to visit, at most BLOCK. */
static void visit_block(const sweep *w, float *room, size_t first, size_t n_rows)
{
    const nln_distances *s = w->space;
    float *some = room, *product = room + BLOCK * s->dim;
    for (size_t r = 0; r < n_rows; r++)
        for (size_t d = 0; d < s->dim; d++)
            some[r * s->dim + d] = -2 * s->copy[(first + r) * w->step * s->dim + d];
    nln_blas_nn(product, (int)s->n, some, (int)s->dim, s->turned, (int)s->n, (int)n_rows, (int)s->n,
                (int)s->dim);
    for (size_t r = 0; r < n_rows; r++) {
        size_t i = (first + r) * w->step;
        float *least = product + r * s->n;
        for (size_t j = 0; j < s->n; j++)
            least[j] += s->low[i] + s->low[j];
        w->visit(w->context, i, least);
    }
}

static void play_hand(void *context, int hand)
{
    const sweep *w = context;
    size_t n_rows = (w->space->n + w->step - 1) / w->step;
    float *room = w->room + (size_t)hand * BLOCK * (w->space->dim + w->space->n);
    for (size_t at = (size_t)hand * BLOCK; at < n_rows; at += (size_t)w->n_hands * BLOCK)
        visit_block(w, room, at, n_rows - at < BLOCK ? n_rows - at : BLOCK);
}

nln_status nln_distances_rows(const nln_distances *space, size_t step, nln_distances_visit *visit,
                              void *context, nln_thread_pool *team, nln_error *err)
{
    sweep w = {space, step, visit, context, nln_thread_pool_size(team), NULL};
    w.room = nln_array_zeroed((size_t)w.n_hands * BLOCK, (space->dim + space->n) * sizeof *w.room);
    if (!w.room)
        return nln_error_memory(err);
    nln_thread_pool_run(team, w.n_hands, play_hand, &w);
    nln_free(w.room);
    return NLN_OK;
}
