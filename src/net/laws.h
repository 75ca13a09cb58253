/* The ten laws of logic as regularizers (Table 1 of the paper).
 *
 * Nothing uses the result of a law but its own term.  So a tile of rows that fits
 * the cache goes through all ten laws forward, through the terms, and backward at
 * once; only the gradients of the rows and of what they borrowed leave the tile.  The first layer
 * of AND(a, b) is a sum of two projections: each row is projected once, as first
 * and as second operand, and the laws add what they need; what the tree has made of it
 * already is taken from there (lawlist.h).  Of results that should be T or F only lengths and
 * angles are computed. */
#ifndef NLN_NET_LAWS_H
#define NLN_NET_LAWS_H

#include "net/workspace.h"

/* name, formula, far (1: the sides should be unlike) */
#define NLN_LAWS(X)                              \
    X(negation, "NOT w, w", 1)                   \
    X(double_negation, "NOT NOT w = w", 0)       \
    X(and_identity, "w AND T = w", 0)            \
    X(and_annihilator, "w AND F = F", 0)         \
    X(and_idempotence, "w AND w = w", 0)         \
    X(and_complementation, "w AND NOT w = F", 0) \
    X(or_annihilator, "w OR T = T", 0)           \
    X(or_identity, "w OR F = w", 0)              \
    X(or_idempotence, "w OR w = w", 0)           \
    X(or_complementation, "w OR NOT w = T", 0)

typedef struct nln_law {
    const char *name, *formula;
    int far_apart;
} nln_law;
extern const nln_law nln_law_table[NLN_N_LAWS];

/* Prepares in the room what all tiles share: the projections of T and F, the squares of the
 * modules' last layers. */
void nln_laws_begin(nln_law_workspace *room, const nln_workspace *work, const nln_net *net);

/* The terms of the rows of work->law, each times its weight: returns their sum, and adds
 * their gradients to dH of these rows and of F, and to work->yield->grad; those of loans are left
 * in P. Laws whose bit in `active` is 0 count nothing. */
double nln_laws_gradient(nln_workspace *work, const nln_net *net, unsigned active);

/* cosine[law][i] of n <= NLN_LAW_TILE_UNSORTED rows; for looking, without gradients.
 * nln_laws_begin must have run. */
void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *room,
                      const nln_workspace *work, const nln_net *net, const int32_t *rows,
                      int32_t n);

#endif
