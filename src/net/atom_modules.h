/* Predicates as modules: from the vectors of entities to the vector of a truth.
 *
 *     mlp      p(a, b) = relu(a U1 + b U2 + v_p) W      U1, U2, ... and W are shared by all
 * predicates product  p(a, b) = v_p * a * conj(b)              in complex pairs, element by element
 *
 * An entity has a vector, but no truth value: it is no row of a plan and under no law.  An atom is
 * a row like a variable's.  Further arguments go on in the same way: + c U3, and * c, * conj(d).
 * The product, seen along T, is the score of ComplEx. */
#ifndef NLN_NET_ATOM_MODULES_H
#define NLN_NET_ATOM_MODULES_H

#include "net/net.h"
#include "net/plan.h"

/* The memory of a thread, and the gradients of a shard. */
typedef struct nln_atom_workspace {
    real *E, *dE; /* [entities of the plan, dim] */
    real *P;      /* [entities of the plan, max(hidden, dim)] a projection, or its gradient */
    real *prefix; /* [most arguments, dim] the product up to each argument */
    size_t E_room, dE_room, P_room, prefix_room;
} nln_atom_workspace;

typedef struct nln_atom_gradient {
    real *block;      /* of the shared matrices */
    real *dentity;    /* [entities of the plan, dim] */
    real *dpredicate; /* [predicates of the plan, width] */
    size_t block_room, dentity_room, dpredicate_room;
} nln_atom_gradient;

/* The numbers of the shared matrices of a module, and of the vector of a predicate. */
size_t nln_atom_block_size(nln_atom_module module, int dim, int hidden, int positions);
int nln_atom_width(nln_atom_module module, int dim, int hidden);

nln_status nln_atom_workspace_fit(nln_atom_workspace *w, const nln_net *net, const nln_plan *plan,
                                  nln_error *err);
void nln_atom_workspace_free(nln_atom_workspace *w);
nln_status nln_atom_gradient_fit(nln_atom_gradient *g, const nln_net *net, const nln_plan *plan,
                                 nln_error *err);
void nln_atom_gradient_free(nln_atom_gradient *g);

/* H and Z are those of the first atom's row: [atoms, dim] and [atoms, hidden]. */
void nln_atoms_forward(real *H, real *Z, nln_atom_workspace *w, const nln_net *net,
                       const nln_plan *plan);
/* Fills the gradient from dH, after nln_atoms_forward of the same plan; dZ is scratch. */
void nln_atoms_backward(nln_atom_gradient *g, const real *dH, const real *Z, real *dZ,
                        nln_atom_workspace *w, const nln_net *net, const nln_plan *plan);

#endif
