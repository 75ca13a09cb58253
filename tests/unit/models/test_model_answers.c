#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/method.h"

enum { ITEMS = 30, CASES = 600 };

static nln_queries random_cases(void)
{
    nln_queries queries = {0};
    nln_random r = nln_random_seed(9, 9);
    for (int i = 0; i < CASES; i++) {
        nln_literal history[5];
        size_t n = nln_random_below(&r, 6);
        for (size_t j = 0; j < n; j++)
            history[j] =
                (nln_literal){nln_random_below(&r, ITEMS), (int)nln_random_below(&r, 2), 0};
        tiny_need(nln_queries_append(&queries, -1, history, n, (int32_t)nln_random_below(&r, ITEMS),
                                     NULL),
                  NULL);
    }
    return queries;
}

/* More queries than a scorer takes at a time, and of a method with answers of its own. */
static void answers_are_scores_of_the_targets(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "task=preference model=biasedmf dimension=4 init-variables=1",
        "task=preference dimension=4"};
    nln_symbols *names = trees_names(ITEMS);
    nln_queries queries = random_cases();
    for (size_t k = 0; k < 2; k++) {
        nln_model *m = likes_model(names, settings[k]);
        nln_item_scorer *scorer = NULL;
        double answers[CASES], all[ITEMS];
        for (int v = 0; !m->n_networks && v < ITEMS; v++)
            m->weights.data[3][v] = (real)v;
        m->temperature = 3;
        assert_int_equal(nln_model_answers(answers, m, &queries, 1, NULL), NLN_OK);
        assert_int_equal(m->method->ask(&scorer, m, 1, NULL), NLN_OK);
        for (size_t i = 0; i < CASES; i++) {
            assert_int_equal(scorer->read(scorer, &queries, i, 1, NULL), NLN_OK);
            scorer->scores(all, scorer, 0, NULL, 0);
            assert_true(fabs(answers[i] - 3 * all[queries.list[i].target]) < 1e-3);
        }
        scorer->free(scorer);
        nln_model_free(m);
    }
    nln_queries_free(&queries);
    nln_symbols_free(names);
}

/* The sum of 1 or 0 less what was foreseen, over the last two of the history and three more. */
static double naive_surprise(const nln_model *m, const nln_queries *queries, size_t i)
{
    const nln_query *c = &queries->list[i];
    const nln_literal *history = queries->literal + c->first;
    size_t n = c->n < 2 ? c->n : 2;
    double sum = 0, all[ITEMS];
    for (size_t j = c->n - n; j < c->n; j++) {
        assert_int_equal(nln_recommend_scores(all, m, NULL, history, j, NULL), NLN_OK);
        sum += (history[j].liked != 0) - 1 / (1 + exp(-all[history[j].item]));
    }
    return sum / ((double)n + 3);
}

/* Of more queries than are looked back from at a time, for a method that answers and one that has a
 * scorer only. */
static void surprises_are_carried_over(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "task=preference model=gru dimension=4 init-variables=1 surprises=2",
        "task=preference dimension=4 networks=2 surprises=2"};
    nln_symbols *names = trees_names(ITEMS);
    nln_queries queries = random_cases();
    for (size_t k = 0; k < 2; k++) {
        nln_model *m = likes_model(names, settings[k]);
        double surprise[CASES], carried[CASES], plain[CASES], answers[CASES], wanted[CASES];
        m->temperature = 2;
        for (size_t i = 0; i < CASES; i++)
            wanted[i] = naive_surprise(m, &queries, i);
        assert_int_equal(nln_model_surprises(surprise, m, &queries, 2, NULL), NLN_OK);
        assert_int_equal(nln_model_answers(plain, m, &queries, 2, NULL), NLN_OK);
        m->carry = 1.5;
        assert_int_equal(nln_model_carried(carried, m, &queries, 1, NULL), NLN_OK);
        assert_int_equal(nln_model_answers(answers, m, &queries, 1, NULL), NLN_OK);
        for (size_t i = 0; i < CASES; i++) {
            double all[ITEMS];
            const nln_query *c = &queries.list[i];
            assert_true(fabs(surprise[i] - wanted[i]) < 1e-4);
            assert_true(fabs(carried[i] - 1.5 * wanted[i]) < 1e-4);
            assert_true(fabs(answers[i] - plain[i] - carried[i]) < 1e-9);
            assert_int_equal(
                nln_recommend_scores(all, m, NULL, queries.literal + c->first, c->n, NULL), NLN_OK);
            assert_true(fabs(all[c->target] - answers[i]) < 1e-3);
        }
        nln_model_free(m);
    }
    nln_queries_free(&queries);
    nln_symbols_free(names);
}

static void what_is_no_number_is_told(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, "task=preference model=biasedmf dimension=4");
    nln_queries queries = random_cases();
    double answers[CASES];
    nln_error err = {0};
    m->weights.data[3][queries.list[7].target] = NAN;
    assert_int_equal(nln_model_answers(answers, m, &queries, 1, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "interaction"));
    nln_queries_free(&queries);
    nln_model_free(m);
    nln_symbols_free(names);
}

static void a_reader_of_histories_reads_no_expressions(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, "task=preference model=biasedmf dimension=4");
    nln_exprs list = {0};
    double score;
    nln_error err = {0};
    nln_implication_append_item(&list, 0, NULL);
    assert_int_equal(nln_model_scores(&score, m, &list, 1, 1, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "biasedmf"));
    nln_exprs_free(&list);
    nln_model_free(m);
    nln_symbols_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_scores_of_the_targets),
        cmocka_unit_test(surprises_are_carried_over),
        cmocka_unit_test(what_is_no_number_is_told),
        cmocka_unit_test(a_reader_of_histories_reads_no_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
