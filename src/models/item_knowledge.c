#include "models/item_knowledge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* A node with more neighbours says nothing of two of them. */
enum { MOST_BETWEEN = 1000 };

void nln_item_knowledge_free(nln_item_knowledge *k)
{
    if (!k)
        return;
    nln_symbols_free(k->relations);
    nln_symbols_free(k->things);
    nln_fact_index_free(k->facts);
    nln_free(k->weight_of);
    nln_free(k->start);
    nln_free(k->near_node);
    nln_free(k->root);
    nln_free(k);
}

/* ---- creating -------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static nln_status list_neighbours(nln_item_knowledge *k, nln_error *err)
{
    const nln_fact_index *g = k->facts;
    size_t n = g->n_entities, kept = 0;
    k->start = nln_array_zeroed(n + 1, sizeof *k->start);
    k->near_node = nln_array_zeroed(g->start[n], sizeof *k->near_node);
    k->root = nln_array_zeroed(n, sizeof *k->root);
    if (!k->start || !k->near_node || !k->root)
        return nln_error_memory(err);
    for (size_t e = 0; e < n; e++) {
        size_t first = kept, end = first;
        for (size_t i = g->start[e]; i < g->start[e + 1]; i++)
            if ((size_t)g->edge[i].entity != e)
                k->near_node[end++] = g->edge[i].entity;
        if (end > first)
            qsort(k->near_node + first, end - first, sizeof *k->near_node, ascending);
        for (size_t i = first; i < end; i++)
            if (kept == first || k->near_node[kept - 1] != k->near_node[i])
                k->near_node[kept++] = k->near_node[i];
        k->start[e + 1] = kept;
        k->root[e] = kept > first ? (float)pow((double)(kept - first), -0.25) : 0;
    }
    return NLN_OK;
}

/* The most frequent relations have weights of their own. */
static nln_status share_weights(nln_item_knowledge *k, nln_error *err)
{
    const nln_fact_index *g = k->facts;
    size_t n = g->n_relations;
    size_t *count = nln_array_zeroed(n, sizeof *count);
    k->weight_of = nln_array_zeroed(n, sizeof *k->weight_of);
    if (!count || !k->weight_of) {
        nln_free(count);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < g->start[g->n_entities]; i++)
        if ((size_t)g->edge[i].relation < n)
            count[g->edge[i].relation]++;
    int most = NLN_KNOWLEDGE_WEIGHTS - 1;
    for (size_t r = 0; r < n; r++) {
        int before = 0;
        for (size_t o = 0; o < n; o++)
            before += count[o] > count[r] || (o < r && count[o] == count[r]);
        k->weight_of[r] = before < most - 1 ? before : most - 1;
    }
    k->n_weights = (n < (size_t)most ? (int)n : most) + 1;
    nln_free(count);
    return NLN_OK;
}

nln_status nln_item_knowledge_create(nln_item_knowledge **out, size_t n_items,
                                     const nln_symbols *relations, const nln_symbols *things,
                                     const nln_triple *facts, size_t n, nln_error *err)
{
    nln_item_knowledge *k = nln_memory_zeroed(1, sizeof *k);
    *out = NULL;
    if (!k)
        return nln_error_memory(err);
    k->n_items = n_items;
    k->network = k->decay = 1;
    k->relations = nln_symbols_copy(relations);
    k->things = nln_symbols_copy(things);
    nln_status status = k->relations && k->things ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_fact_index_create(&k->facts, n_items + (size_t)nln_symbols_count(things),
                                       (size_t)nln_symbols_count(relations),
                                       (const nln_triple *const *)&facts, &n, 1, err);
    if (!status)
        status = list_neighbours(k, err);
    if (!status)
        status = share_weights(k, err);
    if (status)
        nln_item_knowledge_free(k);
    else
        *out = k;
    return status;
}

nln_status nln_item_knowledge_of_facts(nln_item_knowledge **out, size_t n_items,
                                       const nln_item_facts *facts, nln_error *err)
{
    nln_triple *list = nln_array_zeroed(facts->n, sizeof *list);
    *out = NULL;
    if (!list)
        return nln_error_memory(err);
    for (size_t i = 0; i < facts->n; i++) {
        list[i] = facts->list[i];
        if (list[i].tail < 0)
            list[i].tail = (int32_t)n_items - 1 - list[i].tail;
    }
    nln_status status = nln_item_knowledge_create(out, n_items, facts->relations, facts->things,
                                                  list, facts->n, err);
    nln_free(list);
    return status;
}

/* ---- walking --------------------------------------------------------------------------------- */

nln_status nln_knowledge_walk_open(nln_knowledge_walk *w, size_t n_items, nln_error *err)
{
    w->path = nln_array_zeroed(n_items, sizeof *w->path);
    w->reached = nln_array_zeroed(n_items, sizeof *w->reached);
    w->is_seen = nln_array_zeroed(n_items, sizeof *w->is_seen);
    if (w->path && w->reached && w->is_seen)
        return NLN_OK;
    nln_knowledge_walk_close(w);
    return nln_error_memory(err);
}

