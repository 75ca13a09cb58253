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

/* One number for each row of a block; compilers make of it what the processor has. */
typedef float lanes __attribute__((vector_size(4 * ROWS)));
typedef int32_t whole_lanes __attribute__((vector_size(4 * ROWS)));

#define SUM(k) __builtin_convertvector(sum[k], lanes)
/* x where y is positive, else 0. */
#define POSITIVE(x, y) ((lanes)((whole_lanes)(x) & ((y) > zero)))

/* The bounds of a block from its sums. */
INLINE void bound_block(float *bound, const nln_quantized_query *q, const whole_lanes *sum,
                        const float *slack, int add)
{
    const lanes zero = {0};
    lanes numerator, before;
    float square[ROWS];
    memcpy(&numerator, slack, sizeof numerator);
    memcpy(&before, bound, sizeof before);
    lanes rounding = (1.00001F / 254) * SUM(NLN_QUANTIZED_ROUNDING);
    lanes length = q->length_scale * SUM(NLN_QUANTIZED_LENGTH) + q->length_shift;
    lanes rest = -q->square_rounding * length * length;
    numerator += q->scale[0] * (SUM(0) + rounding) + (q->shift[0] + q->error[0]) +
                 q->numerator_rounding * length;
    _Pragma("GCC unroll 16") for (int k = 1; k < VALUES; k++)
    {
        lanes x = q->scale[k] * SUM(k) + q->shift[k];
        x = (lanes)((whole_lanes)x & INT32_MAX) - (q->scale[k] * rounding + q->error[k]); /* |x| */
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
#undef SUM
#undef POSITIVE

INLINE void bound_blocks(float *bound, const nln_quantized_query *q, const uint8_t *blocks,
                         const float *slack, int n_blocks, int add)
{
    for (int b = 0; b < n_blocks; b++, bound += ROWS, slack += ROWS) {
        int32_t sum[SUMS][ROWS] = {{0}};
        whole_lanes sums[SUMS];
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
                        sum[k][i] += z[u][i] * w;
                }
        }
        memcpy(sums, sum, sizeof sums);
        bound_block(bound, q, sums, slack, add);
    }
}

void nln_quantized_plain_bounds(float *bound, const nln_quantized_query *q, const uint8_t *blocks,
                                const float *slack, int n_blocks, int add)
{
    bound_blocks(bound, q, blocks, slack, n_blocks, add);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void bounds_avx2(float *bound, const nln_quantized_query *q,
                                                        const uint8_t *blocks, const float *slack,
                                                        int n_blocks, int add)
{
    bound_blocks(bound, q, blocks, slack, n_blocks, add);
}

/* Four products of 8 bits and their sum are one instruction; two blocks share the weights. */
__attribute__((target("avx512f,avx512bw,avx512vnni"))) static void
bounds_vnni(float *bound, const nln_quantized_query *q, const uint8_t *blocks, const float *slack,
            int n_blocks, int add)
{
    size_t stride = (size_t)q->n_groups * BLOCK;
    for (int b = 0; b < n_blocks; b += 2, blocks += 2 * stride) {
        whole_lanes sum[2][SUMS];
        _Pragma("GCC unroll 16") for (int k = 0; k < SUMS; k++) sum[0][k] = sum[1][k] =
            (whole_lanes){0};
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
                sum[0][k] = (whole_lanes)_mm512_dpbusd_epi32((__m512i)sum[0][k], first, w);
                sum[1][k] = (whole_lanes)_mm512_dpbusd_epi32((__m512i)sum[1][k], second, w);
            }
        }
        bound_block(bound + (size_t)b * ROWS, q, sum[0], slack + (size_t)b * ROWS, add);
        bound_block(bound + (size_t)(b + 1) * ROWS, q, sum[1], slack + (size_t)(b + 1) * ROWS, add);
    }
}
#endif

void nln_quantized_bounds(float *bound, const nln_quantized_query *q, const uint8_t *blocks,
                          const float *slack, int n_blocks, int add)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
        bounds_vnni(bound, q, blocks, slack, n_blocks, add);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        bounds_avx2(bound, q, blocks, slack, n_blocks, add);
        return;
    }
#endif
    nln_quantized_plain_bounds(bound, q, blocks, slack, n_blocks, add);
}
