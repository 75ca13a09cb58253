#include "plane/affinities.h"

#include <math.h>

#include "base/array.h"
#include "plane/nearest_neighbours.h"

/* ---- one row ----------------------------------------------------------------------- */

/* A row under the precision b: with w_j = exp(-b (distance_j - distance_0)), their sum, the mean
 * of the distances beyond the first and its variance. */
typedef struct density {
    double sum, mean, variance;
} density;

static density density_at(const double *distance, size_t k, double b)
{
    density d = {0};
    double square = 0;
    for (size_t j = 0; j < k; j++) {
        double beyond = distance[j] - distance[0], w = exp(-b * beyond);
        d.sum += w;
        d.mean += w * beyond;
        square += w * beyond * beyond;
    }
    d.mean /= d.sum;
    d.variance = fmax(0, square / d.sum - d.mean * d.mean);
    return d;
}

/* Newton's steps in log b, where the entropy falls with slope -b^2 variance.  Where they leave the
 * bracket or do not bring the entropy twice as near, the bracket is halved instead, or the step is
 * 1 while the bracket has no end. */
static double find_precision(const double *distance, size_t k, double entropy)
{
    enum { MOST_STEPS = 200 };
    double spread = density_at(distance, k, 0).mean;
    double at = -log(spread), low = -INFINITY, high = INFINITY, last = INFINITY;
    for (int i = 0; i < MOST_STEPS; i++) {
        double b = exp(at);
        density d = density_at(distance, k, b);
        double excess = log(d.sum) + b * d.mean - entropy;
        if (fabs(excess) < 1e-9 || (excess > 0 && d.variance <= 0))
            break;
        if (excess > 0)
            low = at;
        else
            high = at;
        double newton = at + excess / (b * b * d.variance);
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
    double b =
        k && distance[k - 1] > distance[0] ? find_precision(distance, k, log(perplexity)) : 0;
    double sum = k ? density_at(distance, k, b).sum : 0;
    for (size_t j = 0; j < k; j++)
        p[j] = (float)(exp(-b * (distance[j] - distance[0])) / sum);
}

/* ---- all rows ---------------------------------------------------------------------- */

typedef struct rows {
    size_t n, k;
    double perplexity;
    double *distance; /* [n, k] */
    float *p;         /* [n, k] */
} rows;

enum { PIECE = 64 };

static void fill_piece(void *context, int piece)
{
    const rows *r = context;
    size_t first = (size_t)piece * PIECE, last = first + PIECE < r->n ? first + PIECE : r->n;
    for (size_t i = first; i < last; i++)
        nln_affinities_row(r->p + i * r->k, r->distance + i * r->k, r->k, r->perplexity);
}

/* Room for `n_entries` entries. */
static nln_status make_room(nln_affinities *out, size_t n, size_t n_entries, nln_error *err)
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

/* The conditional probabilities p_j|i, rows of k in the order of their distances. */
static nln_status find_conditional(nln_affinities *out, const nln_distances *space, size_t k,
                                   double perplexity, nln_thread_pool *team, nln_error *err)
{
    size_t n = space->n;
    rows r = {n, k, perplexity, nln_array_zeroed(n * k, sizeof *r.distance), NULL};
    nln_status status = r.distance ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = make_room(out, n, n * k, err);
    if (!status)
        status = nln_nearest_neighbours_find(out->column, r.distance, space, k, team, err);
    if (!status) {
        r.p = out->p;
        nln_thread_pool_run(team, (int)((n + PIECE - 1) / PIECE), fill_piece, &r);
        for (size_t i = 0; i <= n; i++)
            out->start[i] = i * k;
    }
    nln_free(r.distance);
    return status;
}

/* Columns come out in order, whatever they were. */
static nln_status transpose(nln_affinities *out, const nln_affinities *in, nln_error *err)
{
    size_t n = in->n, n_entries = in->start[n];
    nln_status status = make_room(out, n, n_entries, err);
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

/* Appends row i of (a + b) / 2n; both have their columns in order. */
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
                                 double perplexity, nln_thread_pool *team, nln_error *err)
{
    nln_affinities conditional = {0}, turned = {0}, ordered = {0};
    nln_status status = find_conditional(&conditional, space, k, perplexity, team, err);
    if (!status)
        status = transpose(&turned, &conditional, err);
    nln_affinities_free(&conditional);
    if (!status)
        status = transpose(&ordered, &turned, err);
    if (!status)
        status = make_room(out, space->n, 2 * space->n * k, err);
    for (size_t i = 0; !status && i < space->n; i++)
        merge_row(out, i, &ordered, &turned);
    nln_affinities_free(&turned);
    nln_affinities_free(&ordered);
    return status;
}

void nln_affinities_free(nln_affinities *affinity)
{
    nln_free(affinity->start);
    nln_free(affinity->column);
    nln_free(affinity->p);
    *affinity = (nln_affinities){0};
}
