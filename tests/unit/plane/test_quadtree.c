#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/quadtree.h"

static nln_quadtree *tree_of(const double *x, const double *y, size_t n)
{
    nln_quadtree *tree = NULL;
    assert_int_equal(nln_quadtree_create(&tree, n, NULL), NLN_OK);
    nln_quadtree_build(tree, x, y);
    return tree;
}

/* The push on point i by the definition, itself included. */
static nln_repulsion plain_push(const double *x, const double *y, size_t n, size_t i)
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

/* The largest difference of a push from the plain one, by the largest plain one. */
static double worst(const double *x, const double *y, size_t n, double theta)
{
    nln_quadtree *t = tree_of(x, y, n);
    double most = 0, largest = 1e-9;
    for (int32_t h = 0; h < t->n_herds; h++) {
        nln_repulsion sum[NLN_QUADTREE_LEAF];
        nln_quadtree_push(sum, t, t->herd[h], theta);
        for (int32_t i = t->herd[h].first; i < t->herd[h].last; i++) {
            nln_repulsion got = sum[i - t->herd[h].first];
            nln_repulsion want = plain_push(x, y, n, (size_t)t->order[i]);
            most = fmax(most, fmax(fabs(got.x - want.x), fabs(got.y - want.y)));
            most = fmax(most, fabs(got.z - want.z));
            largest = fmax(largest, fmax(fabs(want.x), fabs(want.z)));
        }
    }
    nln_quadtree_free(t);
    return most / largest;
}

/* Cells hold what they say: points in order, sums, and every point in one leaf and one herd. */
static void check_tree(const double *x, const double *y, size_t n)
{
    nln_quadtree *t = tree_of(x, y, n);
    int32_t in_leaves = 0, in_herds = 0;
    assert_true(t->n_cells < 2 * (int32_t)n || n <= 1);
    for (int32_t c = 0; c < t->n_cells; c++) {
        const nln_cell *cell = &t->cell[c];
        double sum = 0, left = INFINITY, right = -INFINITY;
        for (int32_t i = cell->first; i < cell->last; i++) {
            assert_true(t->x[i] == x[t->order[i]] && t->y[i] == y[t->order[i]]);
            sum += t->x[i];
            left = fmin(left, t->x[i]);
            right = fmax(right, t->x[i]);
        }
        assert_true(right - left <= cell->width * (1 + 1e-9));
        assert_true(fabs(sum / cell->mass - cell->x) <= 1e-9 * (1 + fabs(cell->x)));
        assert_int_equal(cell->mass, cell->last - cell->first);
        assert_true(cell->next > c && cell->next <= t->n_cells);
        if (cell->next == c + 1) {
            assert_int_equal(cell->first, in_leaves);
            in_leaves = cell->last;
        }
    }
    for (int32_t h = 0; h < t->n_herds; h++) {
        assert_int_equal(t->herd[h].first, in_herds);
        assert_in_range(t->herd[h].last - t->herd[h].first, 1, NLN_QUADTREE_LEAF);
        in_herds = t->herd[h].last;
    }
    assert_int_equal(in_leaves, n);
    assert_int_equal(in_herds, n);
    nln_quadtree_free(t);
}

static void cells_hold_their_points(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 16, 17, 100, 3000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double *x = cloud_doubles(2 * sizes[i], 10, i);
        check_tree(x, x + sizes[i], sizes[i]);
        free(x);
    }
}

static void without_cells_the_push_is_exact(void **state)
{
    (void)state;
    double *x = cloud_doubles(2 * 1300, 5, 1);
    assert_true(worst(x, x + 1300, 1300, 0) < 1e-12);
    free(x);
}

static void cells_cost_little_truth(void **state)
{
    (void)state;
    double *x = cloud_doubles(2 * 1300, 20, 2);
    double half = worst(x, x + 1300, 1300, 0.5), whole = worst(x, x + 1300, 1300, 1);
    assert_true(half > 0 && half < 0.01);
    assert_true(whole > half && whole < 0.1);
    free(x);
}

/* Coinciding points, on a line or in heaps, neither deepen the tree nor slow it down. */
static void points_may_coincide(void **state)
{
    (void)state;
    enum { N = 400 };
    double x[N] = {0}, y[N] = {0};
    check_tree(x, y, N);
    assert_true(worst(x, y, N, 0.5) < 1e-12);
    for (int i = 0; i < N; i++)
        x[i] = i % 3;
    check_tree(x, y, N);
    assert_true(worst(x, y, N, 0.5) < 1e-6);
    for (int i = 0; i < N; i++)
        y[i] = i % 2 ? 1e50 : 1e-50 * i;
    check_tree(x, y, N);
    double *many = calloc(2 * 200000, sizeof *many); /* every pair would take minutes */
    nln_quadtree *t = tree_of(many, many + 200000, 200000);
    nln_repulsion sum[NLN_QUADTREE_LEAF];
    for (int32_t h = 0; h < t->n_herds; h++)
        nln_quadtree_push(sum, t, t->herd[h], 0.5);
    assert_true(sum[0].z == 200000 && sum[0].x == 0);
    nln_quadtree_free(t);
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_hold_their_points),
        cmocka_unit_test(without_cells_the_push_is_exact),
        cmocka_unit_test(cells_cost_little_truth),
        cmocka_unit_test(points_may_coincide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
