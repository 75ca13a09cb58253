#include "models/dot_product.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"

/* ---- in training -------------------------------------------------------------------------- */

void nln_dot_product_free(nln_dot_product *m)
{
    nln_candidate_losses_free(&m->scores);
    nln_free(m->query);
    nln_free(m->offset);
    nln_free(m->dquery);
    nln_free(m->doffset);
    nln_free(m->own);
    nln_free(m->shared);
    nln_free(m->gathered);
    nln_free(m->turned);
    nln_free(m->bias);
    *m = (nln_dot_product){0};
}

static nln_status fit(nln_dot_product *m, size_t dim, nln_error *err)
{
    size_t n = (size_t)m->scores.n, own = n * (size_t)m->scores.n_own;
    size_t shared = (size_t)m->scores.n_shared;
    int ok = NLN_ARRAY_RESERVE(m->query, m->query_room, n * dim) &&
             NLN_ARRAY_RESERVE(m->dquery, m->dquery_room, n * dim) &&
             NLN_ARRAY_RESERVE(m->offset, m->offset_room, n) &&
             NLN_ARRAY_RESERVE(m->doffset, m->doffset_room, n) &&
             NLN_ARRAY_RESERVE(m->own, m->own_room, own) &&
             NLN_ARRAY_RESERVE(m->shared, m->shared_room, shared) &&
             NLN_ARRAY_RESERVE(m->gathered, m->gathered_room, shared * dim) &&
             NLN_ARRAY_RESERVE(m->turned, m->turned_room, shared * dim) &&
             NLN_ARRAY_RESERVE(m->bias, m->bias_room, shared);
    return ok ? NLN_OK : nln_error_memory(err);
}

/* Vector and bias are touched alike, and so have the same places. */
static int32_t touch(nln_dot_product *m, nln_table_learner *b, int32_t item)
{
    if (m->items.bias >= 0)
        nln_table_learner_touch(b, m->items.bias, item);
    return nln_table_learner_touch(b, m->items.vector, item);
}

nln_status nln_dot_product_plan(nln_dot_product *m, nln_table_learner *b,
                                const nln_request *request, nln_error *err)
{
    nln_status status = nln_candidate_losses_fit(&m->scores, request, err);
    if (!status)
        status = fit(m, b->model->weights.shape[m->items.vector].columns, err);
    if (status)
        return status;
    for (int32_t i = 0; i < m->scores.n; i++)
        for (int32_t j = 0; j < m->scores.n_own; j++)
            m->own[(int64_t)i * m->scores.n_own + j] =
                touch(m, b, nln_candidate_losses_item(&m->scores, request, i, j));
    for (int32_t j = 0; j < m->scores.n_shared; j++)
        m->shared[j] = touch(m, b, request->candidate[j]);
    return NLN_OK;
}

/* The touched item at a place. */
static real *vector_at(const nln_dot_product *m, const nln_table_learner *b, int32_t place)
{
    return nln_table_learner_row(b->model, m->items.vector, b->touched[m->items.vector].row[place]);
}

static real bias_at(const nln_dot_product *m, const nln_table_learner *b, int32_t place)
{
    if (m->items.bias < 0)
        return 0;
    return *nln_table_learner_row(b->model, m->items.bias, b->touched[m->items.vector].row[place]);
}

static void add_bias_gradient(const nln_dot_product *m, nln_table_learner *b, int32_t place,
                              real by)
{
    if (m->items.bias >= 0)
        *nln_table_learner_gradient(b, m->items.bias, place) += by;
}

static void mark_own(nln_dot_product *m, const nln_table_learner *b, int dim)
{
    const nln_kernels *k = nln_kernels_get();
    for (int32_t i = 0; i < m->scores.n; i++)
        for (int32_t j = 0; j < m->scores.n_own; j++) {
            int64_t at = (int64_t)i * m->scores.n_own + j;
            m->scores.own[at] =
                k->dot(m->query + (int64_t)i * dim, vector_at(m, b, m->own[at]), dim) +
                bias_at(m, b, m->own[at]) + m->offset[i];
        }
}

static void mark_shared(nln_dot_product *m, const nln_table_learner *b, int dim)
{
    int32_t n = m->scores.n, k = m->scores.n_shared;
    for (int32_t j = 0; j < k; j++) {
        real *v = m->gathered + (int64_t)j * dim;
        memcpy(v, vector_at(m, b, m->shared[j]), (size_t)dim * sizeof *v);
        for (int d = 0; d < dim; d++)
            m->turned[(int64_t)d * k + j] = v[d];
        m->bias[j] = bias_at(m, b, m->shared[j]);
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < k; j++)
            m->scores.shared[(int64_t)i * k + j] = m->bias[j] + m->offset[i];
    if (k)
        nln_blas_nn_add(m->scores.shared, k, m->query, dim, m->turned, k, n, k, dim);
}

