/* Upper bounds of many cosines from rows of 8-bit numbers.
 *
 * A row has one number of 8 bits for each unit.  With z = max(0, row - less), some sums z . weight
 * are computed in whole numbers, 16 rows at a time, and a few operations turn them into a bound.
 * Every processor computes the same bits. */
#ifndef NLN_MATH_QUANTIZED_BOUNDS_H
#define NLN_MATH_QUANTIZED_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

enum {
    NLN_QUANTIZED_ROWS = 16,                     /* rows of a block */
    NLN_QUANTIZED_GROUP = 4,                     /* units that lie side by side */
    NLN_QUANTIZED_VALUES = 8,                    /* the numerator and seven directions */
    NLN_QUANTIZED_LENGTH = NLN_QUANTIZED_VALUES, /* the sums behind those of the values */
    NLN_QUANTIZED_ROUNDING,
    NLN_QUANTIZED_SUMS,
    NLN_QUANTIZED_MOST = 254 /* the largest number of a row */
};

/* One question.  value[k] = scale[k] sum[k] + shift[k] is at most error[k] + scale[k] r away from
 * the true number.  r, the effect of rounding the weights, is sum[NLN_QUANTIZED_ROUNDING] / 254:
 * its weights say, in 254ths, how far any weight of a unit is from what it stands for.
 * sum[NLN_QUANTIZED_LENGTH], times length_scale and with length_shift, is a length that no true one
 * exceeds. */
typedef struct nln_quantized_query {
    int n_groups;    /* units / 4, rounded up */
    uint8_t *less;   /* [n_groups, 4] */
    int8_t *weights; /* [n_groups, NLN_QUANTIZED_SUMS, 4] */
    float scale[NLN_QUANTIZED_VALUES], shift[NLN_QUANTIZED_VALUES], error[NLN_QUANTIZED_VALUES];
    float length_scale, length_shift;
    float numerator_rounding; /* times the length: what rounding may add to the numerator ... */
    float square_rounding;    /* ... and, times its square, take away from the squared length */
    float factor;             /* of all bounds */
} nln_quantized_query;

/* bound[i], or the number that is added to it, is factor times
 *
 *     max(0, numerator) / sqrt(sum of the squared directions)
 *
 * with slack[i] added to the numerator, and every error and rounding in favour of a larger bound;
 * infinite where the root has nothing left.  The blocks are [n_blocks, n_groups, 16 rows, 4 units],
 * and n_blocks is even. */
void nln_quantized_bounds(float *bound, const nln_quantized_query *query, const uint8_t *blocks,
                          const float *slack, int n_blocks, int add);

/* The same by plain loops, for tests. */
void nln_quantized_plain_bounds(float *bound, const nln_quantized_query *query,
                                const uint8_t *blocks, const float *slack, int n_blocks, int add);

#endif
