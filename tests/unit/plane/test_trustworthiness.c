#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clouds.h"
#include "golden/tsne.h"
#include "plane/trustworthiness.h"

static double trust(const float *points, const double *plane, size_t n, size_t dim)
{
    nln_distances space = {0};
    nln_thread_pool *team = cloud_team(2);
    double out = -1;
    assert_int_equal(nln_distances_create(&space, points, n, dim, NULL), NLN_OK);
    assert_int_equal(nln_trustworthiness_measure(&out, &space, plane, team, NULL), NLN_OK);
    nln_distances_free(&space);
    nln_thread_pool_free(team);
    return out;
}

static void a_plane_that_is_the_space_is_trusted(void **state)
{
    (void)state;
    float *points = cloud_floats(2 * 50, 1, 1);
    double plane[2 * 50];
    for (size_t i = 0; i < 2 * 50; i++)
        plane[i] = (double)points[i] * 3 - 1;
    assert_true(trust(points, plane, 50, 2) == 1);
    for (size_t i = 0; i < 50; i++) /* another point's place */
        plane[2 * i] = (double)points[2 * (i * 7 % 50)];
    assert_true(trust(points, plane, 50, 2) < 0.8);
    assert_true(isnan(trust(points, plane, 10, 2)));
    assert_true(!isnan(trust(points, plane, 11, 2)));
    free(points);
}

static void trustworthiness_is_that_of_scikit_learn(void **state)
{
    (void)state;
    float points[GOLDEN_POINTS * GOLDEN_DIMENSION];
    double plane[GOLDEN_POINTS * 2];
    for (size_t i = 0; i < GOLDEN_POINTS * GOLDEN_DIMENSION; i++)
        points[i] = golden_point[i];
    for (size_t i = 0; i < GOLDEN_POINTS * 2; i++)
        plane[i] = golden_point[i / 2 * GOLDEN_DIMENSION + i % 2] / 64.0;
    double found = trust(points, plane, GOLDEN_POINTS, GOLDEN_DIMENSION);
    assert_true(fabs(found - golden_plane_trust) < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_that_is_the_space_is_trusted),
        cmocka_unit_test(trustworthiness_is_that_of_scikit_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
