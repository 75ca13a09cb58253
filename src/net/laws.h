/* The ten laws of logic as regularizers.
 *
 * Only the term of a law uses its result.  So a tile of rows that fits the cache goes through all
 * ten laws forward, through the terms, and backward at once; only the gradients of the rows and of
 * shared projections leave the tile.  The first layer of AND(a, b) is a sum of two projections:
 * each row is projected once, as first and as second operand, and the laws add them up; a
 * projection that the tree has made already is taken from there (law_rows.h).  For results that
 * should be T or F only lengths and angles are computed. */
#ifndef NLN_NET_LAWS_H
#define NLN_NET_LAWS_H

#include "net/workspace.h"

/* Prepares the constants of all tiles: the projections of T and F, and the squares of the modules'
 * last layers. */
void nln_laws_begin(nln_law_workspace *space, const nln_workspace *work, const nln_net *net);

/* Returns the sum of the terms of the rows in work->law, each times its weight, and adds their
 * gradients to dH of these rows and of F, and to work->gradient; those of shared projections are
 * left in P.  Only laws whose bit is set in `laws` count. */
double nln_laws_gradient(nln_workspace *work, const nln_net *net, unsigned laws);

/* cosine[law][i] of n <= NLN_LAW_TILE_UNSORTED rows, without gradients.  nln_laws_begin must have
 * run. */
void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *space,
                      const nln_workspace *work, const nln_net *net, const int32_t *rows,
                      int32_t n);

#endif