void nln_knowledge_walk_close(nln_knowledge_walk *w)
{
    nln_free(w->path);
    nln_free(w->reached);
    nln_free(w->is_seen);
    *w = (nln_knowledge_walk){0};
}

static void one_step(double *score, const nln_item_knowledge *k, size_t from, const double *weight,
                     double factor)
{
    const nln_fact_index *g = k->facts;
    int32_t n = (int32_t)g->n_relations;
    for (size_t i = g->start[from]; i < g->start[from + 1]; i++) {
        nln_edge e = g->edge[i];
        double by = weight[k->weight_of[e.relation < n ? e.relation : e.relation - n]];
        if ((size_t)e.entity < k->n_items && (size_t)e.entity != from)
            score[e.entity] += factor * by * (double)(k->root[from] * k->root[e.entity]);
    }
}

static void two_steps(double *score, const nln_item_knowledge *k, size_t from, double factor,
                      nln_knowledge_walk *w)
{
    size_t n = 0;
    for (size_t i = k->start[from]; i < k->start[from + 1]; i++) {
        size_t between = (size_t)k->near_node[i];
        size_t first = k->start[between], end = k->start[between + 1];
        double share = 1 / (double)(end - first);
        if (end - first > MOST_BETWEEN)
            continue;
        for (size_t j = first; j < end && (size_t)k->near_node[j] < k->n_items; j++) {
            size_t v = (size_t)k->near_node[j];
            if (w->path[v] <= 0)
                w->reached[n++] = (int32_t)v;
            w->path[v] += share;
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t v = (size_t)w->reached[i];
        if (v != from)
            score[v] += factor * sqrt(w->path[v]) * (double)(k->root[from] * k->root[v]);
        w->path[v] = 0;
    }
}

void nln_item_knowledge_add(double *score, const nln_item_knowledge *k, const nln_literal *history,
                            size_t n, const double *weight, double decay, nln_knowledge_walk *w)
{
    int n_one = k->n_weights - 1, is_one = 0, age = 0;
    double factor = 1, of_two = weight[n_one];
    for (int i = 0; i < n_one; i++)
        is_one |= weight[i] < 0 || weight[i] > 0;
    for (size_t i = n; i-- > 0 && age < NLN_KNOWLEDGE_REACH;) {
        size_t item = history[i].item;
        if (!history[i].liked || w->is_seen[item])
            continue;
        w->is_seen[item] = 1;
        if (is_one)
            one_step(score, k, item, weight, factor);
        if (of_two < 0 || of_two > 0)
            two_steps(score, k, item, factor * of_two, w);
        factor *= decay;
        age++;
    }
    for (size_t i = 0; i < n; i++)
        w->is_seen[history[i].item] = 0;
}

/* ---- reasons ----------------------------------------------------------------------------------
 */

/* A fact between two nodes, that of the relation with the largest weight. */
static int step_between(nln_known_step *out, const nln_item_knowledge *k, int32_t from, int32_t to)
{
    const nln_fact_index *g = k->facts;
    int32_t n = (int32_t)g->n_relations;
    int found = 0;
    double best = 0;
    for (size_t i = g->start[from]; i < g->start[from + 1]; i++) {
        nln_edge e = g->edge[i];
        double by = k->weight[k->weight_of[e.relation < n ? e.relation : e.relation - n]];
        if (e.entity != to || (found && by <= best))
            continue;
        *out = (nln_known_step){e.relation, from, to};
        best = by;
        found = 1;
    }
    return found;
}

int nln_item_knowledge_steps(nln_known_step steps[2], const nln_item_knowledge *k, int32_t from,
                             int32_t to)
{
    int32_t best = -1;
    size_t least = MOST_BETWEEN + 1;
    if (from == to)
        return 0;
    if (step_between(&steps[0], k, from, to))
        return 1;
    for (size_t i = k->start[from], j = k->start[to];
         i < k->start[from + 1] && j < k->start[to + 1];) {
        int32_t a = k->near_node[i], b = k->near_node[j];
        size_t degree = k->start[a + 1] - k->start[a];
        if (a == b && degree < least) {
            best = a;
            least = degree;
        }
        i += a <= b;
        j += b <= a;
    }
    if (best < 0)
        return 0;
    step_between(&steps[0], k, from, best);
    step_between(&steps[1], k, best, to);
    return 2;
}

static const char *name_of(const nln_item_knowledge *k, const nln_symbols *items, int32_t node)
{
    int32_t n = (int32_t)k->n_items;
    return node < n ? nln_symbols_name(items, node) : nln_symbols_name(k->things, node - n);
}

nln_item_fact nln_item_knowledge_fact(const nln_item_knowledge *k, const nln_symbols *items,
                                      nln_known_step step)
{
    int32_t n = (int32_t)k->facts->n_relations;
    int is_turned = step.relation >= n;
    return (nln_item_fact){
        nln_symbols_name(k->relations, is_turned ? step.relation - n : step.relation),
        name_of(k, items, is_turned ? step.to : step.from),
        name_of(k, items, is_turned ? step.from : step.to)};
}
