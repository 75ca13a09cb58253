#include "plane/forces.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Points, or herds, of one step of a team. */
enum { PIECE = 64, HERDS = 16 };

nln_status nln_forces_create(nln_forces **out, const nln_affinities *affinity, int exact,
                             double theta, nln_thread_pool *team, nln_error *err)
{
    size_t n = affinity->n;
    nln_forces *f = nln_memory_zeroed(1, sizeof *f);
    if (!f)
        return nln_error_memory(err);
    f->affinity = affinity;
    f->team = team;
    f->theta = theta;
    f->push = nln_array_zeroed(n, sizeof *f->push);
    f->pull = nln_array_zeroed(2 * n, sizeof *f->pull);
    f->divergence = nln_array_zeroed(n, sizeof *f->divergence);
    nln_status status = f->push && f->pull && f->divergence ? NLN_OK : nln_error_memory(err);
    if (!status && !exact)
        status = nln_quadtree_create(&f->tree, n, err);
    if (status) {
        nln_forces_free(f);
        return status;
    }
    for (size_t e = 0; e < affinity->start[n]; e++) {
        double p = (double)affinity->p[e];
        f->own += p > 0 ? p * log(p) : 0;
    }
    *out = f;
    return NLN_OK;
}

void nln_forces_free(nln_forces *forces)
{
    if (!forces)
        return;
    nln_quadtree_free(forces->tree);
    nln_free(forces->push);
    nln_free(forces->pull);
    nln_free(forces->divergence);
    nln_free(forces);
}

static int pieces(size_t n, size_t each)
{
    return (int)((n + each - 1) / each);
}

/* ---- push -------------------------------------------------------------------------- */

/* All points push those of a piece. */
static void push_piece(void *context, int piece)
{
    const nln_forces *f = context;
    nln_barnes_hut bodies;
    size_t n = f->affinity->n, first = (size_t)piece * PIECE;
    size_t last = first + PIECE < n ? first + PIECE : n;
    memset(f->push + first, 0, (last - first) * sizeof *f->push);
    for (size_t from = 0; from < n; from += NLN_BODIES_ROOM) {
        size_t some = n - from < NLN_BODIES_ROOM ? n - from : NLN_BODIES_ROOM;
        bodies.n = (int)some;
        memcpy(bodies.x, f->at + from, some * sizeof *bodies.x);
        memcpy(bodies.y, f->at + n + from, some * sizeof *bodies.y);
        for (size_t i = 0; i < some; i++)
            bodies.mass[i] = 1;
        nln_barnes_hut_push(f->push + first, f->at + first, f->at + n + first, last - first,
                            &bodies);
    }
}

static void push_herds(void *context, int piece)
{
    const nln_forces *f = context;
    const nln_quadtree *t = f->tree;
    int32_t first = piece * HERDS, last = first + HERDS < t->n_herds ? first + HERDS : t->n_herds;
    nln_repulsion sum[NLN_QUADTREE_LEAF];
    for (int32_t h = first; h < last; h++) {
        nln_quadtree_push(sum, t, t->herd[h], f->theta);
        for (int32_t i = t->herd[h].first; i < t->herd[h].last; i++)
            f->push[t->order[i]] = sum[i - t->herd[h].first];
    }
}

/* ---- pull -------------------------------------------------------------------------- */

static void pull_piece(void *context, int piece)
{
    const nln_forces *f = context;
    const nln_affinities *a = f->affinity;
    size_t first = (size_t)piece * PIECE, last = first + PIECE < a->n ? first + PIECE : a->n;
    const double *x = f->at, *y = f->at + a->n;
    for (size_t i = first; i < last; i++) {
        double sum_x = 0, sum_y = 0;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            int32_t j = a->column[e];
            double dx = x[i] - x[j], dy = y[i] - y[j];
            double pq = (double)a->p[e] / (1 + dx * dx + dy * dy);
            sum_x += pq * dx;
            sum_y += pq * dy;
        }
        f->pull[i] = sum_x;
        f->pull[a->n + i] = sum_y;
    }
}

const double *nln_forces_gradient(nln_forces *forces, const double *at, double exaggeration)
{
    nln_forces *f = forces;
    size_t n = f->affinity->n;
    f->at = at;
    nln_thread_pool_run(f->team, pieces(n, PIECE), pull_piece, f);
    if (f->tree) {
        nln_quadtree_build(f->tree, at, at + n);
        nln_thread_pool_run(f->team, pieces((size_t)f->tree->n_herds, HERDS), push_herds, f);
    } else {
        nln_thread_pool_run(f->team, pieces(n, PIECE), push_piece, f);
    }
    f->Z = 0;
    for (size_t i = 0; i < n; i++)
        f->Z += f->push[i].z - 1; /* a point does not push itself */
    f->Z = fmax(f->Z, 1e-300);
    for (size_t i = 0; i < n; i++) {
        f->pull[i] = 4 * (exaggeration * f->pull[i] - f->push[i].x / f->Z);
        f->pull[n + i] = 4 * (exaggeration * f->pull[n + i] - f->push[i].y / f->Z);
    }
    return f->pull;
}

/* ---- objective --------------------------------------------------------------------- */

static void diverge_piece(void *context, int piece)
{
    const nln_forces *f = context;
    const nln_affinities *a = f->affinity;
    size_t first = (size_t)piece * PIECE, last = first + PIECE < a->n ? first + PIECE : a->n;
    const double *x = f->at, *y = f->at + a->n;
    double log_Z = log(f->Z);
    for (size_t i = first; i < last; i++) {
        f->divergence[i] = 0;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++) {
            int32_t j = a->column[e];
            double dx = x[i] - x[j], dy = y[i] - y[j];
            f->divergence[i] += (double)a->p[e] * (log1p(dx * dx + dy * dy) + log_Z);
        }
    }
}

double nln_forces_divergence(nln_forces *forces)
{
    nln_forces *f = forces;
    double sum = f->own;
    nln_thread_pool_run(f->team, pieces(f->affinity->n, PIECE), diverge_piece, f);
    for (size_t i = 0; i < f->affinity->n; i++)
        sum += f->divergence[i];
    return sum;
}
