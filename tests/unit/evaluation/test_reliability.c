/* Probabilities beside what came true. */
#include "evaluation/reliability.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "scratch.h"
#include "tiny.h"

static void bins_are_as_worked_by_hand(void **state)
{
    (void)state;
    const double p[] = {0, 0.2, 0.5, 0.6, 1};
    const uint8_t labels[] = {0, 1, 1, 0, 1};
    nln_reliability_bin bins[4];
    double error;

    nln_reliability_fill(bins, 4, &error, p, (nln_truths){.label = labels}, 5);
    assert_int_equal(bins[0].n, 2);
    assert_true(fabs(bins[0].mean - 0.1) < 1e-12 && bins[0].true_share == 0.5);
    assert_int_equal(bins[1].n, 0);
    assert_true(isnan(bins[1].mean) && isnan(bins[1].true_share));
    assert_int_equal(bins[2].n, 2);
    assert_true(fabs(bins[2].mean - 0.55) < 1e-12 && bins[2].true_share == 0.5);
    assert_int_equal(bins[3].n, 1); /* 1 is in the last */
    assert_true(fabs(error - (2 * 0.4 + 2 * 0.05 + 0) / 5) < 1e-12);

    const float soft[] = {0, 0.4f, 0.5f, 0.6f, 1}, weight[] = {1, 1, 3, 1, 0};
    nln_reliability_fill(bins, 4, &error, p,
                         (nln_truths){.label = labels, .soft = soft, .weight = weight}, 5);
    assert_true(fabs(bins[2].true_share - (3 * 0.5 + 0.6) / 4) < 1e-6 && isnan(bins[3].mean));
    assert_true(fabs(error - (2 * 0.1 + 0) / 6) < 1e-6);
}

static void calibrated_probabilities_have_no_error(void **state)
{
    (void)state;
    enum { N = 200000 };
    nln_random random = nln_random_seed(1, 0);
    double *p = calloc(N, sizeof *p), error, skewed;
    uint8_t *labels = calloc(N, 1);
    nln_reliability_bin bins[10];
    size_t n = 0;

    for (int i = 0; i < N; i++) {
        p[i] = (double)nln_random_below(&random, 1000001) / 1e6;
        labels[i] = (double)nln_random_below(&random, 1000000) / 1e6 < p[i];
    }
    nln_reliability_fill(bins, 10, &error, p, (nln_truths){.label = labels}, N);
    for (int b = 0; b < 10; b++)
        n += bins[b].n;
    assert_int_equal(n, N);
    assert_true(error < 0.01);
    for (int i = 0; i < N; i++)
        p[i] = p[i] * p[i];
    nln_reliability_fill(bins, 10, &skewed, p, (nln_truths){.label = labels}, N);
    assert_true(skewed > 0.1);
    p[7] = NAN;
    nln_reliability_fill(bins, 10, &skewed, p, (nln_truths){.label = labels}, N);
    assert_true(isnan(skewed));
    free(p);
    free(labels);
}

static void a_model_is_measured_on_what_it_predicts(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_data *data = tiny_data("variables=40 expressions=1000");
    nln_model *model = tiny_train(NULL, data, "dimension=8 epochs=2 batch=32 threads=1");
    nln_reliability_bin bins[5], wanted[5];
    double error, by_hand;
    size_t n;
    char **texts = tiny_texts(&n, data, NLN_TEST);
    double *p = calloc(n, sizeof *p);

    tiny_need(nln_predict_many(p, model, (const char *const *)texts, n, NULL, &err), &err);
    nln_reliability_fill(wanted, 5, &by_hand, p,
                         (nln_truths){.label = data->split[NLN_TEST].labels}, n);
    tiny_need(nln_reliability(bins, 5, &error, model, data, NLN_TEST, NULL, &err), &err);
    for (int b = 0; b < 5; b++)
        assert_int_equal(bins[b].n, wanted[b].n);
    assert_true(fabs(error - by_hand) < 1e-6);
    assert_int_equal(nln_reliability(bins, 0, &error, model, data, NLN_TEST, NULL, &err),
                     NLN_INVALID);
    assert_int_equal(nln_reliability(bins, 5, &error, model, data, (nln_split)7, NULL, &err),
                     NLN_INVALID);
    tiny_texts_free(texts, n);
    free(p);
    nln_model_free(model);
    nln_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_as_worked_by_hand),
        cmocka_unit_test(calibrated_probabilities_have_no_error),
        cmocka_unit_test(a_model_is_measured_on_what_it_predicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
