#include "plane/nearest_neighbours.h"

#include <math.h>

#include "base/array.h"

/* ---- a heap of the k nearest so far: the farthest is at the top -------------------- */

typedef struct heap {
    size_t n;
    double *distance;
    int32_t *index;
} heap;

static int farther(const heap *h, size_t a, size_t b)
{
    if (h->distance[a] != h->distance[b])
        return h->distance[a] > h->distance[b];
    return h->index[a] > h->index[b];
}

static void swap(heap *h, size_t a, size_t b)
{
    double distance = h->distance[a];
    int32_t index = h->index[a];
    h->distance[a] = h->distance[b];
    h->index[a] = h->index[b];
    h->distance[b] = distance;
    h->index[b] = index;
}

static void sink(heap *h, size_t at)
{
    for (;;) {
        size_t top = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < h->n; child++)
            if (farther(h, child, top))
                top = child;
        if (top == at)
            return;
        swap(h, at, top);
        at = top;
    }
}

/* Room is for k. */
static void push(heap *h, size_t k, double distance, int32_t index)
{
    if (h->n == k) {
        if (distance > h->distance[0] || (distance == h->distance[0] && index > h->index[0]))
            return;
        h->distance[0] = distance;
        h->index[0] = index;
        sink(h, 0);
        return;
    }
    size_t at = h->n++;
    h->distance[at] = distance;
    h->index[at] = index;
    for (; at && farther(h, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(h, at, (at - 1) / 2);
}

/* Nearest first; it is no heap any more. */
static void sort(heap *h)
{
    size_t n = h->n;
    while (h->n > 1) {
        swap(h, 0, --h->n);
        sink(h, 0);
    }
    h->n = n;
}

/* ---- nearest neighbours ------------------------------------------------------------ */

typedef struct search {
    const nln_distances *space;
    size_t k;
    int32_t *index;   /* [n, k] */
    double *distance; /* [n, k] */
} search;

/* No neighbour of row i is farther than the k-th least of the greatest distances that the row
 * allows; the heap is used as scratch. */
static double farthest(heap *h, const search *s, size_t i, const float *least)
{
    h->n = 0;
    if (s->k + 1 == s->space->n)
        return INFINITY;
    for (size_t j = 0; j < s->space->n; j++)
        if ((h->n < s->k || (double)least[j] < h->distance[0]) && j != i)
            push(h, s->k, (double)(least[j] + nln_distances_gap(s->space, i, j)), (int32_t)j);
    return h->distance[0];
}

static void visit_nearest(void *context, size_t i, const float *least)
{
    const search *s = context;
    heap h = {0, s->distance + i * s->k, s->index + i * s->k};
    double limit = farthest(&h, s, i, least);
    h.n = 0;
    for (size_t j = 0; j < s->space->n; j++)
        if ((double)least[j] <= limit && j != i)
            push(&h, s->k, nln_distances_distance(s->space, i, j), (int32_t)j);
    sort(&h);
}

nln_status nln_nearest_neighbours_find(int32_t *index, double *distance, const nln_distances *space,
                                       size_t k, nln_thread_pool *team, nln_error *err)
{
    search s = {space, k, index, distance};
    return k ? nln_distances_rows(space, 1, visit_nearest, &s, team, err) : NLN_OK;
}

/* ---- trustworthiness --------------------------------------------------------------- */

typedef struct audit {
    const nln_distances *space;
    const int32_t *near; /* [n, NLN_TRUST_NEIGHBOURS] in the plane */
    double *excess;      /* [n]: ranks in the space beyond NLN_TRUST_NEIGHBOURS */
} audit;

/* The rank of j among the neighbours of i: 1 is the nearest. */
static double rank_of(const nln_distances *s, size_t i, size_t j, const float *least)
{
    double limit = nln_distances_distance(s, i, j);
    size_t rank = 1;
    for (size_t l = 0; l < s->n; l++) {
        if ((double)least[l] >= limit || l == i || l == j)
            continue;
        if ((double)(least[l] + nln_distances_gap(s, i, l)) < limit)
            rank++;
        else
            rank += nln_distances_distance(s, i, l) < limit;
    }
    return (double)rank;
}

static void visit_trust(void *context, size_t i, const float *least)
{
    const audit *a = context;
    for (size_t m = 0; m < NLN_TRUST_NEIGHBOURS; m++) {
        size_t j = (size_t)a->near[i * NLN_TRUST_NEIGHBOURS + m];
        double rank = rank_of(a->space, i, j, least);
        a->excess[i] += fmax(0, rank - NLN_TRUST_NEIGHBOURS);
    }
}

/* The nearest neighbours in the plane. */
static nln_status find_near(int32_t *near, const double *plane, size_t n, nln_thread_pool *team,
                            nln_error *err)
{
    nln_distances flat = {0};
    float *points = nln_array_zeroed(2 * n, sizeof *points);
    double *distance = nln_array_zeroed(n * NLN_TRUST_NEIGHBOURS, sizeof *distance);
    nln_status status = points && distance ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < 2 * n; i++)
        points[i] = (float)plane[i];
    if (!status)
        status = nln_distances_create(&flat, points, n, 2, err);
    if (!status)
        status =
            nln_nearest_neighbours_find(near, distance, &flat, NLN_TRUST_NEIGHBOURS, team, err);
    nln_distances_free(&flat);
    nln_free(points);
    nln_free(distance);
    return status;
}

static double trust_of(const double *excess, size_t n, size_t step)
{
    double sum = 0, k = NLN_TRUST_NEIGHBOURS, asked = 0;
    for (size_t i = 0; i < n; i += step) {
        sum += excess[i];
        asked++;
    }
    return 1 - sum * 2 / (asked * k * (2 * (double)n - 3 * k - 1));
}

nln_status nln_nearest_neighbours_trust(double *out, const nln_distances *space,
                                        const double *plane, nln_thread_pool *team, nln_error *err)
{
    size_t n = space->n, step = n / (NLN_TRUST_SAMPLE + 1) + 1;
    *out = NAN;
    if (n <= 2 * (size_t)NLN_TRUST_NEIGHBOURS)
        return NLN_OK;
    int32_t *near = nln_array_zeroed(n * NLN_TRUST_NEIGHBOURS, sizeof *near);
    audit a = {space, near, nln_array_zeroed(n, sizeof *a.excess)};
    nln_status status = near && a.excess ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = find_near(near, plane, n, team, err);
    if (!status)
        status = nln_distances_rows(space, step, visit_trust, &a, team, err);
    if (!status)
        *out = trust_of(a.excess, n, step);
    nln_free(near);
    nln_free(a.excess);
    return status;
}