static void own_back(nln_dot_product *m, nln_table_learner *b, int dim)
{
    const nln_kernels *k = nln_kernels_get();
    for (int32_t i = 0; i < m->scores.n; i++)
        for (int32_t j = 0; j < m->scores.n_own; j++) {
            int64_t at = (int64_t)i * m->scores.n_own + j;
            real by = m->scores.own[at];
            k->axpy(m->dquery + (int64_t)i * dim, by, vector_at(m, b, m->own[at]), (size_t)dim);
            k->axpy(nln_table_learner_gradient(b, m->items.vector, m->own[at]), by,
                    m->query + (int64_t)i * dim, (size_t)dim);
            add_bias_gradient(m, b, m->own[at], by);
            m->doffset[i] += by;
        }
}

/* The gradient of the gathered vectors takes the place of the vectors themselves. */
static void shared_back(nln_dot_product *m, nln_table_learner *b, int dim)
{
    int32_t n = m->scores.n, k = m->scores.n_shared;
    if (!k)
        return;
    nln_blas_nn_add(m->dquery, dim, m->scores.shared, k, m->gathered, dim, n, dim, k);
    memset(m->gathered, 0, (size_t)k * (size_t)dim * sizeof(real));
    nln_blas_tn_add(m->gathered, dim, m->scores.shared, k, m->query, dim, k, dim, n);
    memset(m->bias, 0, (size_t)k * sizeof(real));
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < k; j++) {
            real by = m->scores.shared[(int64_t)i * k + j];
            m->bias[j] += by;
            m->doffset[i] += by;
        }
    for (int32_t j = 0; j < k; j++) {
        nln_kernels_get()->axpy(nln_table_learner_gradient(b, m->items.vector, m->shared[j]), 1,
                                m->gathered + (int64_t)j * dim, (size_t)dim);
        add_bias_gradient(m, b, m->shared[j], m->bias[j]);
    }
}

nln_loss nln_dot_product_gradient(nln_dot_product *m, nln_table_learner *b)
{
    int dim = (int)b->model->weights.shape[m->items.vector].columns;
    size_t n = (size_t)m->scores.n;
    mark_own(m, b, dim);
    mark_shared(m, b, dim);
    nln_loss loss = nln_candidate_losses_loss(&m->scores, b->request, &b->base);
    memset(m->dquery, 0, n * (size_t)dim * sizeof(real));
    memset(m->doffset, 0, n * sizeof(real));
    own_back(m, b, dim);
    shared_back(m, b, dim);
    return loss;
}

/* ---- in use ---------------------------------------------------------------------------------- */

typedef struct match_scorer {
    nln_item_scorer base;
    const nln_model *model;
    nln_dot_product_items items;
    const nln_dot_product_queries *queries;
    void *state;
    real *query;  /* [most, dim] */
    real *offset; /* [most] */
} match_scorer;

static nln_status read(nln_item_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    match_scorer *s = (match_scorer *)base;
    return s->queries->fill(s->query, s->offset, s->state, s->model, queries, first, n, err);
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    match_scorer *s = (match_scorer *)base;
    const nln_kernels *k = nln_kernels_get();
    int dim = (int)s->model->weights.shape[s->items.vector].columns;
    const real *q = s->query + i * (size_t)dim;
    n = only ? n : nln_symbols_count(s->model->symbols);
    for (int32_t j = 0; j < n; j++) {
        int32_t v = only ? only[j] : j;
        double bias =
            s->items.bias < 0 ? 0 : (double)*nln_table_learner_row(s->model, s->items.bias, v);
        score[v] = (double)k->dot(q, nln_table_learner_row(s->model, s->items.vector, v), dim) +
                   bias + (double)s->offset[i];
    }
}

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *base, nln_error *err)
{
    const match_scorer *s = (const match_scorer *)base;
    return nln_dot_product_ask(out, s->model, base->most, s->items, s->queries, err);
}

static void release(nln_item_scorer *base)
{
    match_scorer *s = (match_scorer *)base;
    if (s->state)
        s->queries->close(s->state);
    nln_free(s->state);
    nln_free(s->query);
    nln_free(s->offset);
    nln_free(s);
}

nln_status nln_dot_product_ask(nln_item_scorer **out, const nln_model *model, size_t most,
                               nln_dot_product_items items, const nln_dot_product_queries *queries,
                               nln_error *err)
{
    match_scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_item_scorer){
        .most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = model;
    s->items = items;
    s->queries = queries;
    s->query = nln_array_zeroed(most * model->weights.shape[items.vector].columns, sizeof(real));
    s->offset = nln_array_zeroed(most, sizeof(real));
    nln_status status = s->query && s->offset ? NLN_OK : nln_error_memory(err);
    if (!status && queries->size) {
        s->state = nln_memory_zeroed(1, queries->size);
        status = s->state ? queries->open(s->state, model, err) : nln_error_memory(err);
    }
    if (status)
        release(&s->base);
    else
        *out = &s->base;
    return status;
}
