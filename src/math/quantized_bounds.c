#include "math/quantized_bounds.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    ROWS = NLN_QUANTIZED_ROWS,
    GROUP = NLN_QUANTIZED_GROUP,
    VALUES = NLN_QUANTIZED_VALUES,
    SUMS = NLN_QUANTIZED_SUMS,
    BLOCK = ROWS * GROUP, /* bytes of a block for each group */
    AHEAD = 12            /* blocks that are on their way from memory */
};

#define INLINE static inline __attribute__((always_inline))

/* ---- sums -------------------------------------------------------------------------------- */

INLINE void sum_blocks(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                       int n_blocks)
{
    for (int b = 0; b < n_blocks; b++, out += SUMS * ROWS) {
        memset(out, 0, SUMS * ROWS * sizeof *out);
        for (int g = 0; g < q->n_groups; g++, blocks += BLOCK) {
            int16_t z[GROUP][ROWS];
            for (int u = 0; u < GROUP; u++)
                for (int i = 0; i < ROWS; i++) {
                    int x = blocks[i * GROUP + u] - q->less[g * GROUP + u];
                    z[u][i] = (int16_t)(x > 0 ? x : 0);
                }
            for (int k = 0; k < SUMS; k++)
                for (int u = 0; u < GROUP; u++) {
                    int16_t w = q->weights[(g * SUMS + k) * GROUP + u];
                    for (int i = 0; i < ROWS; i++)
                        out[k * ROWS + i] += z[u][i] * w;
                }
        }
    }
}

