#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "logic/random_formulas.h"

typedef struct set {
    nln_exprs exprs;
    uint8_t *labels, *values;
} set;

static set generate(size_t n_variables, size_t n, const int bounds[4], uint64_t seed)
{
    set s = {0};
    nln_random r = nln_random_seed(seed, 0);
    assert_int_equal(nln_random_formulas_generate(&s.exprs, &s.labels, &s.values, n_variables, n,
                                                  bounds[0], bounds[1], bounds[2], bounds[3], &r,
                                                  NULL),
                     NLN_OK);
    assert_int_equal(s.exprs.n, n);
    return s;
}

static void free_set(set *s)
{
    nln_exprs_free(&s->exprs);
    free(s->labels);
    free(s->values);
}

/* One clause read from nodes[*at] on: its literals and negations; whether it is true. */
static int32_t read_clause(int32_t *negations, int *truth, const nln_expr *e, int32_t *at,
                           const uint8_t *values)
{
    int32_t n = 0;
    *truth = 1;
    while (*at < e->n_nodes && e->nodes[*at].op == NLN_OP_VAR) {
        int value = values[e->nodes[(*at)++].arg];
        if (*at < e->n_nodes && e->nodes[*at].op == NLN_OP_NOT) {
            value = !value;
            ++*negations;
            ++*at;
        }
        *truth &= value;
        n++;
    }
    return n;
}

/* |count - n p| within four standard deviations of a binomial. */
static void assert_share(double count, double n, double p)
{
    assert_true(fabs(count - n * p) <= 4 * sqrt(n * p * (1 - p)));
}

typedef struct tally {
    double clauses[8], literals[8]; /* how often each number was drawn */
    double n_clauses, n_literals, n_negations;
} tally;

/* Reads an expression whose clauses have two literals or more. */
static void read_expression(tally *t, nln_expr e, const uint8_t *values, int label)
{
    int32_t n_clauses = 0, at = 0, negations = 0;
    int any = 0, truth = 0;
    while (at < e.n_nodes && e.nodes[at].op == NLN_OP_VAR) {
        int32_t n = read_clause(&negations, &truth, &e, &at, values);
        assert_int_equal(e.nodes[at].op, NLN_OP_AND);
        assert_int_equal(e.nodes[at++].arg, n);
        any |= truth;
        n_clauses++;
        t->literals[n]++;
        t->n_literals += n;
    }
    if (n_clauses > 1) {
        assert_int_equal(e.nodes[at].op, NLN_OP_OR);
        assert_int_equal(e.nodes[at++].arg, n_clauses);
    }
    assert_int_equal(at, e.n_nodes);
    assert_int_equal(label, any);
    t->clauses[n_clauses]++;
    t->n_clauses += n_clauses;
    t->n_negations += negations;
}

static void draws_from_the_stated_distributions(void **state)
{
    (void)state;
    enum { N = 40000, VARIABLES = 200 };
    tally t = {0};
    double uses[VARIABLES] = {0}, n_true = 0;
    set s = generate(VARIABLES, N, (const int[]){1, 5, 2, 6}, 1);
    for (size_t i = 0; i < N; i++)
        read_expression(&t, nln_exprs_get(&s.exprs, i), s.values, s.labels[i]);
    for (size_t i = 0; i < s.exprs.n_nodes; i++)
        if (s.exprs.nodes[i].op == NLN_OP_VAR)
            uses[s.exprs.nodes[i].arg]++;
    for (int k = 1; k <= 5; k++) {
        assert_share(t.clauses[k], N, 0.2);
        assert_share(t.literals[k + 1], t.n_clauses, 0.2);
    }
    assert_share(t.n_negations, t.n_literals, 0.5);
    for (int k = 0; k < VARIABLES; k++) {
        assert_share(uses[k], t.n_literals, 1.0 / VARIABLES);
        n_true += s.values[k];
    }
    assert_share(n_true, VARIABLES, 0.5);
    free_set(&s);
}

/* With so many variables that repetitions are rare, a clause of k literals is true
 * with probability 2^-k and the clauses are independent. */
static void labels_are_true_as_often_as_expected(void **state)
{
    (void)state;
    enum { N = 20000 };
    double n_true = 0, p_clause = 0, p_false = 0;
    set s = generate(1000000, N, (const int[]){1, 5, 1, 5}, 2);
    for (int k = 1; k <= 5; k++)
        p_clause += ldexp(0.2, -k);
    for (int k = 1; k <= 5; k++)
        p_false += 0.2 * pow(1 - p_clause, k);
    for (size_t i = 0; i < N; i++)
        n_true += s.labels[i];
    assert_share(n_true, N, 1 - p_false);
    free_set(&s);
}

