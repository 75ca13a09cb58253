#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "base/random.h"
#include "evaluation/metrics.h"
#include "golden/ranking.h"

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

/* To the digits of the golden file. */
static void assert_close(double a, double b)
{
    assert_true(fabs(a - b) < 1e-10);
}

static void by_hand(void **state)
{
    (void)state;
    const double p[] = {.9, .2, .6, .25};
    const uint8_t labels[] = {1, 0, 0, 1};
    nln_metrics m = nln_metrics_binary(p, labels, 4);
    assert_int_equal(m.n, 4);
    assert_near(m.accuracy, .5);
    assert_near(m.rmse, sqrt((.01 + .04 + .36 + .5625) / 4));
    assert_near(m.cross_entropy, -(log(.9) + log(.8) + log(.4) + log(.25)) / 4);
}

static void one_half_is_false(void **state)
{
    (void)state;
    const double p[] = {.5, .5};
    const uint8_t labels[] = {0, 1};
    assert_near(nln_metrics_binary(p, labels, 1).accuracy, 1);
    assert_near(nln_metrics_binary(p, labels, 2).accuracy, .5);
    assert_near(nln_metrics_binary(p + 1, labels + 1, 1).accuracy, 0);
    assert_near(nln_metrics_binary(p, labels, 2).rmse, .5);
    assert_near(nln_metrics_binary(p, labels, 2).cross_entropy, log(2));
}

static void certainty_is_finite(void **state)
{
    (void)state;
    const double p[] = {0, 1};
    const uint8_t right[] = {0, 1}, wrong[] = {1, 0};
    nln_metrics best = nln_metrics_binary(p, right, 2), worst = nln_metrics_binary(p, wrong, 2);
    assert_near(best.accuracy, 1);
    assert_near(best.rmse, 0);
    assert_near(best.cross_entropy, 1e-12);
    assert_near(worst.accuracy, 0);
    assert_near(worst.rmse, 1);
    assert_true(fabs(worst.cross_entropy + log(1e-12)) < 1e-4);
}

static void nan_is_not_hidden(void **state)
{
    (void)state;
    const double p[] = {.9, NAN, .1};
    for (int label = 0; label < 2; label++) {
        const uint8_t labels[] = {1, (uint8_t)label, 0};
        nln_metrics m = nln_metrics_binary(p, labels, 3);
        assert_int_equal(m.n, 3);
        assert_true(isnan(m.accuracy) && isnan(m.rmse) && isnan(m.cross_entropy));
        assert_true(isnan(m.auc));
    }
}

static void nothing_measured(void **state)
{
    (void)state;
    nln_metrics m = nln_metrics_binary(NULL, NULL, 0);
    assert_int_equal(m.n, 0);
    assert_near(m.accuracy, 0);
    assert_near(m.cross_entropy, 0);
    assert_true(isnan(m.auc));
}

/* ---- area under the ROC curve ----------------------------------------------- */

static double auc(const double *p, const uint8_t *labels, size_t n)
{
    double x = -1;
    nln_error err = {0};
    if (nln_metrics_auc(&x, p, labels, n, &err))
        fail_msg("%s", err.message);
    return x;
}

/* Of the pairs, counted one by one. */
static double auc_twin(const double *p, const uint8_t *labels, size_t n)
{
    double in_order = 0, pairs = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (labels[i] && !labels[j]) {
                in_order += p[i] > p[j] ? 1 : p[i] < p[j] ? 0 : .5;
                pairs++;
            }
    return in_order / pairs;
}

/* n >= 2 answers with p among `n_values` different ones; the first is true and the second false. */
static void draw_answers(double *p, uint8_t *labels, size_t n, uint64_t n_values, nln_random *r)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = (double)nln_random_below(r, n_values) / (double)n_values;
        labels[i] = (uint8_t)nln_random_below(r, 2);
    }
    labels[0] = 1;
    labels[1] = 0;
}

static void auc_by_hand(void **state)
{
    (void)state;
    const uint8_t labels[] = {1, 0, 0, 1};
    assert_near(auc((const double[]){.9, .2, .6, .25}, labels, 4), .75);
    assert_near(auc((const double[]){.9, .2, .6, .6}, labels, 4), 3.5 / 4);
    assert_near(auc((const double[]){.9, .2, .3, .8}, labels, 4), 1);
    assert_near(auc((const double[]){.1, .2, .3, .1}, labels, 4), 0);
    assert_near(auc((const double[]){.3, .3, .3, .3}, labels, 4), .5);
    assert_near(auc((const double[]){INFINITY, -INFINITY, INFINITY, 0}, labels, 4), 2.5 / 4);
}

static void auc_equals_its_twin(void **state)
{
    (void)state;
    static const uint64_t n_values[] = {1, 2, 7, 1u << 20};
    double p[200];
    uint8_t labels[200];
    nln_random r = nln_random_seed(1, 0);
    for (size_t round = 0; round < 200; round++) {
        size_t n = 2 + (size_t)nln_random_below(&r, 199);
        draw_answers(p, labels, n, n_values[round % 4], &r);
        assert_near(auc(p, labels, n), auc_twin(p, labels, n));
    }
}

