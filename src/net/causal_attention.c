#include "net/causal_attention.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/blas.h"
#include "math/kernels.h"

void nln_causal_attention_free(nln_causal_attention *a)
{
    nln_free(a->square);
    nln_free(a->p);
    nln_free(a->dropped);
    nln_free(a->dp);
    nln_free(a->turned);
    *a = (nln_causal_attention){0};
}

static int length_of(const nln_causal_attention *a, int32_t sequence)
{
    return a->start[sequence + 1] - a->start[sequence];
}

nln_status nln_causal_attention_fit(nln_causal_attention *a, int dim, int32_t n,
                                    const int32_t *start, nln_error *err)
{
    size_t longest = 0, size = 0;
    a->dim = dim;
    a->n = n;
    a->start = start;
    if (!NLN_ARRAY_RESERVE(a->square, a->square_room, (size_t)n))
        return nln_error_memory(err);
    for (int32_t i = 0; i < n; i++) {
        size_t length = (size_t)length_of(a, i);
        a->square[i] = size;
        size += length * length;
        longest = length > longest ? length : longest;
    }
    int ok = NLN_ARRAY_RESERVE(a->p, a->p_room, size) &&
             NLN_ARRAY_RESERVE(a->dropped, a->dropped_room, longest * longest) &&
             NLN_ARRAY_RESERVE(a->dp, a->dp_room, longest * longest) &&
             NLN_ARRAY_RESERVE(a->turned, a->turned_room, longest * (size_t)dim);
    return ok ? NLN_OK : nln_error_memory(err);
}

/* turned [dim, n] of the n rows of x, which are `stride` apart. */
static void turn(real *turned, const real *x, int stride, int n, int dim)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < dim; k++)
            turned[(size_t)k * (size_t)n + (size_t)i] = x[(size_t)i * (size_t)stride + (size_t)k];
}

static void drop(real *x, int n, nln_attention_dropout dropout, int32_t sequence)
{
    uint32_t threshold = (uint32_t)(dropout.share * 65536);
    real scale = (real)(1 / (1 - threshold / 65536.0));
    uint64_t key = nln_random_mix(dropout.key ^ nln_random_mix((uint64_t)sequence));
    for (int i = 0; dropout.share > 0 && i < n; i++)
        nln_kernels_get()->drop(x + (size_t)i * (size_t)n,
                                nln_random_mix(key ^ nln_random_mix((uint64_t)i)), threshold, scale,
                                n);
}

/* Of the first i + 1 numbers of row i; the rest becomes 0. */
static void softmax_rows(real *p, int n, double scale)
{
    for (int i = 0; i < n; i++) {
        real *row = p + (size_t)i * (size_t)n, most = row[0];
        double sum = 0;
        for (int j = 1; j <= i; j++)
            most = row[j] > most ? row[j] : most;
        for (int j = 0; j <= i; j++) {
            row[j] = (real)exp(scale * (double)(row[j] - most));
            sum += (double)row[j];
        }
        for (int j = 0; j < n; j++)
            row[j] = j <= i ? (real)((double)row[j] / sum) : 0;
    }
}

/* The weights of a sequence as they are used, dropped or not. */
static const real *used_weights(nln_causal_attention *a, int32_t sequence,
                                nln_attention_dropout dropout)
{
    size_t n = (size_t)length_of(a, sequence);
    const real *p = a->p + a->square[sequence];
    if (dropout.share <= 0)
        return p;
    memcpy(a->dropped, p, n * n * sizeof *p);
    drop(a->dropped, (int)n, dropout, sequence);
    return a->dropped;
}

void nln_causal_attention_forward(real *out, nln_causal_attention *a, const real *x,
                                  nln_attention_dropout dropout)
{
    int d = a->dim, stride = 3 * d;
    for (int32_t s = 0; s < a->n; s++) {
        int n = length_of(a, s);
        const real *query = x + (size_t)a->start[s] * (size_t)stride;
        const real *key = query + d, *value = key + d;
        real *p = a->p + a->square[s];
        if (!n)
            continue;
        turn(a->turned, key, stride, n, d);
        nln_blas_nn(p, n, query, stride, a->turned, n, n, n, d);
        softmax_rows(p, n, 1 / sqrt(d));
        nln_blas_nn(out + (size_t)a->start[s] * (size_t)d, d, used_weights(a, s, dropout), n, value,
                    stride, n, d, n);
    }
}

/* dp becomes the gradient of query . key. */
static void softmax_back(real *dp, const real *p, int n, double scale)
{
    for (int i = 0; i < n; i++) {
        real *drow = dp + (size_t)i * (size_t)n;
        const real *row = p + (size_t)i * (size_t)n;
        double sum = (double)nln_kernels_get()->dot(drow, row, i + 1);
        for (int j = 0; j < n; j++)
            drow[j] = j <= i ? (real)(scale * (double)row[j] * ((double)drow[j] - sum)) : 0;
    }
}

void nln_causal_attention_backward(real *dx, nln_causal_attention *a, const real *x,
                                   const real *dout, nln_attention_dropout dropout)
{
    int d = a->dim, stride = 3 * d;
    for (int32_t s = 0; s < a->n; s++) {
        int n = length_of(a, s);
        const real *query = x + (size_t)a->start[s] * (size_t)stride;
        const real *key = query + d, *value = key + d;
        const real *dy = dout + (size_t)a->start[s] * (size_t)d;
        real *dquery = dx + (size_t)a->start[s] * (size_t)stride;
        if (!n)
            continue;
        nln_blas_tn(dquery + 2 * d, stride, used_weights(a, s, dropout), n, dy, d, n, d, n);
        turn(a->turned, value, stride, n, d);
        nln_blas_nn(a->dp, n, dy, d, a->turned, n, n, n, d);
        drop(a->dp, n, dropout, s);
        softmax_back(a->dp, a->p + a->square[s], n, 1 / sqrt(d));
        nln_blas_nn(dquery, stride, a->dp, n, key, stride, n, d, n);
        nln_blas_tn(dquery + d, stride, a->dp, n, query, stride, n, d, n);
    }
}
