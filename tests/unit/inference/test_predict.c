#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tiny.h"

enum { N_VARIABLES = 8 };
static const uint8_t values[N_VARIABLES] = {1, 0, 0, 1, 1, 1, 0, 1};

static nln_data *data;
static nln_model *model; /* trained a little on it */

static int make_model(void **state)
{
    (void)state;
    data = tiny_data("variables=40 expressions=3000");
    model = tiny_train(NULL, data, "dimension=8 epochs=2 batch=32 threads=1");
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    nln_model_free(model);
    nln_data_free(data);
    return 0;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* ---- a model that knows logic ------------------------------------------------------ */

/* Random expressions of every operator, as text, with their values. */
static void make_texts(char **texts, uint8_t *truth, int n, const nln_model *logician)
{
    nln_random r = nln_random_seed(6, 0);
    for (int i = 0; i < n; i++) {
        nln_exprs list = {0};
        nln_error err = {0};
        nln_expr e = trees_random(&list, &r, N_VARIABLES, 1 + i % 4);
        uint8_t *stack = malloc((size_t)e.n_nodes);
        truth[i] = (uint8_t)nln_expr_evaluate(e, values, stack);
        tiny_need(nln_print(&texts[i], e, &(nln_vocabulary){.variables = logician->symbols}, &err),
                  &err);
        free(stack);
        nln_exprs_free(&list);
    }
}

static void expect_truth(const char *settings, const char *predict)
{
    enum { N = 300 };
    char *texts[N], all[256];
    uint8_t truth[N];
    double p[N];
    nln_error err = {0};
    snprintf(all, sizeof all, TINY_LOGICIAN "clause-limit=1000000 threads=1 %s", settings);
    nln_model *logician = tiny_logician(values, N_VARIABLES, all);
    nln_options *o = tiny_options("predict", predict);
    make_texts(texts, truth, N, logician);
    tiny_need(nln_predict_many(p, logician, (const char *const *)texts, N, o, &err), &err);
    for (int i = 0; i < N; i++) {
        if (fabs(p[i] - sigmoid(truth[i] ? 10 : -10)) > 1e-6)
            fail_msg("%s: %s is %d, not %g", all, texts[i], truth[i], p[i]);
        free(texts[i]);
    }
    nln_options_free(o);
    nln_model_free(logician);
}

/* Through every normal form, association and number of orders. */
static void logic_comes_out_as_logic(void **state)
{
    (void)state;
    static const char *const settings[] = {"normal-form=none association=pairs",
                                           "normal-form=none association=fold",
                                           "normal-form=nnf association=pairs",
                                           "normal-form=nnf association=fold",
                                           "normal-form=dnf",
                                           "normal-form=cnf",
                                           "normal-form=dnf members=3",
                                           "normal-form=nnf members=1"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        expect_truth(settings[i], "orders=1 threads=1");
        expect_truth(settings[i], "orders=5 threads=1");
    }
}

/* Means of probabilities of 1 and 0, over numbers of orders whose parts do not add up
 * to 1 exactly. */
static void certainty_is_a_number(void **state)
{
    (void)state;
    static const char *const texts[] = {"x0", "!x0", "x0 | x1", "x1 & x2 & x0", "T", "F"};
    static const double wanted[] = {1, 0, 1, 0, 1, 0};
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "alpha=1000");
    for (int orders = 1; orders <= 60; orders++) {
        char setting[32];
        double p[6];
        nln_error err = {0};
        snprintf(setting, sizeof setting, "threads=1 orders=%d", orders);
        nln_options *o = tiny_options("predict", setting);
        tiny_need(nln_predict_many(p, logician, texts, 6, o, &err), &err);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(p[i] - wanted[i]) < 1e-12);
        nln_options_free(o);
    }
    nln_model_free(logician);
}

static void the_temperature_scales_the_score(void **state)
{
    (void)state;
    nln_error err = {0};
    double p;
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "alpha=2");
    for (double temperature = 0.25; temperature < 5; temperature *= 2) {
        logician->temperature = temperature;
        assert_int_equal(nln_predict(&p, logician, "x0 & !x1", &err), NLN_OK);
        assert_true(fabs(p - sigmoid(2 * temperature)) < 1e-6);
    }
    nln_model_free(logician);
}

