#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "likes.h"

#define TOPK "task=topk dimension=12 hidden=9 history=30 threads=1 "

enum { ITEMS = 90, MOST = 30 };

static nln_literal history[MOST];

static int make_history(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++)
        history[i] = (nln_literal){(i * 37 + 5) % ITEMS, i % 3 != 0, 0};
    return 0;
}

/* The value of a part of the history, by the definition in nln.h. */
static double value_of(const nln_model *m, const nln_literal *part, size_t n, size_t item)
{
    double score[ITEMS], mean = 0;
    assert_int_equal(nln_recommend_scores(score, m, NULL, part, n, NULL), NLN_OK);
    for (size_t i = 0; m->config.task == NLN_TASK_TOPK && i < 64; i++)
        mean += score[i * ITEMS / 64] / 64;
    return score[item] - mean;
}

/* The mean over all orders of what a literal adds, by recursion over the orders. */
static void add_orders(double *sum, const nln_model *m, size_t item, size_t n, unsigned in,
                       double before, double weight)
{
    size_t left = n - (size_t)__builtin_popcount(in);
    for (size_t i = 0; i < n; i++) {
        nln_literal part[MOST];
        size_t size = 0;
        unsigned with = in | 1u << i;
        if (with == in)
            continue;
        for (size_t j = 0; j < n; j++)
            if (with & 1u << j)
                part[size++] = history[j];
        double after = value_of(m, part, size, item);
        sum[i] += weight / (double)left * (after - before);
        add_orders(sum, m, item, n, with, after, weight / (double)left);
    }
}

static void few_literals_have_exact_shapley_values(void **state)
{
    (void)state;
    static const char *const settings[] = {TOPK, TOPK "task=preference networks=2 surprises=3"};
    nln_symbols *names = trees_names(ITEMS);
    for (size_t k = 0; k < 2; k++) {
        nln_model *m = likes_model(names, settings[k]);
        m->temperature = 0.6;
        m->carry = m->config.surprises ? 2 : 0;
        for (size_t n = 0; n <= 5; n++) {
            nln_reason reasons[5];
            nln_explanation told = {.reasons = reasons};
            double wanted[5] = {0}, none = value_of(m, NULL, 0, 7);
            assert_int_equal(nln_explain(&told, m, NULL, history, n, 7, NULL), NLN_OK);
            assert_int_equal(told.n, n);
            assert_true(fabs(told.without_history - none) < 1e-4);
            add_orders(wanted, m, 7, n, 0, none, 1);
            for (size_t i = 0; i < n; i++)
                assert_true(fabs(reasons[i].contribution - wanted[i]) < 1e-4);
        }
        nln_model_free(m);
    }
    nln_symbols_free(names);
}

/* Of EASE, whose scores are sums over the history, a Shapley value is what a literal adds, in
 * whatever order.  So the sampled orders must find it exactly. */
static void contributions_to_a_sum_are_its_terms(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, "task=topk model=ease history=30 threads=1");
    nln_random random = nln_random_seed(3, 0);
    nln_net_tensor matrix;
    assert_true(nln_model_get_tensor(&matrix, m, 0));
    for (size_t i = 0; i < matrix.rows * matrix.columns; i++)
        matrix.data[i] = (real)nln_random_normal(&random);
    for (size_t n = 8; n <= MOST; n += 11) {
        nln_reason reasons[MOST];
        nln_explanation told = {.reasons = reasons};
        double largest = 0;
        assert_int_equal(nln_explain(&told, m, NULL, history, n, 3, NULL), NLN_OK);
        for (size_t i = 0; i < n; i++) {
            assert_true(fabs(reasons[i].contribution - reasons[i].removed) < 1e-5);
            largest = fmax(largest, fabs(reasons[i].removed));
        }
        assert_true(largest > 1e-3);
    }
    nln_model_free(m);
    nln_symbols_free(names);
}

/* Whatever the number of literals; and the answer does not depend on what else is asked. */
static void contributions_add_up(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, TOPK);
    nln_scorer *scorer = NULL;
    const size_t items[] = {9, 42, 9};
    assert_int_equal(nln_scorer_create(&scorer, m, NULL), NLN_OK);
    for (size_t n = 0; n <= MOST; n++) {
        nln_reason reasons[3][MOST], alone[MOST];
        nln_explanation told[3], one = {.reasons = alone};
        nln_question question = {.history = history, .n_history = n};
        for (int i = 0; i < 3; i++)
            told[i] = (nln_explanation){.reasons = reasons[i]};
        assert_int_equal(nln_scorer_explain(told, scorer, &question, items, 3, NULL), NLN_OK);
        assert_int_equal(nln_explain(&one, m, NULL, history, n, 42, NULL), NLN_OK);
        assert_memory_equal(alone, reasons[1], n * sizeof *alone);
        assert_memory_equal(reasons[2], reasons[0], n * sizeof *alone);
        for (int i = 0; i < 3; i++) {
            double sum = told[i].without_history - told[i].with_history;
            for (size_t j = 0; j < n; j++)
                sum += reasons[i][j].contribution;
            assert_true(fabs(sum) < 1e-4);
        }
    }
    nln_scorer_free(scorer);
    nln_model_free(m);
    nln_symbols_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_literals_have_exact_shapley_values),
        cmocka_unit_test(contributions_to_a_sum_are_its_terms),
        cmocka_unit_test(contributions_add_up),
    };
    return cmocka_run_group_tests(tests, make_history, NULL);
}
