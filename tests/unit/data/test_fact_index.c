#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "data/fact_index.h"

enum { ENTITIES = 12, RELATIONS = 3, FACTS = 90 };

/* Every fact is found from both ends, and nothing else is. */
static void facts_are_found_from_both_ends(void **state)
{
    (void)state;
    nln_triple list[FACTS];
    uint8_t holds[ENTITIES][RELATIONS][ENTITIES] = {0};
    nln_random random = nln_random_seed(3, 1);
    for (int i = 0; i < FACTS; i++) {
        list[i] = (nln_triple){(int32_t)nln_random_below(&random, ENTITIES - 1),
                               (int32_t)nln_random_below(&random, RELATIONS),
                               (int32_t)nln_random_below(&random, ENTITIES - 1)};
        holds[list[i].head][list[i].relation][list[i].tail] = 1;
    }
    const nln_triple *lists[] = {list, list + FACTS / 2};
    const size_t n[] = {FACTS / 2, FACTS - FACTS / 2};
    nln_fact_index *g = NULL;
    assert_int_equal(nln_fact_index_create(&g, ENTITIES, RELATIONS, lists, n, 2, NULL), NLN_OK);
    for (int32_t h = 0; h < ENTITIES; h++)
        for (int32_t r = 0; r < RELATIONS; r++) {
            size_t first, count = 0;
            for (int32_t t = 0; t < ENTITIES; t++) {
                count += holds[h][r][t];
                assert_int_equal(nln_fact_index_has(g, h, r, t), holds[h][r][t]);
                assert_int_equal(nln_fact_index_has(g, t, nln_fact_index_inverse(g, r), h),
                                 holds[h][r][t]);
            }
            assert_int_equal(nln_fact_index_find(&first, g, h, r), count);
            for (size_t i = first; i < first + count; i++) {
                assert_int_equal(g->edge[i].relation, r);
                assert_true(holds[h][r][g->edge[i].entity]);
            }
        }
    for (int32_t r = 0; r < 2 * RELATIONS; r++)
        assert_int_equal(nln_fact_index_inverse(g, nln_fact_index_inverse(g, r)), r);
    nln_fact_index_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_are_found_from_both_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