static void writes_single_clauses_and_literals_bare(void **state)
{
    (void)state;
    static const struct {
        int bounds[4];
        int32_t root, arg;
    } cases[] = {
        {{1, 1, 3, 3}, NLN_OP_AND, 3}, {{4, 4, 1, 1}, NLN_OP_OR, 4}, {{2, 2, 3, 3}, NLN_OP_OR, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set s = generate(10, 100, cases[i].bounds, 3);
        for (size_t k = 0; k < 100; k++) {
            nln_expr e = nln_exprs_get(&s.exprs, k);
            assert_int_equal(e.nodes[e.n_nodes - 1].op, cases[i].root);
            assert_int_equal(e.nodes[e.n_nodes - 1].arg, cases[i].arg);
        }
        free_set(&s);
    }
    set s = generate(10, 100, (const int[]){1, 1, 1, 1}, 3);
    for (size_t k = 0; k < 100; k++)
        assert_true(nln_exprs_get(&s.exprs, k).n_nodes <= 2);
    free_set(&s);
}

static int same(const set *a, const set *b, size_t n_variables)
{
    return a->exprs.n_nodes == b->exprs.n_nodes &&
           memcmp(a->exprs.nodes, b->exprs.nodes, a->exprs.n_nodes * sizeof *a->exprs.nodes) == 0 &&
           memcmp(a->labels, b->labels, a->exprs.n) == 0 &&
           memcmp(a->values, b->values, n_variables) == 0;
}

static void repeats_with_the_seed(void **state)
{
    (void)state;
    const int bounds[] = {1, 5, 1, 5};
    set a = generate(50, 500, bounds, 7), b = generate(50, 500, bounds, 7);
    set c = generate(50, 500, bounds, 8);
    assert_true(same(&a, &b, 50));
    assert_false(same(&a, &c, 50));
    free_set(&a);
    free_set(&b);
    free_set(&c);
}

static void appends_and_takes_nothing(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    set s = generate(5, 0, (const int[]){1, 1, 1, 1}, 1);
    uint8_t *labels = NULL, *values = NULL;
    nln_exprs_push(&s.exprs, NLN_OP_TRUE, 0, NULL);
    nln_exprs_finish(&s.exprs, NULL);
    assert_int_equal(
        nln_random_formulas_generate(&s.exprs, &labels, &values, 5, 3, 1, 2, 1, 2, &r, NULL),
        NLN_OK);
    assert_int_equal(s.exprs.n, 4);
    assert_int_equal(nln_exprs_get(&s.exprs, 0).nodes[0].op, NLN_OP_TRUE);
    free(labels);
    free(values);
    free_set(&s);
}

static void refuses_bad_bounds(void **state)
{
    (void)state;
    static const struct {
        size_t n_variables;
        int bounds[4];
        nln_status status;
    } cases[] = {
        {0, {1, 5, 1, 5}, NLN_INVALID},           {5, {0, 5, 1, 5}, NLN_INVALID},
        {5, {1, 0, 1, 5}, NLN_INVALID},           {5, {3, 2, 1, 5}, NLN_INVALID},
        {5, {1, 5, 0, 5}, NLN_INVALID},           {5, {1, 5, 5, 1}, NLN_INVALID},
        {5, {-3, -1, 1, 5}, NLN_INVALID},         {SIZE_MAX, {1, 5, 1, 5}, NLN_INVALID},
        {5, {1, 1 << 20, 1, 1 << 20}, NLN_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_exprs out = {0};
        nln_error err = {0};
        uint8_t *labels = NULL, *values = NULL;
        nln_random r = nln_random_seed(1, 0);
        const int *b = cases[i].bounds;
        assert_int_equal(nln_random_formulas_generate(&out, &labels, &values, cases[i].n_variables,
                                                      3, b[0], b[1], b[2], b[3], &r, &err),
                         cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        assert_null(labels);
        assert_null(values);
        assert_int_equal(out.n, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_from_the_stated_distributions),
        cmocka_unit_test(labels_are_true_as_often_as_expected),
        cmocka_unit_test(writes_single_clauses_and_literals_bare),
        cmocka_unit_test(repeats_with_the_seed),
        cmocka_unit_test(appends_and_takes_nothing),
        cmocka_unit_test(refuses_bad_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
