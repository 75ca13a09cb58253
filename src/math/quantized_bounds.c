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
    ROUGH = NLN_QUANTIZED_ROUGH,
    CHUNK = NLN_QUANTIZED_CHUNK,
    BLOCK = ROWS * GROUP, /* bytes of a block for each group */
    AHEAD = 12            /* blocks that are on their way from memory */
};

#define INLINE static inline __attribute__((always_inline))

/* ---- sums -------------------------------------------------------------------------------- */

INLINE void sum_blocks(int32_t *out, const nln_quantized_query *q, const int8_t *weights,
                       int n_sums, const uint8_t *blocks, int n_blocks)
{
    for (int b = 0; b < n_blocks; b++, out += n_sums * ROWS) {
        memset(out, 0, (size_t)(n_sums * ROWS) * sizeof *out);
        for (int g = 0; g < q->n_groups; g++, blocks += BLOCK) {
            int16_t z[GROUP][ROWS];
            for (int u = 0; u < GROUP; u++)
                for (int i = 0; i < ROWS; i++) {
                    int x = blocks[i * GROUP + u] - q->less[g * GROUP + u];
                    z[u][i] = (int16_t)(x > 0 ? x : 0);
                }
            for (int k = 0; k < n_sums; k++)
                for (int u = 0; u < GROUP; u++) {
                    int16_t w = weights[(g * n_sums + k) * GROUP + u];
                    for (int i = 0; i < ROWS; i++)
                        out[k * ROWS + i] += z[u][i] * w;
                }
        }
    }
}

INLINE void sums_of(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks, int n_blocks,
                    int is_rough)
{
    if (is_rough)
        sum_blocks(out, q, q->rough_weights, ROUGH, blocks, n_blocks);
    else
        sum_blocks(out, q, q->weights, SUMS, blocks, n_blocks);
}

