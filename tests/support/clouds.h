/* Clouds of points for the tests of t-SNE. */
#ifndef NLN_TESTS_CLOUDS_H
#define NLN_TESTS_CLOUDS_H

#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/thread_pool.h"

/* n standard normal numbers, times `scale`; malloced. */
static inline float *cloud_floats(size_t n, double scale, uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    float *x = malloc((n + 1) * sizeof *x);
    if (!x)
        exit(1);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(scale * nln_random_normal(&random));
    return x;
}

static inline double *cloud_doubles(size_t n, double scale, uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    double *x = malloc((n + 1) * sizeof *x);
    if (!x)
        exit(1);
    for (size_t i = 0; i < n; i++)
        x[i] = scale * nln_random_normal(&random);
    return x;
}

static inline nln_thread_pool *cloud_team(int n_threads)
{
    nln_thread_pool *team = NULL;
    if (nln_thread_pool_create(&team, n_threads, NULL))
        exit(1);
    return team;
}

#endif
