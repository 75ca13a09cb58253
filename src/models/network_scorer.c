/* The Neural Logic Network as a recommender: alpha cos(OR(h, v), T) of every item v after each
 * of some histories, the mean over the model's networks, members and orders. */

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/scalar.h"
#include "models/implication.h"
#include "models/network_learner.h"
#include "models/premise_cache.h"
#include "net/cosine_bounds.h"

enum { STRETCH = 64 }; /* bounds that are looked at together */

typedef struct network_scorer {
    nln_item_scorer base;
    const nln_model *model;
    nln_ranker *ranker[NLN_MOST_NETWORKS]; /* of each network */
    int is_clone;                          /* the rankers belong to the original */
    size_t n;                              /* queries read */
    nln_exprs list;
    nln_vector_reader *reader;
    real *vectors; /* [orders, networks, members, n, dim] */
    real *cosine;  /* [items] */
    real *scratch; /* of the rankers */

    /* For the rules, where the model has some. */
    nln_queries queries;    /* those read */
    double *by_rules;       /* [items] what the rules add after query `ruled` ... */
    size_t ruled;           /* ... of those read, or SIZE_MAX */
    uint8_t *seen;          /* [items] scratch */
    nln_premise_cache rows; /* of the rules for a few items */
    nln_knowledge_walk walk;

    /* For the candidates: NULL until prepared. */
    nln_cosine_bounds **bounds; /* [networks, members], the original's */
    float *bound;               /* [items, and some more] */
    void *bound_scratch;
} network_scorer;

static nln_status read(nln_item_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    size_t of_order = (size_t)(m->n_networks * m->config.members) * n * (size_t)m->config.dimension;
    nln_status status = NLN_OK;
    s->list.n = s->list.n_nodes = 0;
    s->n = n;
    s->ruled = SIZE_MAX;
    nln_queries_clear(&s->queries);
    for (size_t i = first; !status && i < first + n; i++) {
        const nln_query *c = &queries->list[i];
        size_t most = (size_t)m->config.history, before = c->n > most ? c->n - most : 0;
        const nln_literal *history = queries->literal + c->first;
        status = nln_implication_append_history(&s->list, m, c->user, history + before,
                                                c->n - before, err);
        if (!status && (m->rules || m->knowledge))
            status = nln_queries_append(&s->queries, -1, history, c->n, -1, err);
    }
    for (int o = 0; !status && o < m->config.orders; o++)
        status = nln_vector_reader_read(s->vectors + (size_t)o * of_order, s->reader, &s->list,
                                        m->config.orders > 1 ? o : -1, err);
    return status;
}

/* The factor of the network's own scores. */
static double network_share(const nln_model *m)
{
    return m->knowledge ? m->knowledge->network : m->rules ? m->rules->network : 1;
}

/* What rules and facts add to every item after query i; NULL where there are none. */
static const double *rule_scores(network_scorer *s, size_t i)
{
    const nln_item_rules *r = s->model->rules;
    const nln_item_knowledge *k = s->model->knowledge;
    if (!s->by_rules || s->ruled == i)
        return s->by_rules;
    const nln_query *q = &s->queries.list[i];
    const nln_literal *history = s->queries.literal + q->first;
    memset(s->by_rules, 0, nln_model_variables(s->model) * sizeof *s->by_rules);
    if (r)
        nln_item_rules_add(s->by_rules, r, history, q->n, r->whole, r->recent, s->seen);
    if (k)
        nln_item_knowledge_add(s->by_rules, k, history, q->n, k->weight, k->decay, &s->walk);
    s->ruled = i;
    return s->by_rules;
}

/* What the rules add to the same few items as before.  Returns 0 where others are asked for, or
 * facts, and the rules are to be gone through for every item. */
