/* A list of bodies in the plane and how they push a point away, as t-SNE has it: with
 * q = 1 / (1 + r^2), a body of mass m at distance r pushes by m q^2 r. */
#ifndef NLN_PLANE_BARNES_HUT_H
#define NLN_PLANE_BARNES_HUT_H

#include <stddef.h>

enum { NLN_BODIES_ROOM = 512, NLN_BODIES_LANES = 4 };

/* Room for a few more than NLN_BODIES_ROOM, so that whole lanes can be read. */
typedef struct nln_barnes_hut {
    int n;
    double x[NLN_BODIES_ROOM + NLN_BODIES_LANES];
    double y[NLN_BODIES_ROOM + NLN_BODIES_LANES];
    double mass[NLN_BODIES_ROOM + NLN_BODIES_LANES];
} nln_barnes_hut;

/* What pushes a point: the sums of m q^2 (dx, dy) and of m q. */
typedef struct nln_repulsion {
    double x, y, z;
} nln_repulsion;

/* Adds the push of the bodies, fewer than NLN_BODIES_ROOM + 1, on each of n points. */
void nln_barnes_hut_push(nln_repulsion *sum, const double *x, const double *y, size_t n,
                         nln_barnes_hut *bodies);

#endif
