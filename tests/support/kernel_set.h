/* One set of kernels against plain formulas; for tests that include cmocka.h. */
#ifndef NLN_TESTS_KERNEL_SET_H
#define NLN_TESTS_KERNEL_SET_H

#include <string.h>

#include "checks.h"

/* NULL if this processor cannot run it. */
static inline const nln_kernels *kernel_set(const char *name)
{
    const nln_kernels *all[3];
    for (int i = nln_kernels_all(all); i-- > 0;)
        if (!strcmp(all[i]->name, name))
            return all[i];
    return NULL;
}

/* Sums over a row, and a product that skips zeros, at all widths around the registers' size. */
static inline void kernel_set_check(const char *name, int wide)
{
    const nln_kernels *k = kernel_set(name);
    if (!k)
        skip();
    assert_int_equal(k->wide, wide);
    random_stream = nln_random_seed(5, 0);
    for (int width = 1; width <= 70; width++) {
        enum { N = 3 };
        real *x = draw(width), *y = draw(width), *B = draw(width * N), product[N];
        double dot = 0, wanted[N] = {0};
        for (int i = 0; i < width; i++) {
            dot += (double)x[i] * (double)y[i];
            for (int j = 0; j < N; j++)
                wanted[j] += (double)x[i] * (double)B[i * N + j];
        }
        near(k, width, 0, k->dot(x, y, width), dot, 10);
        assert_in_range(k->nn_skip(product, N, x, width, B, N, 1, N, width, 0), 0, width);
        for (int j = 0; j < N; j++)
            near(k, width, j, product[j], wanted[j], 10);
        const real *before = copy(y, width);
        k->axpy(y, 2, x, (size_t)width);
        for (int i = 0; i < width; i++)
            near(k, width, i, y[i], (double)before[i] + 2 * (double)x[i], 10);
        release();
    }
}

#endif
