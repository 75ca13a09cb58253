#include "models/item_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

nln_status nln_item_rules_create(nln_item_rules **out, size_t n_items, size_t width, nln_error *err)
{
    nln_item_rules *r = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->n_items = n_items;
    r->width = width;
    r->network = 1;
    r->premise = nln_array_zeroed(n_items * width, sizeof *r->premise);
    r->weight = nln_array_zeroed(n_items * width, sizeof *r->weight);
    r->start = nln_array_zeroed(2 * n_items + 1, sizeof *r->start);
    if (!r->premise || !r->weight || !r->start) {
        nln_item_rules_free(r);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < n_items * width; i++)
        r->premise[i] = -1;
    *out = r;
    return NLN_OK;
}

void nln_item_rules_free(nln_item_rules *r)
{
    if (!r)
        return;
    nln_free(r->premise);
    nln_free(r->weight);
    nln_free(r->start);
    nln_free(r->conclusion);
    nln_free(r->strength);
    nln_free(r);
}

nln_status nln_item_rules_index(nln_item_rules *r, nln_error *err)
{
    size_t n = 0;
    memset(r->start, 0, (2 * r->n_items + 1) * sizeof *r->start);
    for (size_t i = 0; i < r->n_items * r->width; i++)
        if (r->premise[i] >= 0) {
            r->start[r->premise[i] + 1]++;
            n++;
        }
    nln_free(r->conclusion);
    nln_free(r->strength);
    r->conclusion = nln_array_zeroed(n, sizeof *r->conclusion);
    r->strength = nln_array_zeroed(n, sizeof *r->strength);
    if (!r->conclusion || !r->strength)
        return nln_error_memory(err);
    for (size_t i = 0; i < 2 * r->n_items; i++)
        r->start[i + 1] += r->start[i];
    /* Backwards, so that each place is one below its start, and the conclusions ascend. */
    for (size_t v = r->n_items; v-- > 0;)
        for (size_t k = r->width; k-- > 0;) {
            int32_t premise = r->premise[v * r->width + k];
            if (premise < 0)
                continue;
            size_t at = --r->start[premise + 1];
            r->conclusion[at] = (int32_t)v;
            r->strength[at] = r->weight[v * r->width + k];
        }
    memmove(r->start, r->start + 1, 2 * r->n_items * sizeof *r->start);
    r->start[2 * r->n_items] = n;
    return NLN_OK;
}

/* ---- similarities ---------------------------------------------------------------------------- */

typedef struct neighbour {
    int32_t item;
    double key;
} neighbour;

static int nearer(const void *a, const void *b)
{
    const neighbour *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

nln_status nln_item_rules_compare(nln_item_rules *r, const nln_cooccurrence *c, double l2,
                                  nln_error *err)
{
    neighbour *found = nln_array_zeroed(NLN_MOST_COMPANIONS, sizeof *found);
    if (!found)
        return nln_error_memory(err);
    for (size_t v = 0; v < r->n_items; v++) {
        size_t n = 0;
        for (size_t k = c->start[v]; k < c->start[v + 1]; k++) {
            nln_companion o = c->of[k];
            double root = sqrt((double)c->with_self[v] * (double)c->with_self[o.literal]);
            if ((size_t)o.literal != v && (size_t)o.literal < r->n_items)
                found[n++] = (neighbour){o.literal, (double)o.count / (root + l2)};
        }
        qsort(found, n, sizeof *found, nearer);
        for (size_t i = 0; i < r->width; i++) {
            r->premise[v * r->width + i] = i < n ? found[i].item : -1;
            r->weight[v * r->width + i] = i < n ? (float)found[i].key : 0;
        }
    }
    nln_free(found);
    return nln_item_rules_index(r, err);
}

/* ---- in use --------------------------------------------------------------------------------- */

void nln_item_rules_each(nln_add_premise *add, void *context, const nln_item_rules *r,
                         const nln_literal *history, size_t n, double whole, double recent,
                         uint8_t *seen)
{
    for (size_t i = n; i-- > 0;) {
        size_t item = history[i].item;
        int liked = history[i].liked;
        if (seen[item])
            continue;
        double factor = whole + recent;
        seen[item] = 1;
        if (liked)
            recent *= NLN_ITEM_RULES_DECAY;
        if (liked || r->dislike != 0)
            add(context, item, liked ? factor : r->dislike * factor);
        if (!liked)
            add(context, r->n_items + item, factor);
    }
    for (size_t i = 0; i < n; i++)
        seen[history[i].item] = 0;
}

typedef struct addition {
    const nln_item_rules *rules;
    double *score;
} addition;

static void add_premise(void *context, size_t premise, double factor)
{
    const addition *a = context;
    const nln_item_rules *r = a->rules;
    for (size_t k = r->start[premise]; factor != 0 && k < r->start[premise + 1]; k++)
        a->score[r->conclusion[k]] += factor * (double)r->strength[k];
}

void nln_item_rules_add(double *score, const nln_item_rules *r, const nln_literal *history,
                        size_t n, double whole, double recent, uint8_t *seen)
{
    addition a = {r, score};
    nln_item_rules_each(add_premise, &a, r, history, n, whole, recent, seen);
}
