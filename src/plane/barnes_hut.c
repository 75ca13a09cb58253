#include "plane/barnes_hut.h"

#include <math.h>
#include <string.h>

enum { LANES = 4, MOST_MASSES = 512 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* The arrays are longer than MOST_MASSES so that the last lanes can be read. */
typedef struct masses {
    int n;
    double x[MOST_MASSES + LANES];
    double y[MOST_MASSES + LANES];
    double mass[MOST_MASSES + LANES];
} masses;

static double total(const lanes *v)
{
    double part[LANES];
    memcpy(part, v, sizeof part);
    return (part[0] + part[1]) + (part[2] + part[3]);
}

/* Adds the repulsion of the masses on n points, and empties their list. */
static void add_repulsion(nln_repulsion *sum, const double *x, const double *y, size_t n,
                          masses *list)
{
    for (int i = list->n; i < list->n + LANES; i++)
        list->x[i] = list->y[i] = list->mass[i] = 0;
    for (size_t p = 0; p < n; p++) {
        lanes sum_x = {0}, sum_y = {0}, sum_z = {0}, dx, dy, mass;
        for (int i = 0; i < list->n; i += LANES) {
            memcpy(&dx, list->x + i, sizeof dx);
            memcpy(&dy, list->y + i, sizeof dy);
            memcpy(&mass, list->mass + i, sizeof mass);
            dx = x[p] - dx;
            dy = y[p] - dy;
            lanes q = 1 / (1 + dx * dx + dy * dy), mq = mass * q, mqq = mq * q;
            sum_z += mq;
            sum_x += mqq * dx;
            sum_y += mqq * dy;
        }
        sum[p].x += total(&sum_x);
        sum[p].y += total(&sum_y);
        sum[p].z += total(&sum_z);
    }
    list->n = 0;
}

static void append(masses *list, double x, double y, double mass)
{
    list->x[list->n] = x;
    list->y[list->n] = y;
    list->mass[list->n++] = mass;
}

void nln_barnes_hut_exact(nln_repulsion *out, const double *x, const double *y, size_t n,
                          size_t first, size_t last)
{
    masses list;
    list.n = 0;
    memset(out, 0, (last - first) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        append(&list, x[i], y[i], 1);
        if (list.n == MOST_MASSES || i + 1 == n)
            add_repulsion(out, x + first, y + first, last - first, &list);
    }
}

/* A rectangle, as its centre and half its sides. */
typedef struct box {
    double x, y, half_x, half_y;
} box;

static box box_around(const double *x, const double *y, size_t n)
{
    double left = x[0], right = x[0], bottom = y[0], top = y[0];
    for (size_t i = 1; i < n; i++) {
        left = x[i] < left ? x[i] : left;
        right = x[i] > right ? x[i] : right;
        bottom = y[i] < bottom ? y[i] : bottom;
        top = y[i] > top ? y[i] : top;
    }
    return (box){(left + right) / 2, (bottom + top) / 2, (right - left) / 2, (top - bottom) / 2};
}

/* Whether width / distance < theta from every point of the box. */
static int is_far(const nln_quadtree_cell *c, const box *b, double theta)
{
    double dx = fabs(c->x - b->x) - b->half_x, dy = fabs(c->y - b->y) - b->half_y;
    dx = dx > 0 ? dx : 0;
    dy = dy > 0 ? dy : 0;
    return c->width * c->width < theta * theta * (dx * dx + dy * dy);
}

void nln_barnes_hut_approximate(nln_repulsion out[NLN_QUADTREE_LEAF], const nln_quadtree *tree,
                                nln_quadtree_group group, double theta)
{
    masses list;
    const double *x = tree->x + group.first, *y = tree->y + group.first;
    size_t n = (size_t)(group.last - group.first);
    box around = box_around(x, y, n);
    list.n = 0;
    memset(out, 0, n * sizeof *out);
    for (int32_t i = 0; i < tree->n_cells;) {
        const nln_quadtree_cell *c = &tree->cell[i];
        int whole = c->coincident || is_far(c, &around, theta), is_leaf = c->next == i + 1;
        if (list.n + NLN_QUADTREE_LEAF > MOST_MASSES)
            add_repulsion(out, x, y, n, &list);
        if (whole)
            append(&list, c->x, c->y, c->mass);
        else if (is_leaf)
            for (int32_t j = c->first; j < c->last; j++)
                append(&list, tree->x[j], tree->y[j], 1);
        i = whole ? c->next : i + 1;
    }
    add_repulsion(out, x, y, n, &list);
}
