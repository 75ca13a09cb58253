#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>

#include "base/random.h"
#include "models/link_family.h"

enum { DIM = 6 };

static void draw(real *x, nln_random *random)
{
    for (int i = 0; i < DIM; i++)
        x[i] = (real)nln_random_normal(random);
}

static double inner(const real *a, const real *b)
{
    double sum = 0;
    for (int i = 0; i < DIM; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Both questions about a triple have the same score, and for pairs it is Re <h, r, conj t>. */
static void both_questions_have_one_score(void **state)
{
    (void)state;
    static const nln_link_family *const families[] = {&nln_link_complex, &nln_link_real};
    nln_random random = nln_random_seed(1, 1);
    for (int trial = 0; trial < 20; trial++) {
        real h[DIM], r[DIM], t[DIM], q[DIM], v[DIM];
        draw(h, &random);
        draw(r, &random);
        draw(t, &random);
        for (int f = 0; f < 2; f++) {
            families[f]->query(q, h, r, DIM);
            families[f]->between(v, h, t, DIM);
            assert_true(fabs(inner(q, t) - inner(v, r)) < 1e-4);
        }
        double complex sum = 0;
        for (int i = 0; i < DIM / 2; i++)
            sum += ((double)h[i] + I * (double)h[DIM / 2 + i]) *
                   ((double)r[i] + I * (double)r[DIM / 2 + i]) *
                   ((double)t[i] - I * (double)t[DIM / 2 + i]);
        nln_link_complex.query(q, h, r, DIM);
        assert_true(fabs(inner(q, t) - creal(sum)) < 1e-4);
        nln_link_shift.query(q, h, r, DIM);
        nln_link_shift.between(v, h, t, DIM);
        double one = 0, two = 0;
        for (int i = 0; i < DIM; i++) {
            one += pow((double)(q[i] - t[i]), 2);
            two += pow((double)(v[i] - r[i]), 2);
        }
        assert_true(fabs(one - two) < 1e-4);
    }
}

/* A relation made of its inverse s says of (h, t) what s says of (t, h), times the weight. */
static void an_inverse_says_the_same_of_the_pair_turned_round(void **state)
{
    (void)state;
    static const nln_link_family *const families[] = {&nln_link_complex, &nln_link_real};
    nln_random random = nln_random_seed(2, 1);
    for (int trial = 0; trial < 20; trial++)
        for (int f = 0; f < 2; f++) {
            real h[DIM], s[DIM], t[DIM], r[DIM] = {0}, q[DIM], back[DIM];
            draw(h, &random);
            draw(s, &random);
            draw(t, &random);
            families[f]->add_inverse(r, s, (real)0.3, DIM);
            families[f]->query(q, h, r, DIM);
            families[f]->query(back, t, s, DIM);
            assert_true(fabs(inner(q, t) - 0.3 * inner(back, h)) < 1e-4);
        }
    assert_null(nln_link_shift.add_inverse);
}

static void pairs_are_even(void **state)
{
    (void)state;
    assert_int_equal(nln_link_family_width(&nln_link_complex, 7), 8);
    assert_int_equal(nln_link_family_width(&nln_link_complex, 8), 8);
    assert_int_equal(nln_link_family_width(&nln_link_real, 7), 7);
}

/* Cubes of absolute values: 3-4-5 in a pair, and each number for itself. */
static void cubes_are_of_absolute_values(void **state)
{
    (void)state;
    const real x[] = {3, 0, 4, -2};
    real dx[4] = {0};
    assert_true(nln_link_family_cubes(dx, &nln_link_complex, x, 0.5, 4) == 0.5 * (125 + 8));
    assert_true(nln_link_family_cubes(dx, &nln_link_real, x, 1, 4) == 27 + 64 + 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_questions_have_one_score),
        cmocka_unit_test(an_inverse_says_the_same_of_the_pair_turned_round),
        cmocka_unit_test(pairs_are_even), cmocka_unit_test(cubes_are_of_absolute_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
