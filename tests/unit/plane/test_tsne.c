#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "golden/tsne.h"
#include "nln_lab.h"

/* Options as name, value, ..., NULL. */
static nln_options *options_of(const char *const *words)
{
    nln_options *options = NULL;
    assert_int_equal(nln_options_create(&options, "tsne", NULL), NLN_OK);
    assert_int_equal(nln_options_set(options, "threads", "1", NULL), NLN_OK);
    for (; words && *words; words += 2)
        assert_int_equal(nln_options_set(options, words[0], words[1], NULL), NLN_OK);
    return options;
}

static nln_status run(double *out, nln_tsne_report *report, const float *points, size_t n,
                      size_t dim, const char *const *words, nln_error *err)
{
    nln_options *options = options_of(words);
    nln_status status = nln_tsne(out, report, points, n, dim, options, NULL, err);
    nln_options_free(options);
    return status;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void planted_groups_are_separated(void **state)
{
    (void)state;
    enum { N = 200, D = 10 };
    float *points = cloud_floats(N * D, 1, 1);
    double plane[2 * N], accuracy = 0;
    int cluster[N];
    int8_t value[N];
    for (size_t i = 0; i < N; i++) {
        value[i] = i % 3 == 0;
        for (size_t d = 0; d < D; d++)
            points[i * D + d] += value[i] ? 4 : 0;
    }
    for (int exact = 0; exact < 2; exact++) {
        nln_tsne_report report;
        assert_int_equal(run(plane, &report, points, N, D,
                             WORDS("exact-up-to", exact ? "2000" : "0", "iterations", "500"), NULL),
                         NLN_OK);
        assert_int_equal(report.exact, exact);
        assert_int_equal(report.iterations, 500);
        assert_true(report.kl > 0 && report.kl < 2 && report.trustworthiness > 0.7);
        assert_int_equal(nln_two_clusters(cluster, &accuracy, plane, N, value, 1, NULL), NLN_OK);
        assert_true(accuracy == 1);
    }
    free(points);
}

/* Not one bit depends on threads; a random start depends on the seed. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { N = 400, D = 6 };
    static const char *const exact_up_to[] = {"0", "2000"};
    float *points = cloud_floats(N * D, 1, 2);
    double one[2 * N], other[2 * N];
    for (int e = 0; e < 2; e++) {
        const char *up_to = exact_up_to[e];
        run(one, NULL, points, N, D,
            WORDS("threads", "1", "exact-up-to", up_to, "iterations", "60"), NULL);
        run(other, NULL, points, N, D,
            WORDS("threads", "3", "exact-up-to", up_to, "iterations", "60"), NULL);
        assert_memory_equal(one, other, sizeof one);
        run(one, NULL, points, N, D, WORDS("init", "random", "seed", "5", "iterations", "9"), NULL);
        run(other, NULL, points, N, D, WORDS("init", "random", "iterations", "9"), NULL);
        assert_memory_not_equal(one, other, sizeof one);
    }
    free(points);
}

/* t-SNE knows distances by their proportions only.  But other roundings lead to other planes, which
 * are as good: how good differs by a tenth here, and by some hundredths below. */
static void scale_and_place_do_not_matter(void **state)
{
    (void)state;
    enum { N = 100, D = 4 };
    float *points = cloud_floats(N * D, 1, 3);
    nln_tsne_report a, b;
    double plane[2 * N];
    run(plane, &a, points, N, D, WORDS("perplexity", "10"), NULL);
    for (size_t i = 0; i < N * D; i++)
        points[i] = points[i] * 1e30F;
    run(plane, &b, points, N, D, WORDS("perplexity", "10"), NULL);
    assert_true(fabs(a.kl - b.kl) < 0.15 * a.kl);
    free(points);
}

static void check_golden(double *plane, const char *exact_up_to, double kl, double trust)
{
    float points[GOLDEN_POINTS * GOLDEN_DIMENSION];
    nln_tsne_report report;
    char perplexity[16];
    for (size_t i = 0; i < GOLDEN_POINTS * GOLDEN_DIMENSION; i++)
        points[i] = golden_point[i];
    snprintf(perplexity, sizeof perplexity, "%d", GOLDEN_PERPLEXITY);
    assert_int_equal(run(plane, &report, points, GOLDEN_POINTS, GOLDEN_DIMENSION,
                         WORDS("perplexity", perplexity, "exact-up-to", exact_up_to), NULL),
                     NLN_OK);
    assert_true(fabs(report.kl - kl) < 0.06 * kl);
    assert_true(fabs(report.trustworthiness - trust) < 0.01);
}

static void planes_are_as_good_as_those_of_scikit_learn(void **state)
{
    (void)state;
    double plane[2 * GOLDEN_POINTS];
    check_golden(plane, "2000", golden_exact_kl, golden_exact_trust);
    check_golden(plane, "0", golden_cells_kl, golden_cells_trust);
}

/* Points that are few, the same, in heaps or on a line. */
static void odd_points_get_finite_places(void **state)
{
    (void)state;
    enum { N = 60 };
    float points[2 * N];
    double plane[2 * N];
    for (int kind = 0; kind < 4; kind++)
        for (size_t n = 0; n <= N; n = n < 5 ? n + 1 : 2 * n)
            for (int exact = 0; exact < 2; exact++) {
                nln_tsne_report report = {0};
                for (size_t i = 0; i < 2 * N; i++)
                    points[i] = kind == 0   ? 3.5F
                                : kind == 1 ? (float)(i / 2 % 2)
                                : kind == 2 ? (float)(i / 2)
                                            : (float)(i % 7) * 1e-40F;
                assert_int_equal(
                    run(plane, &report, points, n, 2,
                        WORDS("exact-up-to", exact ? "2000" : "0", "iterations", "150"), NULL),
                    NLN_OK);
                for (size_t i = 0; i < 2 * n; i++)
                    assert_true(isfinite(plane[i]));
                assert_true(isfinite(report.kl));
                assert_true(isnan(report.trustworthiness) == (n < 11));
            }
}

/* Nor does the wildest descent leave the finite range. */
static void wild_options_get_finite_places(void **state)
{
    (void)state;
    float *points = cloud_floats(200, 1, 1);
    double plane[200];
    for (int exact = 0; exact < 2; exact++) {
        assert_int_equal(run(plane, NULL, points, 100, 2,
                             WORDS("learning-rate", "1e9", "exaggeration", "1e6", "perplexity", "1",
                                   "exact-up-to", exact ? "2000" : "0"),
                             NULL),
                         NLN_OK);
        for (size_t i = 0; i < 200; i++)
            assert_true(isfinite(plane[i]));
    }
    free(points);
}

/* The axis that the points do not have is drawn. */
static void a_line_becomes_a_plane(void **state)
{
    (void)state;
    float points[50];
    double plane[100], width = 0;
    for (size_t i = 0; i < 50; i++)
        points[i] = (float)i;
    assert_int_equal(run(plane, NULL, points, 50, 1, NULL, NULL), NLN_OK);
    for (size_t i = 0; i < 50; i++)
        width = fmax(width, fabs(plane[2 * i + 1] - plane[1]));
    assert_true(width > 1);
}

static void what_cannot_be_is_told(void **state)
{
    (void)state;
    float *points = cloud_floats(40, 1, 1);
    double plane[40];
    nln_error err = {0};
    assert_int_equal(run(plane, NULL, points, 20, 2, WORDS("perplexity", "25"), &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "perplexity 25 is too large for 20 points"));
    assert_int_equal(run(plane, NULL, points, 20, 2, WORDS("perplexity", "19"), &err), NLN_OK);
    assert_int_equal(run(plane, NULL, points, 20, 0, NULL, &err), NLN_INVALID);
    points[5] = NAN;
    assert_int_equal(run(plane, NULL, points, 20, 2, NULL, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "point 3"));
    free(points);
}

static void the_default_perplexity_suits_few_points(void **state)
{
    (void)state;
    float *points = cloud_floats(200, 1, 1);
    double plane[200];
    nln_tsne_report report;
    assert_int_equal(nln_tsne(plane, &report, points, 100, 2, NULL, NULL, NULL), NLN_OK);
    assert_true(report.perplexity == 30);
    assert_int_equal(nln_tsne(plane, &report, points, 40, 2, NULL, NULL, NULL), NLN_OK);
    assert_true(report.perplexity == 13);
    free(points);
}

static int keep_first(void *context, const nln_progress *now)
{
    double *first = context;
    if (now->epoch == 1)
        *first = now->loss;
    return 0;
}

/* Small steps leave noise, which has little structure, together for long, and there the gradient
 * is next to nothing; the descent must not take that for its end. */
static void points_without_structure_part_in_the_end(void **state)
{
    (void)state;
    enum { N = 200, D = 16 };
    float *points = cloud_floats(N * D, 1, 1);
    double plane[2 * N], first = 0;
    nln_tsne_report report;
    nln_watch watch = {.context = &first, .progress = keep_first};
    nln_options *options = options_of(WORDS("learning-rate", "10"));
    assert_int_equal(nln_tsne(plane, &report, points, N, D, options, &watch, NULL), NLN_OK);
    assert_true(report.kl < 0.9 * first);
    nln_options_free(options);
    free(points);
}

static int stop_at_hundred(void *context, const nln_progress *now)
{
    *(int *)context = now->epoch;
    assert_true(now->n_epochs == 1000 && now->loss > 0 && now->seconds >= 0);
    return now->epoch > 100;
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    float *points = cloud_floats(100, 1, 1);
    double plane[100];
    int seen = 0;
    nln_error err = {0};
    nln_watch watch = {.context = &seen, .progress = stop_at_hundred};
    assert_int_equal(nln_tsne(plane, NULL, points, 50, 2, NULL, &watch, &err), NLN_CANCELLED);
    assert_in_range(seen, 101, 160);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_groups_are_separated),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(scale_and_place_do_not_matter),
        cmocka_unit_test(planes_are_as_good_as_those_of_scikit_learn),
        cmocka_unit_test(odd_points_get_finite_places),
        cmocka_unit_test(wild_options_get_finite_places),
        cmocka_unit_test(a_line_becomes_a_plane),
        cmocka_unit_test(what_cannot_be_is_told),
        cmocka_unit_test(the_default_perplexity_suits_few_points),
        cmocka_unit_test(points_without_structure_part_in_the_end),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
