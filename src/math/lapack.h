/* Solving with symmetric matrices: LAPACK, where the library of blas.h has it, or a plain loop. */
#ifndef NLN_MATH_LAPACK_H
#define NLN_MATH_LAPACK_H

#include "math/real.h"

/* Replaces A [n, n], symmetric and positive definite, by its inverse.  Returns 0, with A spoilt,
 * if it is not definite. */
int nln_lapack_invert(real *A, int n);

/* The plain twin. */
int nln_lapack_plain_invert(real *A, int n);

#endif
