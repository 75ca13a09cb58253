#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/barnes_hut.h"

static nln_quadtree *tree_of(const double *x, const double *y, size_t n)
{
    static nln_quadtree tree;
    assert_int_equal(nln_quadtree_create(&tree, n, NULL), NLN_OK);
    nln_quadtree_build(&tree, x, y);
    return &tree;
}

/* The repulsion on point i by its definition, including itself. */
static nln_repulsion plain_repulsion(const double *x, const double *y, size_t n, size_t i)
{
    nln_repulsion sum = {0};
    for (size_t j = 0; j < n; j++) {
        double dx = x[i] - x[j], dy = y[i] - y[j], q = 1 / (1 + dx * dx + dy * dy);
        sum.x += q * q * dx;
        sum.y += q * q * dy;
        sum.z += q;
    }
    return sum;
}

/* The largest error of the approximation, relative to the largest plain repulsion. */
static double worst(const double *x, const double *y, size_t n, double theta)
{
    nln_quadtree *t = tree_of(x, y, n);
    double most = 0, largest = 1e-9;
    for (int32_t h = 0; h < t->n_groups; h++) {
        nln_repulsion sum[NLN_QUADTREE_LEAF];
        nln_barnes_hut_approximate(sum, t, t->group[h], theta);
        for (int32_t i = t->group[h].first; i < t->group[h].last; i++) {
            nln_repulsion got = sum[i - t->group[h].first];
            nln_repulsion want = plain_repulsion(x, y, n, (size_t)t->point[i].index);
            most = fmax(most, fmax(fabs(got.x - want.x), fabs(got.y - want.y)));
            most = fmax(most, fabs(got.z - want.z));
            largest = fmax(largest, fmax(fabs(want.x), fabs(want.z)));
        }
    }
    nln_quadtree_free(t);
    return most / largest;
}

/* Any range of points, and more points than fit into one list. */
static void the_exact_sum_is_the_plain_one(void **state)
{
    (void)state;
    enum { N = 1300 };
    double *x = cloud_doubles(2 * N, 5, 3);
    static const size_t range[][2] = {{0, 1}, {0, 64}, {500, 531}, {N - 3, N}};
    for (size_t r = 0; r < sizeof range / sizeof *range; r++) {
        nln_repulsion got[64];
        nln_barnes_hut_exact(got, x, x + N, N, range[r][0], range[r][1]);
        for (size_t i = range[r][0]; i < range[r][1]; i++) {
            nln_repulsion want = plain_repulsion(x, x + N, N, i), *sum = &got[i - range[r][0]];
            assert_true(fabs(sum->x - want.x) < 1e-10 && fabs(sum->y - want.y) < 1e-10);
            assert_true(fabs(sum->z - want.z) < 1e-10);
        }
    }
    free(x);
}

static void with_theta_0_the_approximation_is_exact(void **state)
{
    (void)state;
    double *x = cloud_doubles(2 * 1300, 5, 1);
    assert_true(worst(x, x + 1300, 1300, 0) < 1e-12);
    free(x);
}

static void the_error_grows_with_theta(void **state)
{
    (void)state;
    double *x = cloud_doubles(2 * 1300, 20, 2);
    double half = worst(x, x + 1300, 1300, 0.5), whole = worst(x, x + 1300, 1300, 1);
    assert_true(half > 0 && half < 0.01);
    assert_true(whole > half && whole < 0.1);
    free(x);
}

/* Coincident points, on a line or in heaps, do not slow the sum down. */
static void points_may_coincide(void **state)
{
    (void)state;
    enum { N = 400 };
    double x[N] = {0}, y[N] = {0};
    assert_true(worst(x, y, N, 0.5) < 1e-12);
    for (int i = 0; i < N; i++)
        x[i] = i % 3;
    assert_true(worst(x, y, N, 0.5) < 1e-6);
    double *many = calloc(2 * 200000, sizeof *many); /* every pair would take minutes */
    nln_quadtree *t = tree_of(many, many + 200000, 200000);
    nln_repulsion sum[NLN_QUADTREE_LEAF];
    for (int32_t h = 0; h < t->n_groups; h++)
        nln_barnes_hut_approximate(sum, t, t->group[h], 0.5);
    assert_true(sum[0].z == 200000 && sum[0].x == 0);
    nln_quadtree_free(t);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_sum_is_the_plain_one),
        cmocka_unit_test(with_theta_0_the_approximation_is_exact),
        cmocka_unit_test(the_error_grows_with_theta),
        cmocka_unit_test(points_may_coincide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
