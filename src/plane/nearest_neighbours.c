#include "plane/nearest_neighbours.h"

#include <math.h>

/* The k nearest points so far, as a heap with the farthest on top.  Empty places are infinitely
 * far away. */
typedef struct heap {
    size_t n;
    double *distance;
    int32_t *index;
} heap;

static int is_farther(const heap *h, size_t at, double distance, int32_t index)
{
    if (h->distance[at] != distance)
        return h->distance[at] > distance;
    return h->index[at] > index;
}

static void clear(heap *h)
{
    for (size_t i = 0; i < h->n; i++) {
        h->distance[i] = INFINITY;
        h->index[i] = INT32_MAX;
    }
}

/* Replaces the top and lets the new entry sink to its place. */
static void replace_top(heap *h, double distance, int32_t index)
{
    size_t at = 0;
    for (size_t child = 1; child < h->n; child = 2 * at + 1) {
        if (child + 1 < h->n && is_farther(h, child + 1, h->distance[child], h->index[child]))
            child++;
        if (!is_farther(h, child, distance, index))
            break;
        h->distance[at] = h->distance[child];
        h->index[at] = h->index[child];
        at = child;
    }
    h->distance[at] = distance;
    h->index[at] = index;
}

/* Heapsort: nearest first. */
static void sort(heap *h)
{
    while (h->n > 1) {
        size_t last = --h->n;
        double distance = h->distance[last];
        int32_t index = h->index[last];
        h->distance[last] = h->distance[0];
        h->index[last] = h->index[0];
        replace_top(h, distance, index);
    }
}

typedef struct search {
    const nln_distances *space;
    size_t k;
    int32_t *index;   /* [n, k] */
    double *distance; /* [n, k] */
} search;

static void visit_row(void *context, size_t i, const float *low)
{
    const search *s = context;
    size_t n = s->space->n;
    heap h = {s->k, s->distance + i * s->k, s->index + i * s->k};
    double limit = INFINITY;
    clear(&h);
    if (s->k + 1 < n) { /* no neighbour is farther than the k-th smallest upper bound */
        for (size_t j = 0; j < n; j++) {
            double high = (double)(low[j] + nln_distances_gap(s->space, i, j));
            if (j != i && is_farther(&h, 0, high, (int32_t)j))
                replace_top(&h, high, (int32_t)j);
        }
        limit = h.distance[0];
        clear(&h);
    }
    for (size_t j = 0; j < n; j++) {
        if ((double)low[j] > limit || j == i)
            continue;
        double exact = nln_distances_exact(s->space, i, j);
        if (is_farther(&h, 0, exact, (int32_t)j))
            replace_top(&h, exact, (int32_t)j);
    }
    sort(&h);
}

nln_status nln_nearest_neighbours_find(int32_t *index, double *distance, const nln_distances *space,
                                       size_t k, nln_thread_pool *pool, nln_error *err)
{
    search s = {space, k, index, distance};
    return k ? nln_distances_rows(space, 1, visit_row, &s, pool, err) : NLN_OK;
}
