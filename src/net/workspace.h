/* The memory of computing.
 *
 * A thread takes a plan forward and back in an nln_workspace, which the next plan overwrites.  What
 * must stay of a shard until all shards are summed is its nln_shard_gradient.  Both grow to the
 * largest plan seen and are then reused; after fitting nothing can fail. */
#ifndef NLN_NET_WORKSPACE_H
#define NLN_NET_WORKSPACE_H

#include "net/law_list.h"
#include "net/law_workspace.h"
#include "net/net.h"
#include "net/profile.h"

/* The gradients that a shard has found. */
typedef struct nln_shard_gradient {
    real *block;      /* gradient of the modules, and ... */
    nln_modules grad; /* ... its views */
    real *dlogit;     /* [n_leaves] of the leaves' numbers, if the network has these */
    real *dvector;    /* [n_leaves, dim] of their vectors, likewise */
    size_t dlogit_room, dvector_room;
} nln_shard_gradient;

/* With a block of zeros, and no room for leaves. */
nln_status nln_shard_gradient_create(nln_shard_gradient *y, const nln_net *net, nln_error *err);
void nln_shard_gradient_free(nln_shard_gradient *y);
/* Room for the leaves of a plan. */
nln_status nln_shard_gradient_fit(nln_shard_gradient *y, const nln_net *net, const nln_plan *plan,
                                  nln_error *err);

/* Where a variable is on its curve, v = a P + b Q, and how that moves with its number. */
typedef struct nln_curve_point {
    real a, b, da, db;
} nln_curve_point;

typedef struct nln_workspace {
    int dim, hidden;
    int training; /* the buffers for gradients and laws exist */
    int curved;   /* variables are on a curve */
    real *H;      /* [n_rows, dim] the vector of each row */
    real *X;      /* [n_rows, 2 dim] the gathered inputs of each operation */
    real *Z;      /* [n_rows, hidden] the hidden layer of each operation, after relu */
    real *P[2];   /* [n_rows, hidden] the projections of its left and right operand where these are
                   * lent to the laws; then, once the laws have run, their gradients */
    real *dH, *dX, *dZ;
    nln_curve_point *point;    /* [n_rows] of the leaves, while training with a curve; else NULL */
    real end_inverse[2];       /* 1 / |T| and 1 / |F| */
    nln_law_list law;          /* while training */
    nln_law_workspace laws;    /* likewise */
    nln_shard_gradient *yield; /* borrowed while there is something to learn; else NULL */

    double spared; /* flops of the tree that zeros have spared; counts up */

    size_t room, loan_room; /* rows; those of P */
    nln_profile profile;
} nln_workspace;

nln_status nln_workspace_create(nln_workspace **out, const nln_net *net, int training,
                                nln_error *err);
void nln_workspace_free(nln_workspace *work);
/* Room for a plan of so many rows; for the loans too where the tree lends to the laws. */
nln_status nln_workspace_fit(nln_workspace *work, int32_t n_rows, nln_error *err);
nln_status nln_workspace_fit_loans(nln_workspace *work, int32_t n_rows, nln_error *err);

#endif
