/* What rules add to a few items is what they add to them among all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/premise_cache.h"

enum { ITEMS = 400, WIDTH = 30, HISTORY = 25, FEW = 7 };

/* Random premises, likes and dislikes, all of an item different. */
static nln_item_rules *random_rules(void)
{
    nln_item_rules *r = NULL;
    nln_random random = nln_random_seed(2, 2);
    assert_int_equal(nln_item_rules_create(&r, ITEMS, WIDTH, NULL), NLN_OK);
    for (size_t v = 0; v < ITEMS; v++)
        for (size_t k = 0; k < WIDTH; k++) {
            size_t slice = 2 * ITEMS / WIDTH;
            r->premise[v * WIDTH + k] = (int32_t)(k * slice + nln_random_below(&random, slice));
            r->weight[v * WIDTH + k] = (float)nln_random_below(&random, 100) / 50 - 1;
        }
    r->dislike = 0.5;
    assert_int_equal(nln_item_rules_index(r, NULL), NLN_OK);
    return r;
}

static void draw_history(nln_literal *history, nln_random *random)
{
    for (size_t i = 0; i < HISTORY; i++)
        history[i] =
            (nln_literal){nln_random_below(random, ITEMS), nln_random_below(random, 2) > 0, 0};
}

/* Adds for the listed items, which are known, and compares with all. */
static double compare(nln_premise_cache *rows, const nln_item_rules *r, const nln_literal *history)
{
    double few[ITEMS] = {0}, all[ITEMS] = {0}, size = 0;
    uint8_t seen[ITEMS] = {0}, listed[ITEMS] = {0};
    nln_premise_cache_add(few, rows, history, HISTORY, 2, 3, seen);
    nln_item_rules_add(all, r, history, HISTORY, 2, 3, seen);
    for (int32_t i = 0; i < rows->n; i++)
        listed[rows->item[i]] = 1;
    for (size_t v = 0; v < ITEMS; v++) {
        assert_true(few[v] == (listed[v] ? all[v] : 0));
        assert_int_equal(seen[v], 0);
        size += few[v] * few[v];
    }
    return size;
}

/* Also when more premises were asked for than there is room for. */
static void a_few_items_get_what_they_get_among_all(void **state)
{
    (void)state;
    static const int32_t item[FEW] = {5, 399, 0, 17, 120, 121, 300};
    nln_item_rules *r = random_rules();
    nln_premise_cache rows;
    nln_random random = nln_random_seed(3, 3);
    nln_literal history[HISTORY];
    double size = 0;
    assert_int_equal(nln_premise_cache_open(&rows, r, NULL), NLN_OK);
    assert_int_equal(nln_premise_cache_know(&rows, item, FEW), 0);
    for (int i = 0; i < 40; i++) {
        draw_history(history, &random);
        assert_int_equal(nln_premise_cache_know(&rows, item, FEW), 1);
        size += compare(&rows, r, history);
    }
    assert_true(size > 1);
    nln_premise_cache_close(&rows);
    nln_item_rules_free(r);
}

static void other_items_are_new(void **state)
{
    (void)state;
    static const int32_t item[] = {5, 6, 7}, other[] = {5, 8, 9};
    nln_item_rules *r = random_rules();
    nln_premise_cache rows;
    nln_random random = nln_random_seed(4, 4);
    nln_literal history[HISTORY];
    draw_history(history, &random);
    assert_int_equal(nln_premise_cache_open(&rows, r, NULL), NLN_OK);
    assert_int_equal(nln_premise_cache_know(&rows, item, 3), 0);
    compare(&rows, r, history);
    assert_int_equal(nln_premise_cache_know(&rows, item, 2), 0);
    assert_int_equal(nln_premise_cache_know(&rows, other, 3), 0);
    compare(&rows, r, history);
    assert_int_equal(nln_premise_cache_know(&rows, other, 3), 1);
    nln_premise_cache_close(&rows);
    nln_item_rules_free(r);
}

static void many_items_are_never_known(void **state)
{
    (void)state;
    int32_t item[NLN_PREMISE_CACHE_ITEMS + 1];
    nln_item_rules *r = random_rules();
    nln_premise_cache rows;
    for (int32_t i = 0; i <= NLN_PREMISE_CACHE_ITEMS; i++)
        item[i] = i;
    assert_int_equal(nln_premise_cache_open(&rows, r, NULL), NLN_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(nln_premise_cache_know(&rows, item, NLN_PREMISE_CACHE_ITEMS + 1), 0);
    assert_int_equal(nln_premise_cache_know(&rows, item, NLN_PREMISE_CACHE_ITEMS), 0);
    assert_int_equal(nln_premise_cache_know(&rows, item, NLN_PREMISE_CACHE_ITEMS), 1);
    nln_premise_cache_close(&rows);
    nln_item_rules_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_few_items_get_what_they_get_among_all),
                                       cmocka_unit_test(other_items_are_new),
                                       cmocka_unit_test(many_items_are_never_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