static void auc_knows_only_the_order(void **state)
{
    (void)state;
    double p[100], raised[100], negated[100];
    uint8_t labels[100];
    nln_random r = nln_random_seed(2, 0);
    draw_answers(p, labels, 100, 30, &r);
    for (size_t i = 0; i < 100; i++) {
        raised[i] = exp(3 * p[i]) - 7;
        negated[i] = -p[i];
    }
    assert_true(auc(p, labels, 100) == auc(raised, labels, 100));
    assert_near(auc(p, labels, 100) + auc(negated, labels, 100), 1);
}

static void auc_needs_both_classes(void **state)
{
    (void)state;
    const double p[] = {.1, NAN, .3};
    const uint8_t all[] = {1, 1, 1}, none[] = {0, 0, 0}, mixed[] = {1, 0, 0};
    assert_true(isnan(auc(p, mixed, 0)));
    assert_true(isnan(auc(p + 2, all, 1)));
    assert_true(isnan(auc(p + 2, none, 1)));
    assert_true(isnan(auc(p, mixed, 3)));
}

static void auc_refuses_too_many(void **state)
{
    (void)state;
    double x = 0;
    nln_error err = {0};
    assert_int_equal(nln_metrics_auc(&x, NULL, NULL, (size_t)1 << 32, &err), NLN_LIMIT);
    assert_true(isnan(x) && err.message[0]);
}

/* ---- soft labels and weights ------------------------------------------------------ */

/* A label of m/4 with the weight w is 4w answers, mw of them true. */
static void soft_labels_are_many_answers(void **state)
{
    (void)state;
    enum { N = 40, MOST = N * 4 * 3 };
    nln_random r = nln_random_seed(3, 0);
    double p[N], all_p[MOST], squares = 0, mass = 0, x = 0;
    float soft[N], weight[N];
    uint8_t label[N], all[MOST];
    size_t n = 0;
    for (size_t i = 0; i < N; i++) {
        int m = (int)nln_random_below(&r, 5), w = (int)nln_random_below(&r, 4);
        p[i] = (double)nln_random_below(&r, 9) / 10 + 0.05; /* with ties */
        soft[i] = (float)m / 4;
        weight[i] = (float)w;
        label[i] = m >= 2;
        squares += w * (p[i] - m / 4.) * (p[i] - m / 4.);
        mass += w;
        for (int k = 0; k < 4 * w; k++) {
            all_p[n] = p[i];
            all[n++] = k < m * w;
        }
    }
    nln_truths truths = {label, soft, weight};
    nln_metrics m = nln_metrics_labels(p, truths, N), twin = nln_metrics_binary(all_p, all, n);
    assert_int_equal(m.n, N);
    assert_close(m.accuracy, twin.accuracy);
    assert_close(m.cross_entropy, twin.cross_entropy);
    assert_close(m.rmse, sqrt(squares / mass));
    assert_int_equal(nln_metrics_labels_auc(&x, p, truths, N, NULL), NLN_OK);
    assert_close(x, auc(all_p, all, n));
}

/* Without them, and where all weights are 0, which measures nothing. */
static void plain_labels_stay_plain(void **state)
{
    (void)state;
    static const double p[] = {0.2, 0.7, 0.4, 0.9};
    static const uint8_t label[] = {0, 1, 1, 1};
    static const float zero[4] = {0};
    nln_metrics a = nln_metrics_binary(p, label, 4);
    nln_metrics b = nln_metrics_labels(p, (nln_truths){.label = label}, 4);
    double x;
    assert_true(a.accuracy == b.accuracy && a.rmse == b.rmse && a.cross_entropy == b.cross_entropy);
    assert_int_equal(nln_metrics_labels_auc(&x, p, (nln_truths){.label = label}, 4, NULL), NLN_OK);
    assert_true(x == auc(p, label, 4));
    assert_int_equal(nln_metrics_labels(p, (nln_truths){label, NULL, zero}, 4).n, 0);
    assert_int_equal(nln_metrics_labels_auc(&x, p, (nln_truths){label, NULL, zero}, 4, NULL),
                     NLN_OK);
    assert_true(isnan(x));
}

/* ---- golden ------------------------------------------------------------------ */

static void as_scikit_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_binary / sizeof *golden_binary; i++) {
        const double *p = golden_binary[i].p;
        const uint8_t *labels = golden_binary[i].labels;
        nln_metrics m = nln_metrics_binary(p, labels, GOLDEN_ANSWERS);
        assert_close(m.accuracy, golden_binary[i].accuracy);
        assert_close(m.rmse, golden_binary[i].rmse);
        assert_close(m.cross_entropy, golden_binary[i].cross_entropy);
        assert_close(auc(p, labels, GOLDEN_ANSWERS), golden_binary[i].auc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(one_half_is_false),
        cmocka_unit_test(certainty_is_finite),
        cmocka_unit_test(nan_is_not_hidden),
        cmocka_unit_test(nothing_measured),
        cmocka_unit_test(auc_by_hand),
        cmocka_unit_test(auc_equals_its_twin),
        cmocka_unit_test(auc_knows_only_the_order),
        cmocka_unit_test(auc_needs_both_classes),
        cmocka_unit_test(auc_refuses_too_many),
        cmocka_unit_test(soft_labels_are_many_answers),
        cmocka_unit_test(plain_labels_stay_plain),
        cmocka_unit_test(as_scikit_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