/* ---- one answer, however asked --------------------------------------------------------- */

/* The probabilities of the test expressions, asked together. */
static double *ask_many(size_t *n, const nln_model *m, const char *predict)
{
    nln_error err = {0};
    char **texts = tiny_texts(n, data, NLN_TEST);
    double *p = calloc(*n, sizeof *p);
    nln_options *o = predict ? tiny_options("predict", predict) : NULL;
    tiny_need(nln_predict_many(p, m, (const char *const *)texts, *n, o, &err), &err);
    nln_options_free(o);
    tiny_texts_free(texts, *n);
    return p;
}

/* Also over random orders: a prediction does not depend on its neighbours. */
static void expect_one_by_one(const char *settings)
{
    nln_model *plain = tiny_train(NULL, data, settings);
    size_t n;
    double *p = ask_many(&n, plain, NULL);
    char **texts = tiny_texts(&n, data, NLN_TEST);
    assert_int_equal(n, 300);
    for (size_t i = 0; i < n; i++) {
        nln_error err = {0};
        double alone;
        assert_int_equal(nln_predict(&alone, plain, texts[i], &err), NLN_OK);
        assert_true(fabs(alone - p[i]) < 1e-5);
    }
    tiny_texts_free(texts, n);
    free(p);
    nln_model_free(plain);
}

static void one_by_one_is_the_same_as_many(void **state)
{
    (void)state;
    expect_one_by_one("dimension=8 epochs=1 batch=32 threads=1 orders=1 members=2");
    expect_one_by_one("dimension=8 epochs=1 batch=32 threads=1 orders=3 members=2");
}

static void asking_twice_gives_the_same_bits(void **state)
{
    (void)state;
    size_t n;
    double *first = ask_many(&n, model, NULL);
    for (int i = 0; i < 2; i++) {
        double *again = ask_many(&n, model, i ? "threads=8" : "threads=2");
        assert_memory_equal(first, again, n * sizeof *first);
        free(again);
    }
    free(first);
}

/* ---- errors -------------------------------------------------------------------------- */

static void errors_have_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nln_status status;
        long column;
    } cases[] = {
        {"v1 & nobody", NLN_UNKNOWN, 6}, {"v1 & ", NLN_SYNTAX, 6}, {"", NLN_SYNTAX, 1},
        {"(v1 | v2", NLN_SYNTAX, 1},     {"v1 v2", NLN_SYNTAX, 4}, {"∧", NLN_SYNTAX, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *texts[] = {"v1", "v2", cases[i].text, "v3"};
        nln_error err = {0};
        double p[4] = {-1, -1, -1, -1};
        assert_int_equal(nln_predict(p, model, cases[i].text, &err), cases[i].status);
        assert_int_equal(err.column, cases[i].column);
        assert_int_equal(err.line, 0);
        memset(&err, 0, sizeof err);
        assert_int_equal(nln_predict_many(p, model, texts, 4, NULL, &err), cases[i].status);
        assert_int_equal(err.line, 3);
        assert_int_equal(err.column, cases[i].column);
        assert_true(p[0] == -1);
        assert_int_equal(nln_predict(p, model, cases[i].text, NULL), cases[i].status);
    }
    assert_int_equal(nln_predict_many(NULL, model, NULL, 0, NULL, NULL), NLN_OK);
}

static void count_refusal(void *context, size_t index, const nln_error *reason)
{
    size_t *refused = context;
    assert_true(reason->status != NLN_OK && reason->message[0]);
    refused[index]++;
}

