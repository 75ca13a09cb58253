#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "nln_lab.h"

/* 30 + 50 points, the second group far to the right. */
enum { N = 80, LEFT = 30 };

static double *two_groups(uint64_t seed)
{
    double *plane = cloud_doubles(2 * N, 1, seed);
    for (size_t i = LEFT; i < N; i++)
        plane[2 * i] += 12;
    return plane;
}

static void planted_groups_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double *plane = two_groups(seed), accuracy = -1;
        int cluster[N];
        int8_t value[N];
        for (size_t i = 0; i < N; i++)
            value[i] = i >= LEFT;
        assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, N, value, seed, NULL), NLN_OK);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(cluster[i], i < LEFT); /* the larger is cluster 0 */
        assert_true(accuracy == 1);
        free(plane);
    }
}

static void accuracy_counts_what_is_known(void **state)
{
    (void)state;
    double *plane = two_groups(1), accuracy = -1;
    int cluster[N];
    int8_t value[N];
    for (size_t i = 0; i < N; i++)
        value[i] = i < LEFT;
    value[0] = 0;                    /* wrong */
    value[1] = -1;                   /* not known */
    value[N - 1] = value[N - 2] = 1; /* wrong */
    assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, N, value, 1, NULL), NLN_OK);
    assert_true(fabs(accuracy - 76.0 / 79) < 1e-12);
    memset(value, -1, sizeof value);
    assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, N, value, 1, NULL), NLN_OK);
    assert_true(isnan(accuracy));
    assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, N, NULL, 1, NULL), NLN_OK);
    assert_true(isnan(accuracy));
    assert_int_equal(nln_two_clusters(cluster, NULL, plane, N, NULL, 1, NULL), NLN_OK);
    free(plane);
}

static void few_or_coinciding_points_are_fine(void **state)
{
    (void)state;
    double plane[20] = {0}, accuracy = -1;
    int cluster[10];
    const int8_t value[10] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
    assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, 10, value, 1, NULL), NLN_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(cluster[i], 0);
    assert_true(fabs(accuracy - 0.6) < 1e-12);
    for (size_t n = 0; n < 3; n++)
        assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, n, value, 1, NULL), NLN_OK);
    plane[3] = 1;
    assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, 2, value, 1, NULL), NLN_OK);
    assert_int_equal(cluster[0] + cluster[1], 1);
}

static void places_that_are_none_are_refused(void **state)
{
    (void)state;
    const double plane[] = {0, 1, 2, NAN};
    int cluster[2];
    nln_error err = {0};
    assert_int_equal(nln_two_clusters(cluster, NULL, plane, 2, NULL, 1, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "point 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_groups_are_found),
        cmocka_unit_test(accuracy_counts_what_is_known),
        cmocka_unit_test(few_or_coinciding_points_are_fine),
        cmocka_unit_test(places_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
