#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/random.h"
#include "evaluation/statistics.h"
#include "golden/golden_statistics.h"

static void assert_close(double a, double b)
{
    if (!(fabs(a - b) <= 1e-10 * fmax(1, fabs(b))))
        fail_msg("%.15g is not %.15g", a, b);
}

static void draw(double *x, size_t n, nln_random *r)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)nln_random_below(r, 1000) / 1000;
}

/* ---- summaries -------------------------------------------------------------- */

static void summary_by_hand(void **state)
{
    (void)state;
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    nln_summary s = nln_statistics_summary(x, 8);
    assert_int_equal(s.n, 8);
    assert_close(s.mean, 5);
    assert_close(s.deviation, sqrt(32. / 7));
    assert_close(s.error, sqrt(32. / 7 / 8));
}

static void few_numbers(void **state)
{
    (void)state;
    const double x[] = {.3};
    nln_summary none = nln_statistics_summary(x, 0), one = nln_statistics_summary(x, 1);
    assert_true(none.n == 0 && isnan(none.mean) && isnan(none.deviation) && isnan(none.error));
    assert_true(one.n == 1 && one.mean == .3 && isnan(one.deviation) && isnan(one.error));
}

static void equal_numbers_do_not_deviate(void **state)
{
    (void)state;
    double x[7];
    for (size_t i = 0; i < 7; i++)
        x[i] = .1;
    nln_summary s = nln_statistics_summary(x, 7);
    assert_true(s.mean == .1 && s.deviation == 0 && s.error == 0);
}

/* A large number added to all moves the mean and leaves the rest. */
static void shifted_numbers(void **state)
{
    (void)state;
    double x[50], moved[50];
    nln_random r = nln_random_seed(1, 0);
    draw(x, 50, &r);
    for (size_t i = 0; i < 50; i++) {
        x[i] = floor(x[i] * 64) / 64;
        moved[i] = x[i] + 1e9;
    }
    nln_summary s = nln_statistics_summary(x, 50), m = nln_statistics_summary(moved, 50);
    assert_true(m.deviation == s.deviation && m.error == s.error);
    assert_true(fabs(m.mean - 1e9 - s.mean) < 1e-6);
}

static void nan_is_not_hidden(void **state)
{
    (void)state;
    const double x[] = {1, NAN, 2}, y[] = {1, 1, 1};
    assert_true(isnan(nln_statistics_summary(x, 3).mean));
    assert_true(isnan(nln_statistics_paired(x, y, 3).p));
    assert_true(isnan(nln_statistics_paired(y, x, 3).t));
}

/* ---- Student's distribution --------------------------------------------------- */

/* With one degree of freedom, and with two, there is a formula. */
static void student_in_closed_form(void **state)
{
    (void)state;
    static const double pi = 3.14159265358979323846;
    for (double t = 1e-6; t < 1e9; t *= 1.7) {
        assert_close(nln_statistics_student(t, 1), 2 / pi * atan(1 / t));
        double root = sqrt(2 + t * t);
        assert_close(nln_statistics_student(t, 2), 2 / (root * (root + t)));
    }
}

/* With many it is the normal distribution. */
static void student_becomes_normal(void **state)
{
    (void)state;
    for (double t = .1; t < 6; t += .37)
        assert_true(fabs(nln_statistics_student(t, 1e7) - erfc(t / sqrt(2))) < 1e-7);
}

static void student_is_even_and_falls(void **state)
{
    (void)state;
    for (int degrees = 1; degrees < 300; degrees += 7) {
        double before = 1;
        for (double t = .01; t < 40; t *= 1.3) {
            double p = nln_statistics_student(t, degrees);
            assert_true(p > 0 && p < before);
            assert_true(nln_statistics_student(-t, degrees) == p);
            before = p;
        }
    }
}

static void student_at_the_ends(void **state)
{
    (void)state;
    assert_true(nln_statistics_student(0, 3) == 1);
    assert_true(nln_statistics_student(1e-200, 3) == 1);
    assert_true(nln_statistics_student(INFINITY, 3) == 0);
    assert_true(nln_statistics_student(-1e200, 3) == 0);
    assert_true(isnan(nln_statistics_student(NAN, 3)));
}

/* ---- the paired test ----------------------------------------------------------- */

