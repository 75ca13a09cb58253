/* The objective of t-SNE and its gradient.
 *
 * With q_ij = 1 / (1 + |y_i - y_j|^2) and Z the sum of all of them, the objective is the
 * divergence of q_ij / Z from p_ij, and its gradient has a pull and a push:
 *
 *     dKL/dy_i = 4 (sum_j p_ij q_ij (y_i - y_j) - sum_j q_ij^2 (y_i - y_j) / Z).
 *
 * The push is summed over all pairs or, for theta > 0, over the cells of a quadtree.  Every
 * point's sums have an order of their own, so threads do not change them. */
#ifndef NLN_PLANE_FORCES_H
#define NLN_PLANE_FORCES_H

#include "plane/affinities.h"
#include "plane/quadtree.h"

typedef struct nln_forces {
    const nln_affinities *affinity;
    nln_thread_pool *team;
    nln_quadtree *tree; /* NULL for the sum over all pairs */
    double theta;
    double own;          /* sum of p log p */
    double Z;            /* of the last gradient */
    nln_repulsion *push; /* [n] */
    double *pull;        /* [2, n], then the gradient */
    double *divergence;  /* [n] */
    const double *at;    /* [2, n] of the last gradient */
} nln_forces;

/* `exact` says to sum over all pairs. */
nln_status nln_forces_create(nln_forces **out, const nln_affinities *affinity, int exact,
                             double theta, nln_thread_pool *team, nln_error *err);
void nln_forces_free(nln_forces *forces);

/* The gradient, [2, n], at the places `at`, [2, n]: all x, then all y.  The p_ij are multiplied
 * by the exaggeration.  Borrowed, until the next call. */
const double *nln_forces_gradient(nln_forces *forces, const double *at, double exaggeration);
/* The objective at the places of the last gradient, without exaggeration. */
double nln_forces_divergence(nln_forces *forces);

#endif
