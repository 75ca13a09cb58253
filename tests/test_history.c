#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"

/* ---- windows ------------------------------------------------------------------------ */

/* Literals as likes_of has them, by the names of the ratings or, with a map, of the model. */
static void expect_literals(const nln_literal *got, size_t n, const nln_symbols *names,
                            const char *wanted)
{
    char text[256] = "";
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%c%s", i ? " " : "",
                 got[i].liked ? '+' : '-', nln_symbols_name(names, (int32_t)got[i].item));
    }
    assert_string_equal(text, wanted);
}

static void windows_are_what_came_before_in_order(void **state)
{
    (void)state;
    static const struct {
        size_t at, most;
        const char *wanted;
    } cases[] = {
        {0, 3, ""},         {1, 3, "+a"},
        {2, 3, "+a -b"},    {3, 3, "+a -b +c"},
        {4, 3, "-b +c -d"}, {5, 3, "+c -d +e"},
        {5, 1, "+e"},       {5, 5, "+a -b +c -d +e"},
        {5, 0, ""},         {5, 99, "+a -b +c -d +e"},
    };
    nln_ratings *r = likes_of("before +z -y ann +a -b +c | -d | +e -f after +q");
    size_t start = r->start[1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_literal window[6];
        size_t n = nln_history_window(window, r, start, start + cases[i].at, cases[i].most, NULL);
        expect_literals(window, n, r->items, cases[i].wanted);
    }
    nln_ratings_free(r);
}

/* What is left out makes room for what is older. */
static void a_map_renames_and_leaves_out(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c -d +e");
    nln_symbols *names = trees_names(9);
    int32_t map[] = {8, 0, -1, 3, -1};
    nln_literal window[5];
    size_t n = nln_history_window(window, r, 0, 5, 2, map);
    expect_literals(window, n, names, "-x0 -x3");
    n = nln_history_window(window, r, 0, 5, 3, map);
    expect_literals(window, n, names, "+x8 -x0 -x3");
    n = nln_history_window(window, r, 0, 5, 5, map);
    expect_literals(window, n, names, "+x8 -x0 -x3");
    n = nln_history_window(window, r, 0, 5, 5, (const int32_t[]){-1, -1, -1, -1, -1});
    assert_int_equal(n, 0);
    nln_symbols_free(names);
    nln_ratings_free(r);
}

static int same(nln_literal a, nln_literal b)
{
    return a.item == b.item && a.liked == b.liked;
}

/* Every window of random ratings is the end of the longest one. */
static void a_shorter_window_is_the_end_of_a_longer_one(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(20, 30, 20, 4);
    nln_literal all[32], some[32];
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i <= r->start[u + 1]; i++) {
            size_t n = nln_history_window(all, r, r->start[u], i, 32, NULL);
            assert_int_equal(n, i - r->start[u]);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(all[j].item, r->item[r->start[u] + j]);
                assert_int_equal(all[j].liked, nln_ratings_liked(r, r->start[u] + j));
            }
            for (size_t most = 0; most < n; most++) {
                assert_int_equal(nln_history_window(some, r, r->start[u], i, most, NULL), most);
                for (size_t j = 0; j < most; j++)
                    assert_true(same(some[j], all[n - most + j]));
            }
        }
    nln_ratings_free(r);
}

/* ---- expressions -------------------------------------------------------------------- */

static void expect_printed(const nln_exprs *list, size_t i, const nln_symbols *names,
                           const char *wanted)
{
    char *text = NULL;
    nln_error err = {0};
    assert_int_equal(nln_print(&text, nln_exprs_get(list, i), names, &err), NLN_OK);
    assert_string_equal(text, wanted);
    free(text);
}

static void histories_become_expressions(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        nln_literal history[4];
        const char *alone, *rule;
    } cases[] = {
        {0, {{0, 0}}, "F", "F | x5"},
        {1, {{1, 1}}, "!x1", "!x1 | x5"},
        {1, {{1, 0}}, "!!x1", "!!x1 | x5"},
        {2, {{1, 1}, {2, 0}}, "!(x1 & !x2)", "!(x1 & !x2) | x5"},
        {3, {{2, 0}, {1, 0}, {0, 1}}, "!(!x2 & !x1 & x0)", "!(!x2 & !x1 & x0) | x5"},
        {4, {{3, 1}, {2, 1}, {5, 1}, {0, 1}}, "!(x3 & x2 & x5 & x0)", "!(x3 & x2 & x5 & x0) | x5"},
    };
    nln_symbols *names = trees_names(6);
    nln_exprs list = {0};
    nln_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(nln_history_append(&list, cases[i].history, cases[i].n, &err), NLN_OK);
        assert_int_equal(nln_history_append_rule(&list, cases[i].history, cases[i].n, 5, &err),
                         NLN_OK);
        assert_int_equal(nln_history_append_item(&list, (int32_t)i, &err), NLN_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_printed(&list, 3 * i, names, cases[i].alone);
        expect_printed(&list, 3 * i + 1, names, cases[i].rule);
        expect_printed(&list, 3 * i + 2, names, nln_symbols_name(names, (int32_t)i));
    }
    nln_exprs_free(&list);
    nln_symbols_free(names);
}

/* The rule is the implication from the history to the target, under every assignment; an empty
 * history is T. */
static void a_rule_is_an_implication(void **state)
{
    (void)state;
    nln_exprs rules = {0}, implications = {0};
    nln_error err = {0};
    for (int n = 0; n <= 4; n++)
        for (int bits = 0; bits < 1 << n; bits++) {
            nln_literal history[4];
            for (int i = 0; i < n; i++) {
                history[i] = (nln_literal){(size_t)i, bits >> i & 1};
                nln_exprs_push(&implications, NLN_OP_VAR, i, NULL);
                if (!history[i].liked)
                    nln_exprs_push(&implications, NLN_OP_NOT, 0, NULL);
            }
            if (n != 1)
                nln_exprs_push(&implications, n ? NLN_OP_AND : NLN_OP_TRUE, n, NULL);
            nln_exprs_push(&implications, NLN_OP_VAR, 4, NULL);
            nln_exprs_push(&implications, NLN_OP_IMPLIES, 0, NULL);
            assert_int_equal(nln_exprs_finish(&implications, &err), NLN_OK);
            assert_int_equal(nln_history_append_rule(&rules, history, (size_t)n, 4, &err), NLN_OK);
            assert_true(trees_equivalent(nln_exprs_get(&rules, rules.n - 1),
                                         nln_exprs_get(&implications, rules.n - 1), 5));
        }
    nln_exprs_free(&rules);
    nln_exprs_free(&implications);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_what_came_before_in_order),
        cmocka_unit_test(a_map_renames_and_leaves_out),
        cmocka_unit_test(a_shorter_window_is_the_end_of_a_longer_one),
        cmocka_unit_test(histories_become_expressions),
        cmocka_unit_test(a_rule_is_an_implication),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
