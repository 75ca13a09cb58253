#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "math/scalar.h"

#define TOPK "task=topk dimension=12 hidden=9 history=4 threads=1 "

enum { ITEMS = 20 };

static nln_model *model;

static int make_model(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    model = likes_model(names, TOPK);
    model->temperature = 1.7;
    nln_symbols_free(names);
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    nln_model_free(model);
    return 0;
}

static const nln_literal history[] = {{3, 1, 0}, {7, 0, 0},  {0, 1, 0}, {19, 1, 0},
                                      {5, 0, 0}, {11, 1, 0}, {2, 0, 0}};
enum { N_HISTORY = sizeof history / sizeof *history, TAKEN = 4 };

static int is_near(double a, double b)
{
    return fabs(a - b) < 2e-4;
}

/* The last n literals of the history. */
static const nln_literal *last(size_t n)
{
    return history + N_HISTORY - n;
}

/* ---- scores ------------------------------------------------------------------------- */

static void expect_rule_scores(const nln_literal *given, size_t n)
{
    double got[ITEMS], wanted[ITEMS];
    nln_error err = {0};
    size_t taken = n < TAKEN ? n : TAKEN;
    if (nln_recommend_scores(got, model, NULL, given, n, &err))
        fail_msg("%s", err.message);
    likes_scores(wanted, model, n ? given + n - taken : given, taken, 1);
    for (int i = 0; i < ITEMS; i++)
        if (!is_near(got[i], wanted[i]))
            fail_msg("%zu literals, item %d: %.9g, not %.9g", n, i, got[i], wanted[i]);
}

/* Also of no history at all, and of one that is longer than what the model takes. */
static void scores_are_those_of_the_rules(void **state)
{
    (void)state;
    for (size_t n = 0; n <= N_HISTORY; n++)
        expect_rule_scores(last(n), n);
    expect_rule_scores(NULL, 0);
}

/* The expression that explains a score has that score, whatever the normal form. */
static void prediction_agrees_with_scores(void **state)
{
    (void)state;
    double score[ITEMS], p;
    nln_error err = {0};
    assert_int_equal(nln_recommend_scores(score, model, NULL, history, 4, &err), NLN_OK);
    tiny_need(nln_predict(&p, model, "!(x3 & !x7 & x0 & x19) | x6", &err), &err);
    assert_true(is_near(p, nln_sigmoid(score[6])));
    tiny_need(nln_predict(&p, model, "x3 & !x7 & x0 & x19 -> x6", &err), &err);
    assert_true(is_near(p, nln_sigmoid(score[6])));
}

static void older_literals_do_not_matter(void **state)
{
    (void)state;
    double all[ITEMS], few[ITEMS];
    assert_int_equal(nln_recommend_scores(all, model, NULL, history, N_HISTORY, NULL), NLN_OK);
    assert_int_equal(nln_recommend_scores(few, model, NULL, last(TAKEN), TAKEN, NULL), NLN_OK);
    assert_memory_equal(all, few, sizeof all);
    assert_int_equal(nln_recommend_scores(few, model, NULL, last(TAKEN - 1), TAKEN - 1, NULL),
                     NLN_OK);
    assert_memory_not_equal(all, few, sizeof all);
}

static void members_and_orders_give_scores_too(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, TOPK "embedding=arc members=3 orders=2");
    double first[ITEMS], second[ITEMS];
    assert_int_equal(nln_recommend_scores(first, m, NULL, history, N_HISTORY, NULL), NLN_OK);
    assert_int_equal(nln_recommend_scores(second, m, NULL, history, N_HISTORY, NULL), NLN_OK);
    assert_memory_equal(first, second, sizeof first);
    for (int i = 0; i < ITEMS; i++)
        assert_true(fabs(first[i]) <= 10);
    nln_model_free(m);
    nln_symbols_free(names);
}

/* ---- the best ----------------------------------------------------------------------- */

