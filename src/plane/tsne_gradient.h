/* The objective of t-SNE and its gradient.
 *
 * With q_ij = 1 / (1 + |y_i - y_j|^2) and Z the sum of all q_ij, the objective is the
 * Kullback-Leibler divergence of q_ij / Z from p_ij.  Its gradient is an attraction and a
 * repulsion:
 *
 *     dKL/dy_i = 4 (sum_j p_ij q_ij (y_i - y_j) - sum_j q_ij^2 (y_i - y_j) / Z).
 *
 * The repulsion is summed over all pairs or over the cells of a quadtree.  The sums of a point have
 * a fixed order, so the number of threads does not change them. */
#ifndef NLN_PLANE_TSNE_GRADIENT_H
#define NLN_PLANE_TSNE_GRADIENT_H

#include "plane/affinities.h"
#include "plane/barnes_hut.h"

typedef struct nln_tsne_gradient {
    const nln_affinities *affinity;
    nln_thread_pool *pool;
    int exact;         /* the repulsion is summed over all pairs */
    nln_quadtree tree; /* unless `exact` */
    double theta;
    double entropy;           /* sum of p log p */
    double Z;                 /* of the last gradient */
    nln_repulsion *repulsion; /* [n] */
    double *gradient;         /* [2, n] */
    double *divergence;       /* [n] */
    const double *at;         /* [2, n] positions of the last gradient */
} nln_tsne_gradient;

/* `exact` sums the repulsion over all pairs. */
nln_status nln_tsne_gradient_create(nln_tsne_gradient *out, const nln_affinities *affinity,
                                    int exact, double theta, nln_thread_pool *pool, nln_error *err);
void nln_tsne_gradient_free(nln_tsne_gradient *g);

/* The gradient, [2, n], at the positions `at`, [2, n]: all x, then all y.  The p_ij are multiplied
 * by the exaggeration.  The result is valid until the next call. */
const double *nln_tsne_gradient_compute(nln_tsne_gradient *g, const double *at,
                                        double exaggeration);
/* The objective at the positions of the last gradient, without exaggeration. */
double nln_tsne_gradient_divergence(nln_tsne_gradient *g);

#endif
