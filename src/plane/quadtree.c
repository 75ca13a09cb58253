#include "plane/quadtree.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Levels of the finest cells; a key has two bits for each. */
enum { LEVELS = 24, DIGIT = 12, VALUES = 1 << DIGIT };

nln_status nln_quadtree_create(nln_quadtree **out, size_t n, nln_error *err)
{
    nln_quadtree *t = nln_memory_zeroed(1, sizeof *t);
    if (!t)
        return nln_error_memory(err);
    t->n = (int32_t)n;
    t->key = nln_array_zeroed(n, sizeof *t->key);
    t->other_key = nln_array_zeroed(n, sizeof *t->key);
    t->order = nln_array_zeroed(n, sizeof *t->order);
    t->other_order = nln_array_zeroed(n, sizeof *t->order);
    t->x = nln_array_zeroed(n, sizeof *t->x);
    t->y = nln_array_zeroed(n, sizeof *t->y);
    t->cell = nln_array_zeroed(2 * n, sizeof *t->cell);
    t->herd = nln_array_zeroed(n, sizeof *t->herd);
    if (!t->key || !t->other_key || !t->order || !t->other_order || !t->x || !t->y || !t->cell ||
        !t->herd) {
        nln_quadtree_free(t);
        return nln_error_memory(err);
    }
    *out = t;
    return NLN_OK;
}

void nln_quadtree_free(nln_quadtree *tree)
{
    if (!tree)
        return;
    nln_free(tree->key);
    nln_free(tree->other_key);
    nln_free(tree->order);
    nln_free(tree->other_order);
    nln_free(tree->x);
    nln_free(tree->y);
    nln_free(tree->cell);
    nln_free(tree->herd);
    nln_free(tree);
}

/* ---- sorting ----------------------------------------------------------------------- */

/* The square around the points. */
typedef struct square {
    double x, y, width;
} square;