static int add_few_rules(double *score, network_scorer *s, size_t i, const int32_t *only, int32_t n)
{
    const nln_item_rules *r = s->model->rules;
    if (!r || s->model->knowledge || !only || !nln_premise_cache_know(&s->rows, only, n))
        return 0;
    const nln_query *q = &s->queries.list[i];
    for (int32_t v = 0; v < n; v++)
        score[only[v]] = 0;
    nln_premise_cache_add(score, &s->rows, s->queries.literal + q->first, q->n, r->whole, r->recent,
                          s->seen);
    return 1;
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    int32_t n_names = nln_symbols_count(m->symbols), members = m->config.members;
    int32_t passes = m->config.orders * m->n_networks * members;
    double each = network_share(m) * (double)m->net[0]->alpha / passes;
    n = only ? n : n_names;
    if (!add_few_rules(score, s, i, only, n)) {
        const double *by_rules = rule_scores(s, i);
        for (int32_t v = 0; v < n; v++)
            score[only ? only[v] : v] = by_rules ? by_rules[only ? only[v] : v] : 0;
    }
    for (int32_t p = 0; p < passes; p++) {
        const real *h = s->vectors + ((size_t)p * s->n + i) * (size_t)m->config.dimension;
        nln_ranker_cosines(s->cosine, s->ranker[p / members % m->n_networks], h,
                           p % members * nln_model_rows(m), only, n, s->scratch, NULL);
        for (int32_t v = 0; v < n; v++)
            score[only ? only[v] : v] += each * (double)s->cosine[v];
    }
}

static void free_bounds(network_scorer *s)
{
    for (int i = 0; s->bounds && i < s->model->n_networks * s->model->config.members; i++)
        nln_cosine_bounds_free(s->bounds[i]);
    nln_free(s->bounds);
    s->bounds = NULL;
}

static void release(nln_item_scorer *base)
{
    network_scorer *s = (network_scorer *)base;
    for (int i = 0; !s->is_clone && i < NLN_MOST_NETWORKS; i++)
        nln_ranker_free(s->ranker[i]);
    if (!s->is_clone)
        free_bounds(s);
    nln_free(s->bound);
    nln_free(s->bound_scratch);
    nln_exprs_free(&s->list);
    nln_vector_reader_free(s->reader);
    nln_queries_free(&s->queries);
    nln_free(s->by_rules);
    nln_free(s->seen);
    nln_premise_cache_close(&s->rows);
    nln_knowledge_walk_close(&s->walk);
    nln_free(s->vectors);
    nln_free(s->cosine);
    nln_free(s->scratch);
    nln_free(s);
}

void nln_network_rank(double *p, nln_item_scorer *base, const real *vectors, size_t stride,
                      nln_running_cost *cost)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    int32_t n = nln_symbols_count(m->symbols), members = m->config.members;
    int32_t passes = m->n_networks * members;
    int of_odds = nln_network_means_odds(m, passes);
    double alpha = (double)m->net[0]->alpha;
    memset(p, 0, (size_t)n * sizeof *p);
    for (int32_t k = 0; k < passes; k++) {
        nln_ranker_cosines(s->cosine, s->ranker[k / members], vectors + (size_t)k * stride,
                           k % members * nln_model_rows(m), NULL, n, s->scratch, cost);
        for (int32_t v = 0; v < n; v++) {
            double score = alpha * (double)s->cosine[v];
            p[v] += (of_odds ? score : nln_sigmoid(score)) / passes;
        }
    }
    for (int32_t v = 0; v < n; v++)
        p[v] = nln_sigmoid(m->temperature * (of_odds ? p[v] : nln_log_odds(p[v])));
}

static nln_status rank(double *p, nln_item_scorer *base, const nln_exprs *list, nln_error *err)
{
    network_scorer *s = (network_scorer *)base;
    nln_status status = nln_vector_reader_read(s->vectors, s->reader, list, -1, err);
    if (!status)
        nln_network_rank(p, base, s->vectors, (size_t)s->model->config.dimension, NULL);
    return status;
}

/* ---- candidates for the best ---------------------------------------------------------------- */

/* Bounds are looked at in stretches. */
static size_t bound_room(int32_t n)
{
    return nln_cosine_bounds_room(n) + STRETCH;
}

