#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clouds.h"
#include "plane/quadtree.h"

static nln_quadtree *tree_of(const double *x, const double *y, size_t n)
{
    static nln_quadtree tree;
    assert_int_equal(nln_quadtree_create(&tree, n, NULL), NLN_OK);
    nln_quadtree_build(&tree, x, y);
    return &tree;
}

/* Cells hold what they say: points in order, sums, and every point in one leaf and one group. */
static void check_tree(const double *x, const double *y, size_t n)
{
    nln_quadtree *t = tree_of(x, y, n);
    int32_t in_leaves = 0, in_groups = 0;
    assert_true(t->n_cells < 2 * (int32_t)n || n <= 1);
    for (int32_t c = 0; c < t->n_cells; c++) {
        const nln_quadtree_cell *cell = &t->cell[c];
        double sum = 0, left = INFINITY, right = -INFINITY;
        for (int32_t i = cell->first; i < cell->last; i++) {
            assert_true(t->x[i] == x[t->point[i].index] && t->y[i] == y[t->point[i].index]);
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
    for (int32_t h = 0; h < t->n_groups; h++) {
        assert_int_equal(t->group[h].first, in_groups);
        assert_in_range(t->group[h].last - t->group[h].first, 1, NLN_QUADTREE_LEAF);
        in_groups = t->group[h].last;
    }
    assert_int_equal(in_leaves, n);
    assert_int_equal(in_groups, n);
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

/* Coincident points, on a line or in heaps, do not deepen the tree. */
static void points_may_coincide(void **state)
{
    (void)state;
    enum { N = 400 };
    double x[N] = {0}, y[N] = {0};
    check_tree(x, y, N);
    for (int i = 0; i < N; i++)
        x[i] = i % 3;
    check_tree(x, y, N);
    for (int i = 0; i < N; i++)
        y[i] = i % 2 ? 1e50 : 1e-50 * i;
    check_tree(x, y, N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_hold_their_points),
        cmocka_unit_test(points_may_coincide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