void nln_quantized_plain_sums(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                              int n_blocks)
{
    sum_blocks(out, q, blocks, n_blocks);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void sums_avx2(int32_t *out, const nln_quantized_query *q,
                                                      const uint8_t *blocks, int n_blocks)
{
    sum_blocks(out, q, blocks, n_blocks);
}

/* Four products of 8 bits and their sum are one instruction; two blocks share the weights. */
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
sums_vnni(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks, int n_blocks)
{
    size_t stride = (size_t)q->n_groups * BLOCK;
    for (int b = 0; b < n_blocks; b += 2, blocks += 2 * stride, out += 2 * SUMS * ROWS) {
        __m512i sum[2][SUMS];
        for (int k = 0; k < SUMS; k++)
            sum[0][k] = sum[1][k] = _mm512_setzero_si512();
        for (int g = 0; g < q->n_groups; g++) {
            const uint8_t *at = blocks + (size_t)g * BLOCK;
            int32_t less, weight[SUMS];
            /* The processor's own prefetching ends with each page of 4 KB. */
            _mm_prefetch((const char *)at + AHEAD * stride, _MM_HINT_T0);
            _mm_prefetch((const char *)at + (AHEAD + 1) * stride, _MM_HINT_T0);
            memcpy(&less, q->less + g * GROUP, sizeof less);
            memcpy(weight, q->weights + g * SUMS * GROUP, sizeof weight);
            __m512i l = _mm512_set1_epi32(less);
            __m512i first = _mm512_subs_epu8(_mm512_loadu_si512(at), l);
            __m512i second = _mm512_subs_epu8(_mm512_loadu_si512(at + stride), l);
            _Pragma("GCC unroll 16") for (int k = 0; k < SUMS; k++)
            {
                __m512i w = _mm512_set1_epi32(weight[k]);
                sum[0][k] = _mm512_dpbusd_epi32(sum[0][k], first, w);
                sum[1][k] = _mm512_dpbusd_epi32(sum[1][k], second, w);
            }
        }
        _Pragma("GCC unroll 16") for (int k = 0; k < SUMS; k++)
        {
            _mm512_storeu_si512(out + k * ROWS, sum[0][k]);
            _mm512_storeu_si512(out + (SUMS + k) * ROWS, sum[1][k]);
        }
    }
}
#endif

/* ---- bounds ------------------------------------------------------------------------------ */

/* One number for each row of a block; compilers make of it what the processor has. */
typedef float lanes __attribute__((vector_size(4 * ROWS)));
typedef int32_t whole_lanes __attribute__((vector_size(4 * ROWS)));

#define SUM(k) __builtin_convertvector(sum[k], lanes)
/* x where y is positive, else 0. */
#define POSITIVE(x, y) ((lanes)((whole_lanes)(x) & ((y) > zero)))

INLINE void bound_blocks(float *bound, const nln_quantized_query *q, const int32_t *sums,
                         const float *slack, int n_blocks, int add)
{
    const lanes zero = {0};
    for (int b = 0; b < n_blocks; b++, sums += SUMS * ROWS, slack += ROWS, bound += ROWS) {
        whole_lanes sum[SUMS];
        lanes numerator, before;
        float square[ROWS];
        memcpy(sum, sums, sizeof sum);
        memcpy(&numerator, slack, sizeof numerator);
        memcpy(&before, bound, sizeof before);
        lanes length = q->length_scale * SUM(NLN_QUANTIZED_LENGTH) + q->length_shift;
        lanes rest = -q->square_rounding * length * length;
        numerator += q->scale[0] * (NLN_QUANTIZED_FINER * SUM(0) + SUM(1)) +
                     (q->shift[0] + q->error[0]) + q->numerator_rounding * length;
        _Pragma("GCC unroll 8") for (int k = 1; k < VALUES; k++)
        {
            lanes x =
                q->scale[k] * (NLN_QUANTIZED_FINER * SUM(2 * k) + SUM(2 * k + 1)) + q->shift[k];
            x = (lanes)((whole_lanes)x & INT32_MAX) - q->error[k]; /* |x| */
            x = POSITIVE(x, x);
            rest += x * x;
        }
        rest = POSITIVE(rest, rest);
        memcpy(square, &rest, sizeof square);
        for (int i = 0; i < ROWS; i++)
            square[i] = sqrtf(square[i]);
        memcpy(&rest, square, sizeof rest);
        lanes found = q->factor * numerator / rest;
        found = POSITIVE(found, numerator);
        found = add ? before + found : found;
        memcpy(bound, &found, sizeof found);
    }
}
#undef SUM
#undef POSITIVE

typedef void sums_function(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                           int n_blocks);
typedef void bounds_function(float *bound, const nln_quantized_query *q, const int32_t *sums,
                             const float *slack, int n_blocks, int add);

static void bounds_plain(float *bound, const nln_quantized_query *q, const int32_t *sums,
                         const float *slack, int n_blocks, int add)
{
    bound_blocks(bound, q, sums, slack, n_blocks, add);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void bounds_avx2(float *bound, const nln_quantized_query *q,
                                                        const int32_t *sums, const float *slack,
                                                        int n_blocks, int add)
{
    bound_blocks(bound, q, sums, slack, n_blocks, add);
}

__attribute__((target("avx512f"))) static void
bounds_avx512(float *bound, const nln_quantized_query *q, const int32_t *sums, const float *slack,
              int n_blocks, int add)
{
    bound_blocks(bound, q, sums, slack, n_blocks, add);
}
#endif

/* ---- the choice for this processor -------------------------------------------------------- */

static sums_function *choose(bounds_function **bounds)
{
    *bounds = bounds_plain;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
        *bounds = bounds_avx512;
        return sums_vnni;
    }
    if (__builtin_cpu_supports("avx2")) {
        *bounds = bounds_avx2;
        return sums_avx2;
    }
#endif
    return nln_quantized_plain_sums;
}

void nln_quantized_sums(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                        int n_blocks)
{
    bounds_function *bounds;
    choose (&bounds)(out, q, blocks, n_blocks);
}

void nln_quantized_bounds(float *bound, const nln_quantized_query *q, const uint8_t *blocks,
                          const float *slack, int n_blocks, int add)
{
    bounds_function *bounds;
    sums_function *sum = choose(&bounds);
    int32_t sums[NLN_QUANTIZED_CHUNK * SUMS * ROWS];
    for (int at = 0; at < n_blocks; at += NLN_QUANTIZED_CHUNK) {
        int n = n_blocks - at < NLN_QUANTIZED_CHUNK ? n_blocks - at : NLN_QUANTIZED_CHUNK;
        sum(sums, q, blocks + (size_t)at * (size_t)q->n_groups * BLOCK, n);
        bounds(bound + (size_t)at * ROWS, q, sums, slack + (size_t)at * ROWS, n, add);
    }
}
