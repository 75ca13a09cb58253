/* Factorization of who met what.
 *
 * Matrix factorization with biases (Koren et al., 2009): mean + b_u + b_i + q_i . p_u.  SVD++
 * (Koren, 2008) adds |N|^-1/2 sum of y_j for j in N to p_u, where N are the items of the history,
 * liked or not: that they were met says something.  So the first is the second without histories.
 *
 * N holds no item twice and never the target: a user meets an item once, and a history leaves
 * its target out.  Somebody unknown has no p_u and no b_u, but may have a history. */
#include <math.h>
#include <string.h>

#include "math/kernels.h"
#include "models/data_parallel_learner.h"
#include "models/dot_product.h"

enum { MEAN, USER_BIAS, USER_VECTOR, ITEM_BIAS, ITEM_VECTOR, ITEM_MET };

static const nln_dot_product_items items = {ITEM_VECTOR, ITEM_BIAS};

static int svdpp_tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t d = (size_t)s->config->dimension, users = s->n_users, n = s->n_variables;
    const nln_shape shapes[] = {
        [MEAN] = {"mean", 1, 1, NLN_START_ZERO, 0, 1},
        [USER_BIAS] = {"users.bias", users, 1, NLN_START_ZERO, 1, 0},
        [USER_VECTOR] = {"users.vector", users, d, NLN_START_TABLE, 1, 0},
        [ITEM_BIAS] = {"items.bias", n, 1, NLN_START_ZERO, 1, 0},
        [ITEM_VECTOR] = {"items.vector", n, d, NLN_START_TABLE, 1, 0},
        [ITEM_MET] = {"items.met", n, d, NLN_START_TABLE, 1, 0},
    };
    if (index >= (int)(sizeof shapes / sizeof *shapes))
        return 0;
    *out = shapes[index];
    return 1;
}

static int biasedmf_tensor(nln_shape *out, const nln_sizes *s, int index)
{
    return index < ITEM_MET && svdpp_tensor(out, s, index);
}

/* ---- queries ------------------------------------------------------------------------------ */

/* The items that the model looks at. */
static size_t length_of(const nln_model *m, const nln_query *c)
{
    return m->method->reads_history ? c->n : 0;
}

static real weight_of(const nln_query *c)
{
    return (real)(1 / sqrt((double)c->n));
}

/* query += |N|^-1/2 sum of y_j */
static void add_history(real *query, const nln_model *m, const nln_queries *queries,
                        const nln_query *c)
{
    const nln_kernels *k = nln_kernels_get();
    for (size_t j = c->first; j < c->first + length_of(m, c); j++)
        k->axpy(query, weight_of(c),
                nln_table_learner_row(m, ITEM_MET, (int64_t)queries->literal[j].item),
                (size_t)m->config.dimension);
}

static nln_status fill(real *query, real *offset, void *state, const nln_model *m,
                       const nln_queries *queries, size_t first, size_t n, nln_error *err)
{
    size_t d = (size_t)m->config.dimension;
    (void)state;
    (void)err;
    memset(query, 0, n * d * sizeof *query);
    for (size_t i = 0; i < n; i++) {
        const nln_query *c = &queries->list[first + i];
        offset[i] = *m->weights.data[MEAN];
        if (c->user >= 0) {
            offset[i] += *nln_table_learner_row(m, USER_BIAS, c->user);
            memcpy(query + i * d, nln_table_learner_row(m, USER_VECTOR, c->user),
                   d * sizeof *query);
        }
        add_history(query + i * d, m, queries, c);
    }
    return NLN_OK;
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    nln_dot_product match;
} learner;

static void touch_case(nln_table_learner *b, const nln_queries *queries, const nln_query *c)
{
    if (c->user >= 0) {
        nln_table_learner_touch(b, USER_BIAS, c->user);
        nln_table_learner_touch(b, USER_VECTOR, c->user);
    }
    for (size_t j = c->first; j < c->first + length_of(b->model, c); j++)
        nln_table_learner_touch(b, ITEM_MET, (int32_t)queries->literal[j].item);
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    nln_table_learner_begin(&l->shared, request);
    nln_status status = nln_dot_product_plan(&l->match, &l->shared, request, err);
    for (int32_t i = 0; !status && i < request->n; i++)
        touch_case(&l->shared, request->queries, &request->queries->list[i]);
    return status ? status : nln_table_learner_end(&l->shared, err);
}

static void user_back(nln_table_learner *b, int32_t user, const real *dquery, real doffset)
{
    if (user < 0)
        return;
    int32_t place = b->touched[USER_VECTOR].place[user] - 1;
    nln_kernels_get()->axpy(nln_table_learner_gradient(b, USER_VECTOR, place), 1, dquery,
                            (size_t)b->model->config.dimension);
    *nln_table_learner_gradient(b, USER_BIAS, place) += doffset;
}

static void history_back(nln_table_learner *b, const nln_query *c, const real *dquery)
{
    const nln_kernels *k = nln_kernels_get();
    for (size_t j = c->first; j < c->first + length_of(b->model, c); j++) {
        int32_t place = b->touched[ITEM_MET].place[b->request->queries->literal[j].item] - 1;
        k->axpy(nln_table_learner_gradient(b, ITEM_MET, place), weight_of(c), dquery,
                (size_t)b->model->config.dimension);
    }
}

static void queries_back(learner *l)
{
    nln_table_learner *b = &l->shared;
    size_t d = (size_t)b->model->config.dimension;
    for (int32_t i = 0; i < b->request->n; i++) {
        const nln_query *c = &b->request->queries->list[i];
        const real *dquery = l->match.dquery + (size_t)i * d;
        user_back(b, c->user, dquery, l->match.doffset[i]);
        history_back(b, c, dquery);
        *nln_table_learner_gradient(b, MEAN, 0) += l->match.doffset[i];
    }
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    const nln_request *request = l->shared.request;
    size_t n = (size_t)request->n;
    int d = l->shared.model->config.dimension;
    nln_table_learner_clear(&l->shared);
    fill(l->match.query, l->match.offset, NULL, l->shared.model, request->queries, 0, n, NULL);
    nln_table_learner_drop(l->match.query, &l->shared, n, d, key);
    nln_loss loss = nln_dot_product_gradient(&l->match, &l->shared);
    nln_table_learner_drop(l->match.dquery, &l->shared, n, d, key);
    queries_back(l);
    return loss;
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_dot_product_free(&l->match);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    (void)model;
    (void)frequency;
    (void)err;
    l->match.items = items;
    return NLN_OK;
}

static nln_status learn(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err)
{
    static const nln_shard_learner shard = {.size = sizeof(learner),
                                            .open = open_shard,
                                            .close = close_shard,
                                            .plan = plan,
                                            .gradient = gradient};
    return nln_data_parallel_learner_create(out, &shard, model, team, frequency, err);
}

/* ---- in use ---------------------------------------------------------------------------------- */

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    static const nln_dot_product_queries queries = {.fill = fill};
    return nln_dot_product_ask(out, model, most, items, &queries, err);
}

const nln_method nln_method_biasedmf = {
    .name = "biasedmf",
    .has = NLN_HAS_VECTORS,
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .knows_users = 1,
    .needs_user = 1,
    .tensor = biasedmf_tensor,
    .learn = learn,
    .ask = ask,
};

const nln_method nln_method_svdpp = {
    .name = "svdpp",
    .has = NLN_HAS_VECTORS,
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .knows_users = 1,
    .reads_history = 1,
    .tensor = svdpp_tensor,
    .learn = learn,
    .ask = ask,
};
