/* A tile of rows on its way through the ten laws.
 *
 * Rows that share a matrix are multiplied together.  Products with a hidden layer are made in parts
 * of similar rows, which have the same active units (math/active_units.h). */
#ifndef NLN_NET_LAW_TILE_H
#define NLN_NET_LAW_TILE_H

#include "net/workspace.h"

/* Returns the sum of the rows' terms, each times its weight, and adds their gradients to dH, to
 * those of the constants, to din of the workspace and to work->gradient; those of shared
 * projections are left in P.  Only laws whose bit is set in `laws` count. */
double nln_law_tile_gradient(nln_workspace *work, const nln_net *net, const nln_law_rows *rows,
                             unsigned laws);

/* cosine[law][i] of the rows, which are not sorted; computed in `space`. */
void nln_law_tile_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *space,
                          const nln_workspace *work, const nln_net *net, const nln_law_rows *rows);

/* The terms of a law whose sides should be alike: returns the sum of weight[i] * (1 - Sim), Sim =
 * sigmoid(alpha cosine[i]), of n <= NLN_LAW_TILE rows; slope[i] is its derivative by cosine[i].
 * With -alpha they are the terms weight[i] * Sim of a law whose sides should be far apart. */
double nln_law_terms(real *slope, const real *cosine, const real *weight, real alpha, int n);

#endif
