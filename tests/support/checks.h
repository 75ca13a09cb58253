/* Checks of kernels, in every instruction set and at all widths; for tests that include cmocka.h.
 */
#ifndef NLN_TEST_CHECKS_H
#define NLN_TEST_CHECKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/kernels.h"

/* ---- arrays that live for one check ---------------------------------------- */

static nln_random random_stream;
static real *arrays[32];
static size_t n_arrays;

/* Exactly as large as it must be, so that a sanitizer sees what goes beyond.
 * Every fifth number is 0. */
static inline real *draw(int n)
{
    real *x = malloc(n > 0 ? (size_t)n * sizeof *x : 1);
    for (int i = 0; i < n; i++)
        x[i] = nln_random_below(&random_stream, 5) ? (real)nln_random_normal(&random_stream) : 0;
    assert_true(n_arrays < sizeof arrays / sizeof *arrays);
    return arrays[n_arrays++] = x;
}

static inline real *copy(const real *from, int n)
{
    real *x = draw(n);
    memcpy(x, from, (size_t)n * sizeof *x);
    return x;
}

static inline void release(void)
{
    while (n_arrays)
        free(arrays[--n_arrays]);
}

/* Runs a check for every instruction set and all widths. */
static inline void each(void (*check)(const nln_kernels *k, int n, int width))
{
    static const int rows[] = {0, 1, 2, 3, 9};
    const nln_kernels *all[3];
    int n_sets = nln_kernels_all(all);
    random_stream = nln_random_seed(11, 0);
    for (int s = 0; s < n_sets; s++)
        for (int width = 1; width <= 70; width++)
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                check(all[s], rows[i], width);
                release();
            }
}

/* `size` is the magnitude of what was added up. */
static inline void near(const nln_kernels *k, int width, int at, real got, double wanted,
                        double size)
{
    if (!(fabs((double)got - wanted) <= 1e-5 * (size + 1e-3)))
        fail_msg("%s, width %d, number %d: %.9g, not %.9g", k->name, width, at, (double)got,
                 wanted);
}

/* The test that runs check_<name>. */
#define TEST(name)                 \
    static void name(void **state) \
    {                              \
        (void)state;               \
        each(check_##name);        \
    }

#endif
