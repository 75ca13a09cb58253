/* Products into hidden layers that leave out what sleeps.
 *
 * A hidden layer after relu is 0 in half of its places, and rows that are alike are 0 in the same
 * ones.  A unit that is 0 in all rows of a block sleeps there: no product with the block needs it,
 * and no gradient reaches it.  Products with a hidden layer skip its zeros where they stand
 * (nln_blas_nn_skip).  For those whose result is a hidden layer, the units that are awake are
 * packed side by side, and so is what belongs to them of the other matrix. */
#ifndef NLN_MATH_ACTIVE_UNITS_H
#define NLN_MATH_ACTIVE_UNITS_H

#include "math/kernels.h"
#include "nln.h"

/* Lists for some blocks, and the memory of products. */
typedef struct nln_active_units_room {
    nln_active_units *list; /* [n_lists] all of one width */
    double spared;          /* flops that were left out; counts up */

    int32_t *units; /* memory of the lists */
    uint16_t *lanes;
    real *matrix;  /* the part of a matrix that belongs to units which are awake ... */
    real *product; /* ... and what is to be added to such a part */
} nln_active_units_room;

/* For blocks of `width` units and matrices [width, dim].  In a list that was never looked for all
 * units are awake.  A room of zeros has nothing. */
nln_status nln_active_units_create(nln_active_units_room *room, int n_lists, int dim, int width,
                                   nln_error *err);
void nln_active_units_free(nln_active_units_room *room);

/* Which units are awake in the n rows of z; all, if packing would not pay. */
void nln_active_units_find(nln_active_units *a, const real *z, int n);

/* n rows [n, width] become [n, a->stride] in `packed`, or stay x if all units are awake; returns
 * where they are, ... */
const real *nln_active_units_pack(real *packed, const nln_active_units *a, const real *x, int n);
/* ... and go back to x, or are added to it; what sleeps is 0.  Behind packed rows there is room for
 * NLN_PACKED_SLACK numbers. */
void nln_active_units_unpack(real *x, const nln_active_units *a, const real *packed, int n);
void nln_active_units_unpack_add(real *x, const nln_active_units *a, const real *packed, int n);

/* dz = A[n, k] B[k, width], packed; behind the units of a row is anything. */
void nln_active_units_into(nln_active_units_room *room, const nln_active_units *a, real *dz,
                           const real *A, const real *B, int n, int k);
/* s = z S[width, width], for z and s packed. */
void nln_active_units_form(nln_active_units_room *room, const nln_active_units *a, real *s,
                           const real *z, const real *S, int n);
/* As nln_blas_symmetric_add: C[width, width] += z' s, for z and s packed. */
void nln_active_units_symmetric_add(nln_active_units_room *room, const nln_active_units *a, real *C,
                                    const real *z, const real *s, int n);

#endif
