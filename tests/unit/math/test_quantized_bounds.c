/* The sums of 8-bit rows: the plain twin, and the twin by the book. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "math/quantized_bounds.h"

enum { GROUPS = 5, BLOCKS = 6, UNITS = GROUPS * NLN_QUANTIZED_GROUP };

static nln_quantized_query draw_query(uint8_t *blocks, size_t n_bytes, uint64_t seed)
{
    static uint8_t less[UNITS];
    static int8_t weights[GROUPS * NLN_QUANTIZED_SUMS * NLN_QUANTIZED_GROUP],
        rough[GROUPS * NLN_QUANTIZED_ROUGH * NLN_QUANTIZED_GROUP];
    nln_random random = nln_random_seed(seed, 0);
    for (size_t i = 0; i < n_bytes; i++)
        blocks[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof less; i++)
        less[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (int8_t)((int)nln_random_below(&random, 255) - 127);
    for (size_t i = 0; i < sizeof rough; i++)
        rough[i] = (int8_t)((int)nln_random_below(&random, 255) - 127);
    return (nln_quantized_query){
        .n_groups = GROUPS, .less = less, .weights = weights, .rough_weights = rough};
}

/* Also of an odd number of blocks, and of the last sum unit by unit. */
static void sums_are_those_of_the_plain_twin(void **state)
{
    (void)state;
    static uint8_t blocks[BLOCKS * GROUPS * 64];
    static int32_t got[BLOCKS * NLN_QUANTIZED_SUMS * 16], twin[BLOCKS * NLN_QUANTIZED_SUMS * 16];
    nln_quantized_query q = draw_query(blocks, sizeof blocks, 3);
    for (int is_rough = 0; is_rough < 2; is_rough++)
        for (int n = BLOCKS; n >= BLOCKS - 1; n--) {
            int n_sums = is_rough ? NLN_QUANTIZED_ROUGH : NLN_QUANTIZED_SUMS, k = n_sums - 1;
            const int8_t *weights = is_rough ? q.rough_weights : q.weights;
            nln_quantized_sums(got, &q, blocks, n, is_rough);
            nln_quantized_plain_sums(twin, &q, blocks, n, is_rough);
            assert_memory_equal(got, twin, (size_t)(n * n_sums * 16) * sizeof *got);
            for (int row = 0; row < 16; row++) {
                int32_t sum = 0;
                for (int g = 0; g < GROUPS; g++)
                    for (int u = 0; u < 4; u++) {
                        int z =
                            blocks[((n - 1) * GROUPS + g) * 64 + row * 4 + u] - q.less[g * 4 + u];
                        sum += (z > 0 ? z : 0) * weights[(g * n_sums + k) * 4 + u];
                    }
                assert_int_equal(sum, got[((n - 1) * n_sums + k) * 16 + row]);
            }
        }
}

/* A block has rough bounds if none is above the limit, and close ones otherwise. */
static void close_bounds_are_those_above_the_limit(void **state)
{
    (void)state;
    static uint8_t blocks[BLOCKS * GROUPS * 64];
    static float slack[BLOCKS * 16], close[BLOCKS * 16], rough[BLOCKS * 16], some[BLOCKS * 16];
    nln_quantized_query q = draw_query(blocks, sizeof blocks, 4);
    int n_close = 0, n_rough = 0;
    q.factor = 1;
    for (int k = 0; k < NLN_QUANTIZED_VALUES; k++)
        q.scale[k] = 1.0F / 254;
    for (int k = 0; k < NLN_QUANTIZED_ROUGH; k++)
        q.rough_scale[k] = 1;
    q.rough_shift[0] = 1e3F;
    q.rough_shift[1] = 1e6F;
    nln_quantized_bounds(close, &q, blocks, slack, BLOCKS, -INFINITY);
    nln_quantized_bounds(rough, &q, blocks, slack, BLOCKS, 1e30F);
    const float limit = rough[20] * 1.0001F;
    nln_quantized_bounds(some, &q, blocks, slack, BLOCKS, limit);
    for (int b = 0; b < BLOCKS; b++) {
        int above = 0;
        for (int i = 0; i < 16; i++)
            above |= rough[b * 16 + i] > limit;
        n_close += above;
        n_rough += !above;
        assert_memory_equal(some + b * 16, (above ? close : rough) + b * 16, 16 * sizeof *some);
    }
    assert_true(n_close > 0 && n_close + n_rough == BLOCKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_the_plain_twin),
                                       cmocka_unit_test(close_bounds_are_those_above_the_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
