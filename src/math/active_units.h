/* Products into hidden layers that leave out inactive units.
 *
 * A hidden layer after relu is 0 in half of its places, and similar rows are 0 in the same ones.  A
 * unit that is 0 in all rows of a block is inactive there: no product with the block needs it, and
 * no gradient reaches it.  Products with a hidden layer skip its zeros in place (nln_blas_nn_skip).
 * For products whose result is a hidden layer, the active units are packed side by side, with the
 * part of the other matrix that belongs to them. */
#ifndef NLN_MATH_ACTIVE_UNITS_H
#define NLN_MATH_ACTIVE_UNITS_H

#include "math/kernels.h"
#include "nln.h"

/* Lists for some blocks, and the memory of products. */
typedef struct nln_active_units_workspace {
    nln_active_units *list; /* [n_lists] all of one width */
    double skipped_flop;    /* counts up */

    int32_t *units; /* memory of the lists */
    uint16_t *lanes;
    real *matrix;  /* the part of a matrix that belongs to active units, ... */
    real *product; /* ... and a sum for such a part */
} nln_active_units_workspace;

/* For blocks of `width` units and matrices [width, dim].  A list has all units until
 * nln_active_units_find.  A workspace of zeros is empty. */
nln_status nln_active_units_create(nln_active_units_workspace *w, int n_lists, int dim, int width,
                                   nln_error *err);
void nln_active_units_free(nln_active_units_workspace *w);

/* Finds the active units of n rows of z; lists all, if packing would not pay. */
void nln_active_units_find(nln_active_units *a, const real *z, int n);

/* n rows [n, width] become [n, a->stride] in `packed`, or stay x if all units are listed; returns
 * the place, ... */
const real *nln_active_units_pack(real *packed, const nln_active_units *a, const real *x, int n);
/* ... and go back to x, or are added to it; inactive units are 0.  Behind packed rows there is
 * room for NLN_PACKED_SLACK numbers. */
void nln_active_units_unpack(real *x, const nln_active_units *a, const real *packed, int n);
void nln_active_units_unpack_add(real *x, const nln_active_units *a, const real *packed, int n);

/* dz = A[n, k] B[k, width], packed; the numbers behind the units of a row are undefined. */
void nln_active_units_into(nln_active_units_workspace *w, const nln_active_units *a, real *dz,
                           const real *A, const real *B, int n, int k);
/* s = z S[width, width], for z and s packed. */
void nln_active_units_form(nln_active_units_workspace *w, const nln_active_units *a, real *s,
                           const real *z, const real *S, int n);
/* As nln_blas_symmetric_add: C[width, width] += z' s, for z and s packed. */
void nln_active_units_symmetric_add(nln_active_units_workspace *w, const nln_active_units *a,
                                    real *C, const real *z, const real *s, int n);

#endif
