#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/distances.h"

typedef struct visits {
    const nln_distances *space;
    int *seen;     /* [n] */
    double widest; /* gap by distance */
} visits;

/* Runs on one thread only, so it may assert. */
static void check_bounds(void *context, size_t i, const float *least)
{
    visits *v = context;
    v->seen[i]++;
    for (size_t j = 0; j < v->space->n; j++) {
        double exact = nln_distances_exact(v->space, i, j);
        double gap = (double)nln_distances_gap(v->space, i, j);
        assert_true((double)least[j] <= exact);
        assert_true(exact <= (double)least[j] + gap);
        if (exact > 0)
            v->widest = fmax(v->widest, gap / exact);
    }
}

static void visit_all(visits *v, const float *points, size_t n, size_t dim, size_t step)
{
    nln_distances space = {0};
    nln_thread_pool *team = cloud_team(1);
    assert_int_equal(nln_distances_create(&space, points, n, dim, NULL), NLN_OK);
    v->space = &space;
    v->seen = calloc(n + 1, sizeof *v->seen);
    assert_int_equal(nln_distances_rows(&space, step, check_bounds, v, team, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(v->seen[i], i % step == 0);
    free(v->seen);
    nln_thread_pool_free(team);
    nln_distances_free(&space);
}

static void bounds_hold_exact_distances(void **state)
{
    (void)state;
    for (size_t dim = 1; dim < 200; dim = 3 * dim + 1) {
        float *points = cloud_floats(100 * dim, 1, dim);
        visits v = {0};
        visit_all(&v, points, 100, dim, 1);
        visit_all(&v, points, 100, dim, 7);
        free(points);
    }
}

static void bounds_are_narrow_for_ordinary_points(void **state)
{
    (void)state;
    float *points = cloud_floats(200 * 64, 1, 1);
    visits v = {0};
    visit_all(&v, points, 200, 64, 1);
    assert_true(v.widest > 0 && v.widest < 1e-3);
    free(points);
}

/* Far from the origin, of all sizes, and with one point very far away. */
static void bounds_hold_at_any_scale(void **state)
{
    (void)state;
    static const double scales[] = {1e-42, 1e-20, 1, 1e20, 1e37};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++)
        for (int odd = 0; odd < 3; odd++) {
            float *points = cloud_floats(60 * 5, scales[s], s);
            visits v = {0};
            for (size_t i = 0; odd == 1 && i < 60 * 5; i++)
                points[i] += (float)(scales[s] * 8);
            if (odd == 2)
                points[7] = 1e38F;
            visit_all(&v, points, 60, 5, 1);
            free(points);
        }
}

static void distances_are_exact_near_and_far(void **state)
{
    (void)state;
    const float points[] = {1e10F, 0, 1, 0, 1, 1, 4, 5};
    nln_distances space = {0};
    assert_int_equal(nln_distances_create(&space, points, 4, 2, NULL), NLN_OK);
    double unit = space.unit * space.unit;
    assert_true(fabs(nln_distances_exact(&space, 1, 2) / unit - 1) < 1e-12);
    assert_true(fabs(nln_distances_exact(&space, 3, 2) / unit - 25) < 1e-12 * 25);
    assert_true(nln_distances_exact(&space, 3, 3) == 0);
    nln_distances_free(&space);
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    const float bad[] = {1, 2, 3, NAN, 5, 6}, worse[] = {1, 2, 3, 4, 5, -INFINITY};
    nln_distances space = {0};
    nln_error err = {0};
    assert_int_equal(nln_distances_create(&space, bad, 3, 2, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "number 2 of point 2"));
    assert_int_equal(nln_distances_create(&space, worse, 2, 3, &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "number 3 of point 2"));
    assert_int_equal(nln_distances_create(&space, bad, (size_t)1 << 40, 2, &err), NLN_LIMIT);
    assert_null(space.centred);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_exact_distances),
        cmocka_unit_test(bounds_are_narrow_for_ordinary_points),
        cmocka_unit_test(bounds_hold_at_any_scale),
        cmocka_unit_test(distances_are_exact_near_and_far),
        cmocka_unit_test(numbers_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
