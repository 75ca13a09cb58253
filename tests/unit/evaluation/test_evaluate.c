#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "evaluation/metrics.h"
#include "nln_lab.h"
#include "scratch.h"
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

static void metrics_are_those_of_the_predictions(void **state)
{
    (void)state;
    static const char *const settings[] = {NULL, "threads=1 orders=1", "threads=3 orders=2"};
    for (size_t i = 0; i < 3; i++) {
        nln_error err = {0};
        nln_metrics m;
        size_t n;
        double *p = ask_many(&n, model, settings[i]);
        nln_metrics wanted = nln_metrics_binary(p, data->split[NLN_TEST].labels, n);
        nln_options *o = settings[i] ? tiny_options("predict", settings[i]) : NULL;
        assert_int_equal(nln_evaluate(&m, model, data, NLN_TEST, o, &err), NLN_OK);
        assert_int_equal(m.n, n);
        assert_true(m.accuracy == wanted.accuracy && m.rmse == wanted.rmse &&
                    m.cross_entropy == wanted.cross_entropy);
        nln_options_free(o);
        free(p);
    }
}

/* Data whose variables come in another order than the model's. */
static void variables_go_by_name(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_data *other = NULL;
    nln_metrics m;
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "threads=1");
    mkdir(scratch_path("set"), 0777);
    scratch_text("set/train.tsv", "x7 & !x1\tT\n");
    scratch_text("set/valid.tsv", "x6\tF\n");
    scratch_text("set/test.tsv", "x3 & x7\tT\nx6 | x2\tF\nx0\tT\n!x5\tT\n");
    tiny_need(nln_data_read(&other, scratch_path("set"), &err), &err);
    assert_int_equal(nln_evaluate(&m, logician, other, NLN_TEST, NULL, &err), NLN_OK);
    assert_int_equal(m.n, 4);
    assert_true(m.accuracy == 0.75);
    assert_int_equal(nln_evaluate(&m, logician, other, NLN_TRAIN, NULL, &err), NLN_OK);
    assert_true(m.accuracy == 1);
    assert_int_equal(nln_evaluate(&m, model, other, NLN_TEST, NULL, &err), NLN_UNKNOWN);
    assert_non_null(strstr(err.message, "'x3'"));
    nln_data_free(other);
    nln_model_free(logician);
}

static void expect_score(const nln_model *m, const char *truth, double wanted, size_t n_wanted)
{
    nln_error err = {0};
    double recovered = -1;
    size_t n = 0;
    if (nln_solve_score(&recovered, &n, m, truth, &err))
        fail_msg("%s", err.message);
    assert_int_equal(n, n_wanted);
    assert_true(fabs(recovered - wanted) < 1e-12);
}

static void solutions_are_scored(void **state)
{
    (void)state;
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN);
    expect_score(logician, scratch_text("all", "x0\tT\nx1\tF\nx2\tF\nx3\tT\n"), 1, 4);
    expect_score(logician, scratch_text("half", "x0\tF\nx1\tT\nx2\tF\nx3\tT\n"), 0.5, 4);
    expect_score(logician, scratch_text("none", "x7\tF\n"), 0, 1);
    expect_score(logician, scratch_text("some", "variable\tvalue\nx1\tF\nnobody\tT\nx2\t?\n"), 1,
                 1);
    nln_model_free(logician);
}

static void bad_truth_is_an_error(void **state)
{
    (void)state;
    nln_error err = {0};
    double recovered = -1;
    size_t n = 77;
    nln_model *logician = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN);
    const char *stranger = scratch_text("stranger", "nobody\tT\n");
    assert_int_equal(nln_solve_score(&recovered, &n, logician, stranger, &err), NLN_INVALID);
    assert_int_not_equal(
        nln_solve_score(&recovered, &n, logician, scratch_text("bad", "x0\tmaybe\n"), &err),
        NLN_OK);
    assert_int_equal(err.line, 1);
    assert_int_equal(nln_solve_score(&recovered, &n, logician, scratch_path("missing"), &err),
                     NLN_IO);
    assert_true(recovered == -1 && n == 77);
    nln_model_free(logician);
}

static void a_folder_may_hold_the_truth(void **state)
{
    (void)state;
    nln_error err = {0};
    double recovered, confidence[40];
    size_t n, right = 0;
    tiny_need(nln_data_write(data, scratch_path("folder"), &err), &err);
    assert_int_equal(nln_solve_score(&recovered, &n, model, scratch_path("folder"), &err), NLN_OK);
    assert_int_equal(nln_solve(confidence, model, &err), NLN_OK);
    for (int i = 0; i < 40; i++)
        right += (confidence[i] > 0.5) == data->truth[i];
    assert_int_equal(n, 40);
    assert_true(fabs(recovered - (double)right / 40) < 1e-12);
}

static void the_truth_is_read_by_name(void **state)
{
    (void)state;
    nln_model *small = tiny_model(4, "dimension=5");
    int8_t value[4];
    size_t known = 9;
    nln_error err = {0};
    const char *path = scratch_text("truth.tsv", "x2\tF\nelse\tT\nx0\tT\n");
    assert_int_equal(nln_model_truth(value, &known, small, path, &err), NLN_OK);
    assert_int_equal(known, 2);
    assert_memory_equal(value, ((const int8_t[]){1, -1, 0, -1}), 4);
    path = scratch_text("other.tsv", "else\tT\n");
    assert_int_equal(nln_model_truth(value, &known, small, path, &err), NLN_OK);
    assert_int_equal(known, 0);
    assert_int_not_equal(nln_model_truth(value, &known, small, scratch_path("none"), &err), NLN_OK);
    nln_model_free(small);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(metrics_are_those_of_the_predictions),
        TEST(variables_go_by_name),
        TEST(solutions_are_scored),
        TEST(bad_truth_is_an_error),
        TEST(a_folder_may_hold_the_truth),
        TEST(the_truth_is_read_by_name),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
