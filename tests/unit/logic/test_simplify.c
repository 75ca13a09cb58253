#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "logic/normal_form.h"
#include "logic/simplify.h"
#include "same_expr.h"
#include "trees.h"

/* No operand of an AND or OR is a constant, stands twice, or beside its negation; told for
 * literals, which are most operands. */
static void check_literals(nln_expr e)
{
    int32_t begin[256], top = 0;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        int32_t arity = nln_node_arity(e.nodes[i]);
        int32_t first = arity ? begin[top - arity] : i;
        if (arity > 1)
            for (int32_t a = top - arity; a < top; a++) {
                assert_true(e.nodes[begin[a]].op > NLN_OP_TRUE);
                for (int32_t b = a + 1; b < top; b++)
                    if (e.nodes[begin[a]].arg == e.nodes[begin[b]].arg) {
                        int32_t end_a = begin[a + 1] - begin[a];
                        int32_t end_b = (b + 1 < top ? begin[b + 1] : i) - begin[b];
                        assert_false(end_a <= 2 && end_b <= 2);
                    }
            }
        top -= arity;
        begin[top++] = first;
    }
}

static void keeps_the_value_and_no_more(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int i = 0; i < 5000; i++) {
        nln_exprs list = {0};
        int n_variables = 1 + i % 6;
        trees_random(&list, &r, n_variables, 1 + i % 4);
        if (nln_normal_negations(&list, nln_exprs_get(&list, 0), 1000, NULL) == NLN_OK) {
            assert_int_equal(nln_simplify(&list, nln_exprs_get(&list, 1), NULL), NLN_OK);
            assert_int_equal(nln_simplify(&list, nln_exprs_get(&list, 2), NULL), NLN_OK);
            nln_expr once = nln_exprs_get(&list, 2);
            assert_true(trees_equivalent(nln_exprs_get(&list, 0), once, n_variables));
            assert_true(once.n_nodes <= nln_exprs_get(&list, 1).n_nodes);
            assert_true(same_expr(once, nln_exprs_get(&list, 3)));
            if (once.n_nodes < 256)
                check_literals(once);
        }
        nln_exprs_free(&list);
    }
}

static void removes_what_says_nothing(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a & a", "a"},
        {"a | b | a", "a | b"},
        {"a & b | b & a", "a & b"},
        {"a | a & b", "a"},
        {"b & a | c | a", "c | a"},
        {"a & (a | b)", "a"},
        {"(a | b) & (b | c | a) & d", "(a | b) & d"},
        {"a & !a", "F"},
        {"b | a | !a", "T"},
        {"!(a & b) | a & b", "T"},
        {"a & (b & c | b & c)", "a & b & c"},
        {"!!a & b", "!!a & b"},
        {"a & T", "a"},
        {"a & b | !a & c", "a & b | !a & c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_symbols *s = nln_symbols_create();
        nln_exprs list = {0};
        char *text = NULL;
        trees_parse(&list, s, cases[i][0]);
        assert_int_equal(nln_simplify(&list, nln_exprs_get(&list, 0), NULL), NLN_OK);
        assert_int_equal(
            nln_print(&text, nln_exprs_get(&list, 1), &(nln_vocabulary){.variables = s}, NULL),
            NLN_OK);
        assert_string_equal(text, cases[i][1]);
        nln_free(text);
        nln_exprs_free(&list);
        nln_symbols_free(s);
    }
}

/* A chain whose every link becomes an AND within an AND, and a very long OR: neither takes
 * quadratic time or room. */
static void long_ones_take_little_time(void **state)
{
    (void)state;
    enum { LINKS = 100000 };
    nln_exprs list = {0};
    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 1; i <= LINKS; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, 1, NULL);
        nln_exprs_push(&list, NLN_OP_VAR, 1, NULL);
        nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
        nln_exprs_push(&list, NLN_OP_AND, 2, NULL);
        nln_exprs_push(&list, NLN_OP_OR, 2, NULL);
        nln_exprs_push(&list, NLN_OP_VAR, i + 1, NULL);
        nln_exprs_push(&list, NLN_OP_AND, 2, NULL);
    }
    nln_exprs_finish(&list, NULL);
    for (int32_t i = 0; i < LINKS; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, i, NULL);
        nln_exprs_push(&list, NLN_OP_VAR, i + 1, NULL);
        nln_exprs_push(&list, NLN_OP_AND, 2, NULL);
    }
    nln_exprs_push(&list, NLN_OP_OR, LINKS, NULL);
    nln_exprs_finish(&list, NULL);
    for (size_t i = 0; i < 2; i++) {
        size_t before = nln_memory_used();
        assert_int_equal(nln_simplify(&list, nln_exprs_get(&list, i), NULL), NLN_OK);
        assert_true(nln_memory_used() < before + 64000000);
    }
    nln_exprs_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_value_and_no_more),
        cmocka_unit_test(removes_what_says_nothing),
        cmocka_unit_test(long_ones_take_little_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
