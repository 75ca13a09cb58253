#include "models/table_softmax.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"

enum { MOST_CHUNKS = 16, LEAST_ROWS = 64 };

void nln_table_softmax_free(nln_table_softmax *s)
{
    nln_free(s->turned);
    nln_free(s->score);
    nln_free(s->length);
    nln_free(s->square);
    nln_free(s->most);
    nln_free(s->sum);
    nln_free(s->log);
    nln_free(s->dpartial);
    *s = (nln_table_softmax){0};
}

static int chunks_of(int32_t n_rows)
{
    int32_t n = n_rows / LEAST_ROWS;
    return n < 1 ? 1 : n > MOST_CHUNKS ? MOST_CHUNKS : n;
}

nln_status nln_table_softmax_fit(nln_table_softmax *s, int32_t n_rows, int dim, int32_t n,
                                 int distance, nln_error *err)
{
    size_t k = (size_t)n_rows, d = (size_t)dim, q = (size_t)n, c = (size_t)chunks_of(n_rows);
    int ok = NLN_ARRAY_RESERVE(s->turned, s->turned_room, d * q) &&
             NLN_ARRAY_RESERVE(s->score, s->score_room, k * q) &&
             NLN_ARRAY_RESERVE(s->length, s->length_room, distance ? k * q : 0) &&
             NLN_ARRAY_RESERVE(s->square, s->square_room, q) &&
             NLN_ARRAY_RESERVE(s->most, s->most_room, c * q) &&
             NLN_ARRAY_RESERVE(s->sum, s->sum_room, c * q) &&
             NLN_ARRAY_RESERVE(s->log, s->log_room, q) &&
             NLN_ARRAY_RESERVE(s->dpartial, s->dpartial_room, c * q * d);
    return ok ? NLN_OK : nln_error_memory(err);
}

static int32_t first_row(const nln_table_softmax *s, int chunk)
{
    return (int32_t)((int64_t)s->now.n_rows * chunk / s->n_chunks);
}

/* x becomes its exponential; no x is above 0. */
static void exponentials(real *x, int n)
{
#ifdef NLN_DOUBLE
    for (int i = 0; i < n; i++)
        x[i] = exp(x[i]);
#else
    real no[256];
    for (int at = 0; at < n; at += 256) {
        int m = n - at < 256 ? n - at : 256;
        nln_kernels_get()->odds(x + at, no, x + at, 1, m); /* of which the quotient is e^x */
        for (int i = 0; i < m; i++)
            x[at + i] /= no[i];
    }
#endif
}

/* Inner products become minus the distances. */
static void to_distances(const nln_table_softmax *s, real *score, int32_t row)
{
    const nln_table_softmax_case *o = &s->now;
    const real *x = o->table + (int64_t)row * o->dim;
    real square = nln_kernels_get()->dot(x, x, o->dim);
    real *length = s->length + (int64_t)row * o->n;
    for (int32_t i = 0; i < o->n; i++) {
        real d = square + s->square[i] - 2 * score[i];
        length[i] = (real)sqrt(d > NLN_REAL(1e-9) ? d : NLN_REAL(1e-9));
        score[i] = -length[i];
    }
}

static void forward(void *context, int chunk)
{
    nln_table_softmax *s = context;
    const nln_table_softmax_case *o = &s->now;
    int32_t first = first_row(s, chunk), last = first_row(s, chunk + 1), n = o->n;
    real *score = s->score + (int64_t)first * n, *most = s->most + (int64_t)chunk * n;
    double *sum = s->sum + (int64_t)chunk * n;
    nln_blas_nn(score, n, o->table + (int64_t)first * o->dim, o->dim, s->turned, n, last - first, n,
                o->dim);
    for (int32_t i = 0; i < n; i++) {
        most[i] = -(real)INFINITY;
        sum[i] = 0;
    }
    for (int32_t r = first; r < last; r++) {
        real *x = s->score + (int64_t)r * n;
        if (o->distance)
            to_distances(s, x, r);
        for (int32_t i = 0; i < n; i++)
            most[i] = x[i] > most[i] ? x[i] : most[i];
    }
    for (int32_t r = first; r < last; r++) {
        real *x = s->score + (int64_t)r * n;
        for (int32_t i = 0; i < n; i++)
            x[i] -= most[i];
        exponentials(x, n);
        for (int32_t i = 0; i < n; i++)
            sum[i] += (double)x[i];
    }
}

/* The score of a target before its exponential took its place. */
static double score_of(const nln_table_softmax *s, int32_t i, int32_t row)
{
    const nln_table_softmax_case *o = &s->now;
    const real *x = o->table + (int64_t)row * o->dim, *q = o->query + (int64_t)i * o->dim;
    if (o->distance)
        return -(double)s->length[(int64_t)row * o->n + i];
    return (double)nln_kernels_get()->dot(x, q, o->dim);
}