static int in_history(size_t item, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (last(n)[i].item == item)
            return 1;
    return 0;
}

/* Each item that may be recommended is there once, or is no better than the last. */
static void expect_best(const nln_recommendation *out, size_t n, const double *score,
                        size_t n_history, int with_seen)
{
    int at[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        at[i] = -1;
    for (size_t i = 0; i < n; i++) {
        assert_in_range(out[i].item, 0, ITEMS - 1);
        assert_int_equal(at[out[i].item], -1);
        at[out[i].item] = (int)i;
        assert_true(out[i].score == score[out[i].item]);
        assert_true(isnan(out[i].probability)); /* of a choice */
        if (i)
            assert_true(out[i - 1].score > out[i].score ||
                        (out[i - 1].score == out[i].score && out[i - 1].item < out[i].item));
    }
    for (size_t i = 0; i < ITEMS; i++) {
        if (!with_seen && in_history(i, n_history))
            assert_int_equal(at[i], -1);
        else if (at[i] < 0)
            assert_true(n > 0 && score[i] <= out[n - 1].score);
    }
}

static void the_best_come_first(void **state)
{
    (void)state;
    static const size_t ks[] = {1, 3, ITEMS - N_HISTORY, ITEMS, 5 * ITEMS};
    for (size_t n_history = 0; n_history <= N_HISTORY; n_history++)
        for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
            for (int with_seen = 0; with_seen <= 1; with_seen++) {
                nln_recommendation out[ITEMS];
                double score[ITEMS];
                size_t n, left = with_seen ? ITEMS : ITEMS - n_history;
                nln_error err = {0};
                if (nln_recommend(out, &n, ks[k], model, NULL, last(n_history), n_history,
                                  with_seen, &err) ||
                    nln_recommend_scores(score, model, NULL, last(n_history), n_history, &err))
                    fail_msg("%s", err.message);
                assert_int_equal(n, left < ks[k] ? left : ks[k]);
                expect_best(out, n, score, n_history, with_seen);
            }
}

static void of_equals_the_first_comes_first(void **state)
{
    (void)state;
    nln_recommendation out[ITEMS];
    size_t n;
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, TOPK);
    memset(m->net[0]->weights, 0, nln_modules_size(12, 9) * sizeof(real));
    nln_net_transpose(m->net[0]);
    assert_int_equal(nln_recommend(out, &n, 7, m, NULL, history, 1, 0, NULL), NLN_OK);
    assert_int_equal(n, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(out[i].item, i < 3 ? i : i + 1); /* 3 has been seen */
        assert_true(out[i].score == 0);
    }
    nln_model_free(m);
    nln_symbols_free(names);
}

