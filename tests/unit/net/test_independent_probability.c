#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "net/independent_probability.h"
#include "random_expr.h"

enum { N_VARIABLES = 8, MOST_NODES = 256 };

typedef struct question {
    nln_exprs list;
    nln_expr e;
    int32_t owner[MOST_NODES], variable[MOST_NODES], n_leaves;
    double q[MOST_NODES], marginal[N_VARIABLES];
} question;

/* One random expression over the variables, each of which has its own marginal. */
static void ask(question *out, nln_independent_probability *c, nln_random *r,
                const int32_t *variables, int32_t n)
{
    *out = (question){0};
    assert_int_equal(push_random_expr(&out->list, r, variables, n), NLN_OK);
    out->e = nln_exprs_get(&out->list, 0);
    assert_true(out->e.n_nodes <= MOST_NODES);
    for (int v = 0; v < N_VARIABLES; v++)
        out->marginal[v] = .01 + .98 * nln_random_uniform(r);
    for (int32_t i = 0; i < out->e.n_nodes; i++) {
        if (out->e.nodes[i].op != NLN_OP_VAR)
            continue;
        out->variable[out->n_leaves] = out->e.nodes[i].arg;
        out->q[out->n_leaves++] = out->marginal[out->e.nodes[i].arg];
    }
    assert_int_equal(nln_independent_probability_bind(out->owner, c, out->e), out->n_leaves);
}

/* P(e and variable = value), or P(e) when the variable is -1, over all assignments. */
static double enumerate(const question *a, int32_t variable, int value)
{
    uint8_t values[N_VARIABLES], stack[MOST_NODES];
    double sum = 0;
    for (uint32_t bits = 0; bits < 1u << N_VARIABLES; bits++) {
        double weight = 1;
        set_values(values, bits, N_VARIABLES);
        if (variable >= 0 && values[variable] != value)
            continue;
        for (int v = 0; v < N_VARIABLES; v++)
            weight *= values[v] ? a->marginal[v] : 1 - a->marginal[v];
        sum += weight * nln_expr_evaluate(a->e, values, stack);
    }
    return sum;
}

static void compare(const question *a, nln_independent_probability *c)
{
    double if_true[MOST_NODES], if_false[MOST_NODES];
    double p = nln_independent_probability_of(c, a->e, a->owner, a->q, a->n_leaves);
    assert_true(fabs(p - enumerate(a, -1, 0)) < 1e-12);
    nln_independent_probability_given(if_true, if_false, c, a->e, a->owner, a->q, a->n_leaves);
    for (int32_t k = 0; k < a->n_leaves; k++) {
        if (a->owner[k] != k)
            continue;
        int32_t v = a->variable[k];
        assert_true(fabs(if_true[k] - enumerate(a, v, 1) / a->marginal[v]) < 1e-10);
        assert_true(fabs(if_false[k] - enumerate(a, v, 0) / (1 - a->marginal[v])) < 1e-10);
    }
}

static void equals_enumeration(void **state)
{
    (void)state;
    const int32_t once[] = {3, 0, 7, 1, 4, 2, 6, 5};
    const int32_t twice[] = {0, 1, 2, 3, 1, 0, 4, 3, 2, 0, 5, 3};
    nln_independent_probability c = {0};
    nln_random r = nln_random_seed(1, 1);
    assert_int_equal(nln_independent_probability_create(&c, MOST_NODES, N_VARIABLES, NULL), NLN_OK);
    for (int i = 0; i < 300; i++) {
        question a;
        int32_t n = 1 + (int32_t)nln_random_below(&r, 8);
        ask(&a, &c, &r, i % 2 ? twice : once, i % 2 ? n + 4 : n);
        compare(&a, &c);
        nln_exprs_free(&a.list);
    }
    nln_independent_probability_free(&c);
}

