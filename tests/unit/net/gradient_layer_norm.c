/* Layer normalization: hand-worked, and its gradients against central differences in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "net/layer_norm.h"

enum { ROWS = 4, DIM = 7, SIZE = ROWS * DIM };

static void rows_have_the_mean_and_deviation_of_offset_and_gain(void **state)
{
    (void)state;
    const real x[] = {1, 3, 5, 7, 2, 2, 2, 2}, gain[] = {1, 2, 1, 1}, offset[] = {0, 1, 0, 5};
    real y[8], scaled[8], inverse[2];
    nln_layer_norm_forward(y, scaled, inverse, x, gain, offset, 2, 4);
    double root = sqrt(5); /* of the variance of 1, 3, 5, 7 */
    const double wanted[] = {-3 / root, 1 - 2 / root, 1 / root, 5 + 3 / root, 0, 1, 0, 5};
    for (int i = 0; i < 8; i++)
        assert_true(fabs(y[i] - wanted[i]) < 1e-7);
}

typedef struct fixture {
    real x[SIZE], gain[DIM], offset[DIM], dy[SIZE];
} fixture;

static double loss(const fixture *f)
{
    real y[SIZE], scaled[SIZE], inverse[ROWS];
    double sum = 0;
    nln_layer_norm_forward(y, scaled, inverse, f->x, f->gain, f->offset, ROWS, DIM);
    for (int i = 0; i < SIZE; i++)
        sum += y[i] * f->dy[i];
    return sum;
}

static void check(fixture *f, real *x, const real *dx, int n)
{
    const double step = 1e-5;
    for (int i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + step;
        double above = loss(f);
        x[i] = old - step;
        double slope = (above - loss(f)) / (2 * step);
        x[i] = old;
        if (!(fabs(slope - dx[i]) <= 1e-6 * fmax(1, fabs(slope))))
            fail_msg("[%d]: %.9g instead of %.9g", i, dx[i], slope);
    }
}

static void gradients_are_slopes_and_are_added(void **state)
{
    (void)state;
    nln_random random = nln_random_seed(3, 3);
    fixture f;
    real y[SIZE], scaled[SIZE], inverse[ROWS], dx[SIZE], dgain[DIM], doffset[DIM];
    real *drawn[] = {f.x, f.dy, f.gain, f.offset};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < (k < 2 ? SIZE : DIM); i++)
            drawn[k][i] = (real)nln_random_normal(&random);
    real *sums[] = {dx, dgain, doffset};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k ? DIM : SIZE); i++)
            sums[k][i] = 2;
    nln_layer_norm_forward(y, scaled, inverse, f.x, f.gain, f.offset, ROWS, DIM);
    nln_layer_norm_backward(dx, dgain, doffset, f.dy, scaled, inverse, f.gain, ROWS, DIM);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k ? DIM : SIZE); i++)
            sums[k][i] -= 2;
    check(&f, f.x, dx, SIZE);
    check(&f, f.gain, dgain, DIM);
    check(&f, f.offset, doffset, DIM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_mean_and_deviation_of_offset_and_gain),
        cmocka_unit_test(gradients_are_slopes_and_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
