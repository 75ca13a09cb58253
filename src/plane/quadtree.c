#include "plane/quadtree.h"

#include <math.h>

#include "base/array.h"

/* Levels of cells; a key has two bits for each.  DIGIT bits are sorted in one pass. */
enum { LEVELS = 24, DIGIT = 12, VALUES = 1 << DIGIT };

nln_status nln_quadtree_create(nln_quadtree *out, size_t n, nln_error *err)
{
    *out = (nln_quadtree){.n = (int32_t)n,
                          .point = nln_array_zeroed(n, sizeof *out->point),
                          .other = nln_array_zeroed(n, sizeof *out->other),
                          .x = nln_array_zeroed(n, sizeof *out->x),
                          .y = nln_array_zeroed(n, sizeof *out->y),
                          .cell = nln_array_zeroed(2 * n, sizeof *out->cell),
                          .group = nln_array_zeroed(n, sizeof *out->group)};
    if (out->point && out->other && out->x && out->y && out->cell && out->group)
        return NLN_OK;
    nln_quadtree_free(out);
    return nln_error_memory(err);
}

void nln_quadtree_free(nln_quadtree *tree)
{
    nln_free(tree->point);
    nln_free(tree->other);
    nln_free(tree->x);
    nln_free(tree->y);
    nln_free(tree->cell);
    nln_free(tree->group);
    *tree = (nln_quadtree){0};
}

/* Puts a 0 before each of the low 24 bits. */
static uint64_t spread(uint64_t v)
{
    v = (v | v << 16) & 0x0000ffff0000ffffu;
    v = (v | v << 8) & 0x00ff00ff00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
    v = (v | v << 2) & 0x3333333333333333u;
    return (v | v << 1) & 0x5555555555555555u;
}

/* A coordinate as a whole number of 24 bits. */
static uint64_t quantise(double distance, double width)
{
    double s = width > 0 ? distance / width * (1 << LEVELS) : 0;
    return s < (1 << LEVELS) ? (uint64_t)s : (1 << LEVELS) - 1;
}

/* One pass of a radix sort. */
static void sort_digit(nln_quadtree *t, int shift)
{
    int32_t start[VALUES + 1] = {0};
    for (int32_t i = 0; i < t->n; i++)
        start[(t->point[i].key >> shift) % VALUES + 1]++;
    for (int v = 0; v < VALUES; v++)
        start[v + 1] += start[v];
    for (int32_t i = 0; i < t->n; i++)
        t->other[start[(t->point[i].key >> shift) % VALUES]++] = t->point[i];
    nln_quadtree_point *sorted = t->other;
    t->other = t->point;
    t->point = sorted;
}

/* Returns the width of the square around the points. */
static double sort_points(nln_quadtree *t, const double *x, const double *y)
{
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (int32_t i = 0; i < t->n; i++) {
        left = fmin(left, x[i]);
        right = fmax(right, x[i]);
        bottom = fmin(bottom, y[i]);
        top = fmax(top, y[i]);
    }
    double width = fmax(right - left, top - bottom);
    for (int32_t i = 0; i < t->n; i++) {
        uint64_t column = quantise(x[i] - left, width), row = quantise(y[i] - bottom, width);
        t->point[i] = (nln_quadtree_point){spread(column) | spread(row) << 1, i};
    }
    for (int shift = 0; shift < 2 * LEVELS; shift += DIGIT)
        sort_digit(t, shift);
    for (int32_t i = 0; i < t->n; i++) {
        t->x[i] = x[t->point[i].index];
        t->y[i] = y[t->point[i].index];
    }
    return width;
}

/* The level of the smallest cell that holds both keys. */
static int common_level(uint64_t a, uint64_t b)
{
    int level = LEVELS;
    for (uint64_t rest = a ^ b; rest; rest >>= 2)
        level--;
    return level;
}

/* The first of the sorted points first .. last - 1 whose key is at least `key`. */
static int32_t find_key(const nln_quadtree *t, int32_t first, int32_t last, uint64_t key)
{
    while (first < last) {
        int32_t middle = first + (last - first) / 2;
        if (t->point[middle].key < key)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Sums the positions of a leaf and divides its points into groups. */
static void fill_leaf(nln_quadtree *t, nln_quadtree_cell *c)
{
    for (int32_t i = c->first; i < c->last; i++) {
        c->x += t->x[i];
        c->y += t->y[i];
    }
    for (int32_t i = c->first; i < c->last; i += NLN_QUADTREE_LEAF) {
        int32_t end = c->last - i < NLN_QUADTREE_LEAF ? c->last : i + NLN_QUADTREE_LEAF;
        t->group[t->n_groups++] = (nln_quadtree_group){i, end};
    }
}

/* Adds the cell of a range of points with its descendants, at most LEVELS deep. */
static int32_t add_cell(nln_quadtree *t, int32_t first, int32_t last, // NOLINT(misc-no-recursion)
                        double width)
{
    int32_t self = t->n_cells++;
    uint64_t low = t->point[first].key, high = t->point[last - 1].key;
    int level = common_level(low, high), shift = 2 * (LEVELS - level - 1);
    nln_quadtree_cell *c = &t->cell[self];
    *c = (nln_quadtree_cell){.mass = last - first,
                             .width = ldexp(width, -level),
                             .first = first,
                             .last = last,
                             .coincident = level == LEVELS};
    if (last - first <= NLN_QUADTREE_LEAF || c->coincident) {
        fill_leaf(t, c);
    } else {
        for (uint64_t quarter = low >> shift; first < last; quarter++) {
            int32_t end = find_key(t, first, last, (quarter + 1) << shift);
            if (end > first) {
                const nln_quadtree_cell *child = &t->cell[add_cell(t, first, end, width)];
                c->x += child->x * child->mass;
                c->y += child->y * child->mass;
            }
            first = end;
        }
    }
    c->x /= c->mass;
    c->y /= c->mass;
    c->next = t->n_cells;
    return self;
}

void nln_quadtree_build(nln_quadtree *tree, const double *x, const double *y)
{
    tree->n_cells = tree->n_groups = 0;
    if (tree->n)
        add_cell(tree, 0, tree->n, sort_points(tree, x, y));
}
