/* A quadtree over points of the plane, for pushes by whole cells (Barnes and Hut, 1986; van der
 * Maaten, 2014).
 *
 * Points are sorted along the Z-curve, so that a cell is a range of them.  Cells lie in the
 * order of a walk, each before its children, and know where the walk goes on without them.  A
 * cell that would have one child only is left out, so there are fewer than 2 n of them and
 * points that coincide cost nothing.  The points of a leaf are served together: a cell is
 * taken as one body where it is small as seen from all of them. */
#ifndef NLN_PLANE_QUADTREE_H
#define NLN_PLANE_QUADTREE_H

#include <stdint.h>

#include "base/error.h"
#include "plane/barnes_hut.h"

enum { NLN_QUADTREE_LEAF = 16 }; /* points of a leaf, unless they (almost) coincide */

typedef struct nln_cell {
    double x, y, mass; /* centre of mass, and points */
    double width;
    int32_t first, last; /* sorted points first .. last - 1 */
    int32_t next;        /* the cell after its descendants; a leaf's is the next one */
    int8_t is_lump;      /* its points are too close together to tell them apart */
} nln_cell;

/* Points to be served together. */
typedef struct nln_barnes_hut_mass {
    int32_t first, last; /* sorted points, at most NLN_QUADTREE_LEAF */
} nln_barnes_hut_mass;

typedef struct nln_quadtree {
    int32_t n, n_cells, n_herds;
    uint64_t *key, *other_key;    /* [n] place on the curve, and scratch */
    int32_t *order, *other_order; /* [n] the point at a place */
    double *x, *y;                /* [n] sorted */
    nln_cell *cell;               /* [2 n] */
    nln_barnes_hut_mass *herd;    /* [n] */
} nln_quadtree;

nln_status nln_quadtree_create(nln_quadtree **out, size_t n, nln_error *err);
void nln_quadtree_free(nln_quadtree *tree);

/* Of the tree's n points, at finite places. */
void nln_quadtree_build(nln_quadtree *tree, const double *x, const double *y);

/* sum[i] = the push on the i-th point of a herd, itself included (which adds 1 to z), with cells
 * taken as bodies where width / distance < theta. */
void nln_quadtree_push(nln_repulsion sum[NLN_QUADTREE_LEAF], const nln_quadtree *tree,
                       nln_barnes_hut_mass herd, double theta);

#endif
