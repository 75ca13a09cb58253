#include "plane/trustworthiness.h"

#include <math.h>

#include "base/array.h"
#include "plane/nearest_neighbours.h"

enum { K = NLN_TRUSTWORTHINESS_NEIGHBOURS };

typedef struct audit {
    const nln_distances *space;
    int32_t *near;  /* [n, K] neighbours on the plane */
    double *excess; /* [n]: ranks of these in the space, as far as they are above K */
} audit;

/* The rank of j among the neighbours of i in the space: 1 is the nearest. */
static double rank_of(const nln_distances *s, size_t i, size_t j, const float *low)
{
    double distance = nln_distances_exact(s, i, j);
    size_t rank = 1;
    for (size_t l = 0; l < s->n; l++)
        if ((double)low[l] < distance && l != i && l != j)
            rank += (double)(low[l] + nln_distances_gap(s, i, l)) < distance ||
                    nln_distances_exact(s, i, l) < distance;
    return (double)rank;
}

static void visit_row(void *context, size_t i, const float *low)
{
    const audit *a = context;
    for (size_t m = 0; m < K; m++)
        a->excess[i] += fmax(0, rank_of(a->space, i, (size_t)a->near[i * K + m], low) - K);
}

static nln_status find_near(int32_t *near, const double *plane, size_t n, nln_thread_pool *pool,
                            nln_error *err)
{
    nln_distances flat = {0};
    float *points = nln_array_zeroed(2 * n, sizeof *points);
    double *distance = nln_array_zeroed(n * K, sizeof *distance);
    nln_status status = points && distance ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < 2 * n; i++)
        points[i] = (float)plane[i];
    if (!status)
        status = nln_distances_create(&flat, points, n, 2, err);
    if (!status)
        status = nln_nearest_neighbours_find(near, distance, &flat, K, pool, err);
    nln_distances_free(&flat);
    nln_free(points);
    nln_free(distance);
    return status;
}

nln_status nln_trustworthiness_measure(double *out, const nln_distances *space, const double *plane,
                                       nln_thread_pool *pool, nln_error *err)
{
    size_t n = space->n, step = n / (NLN_TRUSTWORTHINESS_SAMPLE + 1) + 1;
    double sum = 0, sampled = 0;
    *out = NAN;
    if (n <= 2 * (size_t)K)
        return NLN_OK;
    audit a = {space, nln_array_zeroed(n * K, sizeof *a.near),
               nln_array_zeroed(n, sizeof *a.excess)};
    nln_status status =
        a.near && a.excess ? find_near(a.near, plane, n, pool, err) : nln_error_memory(err);
    if (!status)
        status = nln_distances_rows(space, step, visit_row, &a, pool, err);
    for (size_t i = 0; !status && i < n; i += step) {
        sum += a.excess[i];
        sampled++;
    }
    if (!status)
        *out = 1 - sum * 2 / (sampled * K * (2 * (double)n - 3 * K - 1));
    nln_free(a.near);
    nln_free(a.excess);
    return status;
}
