#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "exact/belief_propagation.h"
#include "random_expr.h"

enum { MOST_VARIABLES = 16, MOST_NODES = 128, MOST_EXPRS = 16 };

typedef struct problem {
    nln_exprs exprs;
    uint8_t labels[MOST_EXPRS];
    int32_t n_variables;
} problem;

/* Expressions without loops: each has one variable of the earlier ones, at most, and
 * some new ones.  With `repeat`, variables occur twice within an expression. */
static void build_forest(problem *out, nln_random *r, int repeat)
{
    *out = (problem){0};
    while (out->n_variables < 11) {
        int32_t leaves[16], n = 0, fresh = 1 + (int32_t)nln_random_below(r, 4);
        if (out->n_variables > 0)
            leaves[n++] = (int32_t)nln_random_below(r, (uint64_t)out->n_variables);
        for (int32_t k = 0; k < fresh; k++)
            leaves[n++] = out->n_variables++;
        int32_t again = repeat && n > 3 ? 3 : repeat ? n : 0;
        memcpy(leaves + n, leaves, (size_t)again * sizeof *leaves);
        out->labels[out->exprs.n] = (uint8_t)nln_random_below(r, 2);
        assert_int_equal(push_random_expr(&out->exprs, r, leaves, n + again), NLN_OK);
    }
}

static double likelihood(const problem *p, const uint8_t *values, double noise)
{
    uint8_t stack[MOST_NODES];
    double product = 1;
    for (size_t i = 0; i < p->exprs.n; i++) {
        nln_expr e = nln_exprs_get(&p->exprs, i);
        assert_true(e.n_nodes <= MOST_NODES);
        product *= nln_expr_evaluate(e, values, stack) == p->labels[i] ? 1 - noise : noise;
    }
    return product;
}

static void enumerate(double *marginals, const problem *p, double noise)
{
    uint8_t values[MOST_VARIABLES];
    double sum = 0;
    memset(marginals, 0, MOST_VARIABLES * sizeof *marginals);
    for (uint32_t bits = 0; bits < 1u << p->n_variables; bits++) {
        set_values(values, bits, p->n_variables);
        double weight = likelihood(p, values, noise);
        sum += weight;
        for (int32_t v = 0; v < p->n_variables; v++)
            marginals[v] += values[v] * weight;
    }
    for (int32_t v = 0; v < p->n_variables; v++)
        marginals[v] /= sum;
}

static void check_exact(const problem *p, nln_belief_propagation_settings s)
{
    double fitted[MOST_VARIABLES], exact[MOST_VARIABLES];
    size_t n = (size_t)p->n_variables;
    assert_int_equal(nln_belief_propagation_fit(fitted, &p->exprs, p->labels, n, &s, NULL), NLN_OK);
    enumerate(exact, p, fmax(s.noise, 1e-6));
    for (size_t v = 0; v < n; v++)
        assert_true(fabs(fitted[v] - exact[v]) < 1e-9);
}

static void exact_without_loops(void **state)
{
    (void)state;
    static const double noise[] = {0, .05, .2};
    nln_random r = nln_random_seed(3, 3);
    for (int i = 0; i < 60; i++) {
        problem p;
        build_forest(&p, &r, i % 2);
        check_exact(&p, (nln_belief_propagation_settings){.noise = noise[i % 3], .sweeps = 30});
        check_exact(&p,
                    (nln_belief_propagation_settings){
                        .noise = noise[i % 3], .damping = .5, .tolerance = 1e-11, .sweeps = 200});
        nln_exprs_free(&p.exprs);
    }
}

static void push_variable(problem *p, int32_t v, uint8_t label)
{
    assert_int_equal(nln_exprs_push(&p->exprs, NLN_OP_VAR, v, NULL), NLN_OK);
    p->labels[p->exprs.n] = label;
    assert_int_equal(nln_exprs_finish(&p->exprs, NULL), NLN_OK);
}

