#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "same_expr.h"
#include "trees.h"

/* The value by the definition of each operator, from the root down. */
static int value_of(const nln_node *nodes, int32_t *at, const uint8_t *value)
{
    nln_node node = nodes[(*at)--];
    if (node.op == NLN_OP_VAR)
        return value[node.arg];
    if (node.op == NLN_OP_TRUE || node.op == NLN_OP_FALSE)
        return node.op == NLN_OP_TRUE;
    if (node.op == NLN_OP_NOT)
        return 1 - value_of(nodes, at, value);
    if (node.op == NLN_OP_AND || node.op == NLN_OP_OR) {
        int sum = 0;
        for (int32_t i = 0; i < node.arg; i++)
            sum += value_of(nodes, at, value);
        return node.op == NLN_OP_AND ? sum == node.arg : sum > 0;
    }
    int right = value_of(nodes, at, value), left = value_of(nodes, at, value);
    if (node.op == NLN_OP_IMPLIES)
        return left <= right;
    return node.op == NLN_OP_XOR ? (left + right) % 2 : (left + right) % 2 == 0;
}

static void evaluates_by_the_definition(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    nln_exprs list = {0};
    for (int i = 0; i < 3000; i++) {
        uint8_t value[10], stack[20000];
        nln_expr e = trees_random(&list, &r, 10, 5);
        assert_true((size_t)e.n_nodes <= sizeof stack);
        for (int k = 0; k < 10; k++)
            value[k] = (uint8_t)nln_random_below(&r, 2);
        int32_t at = e.n_nodes - 1;
        assert_int_equal(nln_expr_evaluate(e, value, stack), value_of(e.nodes, &at, value));
        assert_int_equal(at, -1);
    }
    nln_exprs_free(&list);
}

static void follows_the_truth_tables(void **state)
{
    (void)state;
    static const struct {
        nln_op op;
        uint8_t column[4]; /* under FF, FT, TF, TT */
    } tables[] = {
        {NLN_OP_AND, {0, 0, 0, 1}}, {NLN_OP_OR, {0, 1, 1, 1}},  {NLN_OP_IMPLIES, {1, 1, 0, 1}},
        {NLN_OP_IFF, {1, 0, 0, 1}}, {NLN_OP_XOR, {0, 1, 1, 0}},
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (uint8_t i = 0; i < 4; i++) {
            nln_node nodes[] = {{NLN_OP_VAR, 0}, {NLN_OP_VAR, 1}, {(int32_t)tables[t].op, 2}};
            uint8_t value[2] = {i / 2, i % 2}, stack[3];
            assert_int_equal(nln_expr_evaluate((nln_expr){nodes, 3}, value, stack),
                             tables[t].column[i]);
        }
}

static void compares_node_for_node(void **state)
{
    (void)state;
    nln_symbols *s = trees_names(3);
    nln_exprs list = {0};
    static const char *const texts[] = {"x0",      "x1",      "!x0",          "x0 & x1",
                                        "x1 & x0", "x0 | x1", "x0 & x1 & x2", "x0 & (x1 & x2)",
                                        "T",       "F",       "x0 -> x1",     "x0 <-> x1"};
    size_t n = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < n; i++)
        trees_parse(&list, s, texts[i]);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            assert_int_equal(same_expr(nln_exprs_get(&list, i), nln_exprs_get(&list, k)), i == k);
    nln_node one[] = {{NLN_OP_TRUE, 0}}, other[] = {{NLN_OP_TRUE, 5}};
    assert_true(same_expr((nln_expr){one, 1}, (nln_expr){other, 1}));
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

/* (text, variables with repetitions, operands of the widest AND or OR). */
static void measures_lengths_and_widths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t literals, widest;
    } cases[] = {
        {"a", 1, 1},
        {"!a", 1, 1},
        {"a -> b", 2, 1},
        {"a & !b & a | c", 4, 3},
        {"a | b & c | d | e", 5, 4},
        {"(a | b | c) & (a xor b)", 5, 3},
    };
    nln_symbols *symbols = nln_symbols_create();
    nln_exprs list = {0};
    assert_non_null(symbols);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trees_parse(&list, symbols, cases[i].text);
        nln_expr e = nln_exprs_get(&list, list.n - 1);
        assert_int_equal(nln_expr_literals(e), cases[i].literals);
        assert_int_equal(nln_expr_widest(e), cases[i].widest);
    }
    nln_exprs_free(&list);
    nln_symbols_free(symbols);
}

static void drops_only_what_is_unfinished(void **state)
{
    (void)state;
    nln_exprs list = {0};
    nln_error err;
    nln_exprs_drop(&list);
    assert_int_equal(nln_exprs_finish(&list, &err), NLN_INVALID);
    nln_exprs_push(&list, NLN_OP_VAR, 7, NULL);
    nln_exprs_drop(&list);
    assert_int_equal(list.n_nodes, 0);
    nln_exprs_push(&list, NLN_OP_VAR, 3, NULL);
    assert_int_equal(nln_exprs_finish(&list, &err), NLN_OK);
    nln_exprs_push(&list, NLN_OP_VAR, 4, NULL);
    nln_exprs_drop(&list);
    assert_int_equal(list.n, 1);
    assert_int_equal(nln_exprs_get(&list, 0).n_nodes, 1);
    assert_int_equal(nln_exprs_get(&list, 0).nodes[0].arg, 3);
    nln_exprs_free(&list);
    assert_null(list.nodes);
    assert_int_equal(list.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluates_by_the_definition),
        cmocka_unit_test(follows_the_truth_tables),
        cmocka_unit_test(compares_node_for_node),
        cmocka_unit_test(measures_lengths_and_widths),
        cmocka_unit_test(drops_only_what_is_unfinished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
