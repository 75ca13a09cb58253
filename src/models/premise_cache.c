#include "models/premise_cache.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

nln_status nln_premise_cache_open(nln_premise_cache *r, const nln_item_rules *rules, nln_error *err)
{
    *r = (nln_premise_cache){.rules = rules};
    r->row = nln_array_zeroed(2 * rules->n_items, sizeof *r->row);
    r->place = nln_array_zeroed(rules->n_items, sizeof *r->place);
    r->strength = nln_array_zeroed((size_t)NLN_PREMISE_CACHE_PREMISES * NLN_PREMISE_CACHE_ITEMS,
                                   sizeof *r->strength);
    return r->row && r->place && r->strength ? NLN_OK : nln_error_memory(err);
}

void nln_premise_cache_close(nln_premise_cache *r)
{
    nln_free(r->row);
    nln_free(r->place);
    nln_free(r->strength);
    *r = (nln_premise_cache){0};
}

static void forget_rows(nln_premise_cache *r)
{
    for (int32_t i = 0; i < r->n_rows; i++)
        r->row[r->premise[i]] = 0;
    r->n_rows = 0;
}

int nln_premise_cache_know(nln_premise_cache *r, const int32_t *item, int32_t n)
{
    if (n <= NLN_PREMISE_CACHE_ITEMS && n == r->n &&
        !memcmp(r->item, item, (size_t)n * sizeof *item))
        return 1;
    forget_rows(r);
    for (int32_t i = 0; i < r->n; i++)
        r->place[r->item[i]] = 0;
    r->n = n <= NLN_PREMISE_CACHE_ITEMS ? n : 0;
    for (int32_t i = 0; i < r->n; i++) {
        r->item[i] = item[i];
        r->place[item[i]] = i + 1;
    }
    return 0;
}

/* What a premise adds to the items. */
static const float *row_of(nln_premise_cache *r, size_t premise)
{
    const nln_item_rules *rules = r->rules;
    if (!r->row[premise]) {
        if (r->n_rows == NLN_PREMISE_CACHE_PREMISES)
            forget_rows(r);
        float *made = r->strength + (size_t)r->n_rows * NLN_PREMISE_CACHE_ITEMS;
        memset(made, 0, (size_t)r->n * sizeof *made);
        for (size_t k = rules->start[premise]; k < rules->start[premise + 1]; k++)
            if (r->place[rules->conclusion[k]])
                made[r->place[rules->conclusion[k]] - 1] += rules->strength[k];
        r->premise[r->n_rows] = (int32_t)premise;
        r->row[premise] = ++r->n_rows;
    }
    return r->strength + (size_t)(r->row[premise] - 1) * NLN_PREMISE_CACHE_ITEMS;
}

typedef struct addition {
    nln_premise_cache *rows;
    double *score;
} addition;

static void add_premise(void *context, size_t premise, double factor)
{
    const addition *a = context;
    const float *strength = row_of(a->rows, premise);
    for (int32_t i = 0; i < a->rows->n; i++)
        a->score[a->rows->item[i]] += factor * (double)strength[i];
}

void nln_premise_cache_add(double *score, nln_premise_cache *rows, const nln_literal *history,
                           size_t n, double whole, double recent, uint8_t *seen)
{
    addition a = {rows, score};
    nln_item_rules_each(add_premise, &a, rows->rules, history, n, whole, recent, seen);
}
