/* Products that skip zeros, and rows without the columns that are 0 in all of them, in every
 * instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checks.h"

enum { MOST_WIDTH = 200 };

/* Some columns of n rows become 0 in all of them, of either sign; returns which. */
static const char *make_inactive(real *x, int n, int width)
{
    static char inactive[MOST_WIDTH];
    for (int i = 0; i < width; i++) {
        inactive[i] = nln_random_below(&random_stream, 2) || n == 0;
        for (int r = 0; r < n; r++)
            if (inactive[i])
                x[r * width + i] = r % 2 ? NLN_REAL(-0.0) : 0;
            else if (x[r * width + i] == 0)
                x[r * width + i] = 1;
    }
    return inactive;
}

static void check_nn_skip(const nln_kernels *k, int n, int width)
{
    real *A = draw(n * width), *C = draw(n * 70);
    const real *B = draw(width * 70), *C0 = copy(C, n * 70);
    for (int columns = 1; columns <= 70; columns += 23) {
        for (int add = 0; add < 2; add++) {
            size_t used = k->nn_skip(C, 70, A, width, B, 70, n, columns, width, add);
            assert_true(used <= (size_t)(n * width));
            for (int r = 0; r < n; r++)
                for (int j = 0; j < columns; j++) {
                    double sum = 0, size = 1;
                    for (int i = 0; i < width; i++) {
                        sum += (double)A[r * width + i] * (double)B[i * 70 + j];
                        size += fabs((double)A[r * width + i] * (double)B[i * 70 + j]);
                    }
                    double before = add ? (double)C0[r * 70 + j] : 0;
                    near(k, width, r * 70 + j, C[r * 70 + j], before + sum, size);
                    C[r * 70 + j] = C0[r * 70 + j];
                }
            assert_memory_equal(C, C0, (size_t)(n * 70) * sizeof *C); /* and nothing else */
        }
    }
}

static void check_tn_skip(const nln_kernels *k, int n, int width)
{
    real *A = draw(n * width), *C = draw(width * 70);
    const real *B = draw(n * 70), *C0 = copy(C, width * 70);
    for (int columns = 1; columns <= 70; columns += 23) {
        assert_true(k->tn_skip(C, 70, A, width, B, 70, width, columns, n) <= (size_t)(n * width));
        for (int i = 0; i < width; i++)
            for (int j = 0; j < columns; j++) {
                double sum = (double)C0[i * 70 + j];
                for (int r = 0; r < n; r++)
                    sum += (double)A[r * width + i] * (double)B[r * 70 + j];
                near(k, width, i * 70 + j, C[i * 70 + j], sum, 10);
                C[i * 70 + j] = C0[i * 70 + j];
            }
        assert_memory_equal(C, C0, (size_t)(width * 70) * sizeof *C);
    }
}

/* What is inactive in all rows is skipped, even where it would meet a NaN; a NaN itself is not. */
static void check_skipped(const nln_kernels *k, int n, int width)
{
    real *A = draw(n * width), *B = draw(width * 3), *C = draw(n * 3), *D = draw(width * 3);
    const char *inactive = make_inactive(A, n, width);
    const real *of_rows = draw(n * 3);
    size_t active = 0;
    for (int i = 0; i < width; i++) {
        active += inactive[i] ? 0u : 1u;
        for (int j = 0; inactive[i] && j < 3; j++)
            B[i * 3 + j] = NAN;
    }
    const real *D0 = copy(D, width * 3);
    assert_int_equal(k->nn_skip(C, 3, A, width, B, 3, n, 3, width, 0), active * (size_t)n);
    for (int i = 0; i < n * 3; i++)
        assert_true(C[i] == C[i]);
    assert_int_equal(k->tn_skip(D, 3, A, width, of_rows, 3, width, 3, n), active * (size_t)n);
    for (int i = 0; i < width; i++)
        if (inactive[i])
            assert_memory_equal(D + i * 3, D0 + i * 3, 3 * sizeof *D);
    if (n == 0)
        return;
    A[0] = NAN;
    k->nn_skip(C, 3, A, width, draw(width * 3), 3, n, 3, width, 0);
    assert_true(isnan(C[0]));
}

/* More columns than are listed at once. */
static void check_wide(const nln_kernels *k, int n, int width)
{
    enum { WIDE = 600 };
    if (width != 3 && width != 70)
        return;
    real *A = draw(n * WIDE), *C = draw(n * width), *D = draw(WIDE * width);
    const real *B = draw(WIDE * width), *of_rows = draw(n * width), *D0 = copy(D, WIDE * width);
    k->nn_skip(C, width, A, WIDE, B, width, n, width, WIDE, 0);
    k->tn_skip(D, width, A, WIDE, of_rows, width, WIDE, width, n);
    for (int j = 0; j < width; j++) {
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int i = 0; i < WIDE; i++)
                sum += (double)A[r * WIDE + i] * (double)B[i * width + j];
            near(k, width, r, C[r * width + j], sum, WIDE);
        }
        for (int i = 0; i < WIDE; i++) {
            double sum = (double)D0[i * width + j];
            for (int r = 0; r < n; r++)
                sum += (double)A[r * WIDE + i] * (double)of_rows[r * width + j];
            near(k, width, i, D[i * width + j], sum, 10);
        }
    }
}

static void check_packing_of(const nln_kernels *k, int n, int width)
{
    int32_t unit[MOST_WIDTH + 16];
    uint16_t lanes[(MOST_WIDTH + 15) / 16];
    nln_active_units a = {.width = width, .unit = unit, .lanes = lanes};
    real *x = draw(n * width), *to = draw(n * width), *more = draw(n * width);
    const char *inactive = make_inactive(x, n, width);
    const real *more0 = copy(more, n * width);
    k->find_active(&a, x, n);
    int found = 0;
    for (int i = 0; i < width; i++) {
        assert_int_equal(lanes[i / 16] >> i % 16 & 1, !inactive[i]);
        if (!inactive[i])
            assert_int_equal(unit[found++], i);
    }
    assert_int_equal(a.n, found);
    assert_true(a.stride >= a.n && a.stride <= width);
    assert_true(a.stride == width || a.stride % NLN_PACKED_LANES == 0);
    real *packed = draw(n * a.stride + NLN_PACKED_SLACK);
    k->pack(packed, &a, x, n);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < a.stride; i++) {
            real wanted = i < a.n ? x[r * width + unit[i]] : 0;
            assert_memory_equal(packed + r * a.stride + i, &wanted, sizeof wanted);
        }
    k->unpack(to, &a, packed, n);
    k->unpack_add(more, &a, packed, n);
    for (int i = 0; i < n * width; i++) {
        real wanted = inactive[i % width] ? 0 : x[i], sum = more0[i] + wanted;
        assert_memory_equal(to + i, &wanted, sizeof wanted);
        assert_memory_equal(more + i, &sum, sizeof sum);
    }
}

/* And some widths of several times 64 columns. */
static void check_packing(const nln_kernels *k, int n, int width)
{
    check_packing_of(k, n, width);
    if (width == 1)
        for (int wide = 126; wide <= MOST_WIDTH; wide += 2) {
            release();
            check_packing_of(k, n, wide);
        }
}

TEST(nn_skip)
TEST(tn_skip)
TEST(skipped)
TEST(wide)
TEST(packing)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nn_skip), cmocka_unit_test(tn_skip), cmocka_unit_test(skipped),
        cmocka_unit_test(wide),    cmocka_unit_test(packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
