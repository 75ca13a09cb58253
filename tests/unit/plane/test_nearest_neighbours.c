#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/nearest_neighbours.h"

/* Whether j is before l among the neighbours of i. */
static int nearer(const nln_distances *s, size_t i, size_t j, size_t l)
{
    double a = nln_distances_exact(s, i, j), b = nln_distances_exact(s, i, l);
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
            assert_true(j != i && distance[i * k + m] == nln_distances_exact(&space, i, j));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_the_nearest),
        cmocka_unit_test(equally_near_ones_come_by_number),
        cmocka_unit_test(what_floats_cannot_tell_apart_is_still_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
