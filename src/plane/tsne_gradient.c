#include "plane/tsne_gradient.h"

#include <math.h>

#include "base/array.h"

/* Points, and groups of points, of one step of the thread pool. */
enum { CHUNK = 64, GROUPS = 16 };

nln_status nln_tsne_gradient_create(nln_tsne_gradient *out, const nln_affinities *affinity,
                                    int exact, double theta, nln_thread_pool *pool, nln_error *err)
{
    size_t n = affinity->n;
    *out = (nln_tsne_gradient){.affinity = affinity,
                               .pool = pool,
                               .exact = exact,
                               .theta = theta,
                               .repulsion = nln_array_zeroed(n, sizeof *out->repulsion),
                               .gradient = nln_array_zeroed(2 * n, sizeof *out->gradient),
                               .divergence = nln_array_zeroed(n, sizeof *out->divergence)};
    nln_status status =
        out->repulsion && out->gradient && out->divergence ? NLN_OK : nln_error_memory(err);
    if (!status && !exact)
        status = nln_quadtree_create(&out->tree, n, err);
    for (size_t e = 0; e < affinity->start[n]; e++) {
        double p = (double)affinity->p[e];
        out->entropy += p > 0 ? p * log(p) : 0;
    }
    if (status)
        nln_tsne_gradient_free(out);
    return status;
}

void nln_tsne_gradient_free(nln_tsne_gradient *g)
{
    nln_quadtree_free(&g->tree);
    nln_free(g->repulsion);
    nln_free(g->gradient);
    nln_free(g->divergence);
    *g = (nln_tsne_gradient){0};
}

/* Calls step for each chunk of `size` out of n. */
static void run(nln_tsne_gradient *g, size_t n, size_t size, void (*step)(void *context, int chunk))
{
    nln_thread_pool_run(g->pool, (int)((n + size - 1) / size), step, g);
}

static size_t chunk_end(size_t first, size_t n)
{
    return first + CHUNK < n ? first + CHUNK : n;
}

static void repel_exactly(void *context, int chunk)
{
    const nln_tsne_gradient *g = context;
    size_t n = g->affinity->n, first = (size_t)chunk * CHUNK;
    nln_barnes_hut_exact(g->repulsion + first, g->at, g->at + n, n, first, chunk_end(first, n));
}

static void repel_groups(void *context, int chunk)
{
    const nln_tsne_gradient *g = context;
    const nln_quadtree *t = &g->tree;
    nln_repulsion sum[NLN_QUADTREE_LEAF];
    for (int32_t i = chunk * GROUPS; i < t->n_groups && i < (chunk + 1) * GROUPS; i++) {
        nln_quadtree_group group = t->group[i];
        nln_barnes_hut_approximate(sum, t, group, g->theta);
        for (int32_t p = group.first; p < group.last; p++)
            g->repulsion[t->point[p].index] = sum[p - group.first];
    }
}

static void attract(void *context, int chunk)
{
    const nln_tsne_gradient *g = context;
    const nln_affinities *a = g->affinity;
    const double *x = g->at, *y = g->at + a->n;
    size_t first = (size_t)chunk * CHUNK, last = chunk_end(first, a->n);
    for (size_t i = first; i < last; i++) {
        double sum_x = 0, sum_y = 0;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            int32_t j = a->column[e];
            double dx = x[i] - x[j], dy = y[i] - y[j];
            double pq = (double)a->p[e] / (1 + dx * dx + dy * dy);
            sum_x += pq * dx;
            sum_y += pq * dy;
        }
        g->gradient[i] = sum_x;
        g->gradient[a->n + i] = sum_y;
    }
}

const double *nln_tsne_gradient_compute(nln_tsne_gradient *g, const double *at, double exaggeration)
{
    size_t n = g->affinity->n;
    g->at = at;
    run(g, n, CHUNK, attract);
    if (!g->exact) {
        nln_quadtree_build(&g->tree, at, at + n);
        run(g, (size_t)g->tree.n_groups, GROUPS, repel_groups);
    } else {
        run(g, n, CHUNK, repel_exactly);
    }
    g->Z = 0;
    for (size_t i = 0; i < n; i++)
        g->Z += g->repulsion[i].z - 1; /* without the point itself */
    g->Z = fmax(g->Z, 1e-300);
    for (size_t i = 0; i < n; i++) {
        double *dx = &g->gradient[i], *dy = &g->gradient[n + i];
        *dx = 4 * (exaggeration * *dx - g->repulsion[i].x / g->Z);
        *dy = 4 * (exaggeration * *dy - g->repulsion[i].y / g->Z);
    }
    return g->gradient;
}

static void diverge(void *context, int chunk)
{
    const nln_tsne_gradient *g = context;
    const nln_affinities *a = g->affinity;
    const double *x = g->at, *y = g->at + a->n;
    double log_Z = log(g->Z);
    size_t first = (size_t)chunk * CHUNK, last = chunk_end(first, a->n);
    for (size_t i = first; i < last; i++) {
        g->divergence[i] = 0;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            int32_t j = a->column[e];
            double dx = x[i] - x[j], dy = y[i] - y[j];
            g->divergence[i] += (double)a->p[e] * (log1p(dx * dx + dy * dy) + log_Z);
        }
    }
}

double nln_tsne_gradient_divergence(nln_tsne_gradient *g)
{
    double sum = g->entropy;
    run(g, g->affinity->n, CHUNK, diverge);
    for (size_t i = 0; i < g->affinity->n; i++)
        sum += g->divergence[i];
    return sum;
}
