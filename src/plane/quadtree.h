/* A quadtree over points of the plane.
 *
 * Points are sorted along the Z-order curve, so the points of a cell are a range.  Cells are in
 * depth-first order, and each knows the cell that follows its descendants.  A cell with a single
 * child is left out, so there are fewer than 2 n cells and coincident points cost nothing. */
#ifndef NLN_PLANE_QUADTREE_H
#define NLN_PLANE_QUADTREE_H

#include <stdint.h>

#include "base/error.h"

enum { NLN_QUADTREE_LEAF = 16 }; /* most points of a leaf, unless they coincide */

typedef struct nln_quadtree_cell {
    double x, y, mass; /* centre of mass, and number of points */
    double width;
    int32_t first, last; /* sorted points first .. last - 1 */
    int32_t next;        /* the cell after the descendants; for a leaf, the next cell */
    int8_t coincident;   /* the points are too close together to be separated */
} nln_quadtree_cell;

typedef struct nln_quadtree_point {
    uint64_t key;  /* position on the curve */
    int32_t index; /* of the point */
} nln_quadtree_point;

/* Points of one leaf, which are processed together. */
typedef struct nln_quadtree_group {
    int32_t first, last; /* at most NLN_QUADTREE_LEAF sorted points */
} nln_quadtree_group;

typedef struct nln_quadtree {
    int32_t n, n_cells, n_groups;
    nln_quadtree_point *point, *other; /* [n] sorted by key, and scratch */
    double *x, *y;                     /* [n] in the same order */
    nln_quadtree_cell *cell;           /* [2 n] */
    nln_quadtree_group *group;         /* [n] */
} nln_quadtree;

nln_status nln_quadtree_create(nln_quadtree *out, size_t n, nln_error *err);
void nln_quadtree_free(nln_quadtree *tree);

/* Builds the tree of n points at finite positions. */
void nln_quadtree_build(nln_quadtree *tree, const double *x, const double *y);

#endif
