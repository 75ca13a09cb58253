/* The Neural Logic Network as a recommender: alpha cos(OR(h, v), T) of every item v after each
 * of some histories, the mean over the model's networks, members and orders. */

#include "base/array.h"
#include "base/memory.h"
#include "models/implication.h"
#include "models/network_learner.h"

typedef struct network_scorer {
    nln_scorer base;
    const nln_model *model;
    nln_rankers rankers;
    int borrows_rankers;
    size_t n; /* queries read */
    nln_exprs list;
    real *vectors; /* [orders, networks, members, n, dim] */
    real *cosine;  /* [items] */
    real *scratch; /* of the rankers */
} network_scorer;

nln_status nln_rankers_create(nln_rankers *out, const nln_model *model, nln_error *err)
{
    nln_status status = NLN_OK;
    *out = (nln_rankers){0};
    for (int i = 0; !status && i < model->n_networks; i++)
        status = nln_ranker_create(&out->of[i], model->net[i], err);
    if (status)
        nln_rankers_free(out);
    return status;
}

void nln_rankers_free(nln_rankers *rankers)
{
    for (int i = 0; i < NLN_MOST_NETWORKS; i++)
        nln_ranker_free(rankers->of[i]);
    *rankers = (nln_rankers){0};
}

static nln_status read(nln_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    size_t of_order = (size_t)(m->n_networks * m->config.members) * n * (size_t)m->config.dimension;
    nln_status status = NLN_OK;
    s->list.n = s->list.n_nodes = 0;
    s->n = n;
    for (size_t i = first; !status && i < first + n; i++) {
        const nln_query *c = &queries->list[i];
        status =
            nln_implication_append_history(&s->list, m, queries->literal + c->first, c->n, err);
    }
    for (int o = 0; !status && o < m->config.orders; o++)
        status = nln_model_vectors(s->vectors + (size_t)o * of_order, m, &s->list,
                                   m->config.orders > 1 ? o : -1, err);
    return status;
}

static void scores(double *score, nln_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    network_scorer *s = (network_scorer *)base;
    const nln_model *m = s->model;
    int32_t n_names = nln_symbols_count(m->symbols), members = m->config.members;
    int32_t passes = m->config.orders * m->n_networks * members;
    double each = (double)m->net[0]->alpha / passes;
    n = only ? n : n_names;
    for (int32_t v = 0; v < n; v++)
        score[only ? only[v] : v] = 0;
    for (int32_t p = 0; p < passes; p++) {
        const real *h = s->vectors + ((size_t)p * s->n + i) * (size_t)m->config.dimension;
        nln_ranker_cosines_of(s->cosine, s->rankers.of[p / members % m->n_networks], h,
                              p % members * nln_model_rows(m), only, n, s->scratch, NULL);
        for (int32_t v = 0; v < n; v++)
            score[only ? only[v] : v] += each * (double)s->cosine[v];
    }
}

static void release(nln_scorer *base)
{
    network_scorer *s = (network_scorer *)base;
    if (!s->borrows_rankers)
        nln_rankers_free(&s->rankers);
    nln_exprs_free(&s->list);
    nln_free(s->vectors);
    nln_free(s->cosine);
    nln_free(s->scratch);
    nln_free(s);
}

static nln_status clone(nln_scorer **out, const nln_scorer *base, nln_error *err);

/* With rankers of its own, unless some are lent. */
static nln_status create(nln_scorer **out, const nln_model *m, size_t most, const nln_rankers *lent,
                         nln_error *err)
{
    network_scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    size_t passes = (size_t)m->config.orders * (size_t)(m->n_networks * m->config.members);
    s->base =
        (nln_scorer){.most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = m;
    s->rankers = lent ? *lent : (nln_rankers){0};
    s->borrows_rankers = lent != NULL;
    s->vectors = nln_array_zeroed(passes * most * (size_t)m->config.dimension, sizeof *s->vectors);
    s->cosine = nln_array_zeroed(nln_model_variables(m), sizeof *s->cosine);
    nln_status status = s->vectors && s->cosine ? NLN_OK : nln_error_memory(err);
    if (!status && !lent)
        status = nln_rankers_create(&s->rankers, m, err);
    size_t scratch = status ? 0 : nln_ranker_scratch(s->rankers.of[0]);
    if (!status && !(s->scratch = nln_array_zeroed(scratch, sizeof *s->scratch)))
        status = nln_error_memory(err);
    if (status)
        release(&s->base);
    else
        *out = &s->base;
    return status;
}

static nln_status clone(nln_scorer **out, const nln_scorer *base, nln_error *err)
{
    const network_scorer *s = (const network_scorer *)base;
    return create(out, s->model, base->most, &s->rankers, err);
}

nln_status nln_network_ask(nln_scorer **out, const nln_model *model, size_t most, nln_error *err)
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
        status =
            nln_implication_append(&list, model, queries->literal + c->first, c->n, c->target, err);
    }
    if (!status)
        status = nln_network_scores(score, model, &list, model->config.orders, n_threads, err);
    nln_exprs_free(&list);
    return status;
}
