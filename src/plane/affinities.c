#include "plane/affinities.h"

#include <math.h>

#include "base/array.h"
#include "plane/nearest_neighbours.h"

/* ---- one row ----------------------------------------------------------------------- */

/* The sum of w_j = exp(-beta (distance_j - distance_0)), and mean and variance of the distances
 * beyond the first under these weights. */
typedef struct gaussian {
    double sum, mean, variance;
} gaussian;

static gaussian gaussian_at(const double *distance, size_t k, double beta)
{
    gaussian g = {0};
    double square = 0;
    for (size_t j = 0; j < k; j++) {
        double beyond = distance[j] - distance[0], w = exp(-beta * beyond);
        g.sum += w;
        g.mean += w * beyond;
        square += w * beyond * beyond;
    }
    g.mean /= g.sum;
    g.variance = fmax(0, square / g.sum - g.mean * g.mean);
    return g;
}

/* Newton's method in log beta, where the entropy has the slope -beta^2 variance.  A step that
 * leaves the bracket, or after one that did not halve the error, is replaced by a bisection; while
 * the bracket is open on one side, by a step of 1. */
static double find_beta(const double *distance, size_t k, double entropy)
{
    enum { MOST_STEPS = 200 };
    double at = -log(gaussian_at(distance, k, 0).mean);
    double low = -INFINITY, high = INFINITY, last = INFINITY;
    for (int i = 0; i < MOST_STEPS; i++) {
        double beta = exp(at);
        gaussian g = gaussian_at(distance, k, beta);
        double excess = log(g.sum) + beta * g.mean - entropy;
        if (fabs(excess) < 1e-9 || (excess > 0 && g.variance <= 0))
            break;
        if (excess > 0)
            low = at;
        else
            high = at;
        double newton = at + excess / (beta * beta * g.variance);
        if (newton > low && newton < high && fabs(newton - at) < 4 && fabs(excess) < last / 2)
            at = newton;
        else if (isinf(low) || isinf(high))
            at += excess > 0 ? 1 : -1;
        else
            at = (low + high) / 2;
        last = fabs(excess);
    }
    return exp(at);
}

void nln_affinities_row(float *p, const double *distance, size_t k, double perplexity)
{
    double beta = k && distance[k - 1] > distance[0] ? find_beta(distance, k, log(perplexity)) : 0;
    double sum = k ? gaussian_at(distance, k, beta).sum : 0;
    for (size_t j = 0; j < k; j++)
        p[j] = (float)(exp(-beta * (distance[j] - distance[0])) / sum);
}

/* ---- the matrix -------------------------------------------------------------------- */

static nln_status allocate(nln_affinities *out, size_t n, size_t n_entries, nln_error *err)
{
    *out = (nln_affinities){.n = n};
    out->start = nln_array_zeroed(n + 1, sizeof *out->start);
    out->column = nln_array_zeroed(n_entries, sizeof *out->column);
    out->p = nln_array_zeroed(n_entries, sizeof *out->p);
    if (out->start && out->column && out->p)
        return NLN_OK;
    nln_affinities_free(out);
    return nln_error_memory(err);
}

typedef struct rows {
    size_t n, k;
    double perplexity;
    double *distance; /* [n, k] */
    float *p;         /* [n, k] */
} rows;

enum { CHUNK = 64 };

static void fill_chunk(void *context, int chunk)
{
    const rows *r = context;
    for (size_t i = (size_t)chunk * CHUNK; i < r->n && i < ((size_t)chunk + 1) * CHUNK; i++)
        nln_affinities_row(r->p + i * r->k, r->distance + i * r->k, r->k, r->perplexity);
}

/* The conditional probabilities p_j|i: rows of k, sorted by distance. */
static nln_status find_conditional(nln_affinities *out, const nln_distances *space, size_t k,
                                   double perplexity, nln_thread_pool *pool, nln_error *err)
{
    size_t n = space->n;
    nln_status status = allocate(out, n, n * k, err);
    rows r = {n, k, perplexity, nln_array_zeroed(n * k, sizeof *r.distance), out->p};
    if (!status && !r.distance)
        status = nln_error_memory(err);
    if (!status)
        status = nln_nearest_neighbours_find(out->column, r.distance, space, k, pool, err);
    if (!status)
        nln_thread_pool_run(pool, (int)((n + CHUNK - 1) / CHUNK), fill_chunk, &r);
    for (size_t i = 0; !status && i <= n; i++)
        out->start[i] = i * k;
    nln_free(r.distance);
    return status;
}

/* The rows of the result are sorted by column, in whatever order those of `in` are. */
static nln_status transpose(nln_affinities *out, const nln_affinities *in, nln_error *err)
{
    size_t n = in->n, n_entries = in->start[n];
    nln_status status = allocate(out, n, n_entries, err);
    if (status)
        return status;
    for (size_t e = 0; e < n_entries; e++)
        out->start[in->column[e] + 1]++;
    for (size_t i = 0; i < n; i++)
        out->start[i + 1] += out->start[i];
    for (size_t i = 0; i < n; i++)
        for (size_t e = in->start[i]; e < in->start[i + 1]; e++) {
            size_t at = out->start[in->column[e]]++;
            out->column[at] = (int32_t)i;
            out->p[at] = in->p[e];
        }
    for (size_t i = n; i > 0; i--) /* every start has moved to its end */
        out->start[i] = out->start[i - 1];
    out->start[0] = 0;
    return NLN_OK;
}

/* Appends row i of (a + b) / 2n; the rows of both are sorted by column. */
static void merge_row(nln_affinities *out, size_t i, const nln_affinities *a,
                      const nln_affinities *b)
{
    size_t at = out->start[i], ea = a->start[i], eb = b->start[i];
    double share = 0.5 / (double)a->n;
    while (ea < a->start[i + 1] || eb < b->start[i + 1]) {
        int32_t ca = ea < a->start[i + 1] ? a->column[ea] : INT32_MAX;
        int32_t cb = eb < b->start[i + 1] ? b->column[eb] : INT32_MAX;
        double sum = 0;
        if (ca <= cb)
            sum += (double)a->p[ea++];
        if (cb <= ca)
            sum += (double)b->p[eb++];
        out->column[at] = ca < cb ? ca : cb;
        out->p[at++] = (float)(share * sum);
    }
    out->start[i + 1] = at;
}

nln_status nln_affinities_create(nln_affinities *out, const nln_distances *space, size_t k,
                                 double perplexity, nln_thread_pool *pool, nln_error *err)
{
    nln_affinities conditional = {0}, transposed = {0}, sorted = {0};
    nln_status status = find_conditional(&conditional, space, k, perplexity, pool, err);
    if (!status)
        status = transpose(&transposed, &conditional, err);
    nln_affinities_free(&conditional);
    if (!status)
        status = transpose(&sorted, &transposed, err);
    if (!status)
        status = allocate(out, space->n, 2 * space->n * k, err);
    for (size_t i = 0; !status && i < space->n; i++)
        merge_row(out, i, &sorted, &transposed);
    nln_affinities_free(&transposed);
    nln_affinities_free(&sorted);
    return status;
}

void nln_affinities_free(nln_affinities *affinity)
{
    nln_free(affinity->start);
    nln_free(affinity->column);
    nln_free(affinity->p);
    *affinity = (nln_affinities){0};
}
