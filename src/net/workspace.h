/* The memory of forward and backward passes.
 *
 * A thread computes a plan in an nln_workspace, which the next plan overwrites.  The gradients of a
 * shard, which must last until all shards are summed, are its nln_shard_gradient.  Both grow to the
 * largest plan seen and are then reused; after fitting nothing can fail. */
#ifndef NLN_NET_WORKSPACE_H
#define NLN_NET_WORKSPACE_H

#include "net/atom_modules.h"
#include "net/law_workspace.h"

typedef struct nln_shard_gradient {
    real *block;         /* gradient of the modules, and ... */
    nln_modules modules; /* ... its views */
    real *dlogit;        /* [n_leaves] of the leaves' numbers, if the network has these */
    real *dvector;       /* [n_leaves, dim] of their vectors, if the network has these */
    size_t dlogit_room, dvector_room;
    nln_atom_gradient atoms;
} nln_shard_gradient;

/* With a block of zeros, and no room for leaves. */
nln_status nln_shard_gradient_create(nln_shard_gradient *g, const nln_net *net, nln_error *err);
void nln_shard_gradient_free(nln_shard_gradient *g);
/* Makes room for the leaves of a plan. */
nln_status nln_shard_gradient_fit(nln_shard_gradient *g, const nln_net *net, const nln_plan *plan,
                                  nln_error *err);

/* The place of a variable on its curve, v = a P + b Q, and the derivatives by its number. */
typedef struct nln_curve_point {
    real a, b, da, db;
} nln_curve_point;

typedef struct nln_workspace {
    int dim, hidden;
    int training; /* the buffers for gradients and laws exist */
    int curved;   /* variables are on a curve */
    real *H;      /* [n_rows, dim] the vector of each row */
    real *X;      /* [n_rows, NLN_MOST_OPERANDS dim] the gathered operands of each operation */
    real *Z;      /* [n_rows, hidden] the hidden layer of each operation, after relu */
    real *P[NLN_MOST_OPERANDS]; /* [n_rows, hidden] the projections of its operands, if the laws
                                 * share them; once the laws have run, their gradients */
    real *dH, *dX, *dZ;
    nln_curve_point *point;       /* [n_rows] of the leaves, when training with a curve; or NULL */
    real inverse_length[2];       /* 1 / |T| and 1 / |F| */
    nln_law_list law;             /* when training */
    nln_law_workspace laws;       /* when training */
    nln_shard_gradient *gradient; /* borrowed during a backward pass; else NULL */

    nln_atom_workspace atoms;
    double skipped_flop; /* of the tree, because hidden units were 0; counts up */

    size_t room, projection_room; /* rows; rows of P */
    nln_profile profile;
} nln_workspace;

nln_status nln_workspace_create(nln_workspace **out, const nln_net *net, int training,
                                nln_error *err);
void nln_workspace_free(nln_workspace *work);
/* Makes room for a plan of n_rows rows; and for shared projections.  Atoms need
 * nln_atom_workspace_fit, too. */
nln_status nln_workspace_fit(nln_workspace *work, int32_t n_rows, nln_error *err);
nln_status nln_workspace_fit_projections(nln_workspace *work, int32_t n_rows, nln_error *err);

#endif
