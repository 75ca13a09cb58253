#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "golden/tsne.h"
#include "plane/tsne_gradient.h"

/* The gradient of n random points, and everything it needs. */
typedef struct scene {
    float *points;
    nln_distances space;
    nln_affinities affinity;
    nln_thread_pool *team;
    nln_tsne_gradient gradient;
} scene;

static void open_scene(scene *s, float *points, size_t n, size_t dim, double perplexity, size_t k,
                       int exact, double theta)
{
    *s = (scene){.points = points, .team = cloud_team(2)};
    assert_int_equal(nln_distances_create(&s->space, points, n, dim, NULL), NLN_OK);
    assert_int_equal(nln_affinities_create(&s->affinity, &s->space, k, perplexity, s->team, NULL),
                     NLN_OK);
    assert_int_equal(
        nln_tsne_gradient_create(&s->gradient, &s->affinity, exact, theta, s->team, NULL), NLN_OK);
}

static void close_scene(scene *s)
{
    nln_tsne_gradient_free(&s->gradient);
    nln_affinities_free(&s->affinity);
    nln_distances_free(&s->space);
    nln_thread_pool_free(s->team);
    free(s->points);
}

static double divergence_at(scene *s, const double *at)
{
    nln_tsne_gradient_compute(&s->gradient, at, 1);
    return nln_tsne_gradient_divergence(&s->gradient);
}

static void check_gradient(size_t n, size_t k, int exact, double theta)
{
    scene s;
    double *at = cloud_doubles(2 * n, 1.5, n), step = 1e-5, largest = 0;
    double *gradient = malloc(2 * n * sizeof *gradient);
    open_scene(&s, cloud_floats(n * 5, 1, n), n, 5, fmin(8, (double)k / 2), k, exact, theta);
    memcpy(gradient, nln_tsne_gradient_compute(&s.gradient, at, 1), 2 * n * sizeof *gradient);
    for (size_t i = 0; i < 2 * n; i++)
        largest = fmax(largest, fabs(gradient[i]));
    for (size_t i = 0; i < 2 * n; i++) {
        double x = at[i];
        at[i] = x + step;
        double above = divergence_at(&s, at);
        at[i] = x - step;
        double below = divergence_at(&s, at);
        at[i] = x;
        assert_true(fabs((above - below) / (2 * step) - gradient[i]) < 1e-5 * largest);
    }
    close_scene(&s);
    free(at);
    free(gradient);
}

static void the_gradient_is_that_of_the_divergence(void **state)
{
    (void)state;
    check_gradient(3, 2, 1, 0);
    check_gradient(40, 39, 1, 0);
    check_gradient(40, 12, 1, 0);
    check_gradient(40, 12, 0, 0);
}

static double difference(const double *a, const double *b, size_t n)
{
    double most = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        largest = fmax(largest, fabs(b[i]));
    }
    return most / largest;
}

/* The twins: cells with theta = 0 are no cells, and with theta = 1/2 nearly so. */
static void cells_agree_with_all_pairs(void **state)
{
    (void)state;
    enum { N = 700 };
    scene exact, open, closed;
    double *at = cloud_doubles(2 * N, 10, 1);
    open_scene(&exact, cloud_floats(N * 5, 1, 1), N, 5, 10, 31, 1, 0);
    open_scene(&open, cloud_floats(N * 5, 1, 1), N, 5, 10, 31, 0, 0);
    open_scene(&closed, cloud_floats(N * 5, 1, 1), N, 5, 10, 31, 0, 0.5);
    const double *want = nln_tsne_gradient_compute(&exact.gradient, at, 12);
    assert_true(difference(nln_tsne_gradient_compute(&open.gradient, at, 12), want, 2 * N) < 1e-12);
    double far = difference(nln_tsne_gradient_compute(&closed.gradient, at, 12), want, 2 * N);
    assert_true(far > 0 && far < 0.01);
    double kl = divergence_at(&exact, at);
    assert_true(fabs(divergence_at(&open, at) - kl) < 1e-12 * kl);
    assert_true(fabs(divergence_at(&closed, at) - kl) < 1e-2 * kl);
    close_scene(&exact);
    close_scene(&open);
    close_scene(&closed);
    free(at);
}

/* The pull alone grows by the exaggeration. */
static void exaggeration_multiplies_the_pull(void **state)
{
    (void)state;
    enum { N = 30 };
    scene s;
    double *at = cloud_doubles(2 * N, 1, 1), g[4][2 * N];
    open_scene(&s, cloud_floats(N * 5, 1, 1), N, 5, 5, 15, 1, 0);
    for (int x = 0; x < 4; x++)
        memcpy(g[x], nln_tsne_gradient_compute(&s.gradient, at, x), sizeof g[x]);
    for (size_t i = 0; i < 2 * N; i++) {
        assert_true(fabs((g[3][i] - g[2][i]) - (g[1][i] - g[0][i])) < 1e-12);
        assert_true(fabs(g[1][i] - g[0][i]) > 0);
    }
    close_scene(&s);
    free(at);
}

static void the_divergence_is_that_of_scikit_learn(void **state)
{
    (void)state;
    enum { N = GOLDEN_POINTS, D = GOLDEN_DIMENSION };
    scene s;
    float *points = malloc(N * D * sizeof *points);
    double at[2 * N];
    for (size_t i = 0; i < N * D; i++)
        points[i] = golden_point[i];
    for (size_t i = 0; i < N; i++) {
        at[i] = golden_point[i * D] / 64.0;
        at[N + i] = golden_point[i * D + 1] / 64.0;
    }
    open_scene(&s, points, N, D, GOLDEN_PERPLEXITY, N - 1, 1, 0);
    assert_true(fabs(divergence_at(&s, at) - golden_plane_kl) < 1e-6 * golden_plane_kl);
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_divergence),
        cmocka_unit_test(cells_agree_with_all_pairs),
        cmocka_unit_test(exaggeration_multiplies_the_pull),
        cmocka_unit_test(the_divergence_is_that_of_scikit_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
