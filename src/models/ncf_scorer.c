/* Neural collaborative filtering: what is prepared of users and items, and the scores in use. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/ncf.h"

enum { TILE = 256 };

/* ---- users and items ------------------------------------------------------------------------ */

real *nln_ncf_in_weight(const nln_model *m, int table)
{
    int d = m->config.dimension;
    return m->weights.data[NLN_NCF_IN] +
           (table == NLN_NCF_ITEM_TOWER ? d * nln_ncf_tower_width(d, 0) : 0);
}

void nln_ncf_project(real *out, const real *vectors, const nln_model *m, int table, size_t n)
{
    int d = m->config.dimension, width = nln_ncf_tower_width(d, 0);
    nln_blas_nn(out, width, vectors, d, nln_ncf_in_weight(m, table), width, (int)n, width, d);
}

void nln_ncf_weigh(real *query, const nln_model *m, int32_t user)
{
    const real *p = nln_table_learner_row(m, NLN_NCF_USER_PRODUCT, user);
    const real *out = m->weights.data[NLN_NCF_OUT];
    for (int k = 0; k < m->config.dimension; k++)
        query[k] = out[k] * p[k];
}

real nln_ncf_product(const nln_model *m, const real *query, int32_t item)
{
    return nln_kernels_get()->dot(query, nln_table_learner_row(m, NLN_NCF_ITEM_PRODUCT, item),
                                  m->config.dimension) +
           *m->weights.data[NLN_NCF_OUT_BIAS];
}

const real *nln_ncf_tower_out(const nln_model *m)
{
    return m->weights.data[NLN_NCF_OUT] + m->config.dimension;
}

/* ---- in use ---------------------------------------------------------------------------------- */

typedef struct scorer {
    nln_item_scorer base;
    const nln_model *model;
    nln_ncf_tower tower;
    real *vector; /* [most, dim] of the users of the queries read ... */
    real *sum;    /* [most, width] ... what the first layer makes of it ... */
    real *query;  /* [most, dim] ... and out * p_u */
    real *items;  /* [items, width] what the first layer makes of all items */
    int borrows;  /* ... from the scorer that this one is a clone of */
} scorer;

/* Somebody unknown has no vectors. */
static nln_status read(nln_item_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    scorer *s = (scorer *)base;
    size_t d = (size_t)s->model->config.dimension;
    (void)err;
    memset(s->vector, 0, n * d * sizeof(real));
    memset(s->query, 0, n * d * sizeof(real));
    for (size_t i = 0; i < n; i++) {
        int32_t u = queries->list[first + i].user;
        if (u < 0)
            continue;
        memcpy(s->vector + i * d, nln_table_learner_row(s->model, NLN_NCF_USER_TOWER, u),
               d * sizeof(real));
        nln_ncf_weigh(s->query + i * d, s->model, u);
    }
    nln_ncf_project(s->sum, s->vector, s->model, NLN_NCF_USER_TOWER, n);
    return NLN_OK;
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    scorer *s = (scorer *)base;
    size_t width = (size_t)s->tower.width[0], d = (size_t)s->model->config.dimension;
    real out[TILE];
    n = only ? n : nln_symbols_count(s->model->symbols);
    for (int32_t at = 0; at < n; at += TILE) {
        int32_t size = n - at < TILE ? n - at : TILE;
        for (int32_t r = 0; r < size; r++) {
            size_t v = (size_t)(only ? only[at + r] : at + r);
            nln_ncf_tower_enter(&s->tower, (size_t)r, s->sum + i * width, s->items + v * width);
        }
        nln_ncf_tower_forward(out, &s->tower, (size_t)size, NULL, 0);
        for (int32_t r = 0; r < size; r++) {
            int32_t v = only ? only[at + r] : at + r;
            score[v] = (double)(out[r] + nln_ncf_product(s->model, s->query + i * d, v));
        }
    }
}

static void release(nln_item_scorer *base)
{
    scorer *s = (scorer *)base;
    nln_ncf_tower_free(&s->tower);
    nln_free(s->vector);
    nln_free(s->sum);
    nln_free(s->query);
    if (!s->borrows)
        nln_free(s->items);
    nln_free(s);
}

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *base, nln_error *err);

/* A scorer without what it knows of items. */
static nln_status create_scorer(scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    size_t d = (size_t)model->config.dimension, width = model->weights.shape[NLN_NCF_IN].columns;
    scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_item_scorer){
        .most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = model;
    s->vector = nln_array_zeroed(most * d, sizeof(real));
    s->sum = nln_array_zeroed(most * width, sizeof(real));
    s->query = nln_array_zeroed(most * d, sizeof(real));
    nln_status status = s->vector && s->sum && s->query ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_ncf_tower_create(&s->tower, model, NLN_NCF_IN, nln_ncf_tower_out(model), TILE,
                                      0, err);
    if (status)
        release(&s->base);
    else
        *out = s;
    return status;
}

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *base, nln_error *err)
{
    const scorer *of = (const scorer *)base;
    scorer *s = NULL;
    nln_status status = create_scorer(&s, of->model, base->most, err);
    if (status)
        return status;
    s->items = of->items;
    s->borrows = 1;
    *out = &s->base;
    return NLN_OK;
}

nln_status nln_ncf_ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    size_t n = nln_model_variables(model);
    scorer *s = NULL;
    nln_status status = create_scorer(&s, model, most, err);
    if (status)
        return status;
    s->items = nln_array_zeroed(n * model->weights.shape[NLN_NCF_IN].columns, sizeof(real));
    if (!s->items) {
        release(&s->base);
        return nln_error_memory(err);
    }
    nln_ncf_project(s->items, model->weights.data[NLN_NCF_ITEM_TOWER], model, NLN_NCF_ITEM_TOWER,
                    n);
    *out = &s->base;
    return NLN_OK;
}
