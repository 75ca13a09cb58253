#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tiny.h"

typedef struct set {
    nln_exprs exprs;
    uint8_t *labels, *values;
} set;

/* The expressions of all splits in their order, with their labels and the values. */
static set generate(size_t n_variables, size_t n, const int bounds[4], uint64_t seed)
{
    set s = {0};
    char settings[256];
    snprintf(settings, sizeof settings,
             "variables=%zu expressions=%zu min-clauses=%d max-clauses=%d min-literals=%d "
             "max-literals=%d seed=%d",
             n_variables, n, bounds[0], bounds[1], bounds[2], bounds[3], (int)seed);
    nln_data *data = tiny_data(settings);
    s.labels = malloc(n);
    s.values = malloc(n_variables);
    assert_true(s.labels && s.values);
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (size_t i = 0; i < data->split[split].exprs.n; i++) {
            nln_expr e = nln_exprs_get(&data->split[split].exprs, i);
            assert_int_equal(nln_exprs_append(&s.exprs, e, NULL), NLN_OK);
            s.labels[s.exprs.n - 1] = data->split[split].labels[i];
        }
    memcpy(s.values, data->truth, n_variables);
    nln_data_free(data);
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

static size_t wrong_labels(const nln_data *data, nln_split split)
{
    uint8_t value[64], stack[512];
    size_t wrong = 0;
    for (size_t i = 0; i < nln_data_variables(data); i++)
        value[i] = (uint8_t)data->truth[i];
    for (size_t i = 0; i < nln_data_size(data, split); i++) {
        nln_expr e = nln_exprs_get(&data->split[split].exprs, i);
        assert_in_range(e.n_nodes, 1, sizeof stack);
        wrong += nln_expr_evaluate(e, value, stack) != data->split[split].labels[i];
    }
    return wrong;
}

/* 80/10/10, variables v1, v2, ..., and labels that are the values of the expressions. */
static void data_are_split_and_labelled(void **state)
{
    (void)state;
    static const size_t sizes[][4] = {{100, 80, 10, 10}, {105, 85, 10, 10}, {19, 17, 1, 1}};
    for (size_t i = 0; i < 3; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "variables=50 seed=3 expressions=%zu", sizes[i][0]);
        nln_data *data = tiny_data(settings);
        assert_int_equal(nln_data_variables(data), 50);
        assert_string_equal(nln_symbols_name(data->symbols, 0), "v1");
        assert_string_equal(nln_symbols_name(data->symbols, 49), "v50");
        for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
            assert_int_equal(nln_data_size(data, (nln_split)s), sizes[i][s + 1]);
            assert_int_equal(wrong_labels(data, (nln_split)s), 0);
        }
        nln_data_free(data);
    }
}

/* The test labels stay true. */
static void noise_flips_the_share_asked_for(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=50 expressions=1000 noise=0.07 seed=4");
    assert_int_equal(wrong_labels(data, NLN_TRAIN), 56);
    assert_int_equal(wrong_labels(data, NLN_VALID), 7);
    assert_int_equal(wrong_labels(data, NLN_TEST), 0);
    nln_data_free(data);
}

static void the_seed_decides(void **state)
{
    (void)state;
    nln_data *a = tiny_data("variables=30 expressions=50 seed=1");
    nln_data *b = tiny_data("variables=30 expressions=50 seed=1");
    nln_data *c = tiny_data("variables=30 expressions=50 seed=2");
    nln_exprs *x = &a->split[0].exprs, *y = &b->split[0].exprs, *z = &c->split[0].exprs;
    assert_int_equal(x->n_nodes, y->n_nodes);
    assert_memory_equal(x->nodes, y->nodes, x->n_nodes * sizeof *x->nodes);
    assert_memory_equal(a->truth, b->truth, 30);
    assert_true(x->n_nodes != z->n_nodes || memcmp(x->nodes, z->nodes, x->n_nodes));
    nln_data_free(a);
    nln_data_free(b);
    nln_data_free(c);
}

static void ranges_must_not_be_turned_around(void **state)
{
    (void)state;
    nln_options *o = tiny_options("generate logic", "min-clauses=4 max-clauses=3");
    nln_data *data = NULL;
    nln_error err = {0};
    assert_int_equal(nln_data_generate(&data, o, &err), NLN_INVALID);
    assert_string_equal(err.message,
                        "option --min-clauses (4) must not be above --max-clauses (3)");
    assert_null(data);
    nln_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_from_the_stated_distributions),
        cmocka_unit_test(labels_are_true_as_often_as_expected),
        cmocka_unit_test(writes_single_clauses_and_literals_bare),
        cmocka_unit_test(data_are_split_and_labelled),
        cmocka_unit_test(noise_flips_the_share_asked_for),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(ranges_must_not_be_turned_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
