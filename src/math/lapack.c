#include "math/lapack.h"

#include <math.h>
#include <stddef.h>

#include "math/blas.h"

#ifdef NLN_DOUBLE
#define FACTOR_SYMBOL "dpotrf_"
#define INVERT_SYMBOL "dpotri_"
#else
#define FACTOR_SYMBOL "spotrf_"
#define INVERT_SYMBOL "spotri_"
#endif

/* As Fortran has it: everything by address, and behind it the length of the text. */
typedef void triangle_function(const char *triangle, const int *n, real *A, const int *lda,
                               int *info, size_t length);

/* Only the half below the diagonal is computed. */
static void mirror(real *A, int n)
{
    size_t width = (size_t)n;
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j < i; j++)
            A[j * width + i] = A[i * width + j];
}

int nln_lapack_invert(real *A, int n)
{
    triangle_function *factor = NULL, *invert = NULL;
    int failed = 0;
    nln_blas_find(&factor, FACTOR_SYMBOL);
    nln_blas_find(&invert, INVERT_SYMBOL);
    if (!factor || !invert)
        return nln_lapack_plain_invert(A, n);
    if (n == 0)
        return 1;
    /* Fortran's upper half is ours below the diagonal. */
    factor("U", &n, A, &n, &failed, 1);
    if (!failed)
        invert("U", &n, A, &n, &failed, 1);
    mirror(A, n);
    return !failed;
}

/* ---- the plain twin ------------------------------------------------------------------- */

int nln_lapack_plain_invert(real *A, int order)
{
    size_t n = (size_t)order;
    /* A = L L', with L below and on the diagonal */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = (double)A[i * n + j];
            for (size_t k = 0; k < j; k++)
                sum -= (double)A[i * n + k] * (double)A[j * n + k];
            if (i == j && !(sum > 0))
                return 0;
            A[i * n + j] = (real)(i == j ? sqrt(sum) : sum / (double)A[j * n + j]);
        }
    /* L becomes its inverse M, column by column: the numbers still needed lie to the right */
    for (size_t j = 0; j < n; j++) {
        A[j * n + j] = 1 / A[j * n + j];
        for (size_t i = j + 1; i < n; i++) {
            double sum = 0;
            for (size_t k = j; k < i; k++)
                sum -= (double)A[i * n + k] * (double)A[k * n + j];
            A[i * n + j] = (real)(sum / (double)A[i * n + i]);
        }
    }
    /* M'M, row by row: the numbers still needed lie below */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = i; k < n; k++)
                sum += (double)A[k * n + i] * (double)A[k * n + j];
            A[i * n + j] = (real)sum;
        }
    mirror(A, order);
    return 1;
}
