#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "net/adam.h"

enum { N = 20, WIDTH = 5, SIZE = N * WIDTH };

/* Adam as Kingma and Ba write it, over all rows at every step, in double. */
typedef struct dense {
    double x[SIZE], m[SIZE], v[SIZE];
    double beta1, beta2, epsilon, rate, clip;
    int step;
} dense;

static void dense_step(dense *d, const double *gradient, double factor)
{
    d->step++;
    for (int i = 0; i < SIZE; i++) {
        double g = d->clip > 0 ? fmax(-d->clip, fmin(d->clip, gradient[i])) : gradient[i];
        d->m[i] = d->beta1 * d->m[i] + (1 - d->beta1) * g;
        d->v[i] = d->beta2 * d->v[i] + (1 - d->beta2) * g * g;
        double m = d->m[i] / (1 - pow(d->beta1, d->step));
        double v = d->v[i] / (1 - pow(d->beta2, d->step));
        d->x[i] -= factor * d->rate * m / (sqrt(v) + d->epsilon);
    }
}

static void expect_row(const dense *d, const real *x, int row, int step)
{
    for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++)
        if (!(fabs((double)x[i] - d->x[i]) <= 2e-5 * (1 + fabs(d->x[i]))))
            fail_msg("step %d, row %d: %.8g, not %.8g", step, row, (double)x[i], d->x[i]);
}

/* When each row is next in a batch: after 1 to 400 steps. */
static int gap(nln_random *r)
{
    static const int most[] = {1, 3, 20, 100, 400};
    return 1 + (int)nln_random_below(r, (uint64_t)most[nln_random_below(r, 5)]);
}

static void draw_gradient(double *gradient, nln_random *r, int row)
{
    for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++)
        gradient[i] = (double)(real)nln_random_normal(r);
}

/* One batch: the rows that are due are brought up to date, compared, and updated. */
static void run_step(nln_table *t, nln_adam *a, dense *d, int *due, double factor, nln_random *r)
{
    double gradient[SIZE] = {0};
    assert_int_equal(nln_adam_tick(a, factor, NULL), NLN_OK);
    for (int row = 0; row < N - 1; row++) {
        real g[WIDTH];
        if (due[row] > a->step)
            continue;
        due[row] = a->step + gap(r);
        draw_gradient(gradient, r, row);
        for (int j = 0; j < WIDTH; j++)
            g[j] = (real)gradient[row * WIDTH + j];
        nln_table_refresh(t, a, (size_t)row);
        expect_row(d, t->x, row, a->step - 1);
        int cut = (int)nln_random_below(r, WIDTH);
        nln_table_update(t, a, (size_t)row, g, cut, WIDTH);
        nln_table_update(t, a, (size_t)row, g, 0, cut);
    }
    dense_step(d, gradient, factor);
}

/* Rows 0 .. N-2 come and go; row N-1 is never in a batch. */
static void check(double beta2, double clip)
{
    nln_random r = nln_random_seed(3, (uint64_t)(1000 * beta2));
    real x[SIZE], last[WIDTH];
    int due[N];
    nln_adam a = {.beta1 = 0.9, .beta2 = beta2, .epsilon = 1e-8, .clip = clip};
    dense d = {.beta1 = 0.9, .beta2 = beta2, .epsilon = 1e-8, .rate = 0.01, .clip = clip};
    nln_table t;
    for (int i = 0; i < SIZE; i++)
        d.x[i] = (double)(x[i] = (real)nln_random_normal(&r));
    for (int i = 0; i < N; i++)
        due[i] = gap(&r);
    memcpy(last, x + SIZE - WIDTH, sizeof last);
    assert_int_equal(nln_table_create(&t, x, N, WIDTH, 0.01, NULL), NLN_OK);
    for (int step = 1; step <= 1500; step++) {
        run_step(&t, &a, &d, due, 0.5 * (1 + cos(step / 200.0)), &r);
        if (step == 700)
            nln_table_flush(&t, &a, 0, t.n);
        for (int row = 0; step == 700 && row < N; row++)
            expect_row(&d, x, row, step);
    }
    nln_table_flush(&t, &a, 0, t.n);
    for (int row = 0; row < N; row++)
        expect_row(&d, x, row, a.step);
    assert_memory_equal(last, x + SIZE - WIDTH, sizeof last);
    nln_table_free(&t);
    nln_adam_free(&a);
}

static void sparse_rows_are_those_of_dense_adam(void **state)
{
    (void)state;
    check(0.999, 0);
    check(0.99, 0);
    check(0.999, 0.5);
}

