#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/active_units.h"
#include "math/blas.h"

enum { MOST_ROWS = 40, MOST_WIDTH = 150, MOST_DIM = 70 };

/* A block z [n, width], some of whose units sleep, with its list and whatever else a product
 * needs. */
typedef struct fixture {
    nln_random random;
    nln_active_units_workspace room;
    nln_active_units *list;
    int n, width, dim;
    char inactive[MOST_WIDTH];
    real z[MOST_ROWS * MOST_WIDTH], packed[MOST_ROWS * MOST_WIDTH + NLN_PACKED_SLACK];
    const real *rows; /* z, packed if that pays */
} fixture;

static void draw(nln_random *r, real *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = (real)nln_random_normal(r);
}

/* `share` percent of the units sleep. */
static void set_up(fixture *f, nln_random *random, unsigned share)
{
    f->n = 1 + (int)nln_random_below(random, MOST_ROWS);
    f->width = 1 + (int)nln_random_below(random, MOST_WIDTH);
    f->dim = 1 + (int)nln_random_below(random, MOST_DIM);
    assert_int_equal(nln_active_units_create(&f->room, 2, f->dim, f->width, NULL), NLN_OK);
    f->list = &f->room.list[1];
    draw(random, f->z, f->n * f->width);
    for (int i = 0; i < f->width; i++) {
        f->inactive[i] = nln_random_below(random, 100) < share;
        for (int r = 0; r < f->n; r++) {
            real *x = &f->z[r * f->width + i];
            *x = f->inactive[i] ? 0 : *x > 0 || r == 0 ? (real)fabs((double)*x) : 0; /* as relu */
        }
    }
    nln_active_units_find(f->list, f->z, f->n);
    f->rows = nln_active_units_pack(f->packed, f->list, f->z, f->n);
}

static void for_each_share(void (*check)(fixture *f, nln_random *random))
{
    static const unsigned shares[] = {0, 5, 30, 50, 80, 100};
    static fixture f;
    nln_random random = nln_random_seed(41, 0);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        for (int round = 0; round < 60; round++) {
            set_up(&f, &random, shares[i]);
            check(&f, &random);
            nln_active_units_free(&f.room);
        }
}

static void expect_near(real got, double wanted, double size)
{
    if (!(fabs((double)got - wanted) <= 1e-5 * (size + 1)))
        fail_msg("%.9g, not %.9g", (double)got, wanted);
}

/* Few enough units are packed, of many all count as active; one is left where all sleep. */
static void check_list(fixture *f, nln_random *random)
{
    (void)random;
    int active = 0;
    for (int i = 0; i < f->width; i++)
        active += !f->inactive[i];
    int wanted = active > f->width - f->width / 8 ? f->width : active ? active : 1;
    assert_int_equal(f->list->n, wanted);
    assert_ptr_equal(f->rows, wanted == f->width ? f->z : f->packed);
}

static void check_there_and_back(fixture *f, nln_random *random)
{
    static real back[MOST_ROWS * MOST_WIDTH], sum[MOST_ROWS * MOST_WIDTH];
    static real before[MOST_ROWS * MOST_WIDTH];
    int n = f->n * f->width;
    draw(random, before, n);
    memcpy(sum, before, sizeof sum);
    nln_active_units_unpack(back, f->list, f->rows, f->n);
    nln_active_units_unpack_add(sum, f->list, f->rows, f->n);
    assert_memory_equal(back, f->z, (size_t)n * sizeof *back);
    for (int i = 0; i < n; i++)
        assert_true(sum[i] == before[i] + f->z[i]);
}

static void check_into(fixture *f, nln_random *random)
{
    static real A[MOST_ROWS * MOST_DIM], B[MOST_DIM * MOST_WIDTH];
    static real packed[MOST_ROWS * MOST_WIDTH + NLN_PACKED_SLACK], dz[MOST_ROWS * MOST_WIDTH];
    draw(random, A, f->n * f->dim);
    draw(random, B, f->dim * f->width);
    nln_active_units_into(&f->room, f->list, packed, A, B, f->n, f->dim);
    nln_active_units_unpack(dz, f->list, packed, f->n);
    for (int r = 0; r < f->n; r++)
        for (int i = 0; i < f->width; i++) {
            double sum = 0;
            for (int k = 0; k < f->dim; k++)
                sum += (double)A[r * f->dim + k] * (double)B[k * f->width + i];
            int left_out = f->list->n < f->width && f->inactive[i] && f->list->unit[0] != i;
            expect_near(dz[r * f->width + i], left_out ? 0 : sum, f->dim);
        }
    assert_true(f->room.skipped_flop == 2.0 * f->n * f->dim * (f->width - f->list->n));
}

static void check_form(fixture *f, nln_random *random)
{
    static real S[MOST_WIDTH * MOST_WIDTH];
    static real packed[MOST_ROWS * MOST_WIDTH + NLN_PACKED_SLACK], s[MOST_ROWS * MOST_WIDTH];
    draw(random, S, f->width * f->width);
    nln_active_units_form(&f->room, f->list, packed, f->rows, S, f->n);
    for (int r = 0; r < f->n; r++) /* 0 behind the units, so that sums may run over it */
        for (int i = f->list->n; i < f->list->stride; i++)
            assert_true(packed[r * f->list->stride + i] == 0);
    nln_active_units_unpack(s, f->list, packed, f->n);
    for (int r = 0; r < f->n; r++)
        for (int i = 0; i < f->width; i++) {
            double sum = 0;
            for (int k = 0; k < f->width; k++)
                sum += (double)f->z[r * f->width + k] * (double)S[k * f->width + i];
            int left_out = f->list->n < f->width && f->inactive[i] && f->list->unit[0] != i;
            expect_near(s[r * f->width + i], left_out ? 0 : sum, f->width);
        }
    double all = f->width, active = f->list->n;
    assert_true(f->room.skipped_flop == 2.0 * f->n * (all * all - active * active));
}

/* s is z with its rows scaled, so that z' s is symmetric. */
static void check_symmetric(fixture *f, nln_random *random)
{
    static real C[MOST_WIDTH * MOST_WIDTH], s[MOST_ROWS * MOST_WIDTH];
    double scale[MOST_ROWS];
    for (int r = 0; r < f->n; r++) {
        scale[r] = nln_random_normal(random);
        for (int i = 0; i < f->list->stride; i++) {
            size_t at = (size_t)(r * f->list->stride + i);
            s[at] = (real)scale[r] * f->rows[at];
        }
    }
    memset(C, 0, sizeof C);
    for (int times = 0; times < 2; times++)
        nln_active_units_symmetric_add(&f->room, f->list, C, f->rows, s, f->n);
    nln_blas_mirror(C, f->width, f->width);
    for (int i = 0; i < f->width; i++)
        for (int j = 0; j < f->width; j++) {
            double sum = 0;
            for (int r = 0; r < f->n; r++)
                sum +=
                    2 * scale[r] * (double)f->z[r * f->width + i] * (double)f->z[r * f->width + j];
            expect_near(C[i * f->width + j], sum, 10);
        }
    assert_true(f->list->n == f->width ? f->room.skipped_flop == 0 : f->room.skipped_flop > 0);
}

#define TEST(name)                    \
    static void name(void **state)    \
    {                                 \
        (void)state;                  \
        for_each_share(check_##name); \
    }
TEST(list)
TEST(there_and_back)
TEST(into)
TEST(form)
TEST(symmetric)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list), cmocka_unit_test(there_and_back), cmocka_unit_test(into),
        cmocka_unit_test(form), cmocka_unit_test(symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
