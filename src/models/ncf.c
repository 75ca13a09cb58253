/* Neural collaborative filtering: its tensors, and how it learns.  ncf.h says what it is. */
#include "models/ncf.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/candidate_losses.h"
#include "models/data_parallel_learner.h"

enum { TILE = 2048 };

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    int dim = s->config->dimension;
    size_t d = (size_t)dim, users = s->n_users, n = s->n_variables;
    size_t in = (size_t)nln_ncf_tower_width(dim, 0), middle = (size_t)nln_ncf_tower_width(dim, 1);
    size_t last = (size_t)nln_ncf_tower_width(dim, 2);
    const nln_shape shapes[] = {
        [NLN_NCF_USER_PRODUCT] = {"users.product", users, d, NLN_START_TABLE, 1, 0},
        [NLN_NCF_ITEM_PRODUCT] = {"items.product", n, d, NLN_START_TABLE, 1, 0},
        [NLN_NCF_USER_TOWER] = {"users.tower", users, d, NLN_START_TABLE, 1, 0},
        [NLN_NCF_ITEM_TOWER] = {"items.tower", n, d, NLN_START_TABLE, 1, 0},
        [NLN_NCF_IN] = {"in.weight", 2 * d, in, NLN_START_FAN_IN, 0, 0},
        [NLN_NCF_IN_BIAS] = {"in.bias", 1, in, NLN_START_ZERO, 0, 1},
        [NLN_NCF_MIDDLE] = {"middle.weight", in, middle, NLN_START_FAN_IN, 0, 0},
        [NLN_NCF_MIDDLE_BIAS] = {"middle.bias", 1, middle, NLN_START_ZERO, 0, 1},
        [NLN_NCF_LAST] = {"last.weight", middle, last, NLN_START_FAN_IN, 0, 0},
        [NLN_NCF_LAST_BIAS] = {"last.bias", 1, last, NLN_START_ZERO, 0, 1},
        [NLN_NCF_OUT] = {"out.weight", d + last, 1, NLN_START_FAN_IN, 0, 0},
        [NLN_NCF_OUT_BIAS] = {"out.bias", 1, 1, NLN_START_ZERO, 0, 1},
    };
    if (index >= (int)(sizeof shapes / sizeof *shapes))
        return 0;
    *out = shapes[index];
    return 1;
}

/* ---- learning ----------------------------------------------------------------------------- */

/* What a request touches of a table of the tower: n places. */
typedef struct side {
    int table;    /* NLN_NCF_USER_TOWER or NLN_NCF_ITEM_TOWER */
    real *vector; /* [n, dim] */
    real *sum;    /* [n, width] what the first layer makes of it */
    real *dsum;   /* [n, width] */
    size_t vector_room, sum_room, dsum_room;
} side;

typedef struct learner {
    nln_table_learner shared;
    nln_candidate_losses scores;
    nln_ncf_tower tower;
    side user, item;
    real *query, *dquery; /* [places of users, dim] */
    int32_t *unit;        /* [n] the place of each unit's user ... */
    int32_t *own;         /* [n, n_own] ... those of its own candidates ... */
    int32_t *others;      /* [n_shared] ... and those of the shared ones */
    real *turned;         /* [width, dim] half of the first weight, transposed */
    real tile[TILE];      /* the scores of a tile, and their gradient */
    size_t query_room, dquery_room, unit_room, own_room, others_room;
} learner;

static nln_status fit_side(side *s, const nln_table_learner *b, nln_error *err)
{
    int d = b->model->config.dimension;
    size_t n = (size_t)b->touched[s->table].n, width = (size_t)nln_ncf_tower_width(d, 0);
    int ok = NLN_ARRAY_RESERVE(s->vector, s->vector_room, n * (size_t)d) &&
             NLN_ARRAY_RESERVE(s->sum, s->sum_room, n * width) &&
             NLN_ARRAY_RESERVE(s->dsum, s->dsum_room, n * width);
    return ok ? NLN_OK : nln_error_memory(err);
}

static nln_status fit_places(learner *l, const nln_request *request, nln_error *err)
{
    nln_status status = nln_candidate_losses_fit(&l->scores, request, err);
    size_t n = (size_t)request->n, own = n * (size_t)l->scores.n_own;
    if (!status && !(NLN_ARRAY_RESERVE(l->unit, l->unit_room, n) &&
                     NLN_ARRAY_RESERVE(l->own, l->own_room, own) &&
                     NLN_ARRAY_RESERVE(l->others, l->others_room, (size_t)l->scores.n_shared)))
        status = nln_error_memory(err);
    return status;
}

static nln_status fit_queries(learner *l, nln_error *err)
{
    size_t n = (size_t)l->shared.touched[NLN_NCF_USER_TOWER].n;
    size_t d = (size_t)l->shared.model->config.dimension;
    nln_status status = fit_side(&l->user, &l->shared, err);
    if (!status)
        status = fit_side(&l->item, &l->shared, err);
    if (!status && !(NLN_ARRAY_RESERVE(l->query, l->query_room, n * d) &&
                     NLN_ARRAY_RESERVE(l->dquery, l->dquery_room, n * d)))
        status = nln_error_memory(err);
    return status;
}