void nln_quantized_plain_sums(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                              int n_blocks, int is_rough)
{
    sums_of(out, q, blocks, n_blocks, is_rough);
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

AVX2 static void sums_avx2(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                           int n_blocks, int is_rough)
{
    sums_of(out, q, blocks, n_blocks, is_rough);
}

/* Four products of 8 bits and their sum are one instruction; one or two blocks share the weights.
 */
VNNI INLINE void sum_together(int32_t *out, const nln_quantized_query *q, const int8_t *weights,
                              int n_sums, const uint8_t *blocks, int together)
{
    size_t stride = (size_t)q->n_groups * BLOCK;
    __m512i sum[2][SUMS];
    for (int k = 0; k < n_sums; k++)
        sum[0][k] = sum[1][k] = _mm512_setzero_si512();
    for (int g = 0; g < q->n_groups; g++) {
        __m512i z[2];
        int32_t less, weight[SUMS];
        memcpy(&less, q->less + g * GROUP, sizeof less);
        memcpy(weight, weights + g * n_sums * GROUP, (size_t)n_sums * sizeof *weight);
        for (int b = 0; b < together; b++) {
            const uint8_t *at = blocks + (size_t)b * stride + (size_t)g * BLOCK;
            /* The processor's own prefetching ends with each page of 4 KB. */
            _mm_prefetch((const char *)at + AHEAD * stride, _MM_HINT_T0);
            z[b] = _mm512_subs_epu8(_mm512_loadu_si512(at), _mm512_set1_epi32(less));
        }
        _Pragma("GCC unroll 16") for (int k = 0; k < n_sums; k++)
        {
            __m512i w = _mm512_set1_epi32(weight[k]);
            for (int b = 0; b < together; b++)
                sum[b][k] = _mm512_dpbusd_epi32(sum[b][k], z[b], w);
        }
    }
    for (int b = 0; b < together; b++)
        _Pragma("GCC unroll 16") for (int k = 0; k < n_sums; k++)
            _mm512_storeu_si512(out + (b * n_sums + k) * ROWS, sum[b][k]);
}

VNNI static void sums_vnni(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                           int n_blocks, int is_rough)
{
    size_t stride = (size_t)q->n_groups * BLOCK;
    int b = 0;
    for (; b + 1 < n_blocks; b += 2, blocks += 2 * stride)
        if (is_rough)
            sum_together(out + b * ROUGH * ROWS, q, q->rough_weights, ROUGH, blocks, 2);
        else
            sum_together(out + b * SUMS * ROWS, q, q->weights, SUMS, blocks, 2);
    if (b < n_blocks && is_rough)
        sum_together(out + b * ROUGH * ROWS, q, q->rough_weights, ROUGH, blocks, 1);
    else if (b < n_blocks)
        sum_together(out + b * SUMS * ROWS, q, q->weights, SUMS, blocks, 1);
}
#endif

/* ---- bounds ------------------------------------------------------------------------------ */

/* One number for each row of a block; compilers make of it what the processor has. */
typedef float lanes __attribute__((vector_size(4 * ROWS)));
typedef int32_t whole_lanes __attribute__((vector_size(4 * ROWS)));

#define SUM(k) __builtin_convertvector(sum[k], lanes)
/* x where y is positive, else 0. */
#define POSITIVE(x, y) ((lanes)((whole_lanes)(x) & ((y) > zero)))

/* found = factor max(0, numerator) / sqrt(max(0, square)); `square` is used up. */
INLINE void divide(lanes *found, const nln_quantized_query *q, const lanes *numerator,
                   lanes *square)
{
    const lanes zero = {0};
    float root[ROWS];
    *square = POSITIVE(*square, *square);
    memcpy(root, square, sizeof root);
    for (int i = 0; i < ROWS; i++)
        root[i] = sqrtf(root[i]);
    memcpy(square, root, sizeof root);
    *found = POSITIVE(q->factor * *numerator / *square, *numerator);
}

INLINE void close_bounds(lanes *found, const nln_quantized_query *q, const int32_t *sums,
                         const float *slack)
{
    const lanes zero = {0};
    whole_lanes sum[SUMS];
    lanes numerator;
    memcpy(sum, sums, sizeof sum);
    memcpy(&numerator, slack, sizeof numerator);
    lanes length = q->length_scale * SUM(NLN_QUANTIZED_LENGTH) + q->length_shift;
    lanes square = -q->square_rounding * length * length;
    numerator += q->scale[0] * (NLN_QUANTIZED_FINER * SUM(0) + SUM(1)) +
                 (q->shift[0] + q->error[0]) + q->numerator_rounding * length;
    _Pragma("GCC unroll 8") for (int k = 1; k < VALUES; k++)
    {
        lanes x = q->scale[k] * (NLN_QUANTIZED_FINER * SUM(2 * k) + SUM(2 * k + 1)) + q->shift[k];
        x = (lanes)((whole_lanes)x & INT32_MAX) - q->error[k]; /* |x| */
        x = POSITIVE(x, x);
        square += x * x;
    }
    divide(found, q, &numerator, &square);
}

INLINE void rough_bounds(lanes *found, const nln_quantized_query *q, const int32_t *sums,
                         const float *slack)
{
    const lanes zero = {0};
    whole_lanes sum[ROUGH];
    lanes numerator;
    memcpy(sum, sums, sizeof sum);
    memcpy(&numerator, slack, sizeof numerator);
    numerator += q->rough_scale[0] * SUM(0) + q->rough_shift[0];
    lanes x = q->rough_scale[1] * SUM(1) + q->rough_shift[1];
    x = POSITIVE(x, x);
    x = x * x - q->rough_rounding;
    divide(found, q, &numerator, &x);
}
#undef SUM
#undef POSITIVE

/* Adds the close bounds of a block. */
INLINE void add_close(float *bound, const nln_quantized_query *q, const int32_t *sums,
                      const float *slack)
{
    lanes before, found;
    memcpy(&before, bound, sizeof before);
    close_bounds(&found, q, sums, slack);
    found += before;
    memcpy(bound, &found, sizeof found);
}

/* Adds the rough bounds of a block, unless that leaves a row above `least`.  Returns whether it
 * did. */
INLINE int add_rough(float *bound, const nln_quantized_query *q, const int32_t *sums,
                     const float *slack, float least)
{
    lanes before, found;
    memcpy(&before, bound, sizeof before);
    rough_bounds(&found, q, sums, slack);
    found += before;
    whole_lanes above = found > least;
    int32_t any = 0;
    for (int i = 0; i < ROWS; i++)
        any |= above[i];
    if (!any)
        memcpy(bound, &found, sizeof found);
    return !any;
}

/* The functions for one set of instructions. */
typedef struct instructions {
    void (*sums)(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks, int n_blocks,
                 int is_rough);
    void (*add_close)(float *bound, const nln_quantized_query *q, const int32_t *sums,
                      const float *slack);
    int (*add_rough)(float *bound, const nln_quantized_query *q, const int32_t *sums,
                     const float *slack, float least);
} instructions;

#define BOUNDS(name, target)                                                             \
    target static void close_##name(float *bound, const nln_quantized_query *q,          \
                                    const int32_t *sums, const float *slack)             \
    {                                                                                    \
        add_close(bound, q, sums, slack);                                                \
    }                                                                                    \
    target static int rough_##name(float *bound, const nln_quantized_query *q,           \
                                   const int32_t *sums, const float *slack, float least) \
    {                                                                                    \
        return add_rough(bound, q, sums, slack, least);                                  \
    }

BOUNDS(plain, )
#if defined(__x86_64__)
BOUNDS(avx2, AVX2)
BOUNDS(avx512, VNNI)
#endif

static instructions choose(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni"))
        return (instructions){sums_vnni, close_avx512, rough_avx512};
    if (__builtin_cpu_supports("avx2"))
        return (instructions){sums_avx2, close_avx2, rough_avx2};
#endif
    return (instructions){nln_quantized_plain_sums, close_plain, rough_plain};
}

void nln_quantized_sums(int32_t *out, const nln_quantized_query *q, const uint8_t *blocks,
                        int n_blocks, int is_rough)
{
    choose().sums(out, q, blocks, n_blocks, is_rough);
}

void nln_quantized_bounds(float *bound, const nln_quantized_query *q, const uint8_t *blocks,
                          const float *slack, int n_blocks, float least)
{
    const instructions with = choose();
    size_t stride = (size_t)q->n_groups * BLOCK;
    int is_rough = least > -INFINITY, n;
    int32_t close[CHUNK * SUMS * ROWS], rough[CHUNK * ROUGH * ROWS];
    for (int at = 0; at < n_blocks; at += n, blocks += (size_t)n * stride) {
        n = n_blocks - at < CHUNK ? n_blocks - at : CHUNK;
        with.sums(is_rough ? rough : close, q, blocks, n, is_rough);
        for (int b = 0; b < n; b++, bound += ROWS, slack += ROWS) {
            if (is_rough && with.add_rough(bound, q, rough + b * ROUGH * ROWS, slack, least))
                continue;
            if (is_rough)
                with.sums(close + b * SUMS * ROWS, q, blocks + (size_t)b * stride, 1, 0);
            with.add_close(bound, q, close + b * SUMS * ROWS, slack);
        }
    }
}