static void who_has_met_all_gets_nothing(void **state)
{
    (void)state;
    nln_recommendation out[ITEMS];
    nln_literal all[ITEMS];
    size_t n = 99;
    for (size_t i = 0; i < ITEMS; i++)
        all[i] = (nln_literal){i, i % 2 == 0, 0};
    assert_int_equal(nln_recommend(out, &n, ITEMS, model, NULL, all, ITEMS, 0, NULL), NLN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(nln_recommend(out, &n, ITEMS, model, NULL, all, ITEMS, 1, NULL), NLN_OK);
    assert_int_equal(n, ITEMS);
}

/* ---- reasons ------------------------------------------------------------------------ */

/* The score of an item after a history, or its lead over the mean of all. */
static double score_of(const nln_model *m, const nln_literal *given, size_t n, size_t item,
                       int is_lead)
{
    double score[ITEMS], mean = 0;
    assert_int_equal(nln_recommend_scores(score, m, NULL, given, n, NULL), NLN_OK);
    for (size_t i = 0; is_lead && i < ITEMS; i++)
        mean += score[i] / ITEMS;
    return score[item] - mean;
}

/* Every change of the history, computed by itself. */
static void expect_reasons(const nln_model *m, size_t n_history, size_t item)
{
    nln_reason reasons[N_HISTORY];
    nln_explanation told = {.reasons = reasons};
    nln_literal changed[TAKEN];
    size_t taken = n_history < TAKEN ? n_history : TAKEN;
    int is_lead = m->config.task == NLN_TASK_TOPK;
    double sum = 0, whole = score_of(m, last(taken), taken, item, is_lead);
    nln_error err = {0};
    if (nln_explain(&told, m, NULL, last(n_history), n_history, item, &err))
        fail_msg("%s", err.message);
    assert_int_equal(told.n, taken);
    assert_true(is_near(told.score, score_of(m, last(taken), taken, item, 0)));
    assert_true(is_near(told.with_history, whole));
    assert_true(is_near(told.without_history, score_of(m, NULL, 0, item, is_lead)));
    for (size_t i = 0; i < taken; i++) {
        assert_int_equal(reasons[i].literal.item, last(taken)[i].item);
        assert_int_equal(reasons[i].literal.liked, last(taken)[i].liked);
        sum += reasons[i].contribution;
        memcpy(changed, last(taken), taken * sizeof *changed);
        changed[i].liked = !changed[i].liked;
        assert_true(
            is_near(reasons[i].negated, whole - score_of(m, changed, taken, item, is_lead)));
        memmove(changed + i, changed + i + 1, (taken - i - 1) * sizeof *changed);
        assert_true(
            is_near(reasons[i].removed, whole - score_of(m, changed, taken - 1, item, is_lead)));
    }
    assert_true(is_near(sum, told.with_history - told.without_history));
}

static void reasons_are_differences_of_scores(void **state)
{
    (void)state;
    static const char *const settings[] = {
        TOPK, TOPK "members=2 orders=3", TOPK "task=preference members=1 orders=1",
        TOPK "task=preference members=2 orders=2", TOPK "task=preference networks=2 surprises=3"};
    nln_symbols *names = trees_names(ITEMS);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        nln_model *m = likes_model(names, settings[i]);
        m->temperature = 0.6;
        m->carry = m->config.surprises ? 2 : 0;
        for (size_t n = 0; n <= N_HISTORY; n++) {
            expect_reasons(m, n, 4);
            expect_reasons(m, n, 11); /* an item of the history itself */
        }
        nln_model_free(m);
    }
    nln_symbols_free(names);
}

/* ---- histories ---------------------------------------------------------------------- */

static void histories_of_ratings_skip_what_is_unknown(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("bob +x1 ann +new -x7 +x2 | -older | +x0 zoe +new");
    nln_literal *got = NULL;
    size_t n;
    static const nln_literal wanted[] = {{7, 0, 0}, {2, 1, 0}, {0, 1, 0}};
    assert_int_equal(nln_ratings_history(&got, &n, model, r, "ann", NULL), NLN_OK);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(got[i].item, wanted[i].item);
        assert_int_equal(got[i].liked, wanted[i].liked);
    }
    nln_free(got);
    assert_int_equal(nln_ratings_history(&got, &n, model, r, "zoe", NULL), NLN_OK);
    assert_int_equal(n, 0);
    nln_free(got);
    nln_ratings_free(r);
}

static void names_are_found(void **state)
{
    (void)state;
    nln_error err = {0};
    size_t index = 99;
    assert_int_equal(nln_model_find(&index, model, "x13", &err), NLN_OK);
    assert_int_equal(index, 13);
    assert_int_equal(nln_model_find(&index, model, "x", &err), NLN_UNKNOWN);
    assert_int_equal(index, 13);
    assert_non_null(strstr(err.message, "'x'"));
}

/* ---- errors ------------------------------------------------------------------------- */

static void expect_error(nln_status got, nln_status wanted, const nln_error *err, const char *word)
{
    assert_int_equal(got, wanted);
    assert_int_equal(err->status, wanted);
    if (!strstr(err->message, word))
        fail_msg("'%s' is not in '%s'", word, err->message);
}