/* Both tables of a side are touched alike, and so have the same places. */
static int32_t touch_user(nln_table_learner *b, int32_t user)
{
    nln_table_learner_touch(b, NLN_NCF_USER_PRODUCT, user);
    return nln_table_learner_touch(b, NLN_NCF_USER_TOWER, user);
}

static int32_t touch_item(nln_table_learner *b, int32_t item)
{
    nln_table_learner_touch(b, NLN_NCF_ITEM_PRODUCT, item);
    return nln_table_learner_touch(b, NLN_NCF_ITEM_TOWER, item);
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    nln_table_learner *b = &l->shared;
    nln_table_learner_begin(b, request);
    nln_status status = fit_places(l, request, err);
    if (status)
        return status;
    for (int32_t i = 0; i < request->n; i++) {
        l->unit[i] = touch_user(b, request->queries->list[i].user);
        for (int32_t j = 0; j < l->scores.n_own; j++)
            l->own[(int64_t)i * l->scores.n_own + j] =
                touch_item(b, nln_candidate_losses_item(&l->scores, request, i, j));
    }
    for (int32_t j = 0; j < l->scores.n_shared; j++)
        l->others[j] = touch_item(b, request->candidate[j]);
    status = fit_queries(l, err);
    return status ? status : nln_table_learner_end(b, err);
}

/* The pairs of a request: each unit with its own candidates, then each with the shared ones. */
typedef struct pair {
    int32_t user, item; /* places */
    real *mark;
} pair;

static int64_t count_pairs(const nln_candidate_losses *m)
{
    return (int64_t)m->n * (m->n_own + m->n_shared);
}

static pair get_pair(const learner *l, int64_t p)
{
    int64_t own = (int64_t)l->scores.n * l->scores.n_own, k = l->scores.n_shared;
    if (p < own)
        return (pair){l->unit[p / l->scores.n_own], l->own[p], l->scores.own + p};
    p -= own;
    return (pair){l->unit[p / k], l->others[p % k], l->scores.shared + p};
}

static int32_t item_at(const learner *l, int32_t place)
{
    return l->shared.touched[NLN_NCF_ITEM_PRODUCT].row[place];
}

static void prepare_side(side *s, const nln_table_learner *b)
{
    const nln_model *m = b->model;
    size_t d = (size_t)m->config.dimension, n = (size_t)b->touched[s->table].n;
    for (size_t k = 0; k < n; k++)
        memcpy(s->vector + k * d, nln_table_learner_row(m, s->table, b->touched[s->table].row[k]),
               d * sizeof(real));
    nln_ncf_project(s->sum, s->vector, m, s->table, n);
    memset(s->dsum, 0, n * (size_t)nln_ncf_tower_width((int)d, 0) * sizeof(real));
}

static void prepare(learner *l)
{
    const nln_table_learner *b = &l->shared;
    size_t d = (size_t)b->model->config.dimension, n = (size_t)b->touched[NLN_NCF_USER_PRODUCT].n;
    for (size_t k = 0; k < n; k++)
        nln_ncf_weigh(l->query + k * d, b->model, b->touched[NLN_NCF_USER_PRODUCT].row[k]);
    memset(l->dquery, 0, n * d * sizeof(real));
    prepare_side(&l->user, b);
    prepare_side(&l->item, b);
    nln_ncf_tower_turn(&l->tower);
}

/* The tile of n pairs from `first` on through the tower; its scores are in l->tile. */
static void pass_tower(learner *l, int64_t first, int64_t n, uint64_t key)
{
    int64_t width = l->tower.width[0];
    for (int64_t r = 0; r < n; r++) {
        pair p = get_pair(l, first + r);
        nln_ncf_tower_enter(&l->tower, (size_t)r, l->user.sum + p.user * width,
                            l->item.sum + p.item * width);
    }
    nln_ncf_tower_forward(l->tile, &l->tower, (size_t)n, &l->shared, key + (uint64_t)first);
}

static void mark_tile(learner *l, int64_t first, int64_t n, uint64_t key)
{
    int64_t d = l->shared.model->config.dimension;
    pass_tower(l, first, n, key);
    for (int64_t r = 0; r < n; r++) {
        pair p = get_pair(l, first + r);
        *p.mark = l->tile[r] +
                  nln_ncf_product(l->shared.model, l->query + p.user * d, item_at(l, p.item));
    }
}

static void product_back(learner *l, pair p)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)l->shared.model->config.dimension, at = (size_t)p.user * d;
    k->axpy(l->dquery + at, *p.mark,
            nln_table_learner_row(l->shared.model, NLN_NCF_ITEM_PRODUCT, item_at(l, p.item)), d);
    k->axpy(nln_table_learner_gradient(&l->shared, NLN_NCF_ITEM_PRODUCT, p.item), *p.mark,
            l->query + at, d);
    *nln_table_learner_gradient(&l->shared, NLN_NCF_OUT_BIAS, 0) += *p.mark;
}

