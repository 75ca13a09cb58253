/* A tile of rows on its way through the ten laws.
 *
 * Rows that share a matrix are multiplied together.  What comes of a hidden layer goes on in parts,
 * since rows that are alike have the same units asleep (math/awake.h). */
#ifndef NLN_NET_LAW_TILE_H
#define NLN_NET_LAW_TILE_H

#include "net/workspace.h"

/* The terms of the rows, each times its weight: returns their sum, and adds their gradients to dH,
 * to those of the bases, to din of the room and to work->yield->grad; those of loans are left in P.
 * Laws whose bit in `active` is 0 count nothing. */
double nln_law_tile_gradient(nln_workspace *work, const nln_net *net, const nln_law_rows *rows,
                             unsigned active);

/* cosine[law][i] of the rows, which are not sorted, in a room of its own. */
void nln_law_tile_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *room,
                          const nln_workspace *work, const nln_net *net, const nln_law_rows *rows);

#endif
