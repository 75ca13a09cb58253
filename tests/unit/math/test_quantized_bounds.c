/* Bounds from 8-bit rows: the same bits by plain loops, and the formula of the header in doubles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "math/quantized_bounds.h"

enum {
    GROUPS = 5,
    BLOCKS = 6,
    UNITS = GROUPS * NLN_QUANTIZED_GROUP,
    ROWS = BLOCKS * NLN_QUANTIZED_ROWS,
    SUMS = NLN_QUANTIZED_SUMS
};

static uint8_t blocks[BLOCKS * GROUPS * 64], less[UNITS];
static int8_t weights[GROUPS * SUMS * NLN_QUANTIZED_GROUP];
static float slack[ROWS];

static nln_quantized_query random_query(uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    nln_quantized_query q = {.n_groups = GROUPS,
                             .less = less,
                             .weights = weights,
                             .length_scale = 0.01F,
                             .length_shift = 0.5F,
                             .numerator_rounding = 1e-3F,
                             .square_rounding = 1e-5F,
                             .factor = 1.5F};
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof less; i++)
        less[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof weights; i++) {
        int sum = (int)i / NLN_QUANTIZED_GROUP % SUMS;
        weights[i] =
            (int8_t)((int)nln_random_below(&random, sum < NLN_QUANTIZED_LENGTH ? 255 : 128) -
                     (sum < NLN_QUANTIZED_LENGTH ? 127 : 0));
    }
    for (int k = 0; k < NLN_QUANTIZED_VALUES; k++) {
        q.scale[k] = 1e-4F * (float)(k + 1);
        q.shift[k] = (float)nln_random_normal(&random) / 4;
        q.error[k] = 0.01F;
    }
    for (int i = 0; i < ROWS; i++)
        slack[i] = 1e-3F * (float)nln_random_below(&random, 10);
    return q;
}

/* The sum of a row, unit by unit. */
static double sum_of(int row, int sum)
{
    double out = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int u = 0; u < 4; u++) {
            int z = blocks[(row / 16 * GROUPS + g) * 64 + row % 16 * 4 + u] - less[g * 4 + u];
            out += (z > 0 ? z : 0) * weights[(g * SUMS + sum) * 4 + u];
        }
    return out;
}

static double bound_of(const nln_quantized_query *q, int row)
{
    double rounding = sum_of(row, NLN_QUANTIZED_ROUNDING) / 254;
    double length =
        (double)q->length_scale * sum_of(row, NLN_QUANTIZED_LENGTH) + (double)q->length_shift;
    double square = -(double)q->square_rounding * length * length;
    double numerator = (double)q->scale[0] * (sum_of(row, 0) + rounding) + (double)q->shift[0] +
                       (double)q->error[0] + (double)slack[row] +
                       (double)q->numerator_rounding * length;
    for (int k = 1; k < NLN_QUANTIZED_VALUES; k++) {
        double x = fabs((double)q->scale[k] * sum_of(row, k) + (double)q->shift[k]) -
                   (double)q->error[k] - (double)q->scale[k] * rounding;
        square += x > 0 ? x * x : 0;
    }
    return numerator <= 0 ? 0
           : square <= 0  ? INFINITY
                          : (double)q->factor * numerator / sqrt(square);
}

static void bounds_follow_the_formula(void **state)
{
    (void)state;
    int positive = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        float got[ROWS], twin[ROWS];
        nln_quantized_query q = random_query(seed);
        nln_quantized_bounds(got, &q, blocks, slack, BLOCKS, 0);
        nln_quantized_plain_bounds(twin, &q, blocks, slack, BLOCKS, 0);
        assert_memory_equal(got, twin, sizeof got);
        for (int row = 0; row < ROWS; row++) {
            double want = bound_of(&q, row);
            positive += want > 0 && isfinite(want);
            if (isinf(want))
                assert_true(isinf(got[row]));
            else
                assert_true(fabs((double)got[row] - want) <= 1e-3 * want);
        }
        nln_quantized_bounds(got, &q, blocks, slack, BLOCKS, 1);
        for (int row = 0; row < ROWS; row++)
            assert_true(got[row] == twin[row] + twin[row]);
    }
    assert_true(positive > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_follow_the_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