static square frame(const double *x, const double *y, int32_t n)
{
    double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
    for (int32_t i = 0; i < n; i++) {
        left = fmin(left, x[i]);
        right = fmax(right, x[i]);
        bottom = fmin(bottom, y[i]);
        top = fmax(top, y[i]);
    }
    return (square){left, bottom, fmax(right - left, top - bottom)};
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

static uint64_t steps(double distance, double width)
{
    double s = width > 0 ? distance / width * (1 << LEVELS) : 0;
    return s < (1 << LEVELS) ? (uint64_t)s : (1 << LEVELS) - 1;
}

/* One pass of a radix sort, into the other arrays, which then change places. */
static void sort_digit(nln_quadtree *t, int shift)
{
    int32_t start[VALUES + 1] = {0};
    for (int32_t i = 0; i < t->n; i++)
        start[(t->key[i] >> shift) % VALUES + 1]++;
    for (int v = 0; v < VALUES; v++)
        start[v + 1] += start[v];
    for (int32_t i = 0; i < t->n; i++) {
        int32_t at = start[(t->key[i] >> shift) % VALUES]++;
        t->other_key[at] = t->key[i];
        t->other_order[at] = t->order[i];
    }
    uint64_t *key = t->key;
    int32_t *order = t->order;
    t->key = t->other_key;
    t->order = t->other_order;
    t->other_key = key;
    t->other_order = order;
}

static void sort_points(nln_quadtree *t, square s, const double *x, const double *y)
{
    for (int32_t i = 0; i < t->n; i++) {
        t->key[i] = spread(steps(x[i] - s.x, s.width)) | spread(steps(y[i] - s.y, s.width)) << 1;
        t->order[i] = i;
    }
    for (int shift = 0; shift < 2 * LEVELS; shift += DIGIT)
        sort_digit(t, shift);
    for (int32_t i = 0; i < t->n; i++) {
        t->x[i] = x[t->order[i]];
        t->y[i] = y[t->order[i]];
    }
}

/* ---- cells ------------------------------------------------------------------------- */

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
        if (t->key[middle] < key)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void fill_leaf(nln_quadtree *t, nln_cell *c)
{
    for (int32_t i = c->first; i < c->last; i++) {
        c->x += t->x[i];
        c->y += t->y[i];
    }
    for (int32_t i = c->first; i < c->last; i += NLN_QUADTREE_LEAF) {
        int32_t end = c->last - i < NLN_QUADTREE_LEAF ? c->last : i + NLN_QUADTREE_LEAF;
        t->herd[t->n_herds++] = (nln_barnes_hut_mass){i, end};
    }
}

/* Adds the cell of a range of points with its descendants; as deep as LEVELS.  The sums of
 * places in x and y are divided in the end. */
static int32_t grow(nln_quadtree *t, int32_t first, int32_t last, // NOLINT(misc-no-recursion)
                    double width)
{
    int32_t self = t->n_cells++;
    uint64_t low = t->key[first], high = t->key[last - 1];
    int level = common_level(low, high), shift = 2 * (LEVELS - level - 1);
    nln_cell *c = &t->cell[self];
    *c = (nln_cell){.mass = last - first,
                    .width = ldexp(width, -level),
                    .first = first,
                    .last = last,
                    .is_lump = level == LEVELS};
    if (last - first <= NLN_QUADTREE_LEAF || c->is_lump) {
        fill_leaf(t, c);
    } else {
        for (uint64_t quarter = low >> shift; first < last; quarter++) {
            int32_t end = find_key(t, first, last, (quarter + 1) << shift);
            if (end > first) {
                const nln_cell *child = &t->cell[grow(t, first, end, width)];
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
    square s = frame(x, y, tree->n);
    tree->n_cells = tree->n_herds = 0;
    if (!tree->n)
        return;
    sort_points(tree, s, x, y);
    grow(tree, 0, tree->n, s.width);
}

/* ---- pushes ------------------------------------------------------------------------ */

/* The rectangle around a herd, as its middle and half its sides. */
typedef struct box {
    double x, y, half_x, half_y;
} box;

static box box_of(const nln_quadtree *t, nln_barnes_hut_mass h)
{
    double left = t->x[h.first], right = left, bottom = t->y[h.first], top = bottom;
    for (int32_t i = h.first + 1; i < h.last; i++) {
        left = t->x[i] < left ? t->x[i] : left;
        right = t->x[i] > right ? t->x[i] : right;
        bottom = t->y[i] < bottom ? t->y[i] : bottom;
        top = t->y[i] > top ? t->y[i] : top;
    }
    return (box){(left + right) / 2, (bottom + top) / 2, (right - left) / 2, (top - bottom) / 2};
}

/* Whether a cell is small as seen from everywhere in the box. */
static int is_far(const nln_cell *c, const box *b, double theta)
{
    double dx = fabs(c->x - b->x) - b->half_x, dy = fabs(c->y - b->y) - b->half_y;
    dx = dx > 0 ? dx : 0;
    dy = dy > 0 ? dy : 0;
    return c->width * c->width < theta * theta * (dx * dx + dy * dy);
}

static void list_body(nln_barnes_hut *b, double x, double y, double mass)
{
    b->x[b->n] = x;
    b->y[b->n] = y;
    b->mass[b->n++] = mass;
}

void nln_quadtree_push(nln_repulsion sum[NLN_QUADTREE_LEAF], const nln_quadtree *tree,
                       nln_barnes_hut_mass herd, double theta)
{
    nln_barnes_hut bodies;
    const double *x = tree->x + herd.first, *y = tree->y + herd.first;
    size_t n = (size_t)(herd.last - herd.first);
    box around = box_of(tree, herd);
    bodies.n = 0;
    memset(sum, 0, n * sizeof *sum);
    for (int32_t i = 0; i < tree->n_cells;) {
        const nln_cell *c = &tree->cell[i];
        int whole = c->is_lump || is_far(c, &around, theta), leaf = c->next == i + 1;
        if (bodies.n + NLN_QUADTREE_LEAF > NLN_BODIES_ROOM) {
            nln_barnes_hut_push(sum, x, y, n, &bodies);
            bodies.n = 0;
        }
        if (whole)
            list_body(&bodies, c->x, c->y, c->mass);
        else if (leaf)
            for (int32_t j = c->first; j < c->last; j++)
                list_body(&bodies, tree->x[j], tree->y[j], 1);
        i = whole ? c->next : i + 1;
    }
    nln_barnes_hut_push(sum, x, y, n, &bodies);
}
