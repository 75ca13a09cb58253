/* The memory of the laws: what all tiles of a shard share, and a tile of rows.
 *
 * A tile is laid out in one block of scratch, for as many rows as it has. */
#ifndef NLN_NET_LAW_WORKSPACE_H
#define NLN_NET_LAW_WORKSPACE_H

#include "math/active_units.h"
#include "net/net.h"
#include "net/plan.h"
#include "net/profile.h"
#include "net/target_cosine.h"

/* Rows of a tile at most.  Of rows that are not sorted two laws are made at once, and so there may
 * be half as many. */
enum { NLN_LAW_TILE = 96, NLN_LAW_TILE_UNSORTED = NLN_LAW_TILE / 2 };

/* Laws, and modules that have laws of two operands: AND, OR. */
enum { NLN_N_LAWS = 10, NLN_N_LAW_MODULES = 2 };

/* Each has a unit, which leaves w as it is, and another end, which swallows it. */
typedef struct nln_law_ends {
    nln_module_id module;
    int unit, end; /* rows: T and F for AND, F and T for OR */
} nln_law_ends;
extern const nln_law_ends nln_law_module[NLN_N_LAW_MODULES];

/* What all tiles share of a module; with gradients of the same shape. */
typedef struct nln_law_base {
    real *unit, *end;      /* [h] the two ends as second operands, with the bias */
    nln_target_cosine aim; /* at the end */
} nln_law_base;

/* First layers: of NOT, then of each module for its left operand and for its right one. */
enum { NLN_LAW_NOT_IN, NLN_LAW_MODULES_IN, NLN_N_LAW_INS = 1 + 2 * NLN_N_LAW_MODULES };

/* The lists of who is awake: in the hidden layer at hand, and one in which all are. */
enum { NLN_LAW_LIST_LAYER, NLN_LAW_LIST_ALL, NLN_N_LAW_LISTS };

typedef struct nln_law_workspace {
    real *scratch;            /* bases, their gradients, and a tile */
    real *din[NLN_N_LAW_INS]; /* [hidden, dim] their gradients, transposed; in the scratch too */
    nln_active_units_room awake;
} nln_law_workspace;

nln_status nln_law_workspace_create(nln_law_workspace *room, int dim, int hidden, nln_error *err);
void nln_law_workspace_free(nln_law_workspace *room);
/* The base of a module in the room, or its gradient; all gradients can be set to 0. */
nln_law_base nln_law_base_of(const nln_law_workspace *room, int hidden, int module, int gradient);
void nln_law_clear_gradients(nln_law_workspace *room, int dim, int hidden);

/* Rows of a plan for a tile. */
typedef struct nln_law_rows {
    int n, pairs;               /* row pairs + i is NOT of row i, for i < pairs */
    int sorted;                 /* rows that are alike lie side by side */
    int32_t row[NLN_LAW_TILE];  /* of the plan */
    real weight[NLN_LAW_TILE];  /* of the terms */
    int32_t loan[NLN_LAW_TILE]; /* see lawlist.h */
} nln_law_rows;

/* Rows on their way through the laws. */
typedef struct nln_law_tile {
    const nln_net *net;
    const nln_law_rows *rows;
    nln_active_units_room *awake;
    real *const *din;     /* [NLN_N_LAW_INS] as the room's */
    nln_modules *grad;    /* all others; or NULL: forward only */
    nln_profile *profile; /* likewise */
    unsigned active;      /* laws */
    int n, d, h, pairs;
    nln_law_base of[NLN_N_LAW_MODULES], dof[NLN_N_LAW_MODULES]; /* and their gradients */
    real *inverse;                                              /* [n] 1 / |w| */
    real *w, *dw;                                               /* [n, d] */
    real *not_w, *d_not;                                        /* [n, d] NOT w and its gradient */
    real *twice;           /* [n, d] NOT NOT w, then its gradient */
    real *z_not, *z_twice; /* [n, h] their hidden layers */
    /* Of AND, then of OR: [n, h] projections of w as first operand, of w as second, of NOT w as
     * second; and their gradients. */
    real *left, *right, *negated, *dleft, *dright, *dnegated;
    /* Of the laws at hand: hidden layers, their gradients, something packed, z S, and results;
     * twice as many rows where these are not sorted. */
    real *z, *dz, *packed, *s; /* [n, h] */
    real *y;                   /* [n, d] */
    real *a, *da;              /* [h] where an aim leads, and its gradient */
    real *dsum;                /* [h] */
} nln_law_tile;

nln_law_tile nln_law_tile_of(nln_law_workspace *room, const nln_net *net, const nln_law_rows *rows);

#endif
