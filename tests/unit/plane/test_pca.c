#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/pca.h"

enum { N = 300 };

static void find(double plane[2 * N], const float *points, size_t n, size_t dim)
{
    nln_distances space = {0};
    assert_int_equal(nln_distances_create(&space, points, n, dim, NULL), NLN_OK);
    assert_int_equal(nln_pca_plane(plane, &space, NULL), NLN_OK);
    nln_distances_free(&space);
}

static double correlation(const double *a, const double *b, size_t n)
{
    double ab = 0, aa = 0, bb = 0, mean_a = 0, mean_b = 0;
    for (size_t i = 0; i < n; i++) {
        mean_a += a[i] / (double)n;
        mean_b += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

/* Widths 9, 3 and 1 along axes that are turned by 3/5 and 4/5. */
static void the_widest_directions_are_found(void **state)
{
    (void)state;
    double *u = cloud_doubles(N, 9, 1), *v = cloud_doubles(N, 3, 2), *w = cloud_doubles(N, 1, 3);
    float points[3 * N];
    double plane[2 * N];
    for (size_t i = 0; i < N; i++) {
        points[3 * i] = (float)(100 + 0.6 * u[i] - 0.8 * v[i]);
        points[3 * i + 1] = (float)(0.8 * u[i] + 0.6 * v[i]);
        points[3 * i + 2] = (float)w[i];
    }
    find(plane, points, N, 3);
    assert_true(correlation(plane, u, N) > 0.99); /* the largest weight, 4/5, is positive */
    assert_true(correlation(plane + N, v, N) < -0.98);
    assert_true(fabs(correlation(plane, plane + N, N)) < 1e-3);
    free(u);
    free(v);
    free(w);
}

static void missing_directions_are_zero(void **state)
{
    (void)state;
    float points[2 * N];
    double plane[2 * N];
    for (size_t i = 0; i < N; i++)
        points[2 * i] = points[2 * i + 1] = (float)i;
    find(plane, points, N, 2);
    assert_true(fabs(correlation(plane, plane, N) - 1) < 1e-9 && plane[N - 1] > plane[0]);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(plane[N + i]) < 1e-5 * plane[N - 1]);
    find(plane, points, N, 1);
    for (size_t i = 0; i < N; i++)
        assert_true(plane[N + i] == 0);
    memset(points, 0, sizeof points);
    find(plane, points, N, 2);
    for (size_t i = 0; i < 2 * N; i++)
        assert_true(plane[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_directions_are_found),
        cmocka_unit_test(missing_directions_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
