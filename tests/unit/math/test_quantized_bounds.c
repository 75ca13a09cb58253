/* The sums of 8-bit rows: the plain twin, and the twin by the book. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/random.h"
#include "math/quantized_bounds.h"

enum { GROUPS = 5, BLOCKS = 6, UNITS = GROUPS * NLN_QUANTIZED_GROUP };

static void sums_are_those_of_the_plain_twin(void **state)
{
    (void)state;
    static uint8_t blocks[BLOCKS * GROUPS * 64], less[UNITS];
    static int8_t weights[GROUPS * NLN_QUANTIZED_SUMS * NLN_QUANTIZED_GROUP];
    static int32_t got[BLOCKS * NLN_QUANTIZED_SUMS * 16], twin[BLOCKS * NLN_QUANTIZED_SUMS * 16];
    nln_random random = nln_random_seed(3, 0);
    nln_quantized_query q = {.n_groups = GROUPS, .less = less, .weights = weights};
    for (size_t i = 0; i < sizeof blocks; i++)
        blocks[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof less; i++)
        less[i] = (uint8_t)nln_random_below(&random, 255);
    for (size_t i = 0; i < sizeof weights; i++)
        weights[i] = (int8_t)((int)nln_random_below(&random, 255) - 127);
    nln_quantized_sums(got, &q, blocks, BLOCKS);
    nln_quantized_plain_sums(twin, &q, blocks, BLOCKS);
    assert_memory_equal(got, twin, sizeof got);
    for (int row = 0; row < 16; row++) { /* of the last block and sum, unit by unit */
        int32_t sum = 0;
        for (int g = 0; g < GROUPS; g++)
            for (int u = 0; u < 4; u++) {
                int z = blocks[((BLOCKS - 1) * GROUPS + g) * 64 + row * 4 + u] - less[g * 4 + u];
                sum += (z > 0 ? z : 0) *
                       weights[(g * NLN_QUANTIZED_SUMS + NLN_QUANTIZED_LENGTH) * 4 + u];
            }
        assert_int_equal(
            sum, got[((BLOCKS - 1) * NLN_QUANTIZED_SUMS + NLN_QUANTIZED_LENGTH) * 16 + row]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_the_plain_twin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