/* The moments too, so that what comes after a long rest is right as well. */
static void a_long_rest_leaves_the_moments_of_dense_adam(void **state)
{
    (void)state;
    for (int rest = 200; rest <= 400; rest++) {
        real x = 1, g = 1, again = NLN_REAL(0.001);
        nln_adam a = {.beta1 = 0.9, .beta2 = 0.99, .epsilon = 1e-8};
        nln_table t;
        assert_int_equal(nln_table_create(&t, &x, 1, 1, 0.1, NULL), NLN_OK);
        nln_adam_tick(&a, 1, NULL);
        nln_table_update(&t, &a, 0, &g, 0, 1);
        for (int i = 0; i <= rest; i++)
            nln_adam_tick(&a, 1, NULL);
        nln_table_refresh(&t, &a, 0);
        assert_true(fabs((double)t.v[0] / (0.01 * pow(0.99, rest)) - 1) < 1e-3);
        assert_true(fabs((double)t.m[0] - 0.1 * pow(0.9, rest)) < 1e-4 * 0.1 * pow(0.9, rest));
        nln_table_update(&t, &a, 0, &again, 0, 1);
        assert_int_equal(t.last[0], rest + 2);
        nln_table_free(&t);
        nln_adam_free(&a);
    }
}

/* x = 1, g = 0.5: m = .05, v = .00025; corrected .5 and .25; x = 1 - .1 * .5 / .5.
 * g = -1: m = -.055, v = .00124975; corrected -.2894737 and .6251876;
 * x = .9 + .1 * .2894737 / .7906881. */
static void two_steps_worked_by_hand(void **state)
{
    (void)state;
    real x = 1, first = NLN_REAL(0.5), second = -1;
    nln_adam a = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    nln_table t;
    assert_int_equal(nln_table_create(&t, &x, 1, 1, 0.1, NULL), NLN_OK);
    nln_adam_tick(&a, 1, NULL);
    nln_table_update(&t, &a, 0, &first, 0, 1);
    assert_true(fabs((double)x - 0.9) < 1e-6);
    assert_true(fabs((double)t.m[0] / 0.05 - 1) < 1e-4);
    assert_true(fabs((double)t.v[0] / 0.00025 - 1) < 1e-4);
    nln_adam_tick(&a, 1, NULL);
    nln_table_refresh(&t, &a, 0);
    nln_table_update(&t, &a, 0, &second, 0, 1);
    assert_true(fabs((double)x - 0.9366104) < 1e-6);
    nln_table_free(&t);
    nln_adam_free(&a);
}

static void gradients_are_cut_in_place(void **state)
{
    (void)state;
    real x[3] = {0}, g[3] = {5, NLN_REAL(-0.25), -7}, wanted[3] = {2, NLN_REAL(-0.25), -2};
    nln_adam a = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 2};
    nln_table t;
    assert_int_equal(nln_table_create(&t, x, 1, 3, 0.1, NULL), NLN_OK);
    nln_adam_tick(&a, 1, NULL);
    nln_table_update(&t, &a, 0, g, 0, 3);
    assert_memory_equal(g, wanted, sizeof g);
    nln_table_free(&t);
    nln_adam_free(&a);
}

/* Sums that are kept for all rows, which refresh takes, are those that flush adds up for one. */
static void sums_for_all_rows_are_those_of_one(void **state)
{
    (void)state;
    for (int rest = 1; rest <= 500; rest += 7) {
        real x[2] = {1, 1}, g = 1;
        nln_adam a = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
        nln_table t;
        assert_int_equal(nln_table_create(&t, x, 2, 1, 0.1, NULL), NLN_OK);
        for (int i = 0; i < 5; i++)
            nln_adam_tick(&a, 1, NULL);
        nln_table_update(&t, &a, 0, &g, 0, 1);
        nln_table_update(&t, &a, 1, &g, 0, 1);
        for (int i = 0; i < rest; i++)
            nln_adam_tick(&a, 1 / (1.0 + i), NULL);
        nln_table_flush(&t, &a, 0, 1);
        nln_adam_tick(&a, 0.5, NULL);
        nln_table_refresh(&t, &a, 1);
        assert_int_equal(t.last[0], t.last[1]);
        assert_true(fabs((double)(x[0] - x[1])) < 1e-6);
        assert_true(t.m[0] == t.m[1] && t.v[0] == t.v[1]);
        nln_table_free(&t);
        nln_adam_free(&a);
    }
}

/* Bringing a row up to date twice is the same as once. */
static void refresh_and_flush_may_repeat(void **state)
{
    (void)state;
    real x[2] = {1, 1}, g = 1, once;
    nln_adam a = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    nln_table t;
    assert_int_equal(nln_table_create(&t, x, 2, 1, 0.1, NULL), NLN_OK);
    nln_adam_tick(&a, 1, NULL);
    nln_table_update(&t, &a, 0, &g, 0, 1);
    nln_table_refresh(&t, &a, 0);
    for (int i = 0; i < 3; i++)
        nln_adam_tick(&a, 1, NULL);
    nln_table_flush(&t, &a, 0, t.n);
    once = x[0];
    nln_table_flush(&t, &a, 0, t.n);
    nln_table_refresh(&t, &a, 0);
    assert_true(x[0] == once && once < NLN_REAL(0.9) && x[1] == 1);
    nln_table_free(&t);
    nln_table_free(&t);
    nln_adam_free(&a);
    nln_adam_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_are_those_of_dense_adam),
        cmocka_unit_test(a_long_rest_leaves_the_moments_of_dense_adam),
        cmocka_unit_test(two_steps_worked_by_hand),
        cmocka_unit_test(gradients_are_cut_in_place),
        cmocka_unit_test(sums_for_all_rows_are_those_of_one),
        cmocka_unit_test(refresh_and_flush_may_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