static nln_status prepare(nln_item_scorer *base, nln_error *err)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    int members = m->config.members, is_bounded = 1;
    nln_status status = NLN_OK;
    s->bounds = nln_array_zeroed((size_t)(m->n_networks * members), sizeof(nln_cosine_bounds *));
    if (!s->bounds)
        return nln_error_memory(err);
    for (int i = 0; !status && is_bounded && i < m->n_networks * members; i++) {
        status = nln_cosine_bounds_create(&s->bounds[i], s->ranker[i / members],
                                          i % members * nln_model_rows(m),
                                          nln_symbols_count(m->symbols), err);
        is_bounded = s->bounds[i] != NULL;
    }
    if (!is_bounded)
        free_bounds(s);
    return status;
}

/* Moves the n items with the largest keys, which are the bounds or the scores, to the front. */
static void largest_first(int32_t *list, int32_t n_list, int32_t n, const float *bound,
                          const double *score)
{
#define KEY(item) (bound ? (double)bound[item] : score[item])
    for (int32_t low = 0, high = n_list - 1; low < high;) {
        double pivot = KEY(list[low + (high - low) / 2]);
        int32_t i = low, j = high;
        while (i <= j) {
            while (KEY(list[i]) > pivot)
                i++;
            while (KEY(list[j]) < pivot)
                j--;
            if (i <= j) {
                int32_t item = list[i];
                list[i++] = list[j];
                list[j--] = item;
            }
        }
        if (n - 1 <= j)
            high = j;
        else if (n - 1 >= i)
            low = i;
        else
            break;
    }
#undef KEY
}

/* Appends the items whose bounds are above `least`, most of which are not.  Stops at `room`. */
static int32_t list_above(int32_t *list, const float *bound, int32_t *at, int32_t n, float least,
                          int32_t room)
{
    int32_t found = 0;
    for (; *at < n; *at += STRETCH) {
        int above = 0;
        for (int i = 0; i < STRETCH; i++)
            above += bound[*at + i] > least;
        if (above && found + STRETCH > room)
            break;
        for (int i = 0; above && i < STRETCH; i++)
            if (bound[*at + i] > least)
                list[found++] = *at + i;
    }
    return found;
}

/* The n items with the largest bounds, in a list with room for 4 n + STRETCH. */
static int32_t list_largest(int32_t *list, const float *bound, int32_t n_items, int32_t n)
{
    float least = -0.5F;
    int32_t found = 0, at = 0;
    while (at < n_items) {
        found += list_above(list + found, bound, &at, n_items, least, 4 * n + STRETCH - found);
        if (found <= n)
            continue;
        largest_first(list, found, n, bound, NULL);
        found = n;
        for (int32_t i = 0; i < n; i++)
            least = i && bound[list[i]] > least ? least : bound[list[i]];
    }
    return found;
}

/* The items with the best bounds are scored first; then those whose bounds are not below the
 * `need`-th best score. */
static int32_t candidates(int32_t *list, double *score, nln_item_scorer *base, size_t i,
                          size_t need, const int32_t *skip, int32_t n_skip, double tie)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    int32_t n = nln_symbols_count(m->symbols), members = m->config.members;
    int32_t passes = m->config.orders * m->n_networks * members;
    if (!s->bounds || !need || need > (size_t)n / 32 || n < 512)
        return -1;
    for (int32_t p = 0; p < passes; p++) {
        const real *h = s->vectors + ((size_t)p * s->n + i) * (size_t)m->config.dimension;
        if (!nln_cosine_bounds_add(s->bound, s->bounds[p % (m->n_networks * members)], h,
                                   network_share(m) * (double)m->net[0]->alpha / passes, p > 0,
                                   s->bound_scratch))
            return -1;
    }
    const double *by_rules = rule_scores(s, i);
    for (int32_t v = 0; by_rules && v < n; v++) { /* the rounding of a float is within 1e-6 */
        double bound = (double)s->bound[v] + by_rules[v];
        s->bound[v] = (float)(bound + 1e-6 * (fabs(bound) + fabs(by_rules[v])));
    }
    for (int32_t v = 0; v < n_skip; v++)
        s->bound[skip[v]] = -1;
    for (size_t v = (size_t)n; v < bound_room(n); v++)
        s->bound[v] = -1;
    int32_t first = list_largest(list, s->bound, n, (int32_t)need * 2 + 32), at = 0;
    if ((size_t)first < need)
        return -1;
    scores(score, base, i, list, first);
    largest_first(list, first, (int32_t)need, NULL, score);
    double least = INFINITY;
    for (size_t k = 0; k < need; k++)
        least = score[list[k]] < least ? score[list[k]] : least;
    least -= tie + 1e-6 * fabs(least);
    if (!(least > 0))
        return -1;
    for (int32_t k = 0; k < first; k++)
        s->bound[list[k]] = -1;
    int32_t rest = list_above(list + first, s->bound, &at, n, (float)least, n / 4);
    if (at < n)
        return -1;
    scores(score, base, i, list + first, rest);
    return first + rest;
}

