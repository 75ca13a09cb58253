#include "data/fact_index.h"

#include <stdlib.h>

#include "base/array.h"

static int compare(const void *x, const void *y)
{
    const nln_edge *a = x, *b = y;
    if (a->relation != b->relation)
        return a->relation < b->relation ? -1 : 1;
    return a->entity < b->entity ? -1 : a->entity > b->entity;
}

void nln_fact_index_free(nln_fact_index *g)
{
    if (!g)
        return;
    nln_free(g->start);
    nln_free(g->edge);
    nln_free(g);
}

/* Sorts the edges of each entity and closes the gaps that repetitions leave. */
static void sort_edges(nln_fact_index *g)
{
    size_t kept = 0, from = 0;
    for (size_t e = 0; e < g->n_entities; e++) {
        size_t to = g->start[e + 1], first = kept;
        if (to - from > 1)
            qsort(g->edge + from, to - from, sizeof *g->edge, compare);
        for (size_t i = from; i < to; i++)
            if (kept == first || compare(&g->edge[kept - 1], &g->edge[i]) != 0)
                g->edge[kept++] = g->edge[i];
        from = to;
        g->start[e + 1] = kept;
    }
}

nln_status nln_fact_index_create(nln_fact_index **out, size_t n_entities, size_t n_relations,
                                 const nln_triple *const *list, const size_t *n, int n_lists,
                                 nln_error *err)
{
    nln_fact_index *g = nln_memory_zeroed(1, sizeof *g);
    size_t total = 0;
    *out = NULL;
    if (!g)
        return nln_error_memory(err);
    for (int l = 0; l < n_lists; l++)
        total += n[l];
    *g = (nln_fact_index){.n_entities = n_entities, .n_relations = n_relations};
    g->start = nln_array_zeroed(n_entities + 1, sizeof *g->start);
    g->edge = nln_array_zeroed(2 * total, sizeof *g->edge);
    size_t *at = nln_array_zeroed(n_entities + 1, sizeof *at);
    if (!g->start || !g->edge || !at) {
        nln_free(at);
        nln_fact_index_free(g);
        return nln_error_memory(err);
    }
    for (int l = 0; l < n_lists; l++)
        for (size_t i = 0; i < n[l]; i++) {
            g->start[list[l][i].head + 1]++;
            g->start[list[l][i].tail + 1]++;
        }
    for (size_t e = 0; e < n_entities; e++)
        at[e + 1] = g->start[e + 1] += g->start[e];
    for (int l = 0; l < n_lists; l++)
        for (size_t i = 0; i < n[l]; i++) {
            nln_triple t = list[l][i];
            g->edge[at[t.head]++] = (nln_edge){t.relation, t.tail};
            g->edge[at[t.tail]++] = (nln_edge){t.relation + (int32_t)n_relations, t.head};
        }
    nln_free(at);
    sort_edges(g);
    *out = g;
    return NLN_OK;
}

/* The first edge of the entity that is not before `edge`. */
static size_t lower_bound(const nln_fact_index *g, int32_t entity, nln_edge edge)
{
    size_t low = g->start[entity], high = g->start[entity + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&g->edge[middle], &edge) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t nln_fact_index_find(size_t *first, const nln_fact_index *g, int32_t entity, int32_t relation)
{
    *first = lower_bound(g, entity, (nln_edge){relation, 0});
    return lower_bound(g, entity, (nln_edge){relation + 1, 0}) - *first;
}

int nln_fact_index_has(const nln_fact_index *g, int32_t entity, int32_t relation, int32_t other)
{
    size_t at = lower_bound(g, entity, (nln_edge){relation, other});
    return at < g->start[entity + 1] && g->edge[at].relation == relation &&
           g->edge[at].entity == other;
}