static void push_pairs(nln_exprs *list, int32_t n_pairs)
{
    for (int32_t k = 0; k < 2 * n_pairs; k++)
        assert_int_equal(nln_exprs_push(list, NLN_OP_VAR, k / 2, NULL), NLN_OK);
    assert_int_equal(nln_exprs_push(list, NLN_OP_AND, 2 * n_pairs, NULL), NLN_OK);
    assert_int_equal(nln_exprs_finish(list, NULL), NLN_OK);
}

/* v0 & v0 & v1 & v1 & ...: P is a half for each variable conditioned on, and a
 * quarter for each one beyond the limit. */
static void beyond_the_limit_leaves_are_independent(void **state)
{
    (void)state;
    const double half[] = {.5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5, .5};
    nln_exprs list = {0};
    nln_independent_probability c = {0};
    int32_t owner[16];
    push_pairs(&list, NLN_CHANCE_SHARED + 2);
    nln_expr e = nln_exprs_get(&list, 0);
    assert_int_equal(nln_independent_probability_create(&c, 16, N_VARIABLES, NULL), NLN_OK);
    for (int repeat = 0; repeat < 2; repeat++) {
        assert_int_equal(nln_independent_probability_bind(owner, &c, e), 12);
        for (int32_t k = 0; k < 12; k++)
            assert_int_equal(owner[k], k / 2 < NLN_CHANCE_SHARED ? k / 2 * 2 : k);
        assert_true(fabs(nln_independent_probability_of(&c, e, owner, half, 12) - 1. / 16 / 16) <
                    1e-15);
    }
    nln_independent_probability_free(&c);
    nln_exprs_free(&list);
}

/* The product of the other operands is right even when it cannot be had by
 * division. */
static void zeros_are_safe(void **state)
{
    (void)state;
    const double q[] = {1e-300, 1e-300, .5};
    const int32_t owner[] = {0, 1, 2};
    double if_true[4], if_false[4];
    nln_exprs list = {0};
    nln_independent_probability c = {0};
    for (int32_t v = 0; v < 3; v++)
        assert_int_equal(nln_exprs_push(&list, NLN_OP_VAR, v, NULL), NLN_OK);
    assert_int_equal(nln_exprs_push(&list, NLN_OP_AND, 3, NULL), NLN_OK);
    assert_int_equal(nln_exprs_finish(&list, NULL), NLN_OK);
    assert_int_equal(nln_independent_probability_create(&c, 4, 3, NULL), NLN_OK);
    nln_independent_probability_given(if_true, if_false, &c, nln_exprs_get(&list, 0), owner, q, 3);
    assert_true(fabs(if_true[0] / 5e-301 - 1) < 1e-12);
    assert_true(if_true[2] == 0 && if_false[2] == 0);
    nln_independent_probability_free(&c);
    nln_exprs_free(&list);
}

static void depth_costs_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 300001 };
    const double q[] = {.25};
    const int32_t owner[] = {0};
    double if_true[1], if_false[1];
    nln_exprs list = {0};
    nln_independent_probability c = {0};
    assert_int_equal(nln_exprs_push(&list, NLN_OP_VAR, 0, NULL), NLN_OK);
    for (int i = 0; i < DEPTH; i++)
        assert_int_equal(nln_exprs_push(&list, NLN_OP_NOT, 0, NULL), NLN_OK);
    assert_int_equal(nln_exprs_finish(&list, NULL), NLN_OK);
    assert_int_equal(nln_independent_probability_create(&c, DEPTH + 1, 1, NULL), NLN_OK);
    nln_independent_probability_given(if_true, if_false, &c, nln_exprs_get(&list, 0), owner, q, 1);
    assert_true(if_true[0] == 0 && if_false[0] == 1);
    nln_independent_probability_free(&c);
    nln_exprs_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_enumeration),
        cmocka_unit_test(beyond_the_limit_leaves_are_independent),
        cmocka_unit_test(zeros_are_safe),
        cmocka_unit_test(depth_costs_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