/* Expressions that cannot be read cost only themselves. */
static void a_bad_expression_leaves_the_others(void **state)
{
    (void)state;
    const char *texts[] = {"v1 &", "v1", "v2 | nobody", "v3 & !v1", ""};
    double p[5], good[2];
    size_t refused[5] = {0};
    nln_error err = {0};
    assert_int_equal(
        nln_predict_many(good, model, (const char *[]){"v1", "v3 & !v1"}, 2, NULL, NULL), NLN_OK);
    assert_int_equal(nln_predict_each(p, model, texts, 5, NULL, count_refusal, refused, &err),
                     NLN_OK);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(refused[i], i % 2 == 0);
        assert_int_equal(isnan(p[i]) != 0, i % 2 == 0);
    }
    assert_true(p[1] == good[0] && p[3] == good[1]);
    assert_int_equal(nln_predict_each(p, model, texts, 5, NULL, NULL, NULL, NULL), NLN_OK);
    assert_int_equal(nln_predict_each(p, model, texts, 0, NULL, NULL, NULL, NULL), NLN_OK);
}

/* Beyond the limit an expression is taken in negation normal form. */
static void the_clause_limit_changes_the_form(void **state)
{
    (void)state;
    nln_error err = {0};
    double p, q;
    nln_model *strict = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "clause-limit=3");
    nln_model *plain = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "normal-form=nnf");
    assert_int_equal(nln_predict(&p, strict, "(x0|x1)&(x2|x3)", &err), NLN_OK);
    assert_int_equal(nln_predict(&q, plain, "(x0|x1)&(x2|x3)", &err), NLN_OK);
    assert_true(p == q);
    assert_int_equal(nln_predict(&p, strict, "(x0|x1)&x3", &err), NLN_OK);
    nln_model_free(strict);
    nln_model_free(plain);
}

/* With duals an expression and its negation share one certainty, whatever the weights. */
static void negations_add_up_to_one(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"x0", "!x0"}, {"x0 & x1", "!x0 | !x1"}, {"x0 & !x1 | x2", "(!x0 | x1) & !x2"}};
    static const char *const settings[] = {"dimension=6 normal-form=nnf members=3 orders=2",
                                           "dimension=6 normal-form=nnf embedding=free members=1"};
    for (int k = 0; k < 2; k++) {
        nln_model *m = tiny_model(N_VARIABLES, settings[k]);
        nln_random random = nln_random_seed(7, 0);
        nln_model_draw(m, &random);
        m->temperature = 1.3;
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            double p, q;
            assert_int_equal(nln_predict(&p, m, pairs[i][0], NULL), NLN_OK);
            assert_int_equal(nln_predict(&q, m, pairs[i][1], NULL), NLN_OK);
            assert_true(fabs(p + q - 1) < 1e-12);
            assert_true(fabs(p - 0.5) > 1e-6);
        }
        nln_model_free(m);
    }
}

/* Members that disagree about many variables in turn: beyond the length of training the vote of
 * each variable counts, and with `hard` its solved value. */
static void long_expressions_follow_the_votes(void **state)
{
    (void)state;
    enum { N = 60 };
    nln_data *many = tiny_data("variables=60 expressions=2000 seed=3");
    nln_model *m = tiny_train(NULL, many, "dimension=32 members=3 epochs=30 threads=1 seed=2");
    nln_options *hard = NULL;
    char both[2][2048] = {"", ""};
    const char *texts[2] = {both[0], both[1]};
    double p[2], confidence[N], together[2];
    assert_true(m->longest > 5 && m->longest < N);
    assert_int_equal(nln_solve(confidence, m, NULL), NLN_OK);
    for (int v = 0; v < N; v++)
        for (int k = 0; k < 2; k++) { /* an AND of true literals, and the same with a false one */
            size_t at = strlen(both[k]);
            int is_true = (confidence[v] > 0.5) != (k == 1 && v == 17);
            snprintf(both[k] + at, sizeof both[k] - at, "%s%s%s", v ? " & " : "",
                     is_true ? "" : "!", nln_model_variable(m, (size_t)v));
        }
    assert_int_equal(nln_predict_many(p, m, texts, 2, NULL, NULL), NLN_OK);
    assert_true(p[0] > 0.9 && p[1] < 0.1);
    assert_int_equal(nln_options_create(&hard, "predict", NULL), NLN_OK);
    assert_int_equal(nln_options_set(hard, "hard", "true", NULL), NLN_OK);
    assert_int_equal(nln_predict_many(together, m, texts, 2, hard, NULL), NLN_OK);
    assert_true(together[0] > 0.9 && together[1] < 0.1);
    nln_options_free(hard);
    nln_model_free(m);
    nln_data_free(many);
}

