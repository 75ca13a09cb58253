#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "nln.h"

/* C[m,n] and A B, or A' B when A is [k,m]; rows are wider than the matrix. */
typedef struct product {
    int m, n, k, transposed;
    int lda, ldb, ldc;
    real *A, *B, *before, *C;
} product;

static size_t area(int rows, int ld)
{
    return (size_t)rows * (size_t)ld;
}

/* Exactly as large as it must be, so that a sanitizer sees what goes beyond. */
static real *draw(nln_random *r, size_t n)
{
    real *x = malloc(n ? n * sizeof *x : 1);
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(2 * nln_random_uniform(r) - 1);
    return x;
}

static product make(nln_random *r, int m, int n, int k, int transposed)
{
    int gap = (int)nln_random_below(r, 4);
    product p = {.m = m, .n = n, .k = k, .transposed = transposed};
    p.lda = (transposed ? m : k) + gap;
    p.ldb = n + (int)nln_random_below(r, 4);
    p.ldc = n + (int)nln_random_below(r, 4);
    p.lda += !p.lda;
    p.A = draw(r, area(transposed ? k : m, p.lda));
    p.B = draw(r, area(k, p.ldb));
    p.before = draw(r, area(m, p.ldc));
    p.C = malloc(area(m, p.ldc) * sizeof(real) + 1);
    return p;
}

static void release(product *p)
{
    free(p->A);
    free(p->B);
    free(p->before);
    free(p->C);
}

/* One entry of the product in double, and the sum of its terms' magnitudes. */
static double entry(double *size, const product *p, int i, int j)
{
    double sum = 0;
    *size = 0;
    for (int l = 0; l < p->k; l++) {
        size_t at = p->transposed ? area(l, p->lda) + (size_t)i : area(i, p->lda) + (size_t)l;
        double term = (double)p->A[at] * (double)p->B[area(l, p->ldb) + (size_t)j];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

/* C is the product, plus `keep` times what it was; the gaps are as they were. */
static void expect(const product *p, double keep)
{
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->ldc; j++) {
            size_t at = area(i, p->ldc) + (size_t)j;
            double old = keep > 0 ? keep * (double)p->before[at] : 0, size;
            double wanted = j < p->n ? old + entry(&size, p, i, j) : (double)p->before[at];
            double room = j < p->n ? 1e-5 * (size + fabs(old)) : 0;
            if (!(fabs((double)p->C[at] - wanted) <= room))
                fail_msg("m %d n %d k %d: C[%d,%d] is %.9g, not %.9g", p->m, p->n, p->k, i, j,
                         (double)p->C[at], wanted);
        }
}

/* The old numbers of a product that does not add may be anything, even NaN. */
static void reset(product *p, int poison)
{
    memcpy(p->C, p->before, area(p->m, p->ldc) * sizeof(real));
    for (int i = 0; poison && i < p->m; i++)
        for (int j = 0; j < p->n; j++)
            p->C[area(i, p->ldc) + (size_t)j] = NAN;
}

static void check_nn(nln_random *r, int m, int n, int k)
{
    product p = make(r, m, n, k, 0);
    reset(&p, 1);
    nln_blas_nn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k);
    expect(&p, 0);
    reset(&p, 0);
    nln_blas_nn_add(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k);
    expect(&p, 1);
    double skipped_flop = 0;
    reset(&p, 1);
    nln_blas_nn_skip(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, &skipped_flop);
    expect(&p, 0);
    reset(&p, 0);
    nln_blas_nn_skip_add(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, &skipped_flop);
    expect(&p, 1);
    assert_true(skipped_flop == 0); /* A has no zeros */
    reset(&p, 1);
    nln_blas_plain_nn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, 0);
    expect(&p, 0);
    reset(&p, 0);
    nln_blas_plain_nn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, NLN_REAL(0.5));
    expect(&p, 0.5);
    release(&p);
}

static void check_tn(nln_random *r, int m, int n, int k)
{
    product p = make(r, m, n, k, 1);
    double skipped_flop = 0;
    reset(&p, 1);
    nln_blas_tn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k);
    expect(&p, 0);
    reset(&p, 0);
    nln_blas_tn_add(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k);
    expect(&p, 1);
    reset(&p, 0);
    nln_blas_tn_skip_add(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, &skipped_flop);
    expect(&p, 1);
    assert_true(skipped_flop == 0);
    reset(&p, 1);
    nln_blas_plain_tn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, 0);
    expect(&p, 0);
    reset(&p, 0);
    nln_blas_plain_tn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, m, n, k, 1);
    expect(&p, 1);
    release(&p);
}

