/* Upper bounds of many cosines from rows of 8-bit numbers.
 *
 * A row has one number of 8 bits for each unit.  With z = max(0, row - less), some sums z . weight
 * are made in whole numbers, 16 rows at a time, and a few operations make a bound of them.  Every
 * processor gives the same sums. */
#ifndef NLN_MATH_QUANTIZED_BOUNDS_H
#define NLN_MATH_QUANTIZED_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

enum {
    NLN_QUANTIZED_ROWS = 16,  /* rows of a block */
    NLN_QUANTIZED_GROUP = 4,  /* units that lie side by side */
    NLN_QUANTIZED_SUMS = 8,   /* numerator, its finer part, length, and five directions */
    NLN_QUANTIZED_FIRST = 3,  /* the first direction */
    NLN_QUANTIZED_MOST = 254, /* the largest number of a row */
    NLN_QUANTIZED_CHUNK = 32  /* blocks for which sums are kept */
};

/* One question.  Sum k stands for value[k] = scale[k] sum[k] + shift[k], which is at most error[k]
 * away from the true number. */
typedef struct nln_quantized_query {
    int n_groups;    /* units / 4, rounded up */
    uint8_t *less;   /* [n_groups, 4] */
    int8_t *weights; /* [n_groups, NLN_QUANTIZED_SUMS, 4] */
    float scale[NLN_QUANTIZED_SUMS], shift[NLN_QUANTIZED_SUMS], error[NLN_QUANTIZED_SUMS];
    float numerator_rounding; /* times the length: what rounding may add to the numerator ... */
    float square_rounding;    /* ... and, times its square, take away from the squared length */
    float factor;             /* of all bounds */
} nln_quantized_query;

/* bound[i], or what is added to it, is factor times
 *
 *     max(0, numerator) / sqrt(sum of the squared directions)
 *
 * with every error and rounding in favour of a larger bound; infinite where the root has nothing
 * left.  The blocks are [n_blocks, n_groups, 16 rows, 4 units], and n_blocks is even. */
void nln_quantized_bounds(float *bound, const nln_quantized_query *query, const uint8_t *blocks,
                          int n_blocks, int add);

/* out is [n_blocks, NLN_QUANTIZED_SUMS, 16 rows].  The plain twin is for tests. */
void nln_quantized_sums(int32_t *out, const nln_quantized_query *query, const uint8_t *blocks,
                        int n_blocks);
void nln_quantized_plain_sums(int32_t *out, const nln_quantized_query *query, const uint8_t *blocks,
                              int n_blocks);

#endif