/* ---- creating ----------------------------------------------------------------------------------
 */

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *base, nln_error *err);

/* A scorer with rankers of its own, or with those of an original. */
static nln_status create(nln_item_scorer **out, const nln_model *m, size_t most,
                         const network_scorer *original, nln_error *err)
{
    network_scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    size_t passes = (size_t)m->config.orders * (size_t)(m->n_networks * m->config.members);
    s->is_clone = original != NULL;
    s->base = (nln_item_scorer){.most = most,
                                .read = read,
                                .scores = scores,
                                .clone = clone,
                                .free = release,
                                .prepare = prepare,
                                .candidates = candidates,
                                .rank = rank};
    s->model = m;
    s->ruled = SIZE_MAX;
    s->vectors = nln_array_zeroed(passes * most * (size_t)m->config.dimension, sizeof *s->vectors);
    s->cosine = nln_array_zeroed(nln_model_variables(m), sizeof *s->cosine);
    nln_status status = s->vectors && s->cosine ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_vector_reader_create(&s->reader, m, err);
    if (!status && (m->rules || m->knowledge)) {
        s->by_rules = nln_array_zeroed(nln_model_variables(m), sizeof *s->by_rules);
        s->seen = nln_array_zeroed(nln_model_variables(m), sizeof *s->seen);
        status = s->by_rules && s->seen ? NLN_OK : nln_error_memory(err);
    }
    if (!status && m->rules)
        status = nln_premise_cache_open(&s->rows, m->rules, err);
    if (!status && m->knowledge)
        status = nln_knowledge_walk_open(&s->walk, m->knowledge->n_items, err);
    for (int i = 0; !status && i < m->n_networks; i++)
        if (original)
            s->ranker[i] = original->ranker[i];
        else
            status = nln_ranker_create(&s->ranker[i], m->net[i], err);
    if (!status && original && original->bounds) {
        s->bounds = original->bounds;
        s->bound = nln_array_zeroed(bound_room(nln_symbols_count(m->symbols)), sizeof *s->bound);
        s->bound_scratch = nln_memory_zeroed(1, nln_cosine_bounds_scratch(s->bounds[0]));
        if (!s->bound || !s->bound_scratch)
            status = nln_error_memory(err);
    }
    size_t scratch = status ? 0 : nln_ranker_scratch(s->ranker[0]);
    if (!status && !(s->scratch = nln_array_zeroed(scratch, sizeof *s->scratch)))
        status = nln_error_memory(err);
    if (status)
        release(&s->base);
    else
        *out = &s->base;
    return status;
}

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *base, nln_error *err)
{
    const network_scorer *s = (const network_scorer *)base;
    return create(out, s->model, base->most, s, err);
}

nln_status nln_network_ask(nln_item_scorer **out, const nln_model *model, size_t most,
                           nln_error *err)
{
    return create(out, model, most, NULL, err);
}

nln_status nln_network_answer(double *score, const nln_model *model, const nln_queries *queries,
                              int n_threads, nln_error *err)
{
    nln_exprs list = {0};
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < queries->n; i++) {
        const nln_query *c = &queries->list[i];
        status = nln_implication_append(&list, model, c->user, queries->literal + c->first, c->n,
                                        c->target, err);
    }
    if (!status)
        status = nln_network_scores(score, model, &list, model->config.orders, n_threads, err);
    nln_exprs_free(&list);
    return status;
}