/* B is A with its rows scaled, so that A' B is symmetric. */
static void check_symmetric(nln_random *r, int n, int k)
{
    product p = make(r, n, n, k, 1);
    for (int l = 0; l < k; l++)
        for (int j = 0; j < n; j++)
            p.B[area(l, p.ldb) + (size_t)j] = p.A[area(l, p.lda) + (size_t)j] * (real)(l % 3 - 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            p.before[area(i, p.ldc) + (size_t)j] = p.before[area(j, p.ldc) + (size_t)i];
    reset(&p, 0);
    nln_blas_symmetric_add(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, n, k);
    nln_blas_mirror(p.C, p.ldc, n);
    expect(&p, 1);
    release(&p);
}

static void small_shapes(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 5, 7, 8, 13, 16, 31, 33, 64, 65};
    enum { N = sizeof sizes / sizeof *sizes };
    nln_random r = nln_random_seed(1, 0);
    for (int trial = 0; trial < 400; trial++) {
        int a = sizes[nln_random_below(&r, N)], b = sizes[nln_random_below(&r, N)];
        int long_side = trial % 8 ? sizes[nln_random_below(&r, N)] : 0;
        check_nn(&r, long_side, a, b);
        check_tn(&r, a, b, long_side);
        check_symmetric(&r, a, long_side);
    }
}

/* The long side is cut: into many pieces, into pieces with a rest of one row, and
 * into one piece where the others are too large for two. */
static void shapes_beyond_the_threshold(void **state)
{
    (void)state;
    static const int shapes[][3] = {{1999, 64, 64}, {241, 64, 64},  {240, 64, 64},  {2500, 20, 20},
                                    {300, 128, 80}, {67, 256, 256}, {17, 400, 400}, {9, 1100, 900}};
    nln_random r = nln_random_seed(2, 0);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_nn(&r, shapes[i][0], shapes[i][1], shapes[i][2]);
        check_tn(&r, shapes[i][1], shapes[i][2], shapes[i][0]);
    }
}

static void worked_by_hand(void **state)
{
    (void)state;
    const real A[] = {1, 2, 3, 4}, B[] = {5, 6, 7, 8};
    const real plain[] = {19, 22, 43, 50}, transposed[] = {26, 30, 38, 44};
    real C[4], D[4] = {0};
    nln_blas_nn(C, 2, A, 2, B, 2, 2, 2, 2);
    assert_memory_equal(C, plain, sizeof C);
    nln_blas_tn_add(D, 2, A, 2, B, 2, 2, 2, 2);
    assert_memory_equal(D, transposed, sizeof D);
}

/* Training repeats bits, so the products it is made of must. */
static void the_same_product_has_the_same_bits(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(3, 0);
    product p = make(&r, 500, 64, 64, 0);
    size_t bytes = area(p.m, p.ldc) * sizeof(real);
    for (int i = 0; i < 3; i++) {
        reset(&p, 0);
        nln_blas_nn(p.C, p.ldc, p.A, p.lda, p.B, p.ldb, p.m, p.n, p.k);
        if (i == 0)
            memcpy(p.before, p.C, bytes);
        assert_memory_equal(p.C, p.before, bytes);
    }
    release(&p);
}

/* The first two columns of A are 0, in the last row also the third. */
static void skipped_flops_are_counted(void **state)
{
    (void)state;
    const real A[] = {0, 0, 3, 4, 0, 0, 0, 6}, B[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const real of_rows[] = {1, 10};
    const real nn[] = {43, 50, 42, 48}, tn[] = {0, 0, 3, 64};
    real C[4], D[4] = {0};
    double skipped_flop = 0,
           own = nln_kernels_get()->wide || !strcmp(nln_blas_name(), "plain loops");
    nln_blas_nn_skip(C, 2, A, 4, B, 2, 2, 2, 4, &skipped_flop);
    assert_memory_equal(C, nn, sizeof C);
    assert_true(skipped_flop == 2.0 * 2 * 2 * 2 * own); /* two columns of two rows, by B's two */
    skipped_flop = 0;
    nln_blas_tn_skip_add(D, 1, A, 4, of_rows, 1, 4, 1, 2, &skipped_flop);
    assert_memory_equal(D, tn, sizeof D);
    assert_true(skipped_flop == 2.0 * 2 * 2 * own);
    nln_blas_nn_skip(C, 2, A, 4, B, 2, 2, 2, 4, NULL);
    assert_memory_equal(C, nn, sizeof C);
}

static void it_has_a_name(void **state)
{
    (void)state;
    assert_true(strlen(nln_blas_name()) > 0);
    assert_ptr_equal(nln_blas_name(), nln_blas_name());
    const char *in_use;
    assert_null(nln_blas_missed(&in_use)); /* nobody else has loaded one */
    assert_ptr_equal(in_use, nln_blas_name());
    assert_null(nln_blas_missed(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_shapes),
        cmocka_unit_test(shapes_beyond_the_threshold),
        cmocka_unit_test(worked_by_hand),
        cmocka_unit_test(the_same_product_has_the_same_bits),
        cmocka_unit_test(skipped_flops_are_counted),
        cmocka_unit_test(it_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