static double finish_loss(nln_table_softmax *s)
{
    const nln_table_softmax_case *o = &s->now;
    double loss = 0;
    for (int32_t i = 0; i < o->n; i++) {
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < s->n_chunks; c++)
            most = fmax(most, (double)s->most[(int64_t)c * o->n + i]);
        for (int c = 0; c < s->n_chunks; c++) {
            int64_t at = (int64_t)c * o->n + i;
            sum += s->sum[at] * exp((double)s->most[at] - most);
        }
        /* cppcheck-suppress invalidFunctionArg ; the largest score has e^0 in the sum */
        s->log[i] = most + log(sum);
        for (size_t t = o->first[i]; t < o->first[i + 1]; t++)
            loss += s->log[i] - score_of(s, i, o->target[t]);
    }
    return loss * o->weight;
}

/* Exponentials become derivatives by the scores, times the weight. */
static void derive(nln_table_softmax *s, int chunk, int32_t first, int32_t last)
{
    const nln_table_softmax_case *o = &s->now;
    int32_t n = o->n;
    real *factor = s->most + (int64_t)chunk * n; /* not needed any more */
    for (int32_t i = 0; i < n; i++)
        factor[i] = (real)(o->weight * (double)(o->first[i + 1] - o->first[i]) *
                           exp((double)factor[i] - s->log[i]));
    for (int32_t r = first; r < last; r++) {
        real *x = s->score + (int64_t)r * n;
        for (int32_t i = 0; i < n; i++)
            x[i] *= factor[i];
    }
    for (int32_t i = 0; i < n; i++)
        for (size_t t = o->first[i]; t < o->first[i + 1]; t++)
            if (o->target[t] >= first && o->target[t] < last)
                s->score[(int64_t)o->target[t] * n + i] -= (real)o->weight;
}

/* Of distances: what the derivative gives to the row and to the query themselves. */
static void shrink(nln_table_softmax *s, real *dquery, int chunk, int32_t first, int32_t last)
{
    const nln_table_softmax_case *o = &s->now;
    const nln_kernels *k = nln_kernels_get();
    int32_t n = o->n;
    real *total = s->most + (int64_t)chunk * n; /* [n], free by now */
    memset(total, 0, (size_t)n * sizeof *total);
    for (int32_t r = first; r < last; r++) {
        real *x = s->score + (int64_t)r * n, sum = 0;
        const real *length = s->length + (int64_t)r * n;
        for (int32_t i = 0; i < n; i++) {
            x[i] /= length[i];
            sum += x[i];
            total[i] += x[i];
        }
        k->axpy(o->dtable + (int64_t)r * o->dim, -sum, o->table + (int64_t)r * o->dim,
                (size_t)o->dim);
    }
    for (int32_t i = 0; i < n; i++)
        k->axpy(dquery + (int64_t)i * o->dim, -total[i], o->query + (int64_t)i * o->dim,
                (size_t)o->dim);
}

static void backward(void *context, int chunk)
{
    nln_table_softmax *s = context;
    const nln_table_softmax_case *o = &s->now;
    int32_t first = first_row(s, chunk), last = first_row(s, chunk + 1), n = o->n;
    int64_t at = (int64_t)first * o->dim;
    real *score = s->score + (int64_t)first * n;
    real *dquery = s->dpartial + (int64_t)chunk * n * o->dim;
    derive(s, chunk, first, last);
    memset(dquery, 0, (size_t)n * (size_t)o->dim * sizeof *dquery);
    if (o->distance)
        shrink(s, dquery, chunk, first, last);
    nln_blas_nn_add(o->dtable + at, o->dim, score, n, o->query, o->dim, last - first, o->dim, n);
    nln_blas_tn_add(dquery, o->dim, score, n, o->table + at, o->dim, n, o->dim, last - first);
}

double nln_table_softmax_run(nln_table_softmax *s, nln_thread_pool *team,
                             const nln_table_softmax_case *one)
{
    const nln_kernels *k = nln_kernels_get();
    s->now = *one;
    s->n_chunks = chunks_of(one->n_rows);
    for (int32_t i = 0; i < one->n; i++) {
        const real *q = one->query + (int64_t)i * one->dim;
        s->square[i] = k->dot(q, q, one->dim);
        for (int j = 0; j < one->dim; j++)
            s->turned[(int64_t)j * one->n + i] = q[j];
    }
    nln_thread_pool_run(team, s->n_chunks, forward, s);
    double loss = finish_loss(s);
    nln_thread_pool_run(team, s->n_chunks, backward, s);
    for (int c = 0; c < s->n_chunks; c++)
        k->axpy(one->dquery, 1, s->dpartial + (int64_t)c * one->n * one->dim,
                (size_t)one->n * (size_t)one->dim);
    return loss;
}
