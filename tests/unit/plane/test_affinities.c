#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "golden/tsne.h"
#include "plane/affinities.h"
#include "plane/nearest_neighbours.h"

static double perplexity_of(const float *p, size_t k)
{
    double entropy = 0, sum = 0;
    for (size_t j = 0; j < k; j++) {
        sum += (double)p[j];
        entropy -= p[j] > 0 ? (double)p[j] * log((double)p[j]) : 0;
    }
    assert_true(fabs(sum - 1) < 1e-5);
    return exp(entropy);
}

/* Squared distances at which k points may be, ascending. */
static void draw_row(double *distance, size_t k, double scale, uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    double at = 3;
    for (size_t j = 0; j < k; j++) {
        at += nln_random_uniform(&random);
        distance[j] = at * scale;
    }
}

static void rows_have_the_asked_perplexity(void **state)
{
    (void)state;
    enum { K = 91 };
    static const double scales[] = {1e-60, 1e-9, 1, 1e9, 1e60};
    static const double perplexities[] = {1.5, 5, 30, 80, 90.9};
    double distance[K];
    float p[K];
    for (size_t s = 0; s < 5; s++)
        for (size_t x = 0; x < 5; x++) {
            draw_row(distance, K, scales[s], x);
            nln_affinities_row(p, distance, K, perplexities[x]);
            double found = perplexity_of(p, K);
            assert_true(fabs(found - perplexities[x]) < 1e-4 * perplexities[x]);
            for (size_t j = 1; j < K; j++)
                assert_true(p[j] <= p[j - 1]);
        }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distances of many kinds, from almost equal ones to some over twenty orders of magnitude. */
static void rows_of_any_shape_have_it(void **state)
{
    (void)state;
    enum { K = 120, ROWS = 2000 };
    nln_random random = nln_random_seed(7, 0);
    double distance[K];
    float p[K];
    for (int row = 0; row < ROWS; row++) {
        double spread = pow(10, -2 + 3 * nln_random_uniform(&random));
        double perplexity = 2 + 100 * nln_random_uniform(&random);
        for (size_t j = 0; j < K; j++)
            distance[j] = exp(spread * nln_random_normal(&random));
        qsort(distance, K, sizeof *distance, ascending);
        nln_affinities_row(p, distance, K, perplexity);
        assert_true(fabs(perplexity_of(p, K) - perplexity) < 1e-3 * perplexity);
    }
}

/* Among these is a point between the groups, at which plain Newton's steps never end. */
static void rows_of_clusters_have_it(void **state)
{
    (void)state;
    enum { N = GOLDEN_POINTS, D = GOLDEN_DIMENSION, K = N - 1 };
    float *points = cloud_floats(N * D, 1, 1), p[K];
    int32_t *index = malloc(N * K * sizeof *index);
    double *distance = malloc(N * K * sizeof *distance);
    nln_distances space = {0};
    nln_thread_pool *team = cloud_team(1);
    for (size_t i = 0; i < N * D; i++)
        points[i] = golden_point[i];
    assert_int_equal(nln_distances_create(&space, points, N, D, NULL), NLN_OK);
    assert_int_equal(nln_nearest_neighbours_find(index, distance, &space, K, team, NULL), NLN_OK);
    for (size_t i = 0; i < N; i++) {
        nln_affinities_row(p, distance + i * K, K, GOLDEN_PERPLEXITY);
        assert_true(fabs(perplexity_of(p, K) - GOLDEN_PERPLEXITY) < 1e-4);
    }
    nln_distances_free(&space);
    nln_thread_pool_free(team);
    free(points);
    free(index);
    free(distance);
}

/* One very near neighbour, or one very far away, is not the end of the search. */
static void uneven_rows_have_it_too(void **state)
{
    (void)state;
    enum { K = 40 };
    double distance[K];
    float p[K];
    draw_row(distance, K, 1, 1);
    distance[0] = 1e-12;
    distance[K - 1] = 1e15;
    nln_affinities_row(p, distance, K, 12);
    assert_true(fabs(perplexity_of(p, K) - 12) < 1e-3);
}

/* Ten equally near neighbours cannot count as fewer, nor nine neighbours as more. */
static void impossible_perplexities_come_nearest(void **state)
{
    (void)state;
    double distance[20];
    float p[20];
    draw_row(distance, 20, 1, 1);
    for (size_t j = 0; j < 10; j++)
        distance[j] = 2;
    nln_affinities_row(p, distance, 20, 4);
    assert_true(fabs(perplexity_of(p, 20) - 10) < 1e-3);
    nln_affinities_row(p, distance + 9, 9, 30);
    assert_true(fabs(perplexity_of(p, 9) - 9) < 1e-3);
    nln_affinities_row(p, distance, 10, 4);
    assert_true(fabs(perplexity_of(p, 10) - 10) < 1e-5);
    nln_affinities_row(p, distance, 1, 1);
    assert_true(p[0] == 1);
}

/* p_ij by the definition: with the k nearest neighbours of all distances sorted. */
static double entry(const nln_affinities *a, size_t i, size_t j)
{
    for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
        if (a->column[e] == (int32_t)j)
            return (double)a->p[e];
    return 0;
}

static void check_matrix(size_t n, size_t k, double perplexity, int n_threads)
{
    float *points = cloud_floats(n * 4, 1, n);
    nln_distances space = {0};
    nln_affinities a = {0};
    nln_thread_pool *team = cloud_team(n_threads);
    double sum = 0;
    assert_int_equal(nln_distances_create(&space, points, n, 4, NULL), NLN_OK);
    assert_int_equal(nln_affinities_create(&a, &space, k, perplexity, team, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++) {
        assert_true(a.start[i + 1] - a.start[i] >= k);
        for (size_t e = a.start[i]; e < a.start[i + 1]; e++) {
            assert_true(e == a.start[i] || a.column[e] > a.column[e - 1]);
            assert_true(a.column[e] != (int32_t)i);
            assert_true(entry(&a, (size_t)a.column[e], i) == (double)a.p[e]);
            sum += (double)a.p[e];
        }
    }
    assert_true(fabs(sum - 1) < 1e-5);
    nln_affinities_free(&a);
    nln_distances_free(&space);
    nln_thread_pool_free(team);
    free(points);
}

static void the_matrix_is_symmetric_and_sums_to_one(void **state)
{
    (void)state;
    check_matrix(2, 1, 1, 1);
    check_matrix(3, 2, 1.5, 1);
    check_matrix(150, 20, 6, 2);
    check_matrix(150, 149, 30, 3);
}

/* Three on a line: distances 1, 4 and 9 between 0-1, 1-2 and 0-2. */
static void entries_are_as_worked_by_hand(void **state)
{
    (void)state;
    const float points[] = {0, 1, 3};
    const double distance[3][2] = {{1, 9}, {1, 4}, {4, 9}};
    nln_distances space = {0};
    nln_affinities a = {0};
    nln_thread_pool *team = cloud_team(1);
    float p[3][2];
    assert_int_equal(nln_distances_create(&space, points, 3, 1, NULL), NLN_OK);
    assert_int_equal(nln_affinities_create(&a, &space, 2, 1.7, team, NULL), NLN_OK);
    for (int i = 0; i < 3; i++)
        nln_affinities_row(p[i], distance[i], 2, 1.7);
    assert_true(fabs(entry(&a, 0, 1) - (double)(p[0][0] + p[1][0]) / 6) < 1e-6);
    assert_true(fabs(entry(&a, 0, 2) - (double)(p[0][1] + p[2][1]) / 6) < 1e-6);
    assert_true(fabs(entry(&a, 1, 2) - (double)(p[1][1] + p[2][0]) / 6) < 1e-6);
    nln_affinities_free(&a);
    nln_distances_free(&space);
    nln_thread_pool_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_asked_perplexity),
        cmocka_unit_test(rows_of_any_shape_have_it),
        cmocka_unit_test(rows_of_clusters_have_it),
        cmocka_unit_test(uneven_rows_have_it_too),
        cmocka_unit_test(impossible_perplexities_come_nearest),
        cmocka_unit_test(the_matrix_is_symmetric_and_sums_to_one),
        cmocka_unit_test(entries_are_as_worked_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
