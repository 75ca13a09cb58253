/* Item-to-item counting: an item's score is the sum of its similarities to what the history likes.
 *
 *     similarity = users who like both / (sqrt(users who like one * users who like the other) + l2)
 *
 * Each item keeps its NEIGHBOURS nearest others (Sarwar et al., 2001; the shrinkage is Bell's and
 * Koren's), as rules.  Of items without any similarity those that more people like come first. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "models/method.h"
#include "models/model.h"

enum { NEIGHBOURS = 100 };

enum { LIKES };

/* The likes of each item, over those of all; the rest are rules. */
static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    if (index > LIKES)
        return 0;
    *out = (nln_shape){"items.likes", s->n_variables, 1, NLN_START_ZERO, 0, 1};
    return 1;
}

static void count_likes(real *likes, size_t n_items, const nln_queries *users)
{
    size_t n = 1;
    memset(likes, 0, n_items * sizeof *likes);
    for (size_t i = 0; i < users->n_literals; i++)
        if (users->literal[i].liked) {
            likes[users->literal[i].item]++;
            n++;
        }
    for (size_t i = 0; i < n_items; i++)
        likes[i] /= (real)n;
}

static nln_status solve(nln_model *m, const nln_queries *users, const nln_solve_watch *watch,
                        nln_error *err)
{
    (void)watch;
    size_t n = nln_model_variables(m);
    nln_cooccurrence *counts = NULL;
    nln_item_rules_free(m->rules);
    m->rules = NULL;
    nln_status status = nln_cooccurrence_create(&counts, users, n, (nln_dislikes){0}, err);
    if (!status)
        status = nln_item_rules_create(&m->rules, n, NEIGHBOURS, err);
    if (!status)
        status = nln_item_rules_compare(m->rules, counts, m->config.l2, err);
    if (!status) {
        m->rules->whole = 1;
        count_likes(m->weights.data[LIKES], n, users);
    }
    nln_cooccurrence_free(counts);
    return status;
}

/* ---- in use --------------------------------------------------------------------------------- */

typedef struct scorer {
    nln_item_scorer base;
    const nln_model *model;
    nln_queries queries; /* those read */
    double *all;         /* [items] */
    uint8_t *seen;       /* [items] scratch */
} scorer;

static nln_status read(nln_item_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    scorer *s = (scorer *)base;
    nln_status status = NLN_OK;
    nln_queries_clear(&s->queries);
    for (size_t i = first; !status && i < first + n; i++) {
        const nln_query *q = &queries->list[i];
        status = nln_queries_append(&s->queries, -1, queries->literal + q->first, q->n, -1, err);
    }
    return status;
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    scorer *s = (scorer *)base;
    const nln_item_rules *r = s->model->rules;
    const nln_query *q = &s->queries.list[i];
    n = only ? n : nln_symbols_count(s->model->symbols);
    for (size_t v = 0; v < nln_model_variables(s->model); v++)
        s->all[v] = 1e-6 * (double)s->model->weights.data[LIKES][v];
    if (r)
        nln_item_rules_add(s->all, r, s->queries.literal + q->first, q->n, r->whole, r->recent,
                           s->seen);
    for (int32_t j = 0; j < n; j++)
        score[only ? only[j] : j] = s->all[only ? only[j] : j];
}

static void release(nln_item_scorer *base)
{
    scorer *s = (scorer *)base;
    nln_queries_free(&s->queries);
    nln_free(s->all);
    nln_free(s->seen);
    nln_free(s);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err);

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *s, nln_error *err)
{
    return ask(out, ((const scorer *)s)->model, s->most, err);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    size_t n = nln_model_variables(model);
    scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_item_scorer){
        .most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = model;
    s->all = nln_array_zeroed(n, sizeof *s->all);
    s->seen = nln_array_zeroed(n, sizeof *s->seen);
    if (!s->all || !s->seen) {
        release(&s->base);
        return nln_error_memory(err);
    }
    *out = &s->base;
    return NLN_OK;
}

const nln_method nln_method_itemknn = {
    .name = "itemknn",
    .has = NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_TOPK,
    .reads_history = 1,
    .tensor = tensor,
    .solve = solve,
    .ask = ask,
};
