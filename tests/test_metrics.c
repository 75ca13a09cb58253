#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "task/metrics.h"

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
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
    }
}

static void nothing_measured(void **state)
{
    (void)state;
    nln_metrics m = nln_metrics_binary(NULL, NULL, 0);
    assert_int_equal(m.n, 0);
    assert_near(m.accuracy, 0);
    assert_near(m.cross_entropy, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(one_half_is_false),
        cmocka_unit_test(certainty_is_finite),
        cmocka_unit_test(nan_is_not_hidden),
        cmocka_unit_test(nothing_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