/* So does an AND of more literals than any of training, in an expression that is not longer. */
static void wide_expressions_follow_the_votes(void **state)
{
    (void)state;
    nln_model *m = tiny_model(N_VARIABLES, "dimension=6 normal-form=nnf members=3");
    nln_random random = nln_random_seed(8, 0);
    nln_model_draw(m, &random);
    m->longest = 10;
    double votes[2], each[2], unknown;
    static const char *const texts[2] = {"x0 & x1 & !x2 & !x3", "x0 & x1 | !x2 & !x3"};
    for (int i = 0; i < 2; i++) {
        m->widest = 3;
        assert_int_equal(nln_predict(&votes[i], m, texts[i], NULL), NLN_OK);
        m->widest = 4;
        assert_int_equal(nln_predict(&each[i], m, texts[i], NULL), NLN_OK);
        m->widest = 0; /* of a model that was trained before this was kept */
        assert_int_equal(nln_predict(&unknown, m, texts[i], NULL), NLN_OK);
        assert_true(unknown == each[i]);
    }
    assert_true(votes[0] != each[0]);
    assert_true(votes[1] == each[1]);
    nln_model_free(m);
}

/* A network whose numbers overflow has no answer. */
static void overflow_is_no_answer(void **state)
{
    (void)state;
    nln_error err = {0};
    double p;
    nln_model *broken =
        tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "normal-form=none duals=false");
    broken->net[0]->modules.of[NLN_MODULE_NOT].in[0] = 10;
    broken->net[0]->modules.of[NLN_MODULE_NOT].out[0] = NLN_REAL(-3e38);
    assert_int_equal(nln_predict(&p, broken, "!x0", &err), NLN_NUMERIC);
    assert_int_equal(nln_predict(&p, broken, "x0", &err), NLN_OK);
    nln_model_free(broken);
}

/* ---- solving ------------------------------------------------------------------------- */

/* Sim(v, T) itself: what prediction gives in one order and without calibration. */
static void solving_asks_for_each_variable(void **state)
{
    (void)state;
    nln_error err = {0};
    double confidence[40], p;
    nln_model *plain = tiny_train(NULL, data, "dimension=8 epochs=1 orders=1 calibrate=false");
    assert_int_equal(nln_model_variables(plain), 40);
    assert_int_equal(nln_solve(confidence, plain, &err), NLN_OK);
    for (size_t i = 0; i < 40; i++) {
        assert_int_equal(nln_predict(&p, plain, nln_model_variable(plain, i), &err), NLN_OK);
        assert_true(fabs(confidence[i] - p) < 1e-5);
    }
    nln_model_free(plain);
}

static void the_logician_is_solved(void **state)
{
    (void)state;
    nln_error err = {0};
    double confidence[N_VARIABLES];
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN);
    assert_int_equal(nln_solve(confidence, logician, &err), NLN_OK);
    for (int i = 0; i < N_VARIABLES; i++)
        assert_true(fabs(confidence[i] - sigmoid(values[i] ? 10 : -10)) < 1e-6);
    nln_model_free(logician);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_comes_out_as_logic),
        cmocka_unit_test(certainty_is_a_number),
        cmocka_unit_test(the_temperature_scales_the_score),
        cmocka_unit_test(one_by_one_is_the_same_as_many),
        cmocka_unit_test(asking_twice_gives_the_same_bits),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(a_bad_expression_leaves_the_others),
        cmocka_unit_test(the_clause_limit_changes_the_form),
        cmocka_unit_test(overflow_is_no_answer),
        cmocka_unit_test(negations_add_up_to_one),
        cmocka_unit_test(long_expressions_follow_the_votes),
        cmocka_unit_test(wide_expressions_follow_the_votes),
        cmocka_unit_test(solving_asks_for_each_variable),
        cmocka_unit_test(the_logician_is_solved),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
