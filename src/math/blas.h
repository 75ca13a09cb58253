/* Matrix products: the one door to BLAS, and our own where zeros can be skipped.
 *
 * Matrices are row-major; ld* is the distance between rows.  The library is
 * found at run time (OpenBLAS, or any CBLAS), so that its kernel can be named
 * before it initialises: releases older than the processor would otherwise fall
 * back to kernels several times slower.  Without a library a plain loop runs.
 *
 * OpenBLAS multiplies small matrices without packing them, about 1.3 times
 * faster at our shapes; so products are cut along their long side to stay below
 * its threshold. */
#ifndef NLN_MATH_BLAS_H
#define NLN_MATH_BLAS_H

#include "math/real.h"

/* C[m,n] = A[m,k] B[k,n] */
void nln_blas_nn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                 int k);
/* C[m,n] += A[m,k] B[k,n] */
void nln_blas_nn_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                     int k);
/* C[m,n] = A[k,m]' B[k,n] */
void nln_blas_tn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                 int k);
/* C[m,n] += A[k,m]' B[k,n] */
void nln_blas_tn_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m, int n,
                     int k);

/* The same for a hidden layer A after relu, or its gradient: columns that are 0 in several rows are
 * skipped (kernels.h), and counted in flops unless `skipped_flop` is NULL.  On processors with
 * short registers a library is faster, and computes the whole product. */
void nln_blas_nn_skip(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                      int n, int k, double *skipped_flop);
void nln_blas_nn_skip_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                          int n, int k, double *skipped_flop);
void nln_blas_tn_skip_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                          int n, int k, double *skipped_flop);

/* C[n,n] += A[k,n]' B[k,n], which is known to be symmetric: half of the part below the
 * diagonal is not computed, until nln_blas_mirror copies it from above. */
void nln_blas_symmetric_add(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int n,
                            int k);
void nln_blas_mirror(real *C, int ldc, int n);

/* The plain twins that the others are tested against. */
void nln_blas_plain_nn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                       int n, int k, real beta);
void nln_blas_plain_tn(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                       int n, int k, real beta);

/* Flops a second of one plain call of the library at 2048 x 64 x 128 on this thread, the
 * best of some calls; for reports.  0 without a library or memory. */
double nln_blas_speed(void);

/* Sets the function pointer at `function` to another function of the same library, or to NULL. */
void nln_blas_find(void *function, const char *name);

/* The library and kernel in use, for reports: "OpenBLAS SkylakeX". */
const char *nln_blas_name(void);

#endif