/* The tower must hold the tile. */
static void tile_back(learner *l, int64_t first, int64_t n, uint64_t key)
{
    const nln_kernels *k = nln_kernels_get();
    int64_t width = l->tower.width[0];
    for (int64_t r = 0; r < n; r++) {
        pair p = get_pair(l, first + r);
        l->tile[r] = *p.mark;
        product_back(l, p);
    }
    nln_ncf_tower_back(nln_table_learner_gradient(&l->shared, NLN_NCF_OUT, 0) +
                           l->shared.model->config.dimension,
                       &l->tower, l->tile, (size_t)n, &l->shared, key + (uint64_t)first);
    for (int64_t r = 0; r < n; r++) {
        pair p = get_pair(l, first + r);
        const real *dsum = l->tower.dz[0] + r * width;
        k->axpy(l->user.dsum + p.user * width, 1, dsum, (size_t)width);
        k->axpy(l->item.dsum + p.item * width, 1, dsum, (size_t)width);
    }
}

static void side_back(learner *l, const side *s)
{
    nln_table_learner *b = &l->shared;
    int d = b->model->config.dimension, width = l->tower.width[0], n = b->touched[s->table].n;
    int64_t half = s->table == NLN_NCF_ITEM_TOWER ? (int64_t)d * width : 0;
    const real *in = nln_ncf_in_weight(b->model, s->table);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < width; j++)
            l->turned[j * d + i] = in[i * width + j];
    nln_blas_tn_add(nln_table_learner_gradient(b, NLN_NCF_IN, 0) + half, width, s->vector, d,
                    s->dsum, width, d, width, n);
    nln_blas_nn_add(nln_table_learner_gradient(b, s->table, 0), d, s->dsum, width, l->turned, d, n,
                    d, width);
}

static void queries_back(learner *l)
{
    nln_table_learner *b = &l->shared;
    int d = b->model->config.dimension;
    const real *out = b->model->weights.data[NLN_NCF_OUT];
    real *dout = nln_table_learner_gradient(b, NLN_NCF_OUT, 0);
    for (int32_t place = 0; place < b->touched[NLN_NCF_USER_PRODUCT].n; place++) {
        const real *dquery = l->dquery + (int64_t)place * d;
        const real *p = nln_table_learner_row(b->model, NLN_NCF_USER_PRODUCT,
                                              b->touched[NLN_NCF_USER_PRODUCT].row[place]);
        real *dp = nln_table_learner_gradient(b, NLN_NCF_USER_PRODUCT, place);
        for (int k = 0; k < d; k++) {
            dp[k] += out[k] * dquery[k];
            dout[k] += p[k] * dquery[k];
        }
    }
}

/* The loss needs all scores of a unit, but the tower holds one tile: where there are more, each
 * passes it again before going back. */
static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    int64_t n = count_pairs(&l->scores);
    nln_table_learner_clear(&l->shared);
    prepare(l);
    for (int64_t at = 0; at < n; at += TILE)
        mark_tile(l, at, n - at < TILE ? n - at : TILE, key);
    nln_loss loss = nln_candidate_losses_loss(&l->scores, l->shared.request, base);
    for (int64_t at = 0; at < n; at += TILE) {
        int64_t size = n - at < TILE ? n - at : TILE;
        if (n > TILE)
            pass_tower(l, at, size, key);
        tile_back(l, at, size, key);
    }
    side_back(l, &l->user);
    side_back(l, &l->item);
    queries_back(l);
    return loss;
}

static void free_side(side *s)
{
    nln_free(s->vector);
    nln_free(s->sum);
    nln_free(s->dsum);
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_candidate_losses_free(&l->scores);
    nln_ncf_tower_free(&l->tower);
    free_side(&l->user);
    free_side(&l->item);
    nln_free(l->query);
    nln_free(l->dquery);
    nln_free(l->unit);
    nln_free(l->own);
    nln_free(l->others);
    nln_free(l->turned);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    int width = nln_ncf_tower_width(model->config.dimension, 0);
    (void)frequency;
    l->user.table = NLN_NCF_USER_TOWER;
    l->item.table = NLN_NCF_ITEM_TOWER;
    l->turned = nln_array_zeroed((size_t)model->config.dimension * (size_t)width, sizeof(real));
    if (!l->turned)
        return nln_error_memory(err);
    return nln_ncf_tower_create(&l->tower, model, NLN_NCF_IN, nln_ncf_tower_out(model), TILE, 1,
                                err);
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

const nln_method nln_method_ncf = {
    .name = "ncf",
    .has = NLN_HAS_VECTORS | NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .knows_users = 1,
    .needs_user = 1,
    .tensor = tensor,
    .learn = learn,
    .ask = nln_ncf_ask,
};