/* Variable 0 is said to be T twice, 1 once T and once F; 2 is not mentioned. */
static void by_hand(void **state)
{
    (void)state;
    double m[3];
    problem p = {0};
    nln_belief_propagation_settings s = {.noise = .1, .sweeps = 3};
    push_variable(&p, 0, 1);
    push_variable(&p, 0, 1);
    push_variable(&p, 1, 1);
    push_variable(&p, 1, 0);
    assert_int_equal(nln_belief_propagation_fit(m, &p.exprs, p.labels, 3, &s, NULL), NLN_OK);
    assert_true(fabs(m[0] - .81 / (.81 + .01)) < 1e-12);
    assert_true(fabs(m[1] - .5) < 1e-12);
    assert_true(m[2] == .5);
    s.sweeps = 0;
    assert_int_equal(nln_belief_propagation_fit(m, &p.exprs, p.labels, 3, &s, NULL), NLN_OK);
    assert_true(m[0] == .5 && m[1] == .5);
    nln_exprs_free(&p.exprs);
}

/* Random labels on loopy sets contradict each other in every way. */
static void contradictions_stay_finite(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(4, 3);
    double m[MOST_VARIABLES];
    const nln_belief_propagation_settings s = {.noise = 0, .damping = .5, .sweeps = 30};
    for (int i = 0; i < 50; i++) {
        problem p = {0};
        int32_t leaves[12];
        for (int k = 0; k < MOST_EXPRS; k++) {
            for (int j = 0; j < 12; j++)
                leaves[j] = (int32_t)nln_random_below(&r, 6);
            p.labels[k] = (uint8_t)nln_random_below(&r, 2);
            assert_int_equal(push_random_expr(&p.exprs, &r, leaves, 12), NLN_OK);
        }
        assert_int_equal(nln_belief_propagation_fit(m, &p.exprs, p.labels, 6, &s, NULL), NLN_OK);
        for (int v = 0; v < 6; v++)
            assert_true(m[v] > 0 && m[v] < 1);
        nln_exprs_free(&p.exprs);
    }
}

/* (v0 & !v1) | v2 is 1 - (1 - m0 (1 - m1)) (1 - m2). */
static void predicts_the_product_formula(void **state)
{
    (void)state;
    const double m[] = {.9, .3, .2}, certain[] = {1, 0, 0};
    const nln_node nodes[] = {{NLN_OP_VAR, 0}, {NLN_OP_VAR, 1}, {NLN_OP_NOT, 0},
                              {NLN_OP_AND, 2}, {NLN_OP_VAR, 2}, {NLN_OP_OR, 2}};
    nln_exprs list = {0};
    double p = 0;
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        assert_int_equal(nln_exprs_push(&list, (nln_op)nodes[i].op, nodes[i].arg, NULL), NLN_OK);
    assert_int_equal(nln_exprs_finish(&list, NULL), NLN_OK);
    assert_int_equal(nln_belief_propagation_predict(&p, &list, m, 3, NULL), NLN_OK);
    assert_true(fabs(p - (1 - (1 - .9 * .7) * .8)) < 1e-12);
    assert_int_equal(nln_belief_propagation_predict(&p, &list, certain, 3, NULL), NLN_OK);
    assert_true(p == 1);
    nln_exprs_free(&list);
}

static void nothing_to_learn_from(void **state)
{
    (void)state;
    const nln_exprs none = {0};
    const nln_belief_propagation_settings s = {.sweeps = 30};
    double m[2] = {0};
    assert_int_equal(nln_belief_propagation_fit(m, &none, NULL, 2, &s, NULL), NLN_OK);
    assert_true(m[0] == .5 && m[1] == .5);
    assert_int_equal(nln_belief_propagation_predict(NULL, &none, m, 2, NULL), NLN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_without_loops),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(contradictions_stay_finite),
        cmocka_unit_test(predicts_the_product_formula),
        cmocka_unit_test(nothing_to_learn_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
