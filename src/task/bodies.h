/* A list of bodies in the plane and how they push a point away, as t-SNE has it: with
 * q = 1 / (1 + r^2), a body of mass m at distance r pushes by m q^2 r. */
#ifndef NLN_TASK_BODIES_H
#define NLN_TASK_BODIES_H

#include <stddef.h>

enum { NLN_BODIES_ROOM = 512, NLN_BODIES_LANES = 4 };

/* Room for a few more than NLN_BODIES_ROOM, so that whole lanes can be read. */
typedef struct nln_bodies {
    int n;
    double x[NLN_BODIES_ROOM + NLN_BODIES_LANES];
    double y[NLN_BODIES_ROOM + NLN_BODIES_LANES];
    double mass[NLN_BODIES_ROOM + NLN_BODIES_LANES];
} nln_bodies;

/* What pushes a point: the sums of m q^2 (dx, dy) and of m q. */
typedef struct nln_push {
    double x, y, z;
} nln_push;

/* Adds the push of the bodies, fewer than NLN_BODIES_ROOM + 1, on each of n points. */
void nln_bodies_push(nln_push *sum, const double *x, const double *y, size_t n, nln_bodies *bodies);

#endif