static void pairs_by_hand(void **state)
{
    (void)state;
    const double a[] = {3, 5, 4}, b[] = {2, 2, 2}; /* differences 1, 3, 2 */
    nln_paired test = nln_statistics_paired(a, b, 3);
    double root = sqrt(14.); /* t = 2 sqrt(3), and with 2 degrees sqrt(2 + t t) = sqrt(14) */
    assert_close(test.difference.mean, 2);
    assert_close(test.difference.error, sqrt(1. / 3));
    assert_close(test.t, 2 * sqrt(3));
    assert_true(test.degrees == 2);
    assert_close(test.p, 1 - 2 * sqrt(3) / root);
}

static void too_few_pairs(void **state)
{
    (void)state;
    const double a[] = {1}, b[] = {0};
    for (size_t n = 0; n < 2; n++) {
        nln_paired test = nln_statistics_paired(a, b, n);
        assert_int_equal(test.difference.n, n);
        assert_true(isnan(test.t) && isnan(test.degrees) && isnan(test.p));
    }
}

static void pairs_without_spread(void **state)
{
    (void)state;
    const double a[] = {.75, .5, .25}, higher[] = {1, .75, .5};
    nln_paired same = nln_statistics_paired(a, a, 3);
    assert_true(same.t == 0 && same.p == 1 && same.degrees == 2);
    nln_paired up = nln_statistics_paired(higher, a, 3), down = nln_statistics_paired(a, higher, 3);
    assert_true(isinf(up.t) && up.t > 0 && up.p == 0 && up.difference.mean == .25);
    assert_true(isinf(down.t) && down.t < 0 && down.p == 0);
}

static void sides_may_be_swapped(void **state)
{
    (void)state;
    double a[30], b[30];
    nln_random r = nln_random_seed(2, 0);
    for (size_t n = 2; n <= 30; n++) {
        draw(a, n, &r);
        draw(b, n, &r);
        nln_paired one = nln_statistics_paired(a, b, n), other = nln_statistics_paired(b, a, n);
        assert_true(one.t == -other.t && one.p == other.p);
        assert_true(one.p > 0 && one.p <= 1);
    }
}

/* Where nothing differs but by chance, p is below any level about that often. */
static void chance_is_found_by_chance(void **state)
{
    (void)state;
    enum { ROUNDS = 4000, N = 12 };
    double a[N], b[N];
    int below[2] = {0, 0};
    nln_random r = nln_random_seed(3, 0);
    for (int round = 0; round < ROUNDS; round++) {
        draw(a, N, &r);
        draw(b, N, &r);
        double p = nln_statistics_paired(a, b, N).p;
        below[0] += p < .05;
        below[1] += p < .5;
    }
    assert_true(abs(below[0] - ROUNDS / 20) < 70);
    assert_true(abs(below[1] - ROUNDS / 2) < 160);
}

/* ---- golden --------------------------------------------------------------------- */

static void as_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_paired / sizeof *golden_paired; i++) {
        nln_paired test =
            nln_statistics_paired(golden_paired[i].a, golden_paired[i].b, golden_paired[i].n);
        assert_close(test.difference.mean, golden_paired[i].mean);
        assert_close(test.difference.deviation, golden_paired[i].deviation);
        assert_close(test.difference.error, golden_paired[i].error);
        assert_close(test.t, golden_paired[i].t);
        assert_close(test.p, golden_paired[i].p);
    }
}

/* Tails far below the tolerance are compared by their ratio. */
static void student_as_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_student / sizeof *golden_student; i++) {
        double wanted = golden_student[i].p;
        double p = nln_statistics_student(golden_student[i].t, golden_student[i].degrees);
        assert_close(p, wanted);
        assert_true(fabs(p / wanted - 1) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_by_hand),
        cmocka_unit_test(few_numbers),
        cmocka_unit_test(equal_numbers_do_not_deviate),
        cmocka_unit_test(shifted_numbers),
        cmocka_unit_test(nan_is_not_hidden),
        cmocka_unit_test(student_in_closed_form),
        cmocka_unit_test(student_becomes_normal),
        cmocka_unit_test(student_is_even_and_falls),
        cmocka_unit_test(student_at_the_ends),
        cmocka_unit_test(pairs_by_hand),
        cmocka_unit_test(too_few_pairs),
        cmocka_unit_test(pairs_without_spread),
        cmocka_unit_test(sides_may_be_swapped),
        cmocka_unit_test(chance_is_found_by_chance),
        cmocka_unit_test(as_scipy),
        cmocka_unit_test(student_as_scipy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
