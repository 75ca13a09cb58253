/* The memory of the laws: the constants of all tiles of a shard, and a tile of rows.
 *
 * A tile is laid out in one block of scratch, for as many rows as it has. */
#ifndef NLN_NET_LAW_WORKSPACE_H
#define NLN_NET_LAW_WORKSPACE_H

#include "math/active_units.h"
#include "net/hidden_cosine.h"
#include "net/law_rows.h"
#include "net/law_table.h"
#include "net/net.h"
#include "net/profile.h"

/* The most rows of a tile.  Two laws of unsorted rows are computed at once, so these tiles have
 * half as many. */
enum { NLN_LAW_TILE = 96, NLN_LAW_TILE_UNSORTED = NLN_LAW_TILE / 2 };

/* The constants of a module for all tiles, or their gradients. */
typedef struct nln_law_constants {
    real *identity, *annihilator; /* [h] their projections as second operands, with the bias */
    nln_hidden_cosine target;     /* the annihilator */
} nln_law_constants;

typedef struct nln_law_workspace {
    real *scratch;                     /* constants, their gradients, `din`, and a tile */
    real *din[NLN_N_PROJECTIONS];      /* [hidden, dim] gradients of first layers, transposed */
    size_t din_size;                   /* numbers in all of them */
    real *tile;                        /* the rest of the scratch */
    nln_active_units_workspace active; /* the list of a hidden layer, and one of all units */
} nln_law_workspace;

nln_status nln_law_workspace_create(nln_law_workspace *w, int dim, int hidden, nln_error *err);
void nln_law_workspace_free(nln_law_workspace *w);
/* The constants of nln_law_modules[module], or their gradients. */
nln_law_constants nln_law_workspace_constants(const nln_law_workspace *w, int hidden, int module,
                                              int gradient);
/* Sets all gradients to 0. */
void nln_law_workspace_clear(nln_law_workspace *w, int hidden);

/* Rows of a plan for a tile. */
typedef struct nln_law_rows {
    int n, pairs;                               /* row pairs + i is NOT of row i, for i < pairs */
    int sorted;                                 /* similar rows are neighbours */
    int32_t row[NLN_LAW_TILE];                  /* of the plan */
    real weight[NLN_LAW_TILE];                  /* of the terms */
    nln_shared_projection shared[NLN_LAW_TILE]; /* see law_rows.h */
} nln_law_rows;

/* Rows on their way through the laws. */
typedef struct nln_law_tile {
    const nln_net *net;
    const nln_law_rows *rows;
    nln_active_units_workspace *active;
    real *const *din;     /* [NLN_N_PROJECTIONS] of the workspace */
    nln_modules *grad;    /* gradients of the other tensors; NULL: forward only */
    nln_profile *profile; /* never NULL */
    unsigned laws;        /* bit i: law i counts */
    int n, d, h, pairs;
    nln_law_constants constants[NLN_N_LAW_MODULES], dconstants[NLN_N_LAW_MODULES];
    real *inverse;         /* [n] 1 / |w| */
    real *w, *dw;          /* [n, d] */
    real *not_w, *d_not;   /* [n, d] NOT w and its gradient */
    real *twice;           /* [n, d] NOT NOT w, then its gradient */
    real *z_not, *z_twice; /* [n, h] their hidden layers */
    /* Of one module: [n, h] projections of w as each operand and of NOT w as the second one; and
     * their gradients. */
    real *projection[NLN_MOST_OPERANDS], *negated, *dprojection[NLN_MOST_OPERANDS], *dnegated;
    /* Of one or two laws: hidden layers, their gradients, packed rows, z S, and results; twice as
     * many rows if these are not sorted. */
    real *z, *dz, *packed, *s; /* [n, h] */
    real *y;                   /* [n, d] */
    real *a, *da;              /* [h] the packed target, and its gradient */
    real *dsum;                /* [h] */
} nln_law_tile;

nln_law_tile nln_law_workspace_tile(nln_law_workspace *w, const nln_net *net,
                                    const nln_law_rows *rows, nln_profile *profile);

#endif
