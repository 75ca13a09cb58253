/* The repulsive forces of t-SNE: exact, or by Barnes and Hut (1986) as in van der Maaten (2014).
 *
 * With q = 1 / (1 + r^2), a point of mass m at distance r repels by m q^2 r and adds m q to the
 * normalisation Z. */
#ifndef NLN_PLANE_BARNES_HUT_H
#define NLN_PLANE_BARNES_HUT_H

#include "plane/quadtree.h"

/* The sums of m q^2 (dx, dy) and of m q. */
typedef struct nln_repulsion {
    double x, y, z;
} nln_repulsion;

/* out[i] = the repulsion of all n points on point first + i < last, including itself (which adds 1
 * to z). */
void nln_barnes_hut_exact(nln_repulsion *out, const double *x, const double *y, size_t n,
                          size_t first, size_t last);

/* The same for the points of a group.  A cell counts as one point at its centre of mass if
 * width / distance < theta for all points of the group. */
void nln_barnes_hut_approximate(nln_repulsion out[NLN_QUADTREE_LEAF], const nln_quadtree *tree,
                                nln_quadtree_group group, double theta);

#endif
