#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "golden/tsne.h"
#include "plane/nearest_neighbours.h"

/* Whether j is before l among the neighbours of i. */
static int nearer(const nln_distances *s, size_t i, size_t j, size_t l)
{
    double a = nln_distances_distance(s, i, j), b = nln_distances_distance(s, i, l);
    return a < b || (a == b && j < l);
}

/* Each neighbour has as many points before it as its place says. */
static void check_neighbours(const float *points, size_t n, size_t dim, size_t k, int n_threads)
{
    nln_distances space = {0};
    nln_thread_pool *team = cloud_team(n_threads);
    int32_t *index = calloc(n * k, sizeof *index);
    double *distance = calloc(n * k, sizeof *distance);
    assert_int_equal(nln_distances_create(&space, points, n, dim, NULL), NLN_OK);
    assert_int_equal(nln_nearest_neighbours_find(index, distance, &space, k, team, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < k; m++) {
            size_t j = (size_t)index[i * k + m], before = 0;
            for (size_t l = 0; l < n; l++)
                before += l != i && nearer(&space, i, l, j);
            assert_int_equal(before, m);
            assert_true(j != i && distance[i * k + m] == nln_distances_distance(&space, i, j));
        }
    nln_distances_free(&space);
    nln_thread_pool_free(team);
    free(index);
    free(distance);
}

static void neighbours_are_the_nearest(void **state)
{
    (void)state;
    static const size_t ks[] = {1, 2, 10, 119};
    float *points = cloud_floats(120 * 9, 1, 1);
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++)
        check_neighbours(points, 120, 9, ks[i], 1 + (int)i % 3);
    free(points);
}

static void equally_near_ones_come_by_number(void **state)
{
    (void)state;
    float points[80 * 2];
    for (size_t i = 0; i < 160; i++)
        points[i] = (float)(i / 2 % 9 / (i % 2 ? 3 : 1) % 3); /* a grid of 3 x 3, many times */
    check_neighbours(points, 80, 2, 7, 2);
    check_neighbours(points, 80, 2, 79, 2);
    memset(points, 0, sizeof points);
    check_neighbours(points, 80, 2, 5, 1);
}

/* Two tight groups so far apart that products of floats see only two places. */
static void what_floats_cannot_tell_apart_is_still_exact(void **state)
{
    (void)state;
    float *points = cloud_floats(100 * 3, 1e-3, 5);
    for (size_t i = 0; i < 150; i++)
        points[i] += 1000;
    check_neighbours(points, 100, 3, 12, 2);
    points[0] = 1e30F;
    check_neighbours(points, 100, 3, 12, 2);
    free(points);
}

static double trust(const float *points, const double *plane, size_t n, size_t dim)
{
    nln_distances space = {0};
    nln_thread_pool *team = cloud_team(2);
    double out = -1;
    assert_int_equal(nln_distances_create(&space, points, n, dim, NULL), NLN_OK);
    assert_int_equal(nln_nearest_neighbours_trust(&out, &space, plane, team, NULL), NLN_OK);
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
        cmocka_unit_test(neighbours_are_the_nearest),
        cmocka_unit_test(equally_near_ones_come_by_number),
        cmocka_unit_test(what_floats_cannot_tell_apart_is_still_exact),
        cmocka_unit_test(a_plane_that_is_the_space_is_trusted),
        cmocka_unit_test(trustworthiness_is_that_of_scikit_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