static void wrong_items_and_users_are_refused(void **state)
{
    (void)state;
    const nln_literal wrong[] = {{1, 1, 0}, {ITEMS, 1, 0}};
    nln_recommendation out[ITEMS];
    nln_reason reasons[2];
    nln_explanation told = {.reasons = reasons};
    nln_literal *got = NULL;
    double score[ITEMS];
    size_t n;
    nln_error err = {0};
    nln_ratings *r = likes_of("ann +x1");
    expect_error(nln_recommend_scores(score, model, NULL, wrong, 2, &err), NLN_INVALID, &err, "20");
    expect_error(nln_recommend(out, &n, 5, model, NULL, wrong, 2, 0, &err), NLN_INVALID, &err,
                 "20");
    expect_error(nln_explain(&told, model, NULL, wrong, 2, 0, &err), NLN_INVALID, &err, "20");
    expect_error(nln_explain(&told, model, NULL, wrong, 1, ITEMS, &err), NLN_INVALID, &err, "20");
    expect_error(nln_ratings_history(&got, &n, model, r, "bob", &err), NLN_UNKNOWN, &err, "'bob'");
    expect_error(nln_model_history(&got, &n, model, "ann", &err), NLN_INVALID, &err, "keep-users");
    assert_int_equal(nln_model_users(model), 0);
    nln_model *m = likes_train(NULL, r, TOPK "epochs=1");
    assert_int_equal(nln_model_users(m), 1);
    expect_error(nln_model_history(&got, &n, m, "bob", &err), NLN_UNKNOWN, &err, "'bob'");
    assert_null(got);
    nln_model_free(m);
    nln_ratings_free(r);
}

static void a_model_of_expressions_cannot_recommend(void **state)
{
    (void)state;
    nln_model *logic = tiny_model(ITEMS, "dimension=4");
    nln_recommendation out[ITEMS];
    nln_reason reasons[N_HISTORY];
    nln_explanation told = {.reasons = reasons};
    double score[ITEMS];
    size_t n;
    nln_error err = {0};
    expect_error(nln_recommend_scores(score, logic, NULL, history, 2, &err), NLN_INVALID, &err,
                 "--task");
    expect_error(nln_recommend(out, &n, 5, logic, NULL, history, 2, 0, &err), NLN_INVALID, &err,
                 "--task");
    expect_error(nln_explain(&told, logic, NULL, history, 2, 0, &err), NLN_INVALID, &err, "--task");
    nln_model_free(logic);
}

/* Factors belong to a user; whom the model does not know it has none for. */
static void models_of_users_need_one(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +tea -jam +rye | +oil | +fig bob +jam +oil -rye | +tea | +fig");
    nln_model *m = likes_train(NULL, r, "task=topk model=biasedmf epochs=1 dimension=4");
    nln_error err = {0};
    double score[5];
    assert_int_equal(nln_recommend_scores(score, m, "ann", NULL, 0, &err), NLN_OK);
    nln_status status = nln_recommend_scores(score, m, "eve", NULL, 0, &err);
    expect_error(status, NLN_UNKNOWN, &err, "this is none");
    status = nln_recommend_scores(score, m, NULL, NULL, 0, &err);
    expect_error(status, NLN_UNKNOWN, &err, "name one of them");
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_rules),
        cmocka_unit_test(prediction_agrees_with_scores),
        cmocka_unit_test(older_literals_do_not_matter),
        cmocka_unit_test(members_and_orders_give_scores_too),
        cmocka_unit_test(the_best_come_first),
        cmocka_unit_test(of_equals_the_first_comes_first),
        cmocka_unit_test(who_has_met_all_gets_nothing),
        cmocka_unit_test(reasons_are_differences_of_scores),
        cmocka_unit_test(histories_of_ratings_skip_what_is_unknown),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(wrong_items_and_users_are_refused),
        cmocka_unit_test(models_of_users_need_one),
        cmocka_unit_test(a_model_of_expressions_cannot_recommend),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
