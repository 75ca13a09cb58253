/* Matrix factorization with biases (Koren et al., 2009): mean + b_u + b_i + p_u . q_i. */
#include <stdlib.h>
#include <string.h>

#include "math/kernels.h"
#include "models/match.h"

enum { MEAN, USER_BIAS, USER_VECTOR, ITEM_BIAS, ITEM_VECTOR };

static const nln_match_items items = {ITEM_VECTOR, ITEM_BIAS};

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t d = (size_t)s->config->dimension, users = s->n_users, n = s->n_variables;
    const nln_shape shapes[] = {
        [MEAN] = {"mean", 1, 1, NLN_START_ZERO, 0, 1},
        [USER_BIAS] = {"users.bias", users, 1, NLN_START_ZERO, 1, 0},
        [USER_VECTOR] = {"users.vector", users, d, NLN_START_TABLE, 1, 0},
        [ITEM_BIAS] = {"items.bias", n, 1, NLN_START_ZERO, 1, 0},
        [ITEM_VECTOR] = {"items.vector", n, d, NLN_START_TABLE, 1, 0},
    };
    if (index >= (int)(sizeof shapes / sizeof *shapes))
        return 0;
    *out = shapes[index];
    return 1;
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_baseline shared;
    nln_match match;
} learner;

static nln_status plan(nln_learner *base, const nln_lot *lot, nln_error *err)
{
    learner *l = (learner *)base;
    nln_baseline *b = &l->shared;
    nln_baseline_begin(b, lot);
    nln_status status = nln_match_plan(&l->match, b, lot, err);
    for (int32_t i = 0; !status && i < lot->n; i++) {
        nln_baseline_touch(b, USER_BIAS, lot->cases->list[i].user);
        nln_baseline_touch(b, USER_VECTOR, lot->cases->list[i].user);
    }
    return status ? status : nln_baseline_end(b, err);
}

static void fill_queries(learner *l)
{
    const nln_model *m = l->shared.model;
    size_t d = (size_t)m->config.dimension;
    for (int32_t i = 0; i < l->shared.lot->n; i++) {
        int32_t u = l->shared.lot->cases->list[i].user;
        memcpy(l->match.query + (size_t)i * d, nln_baseline_row(m, USER_VECTOR, u),
               d * sizeof(real));
        l->match.offset[i] = *m->weights.data[MEAN] + *nln_baseline_row(m, USER_BIAS, u);
    }
}

static void queries_back(learner *l)
{
    nln_baseline *b = &l->shared;
    size_t d = (size_t)b->model->config.dimension;
    for (int32_t i = 0; i < b->lot->n; i++) {
        int32_t place = b->touched[USER_VECTOR].place[b->lot->cases->list[i].user] - 1;
        nln_kernels_get()->axpy(nln_baseline_gradient(b, USER_VECTOR, place), 1,
                                l->match.dquery + (size_t)i * d, d);
        *nln_baseline_gradient(b, USER_BIAS, place) += l->match.doffset[i];
        *nln_baseline_gradient(b, MEAN, 0) += l->match.doffset[i];
    }
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    size_t n = (size_t)l->shared.lot->n;
    int d = l->shared.model->config.dimension;
    nln_baseline_clear(&l->shared);
    fill_queries(l);
    nln_baseline_drop(l->match.query, &l->shared, n, d, key);
    nln_loss loss = nln_match_gradient(&l->match, &l->shared);
    nln_baseline_drop(l->match.dquery, &l->shared, n, d, key);
    queries_back(l);
    nln_baseline_add_l2(&loss, &l->shared);
    return loss;
}

static void release(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_baseline_close(&l->shared);
    nln_match_free(&l->match);
    free(l);
}

static nln_status learn(nln_learner **out, nln_model *model, nln_team *team,
                        const int32_t *frequency, nln_error *err)
{
    (void)frequency;
    learner *l = calloc(1, sizeof *l);
    if (!l)
        return nln_error_memory(err);
    l->shared.base = (nln_learner){.plan = plan, .gradient = gradient, .free = release};
    l->match.items = items;
    nln_status status = nln_baseline_open(&l->shared, model, team, err);
    if (status)
        release(&l->shared.base);
    else
        *out = &l->shared.base;
    return status;
}

/* ---- in use ---------------------------------------------------------------------------------- */

/* Somebody unknown has no vector and no bias. */
static nln_status fill(real *query, real *offset, void *state, const nln_model *m,
                       const nln_cases *cases, size_t first, size_t n, nln_error *err)
{
    size_t d = (size_t)m->config.dimension;
    (void)state;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        int32_t u = cases->list[first + i].user;
        offset[i] = *m->weights.data[MEAN];
        memset(query + i * d, 0, d * sizeof *query);
        if (u < 0)
            continue;
        offset[i] += *nln_baseline_row(m, USER_BIAS, u);
        memcpy(query + i * d, nln_baseline_row(m, USER_VECTOR, u), d * sizeof *query);
    }
    return NLN_OK;
}

static nln_status ask(nln_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    static const nln_match_queries queries = {.fill = fill};
    return nln_match_ask(out, model, most, items, &queries, err);
}

const nln_method nln_method_biasedmf = {
    .name = "biasedmf",
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .knows_users = 1,
    .needs_user = 1,
    .tensor = tensor,
    .learn = learn,
    .ask = ask,
};
