#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/lapack.h"

enum { MOST = 150 };

/* X'X + I of random X [2n, n]: symmetric, positive definite and well conditioned. */
static void draw(real *A, int n, uint64_t seed)
{
    nln_random r = nln_random_seed(seed, 0);
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int k = 0; k < 2 * n; k++) {
        double x[MOST];
        for (int i = 0; i < n; i++)
            x[i] = nln_random_normal(&r) / sqrt(2 * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i * n + j] += (real)(x[i] * x[j]);
    }
    for (int i = 0; i < n; i++) {
        A[i * n + i] += 1;
        for (int j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j];
    }
}

/* The largest element of A B - I. */
static double distance(const real *A, const real *B, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += (double)A[i * n + k] * (double)B[k * n + j];
            worst = fmax(worst, fabs(sum));
        }
    return worst;
}

static void both_twins_invert(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 7, 16, 33, 64, MOST};
    static real A[MOST * MOST], B[MOST * MOST], C[MOST * MOST];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        draw(A, n, s);
        memcpy(B, A, sizeof A);
        memcpy(C, A, sizeof A);
        assert_true(nln_lapack_invert(B, n));
        assert_true(nln_lapack_plain_invert(C, n));
        assert_true(distance(A, B, n) < 1e-5);
        assert_true(distance(A, C, n) < 1e-5);
        for (int i = 0; i < n * n; i++) {
            assert_true(fabs((double)B[i] - (double)C[i]) < 1e-5);
            assert_true(B[i] == B[i % n * n + i / n] && C[i] == C[i % n * n + i / n]);
        }
    }
}

static void what_is_not_definite_is_told(void **state)
{
    (void)state;
    static const real matrices[][4] = {{0, 0, 0, 0}, {1, 2, 2, 1}, {-1, 0, 0, 1}, {4, 2, 2, 1}};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        real A[4], B[4];
        memcpy(A, matrices[i], sizeof A);
        memcpy(B, matrices[i], sizeof B);
        assert_false(nln_lapack_invert(A, 2));
        assert_false(nln_lapack_plain_invert(B, 2));
    }
}

static void nothing_is_its_own_inverse(void **state)
{
    (void)state;
    assert_true(nln_lapack_invert(NULL, 0));
    assert_true(nln_lapack_plain_invert(NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_twins_invert),
        cmocka_unit_test(what_is_not_definite_is_told),
        cmocka_unit_test(nothing_is_its_own_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
