/* EASE (Steck, 2019): items liked together, in closed form.
 *
 * With X the likes of training, [users, items] of 0 and 1, B minimises |X - X B|^2 + l2 |B|^2
 * under a diagonal of 0: for P = (X'X + l2 I)^-1 that is B_ij = -P_ij / P_jj.  An item's score
 * is the sum of its column over what the history likes. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/lapack.h"
#include "models/table_learner.h"

enum { MATRIX };
enum { MOST_ITEMS = 40000 };

/* A catalogue that is too large for the matrix gets none, and `solve` says so. */
static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t n = s->n_variables > MOST_ITEMS ? 0 : s->n_variables;
    if (index > MATRIX)
        return 0;
    *out = (nln_shape){"items.item", n, n, NLN_START_ZERO, 0, 1};
    return 1;
}

/* ---- what a history likes ------------------------------------------------------------- */

/* Lists of distinct items. */
typedef struct likes {
    int32_t *item;
    size_t n, room;
    uint8_t *is_listed; /* [items], all 0 between calls */
} likes;

static nln_status likes_create(likes *l, size_t n_items, nln_error *err)
{
    *l = (likes){.is_listed = nln_array_zeroed(n_items, 1)};
    return l->is_listed ? NLN_OK : nln_error_memory(err);
}

static void likes_free(likes *l)
{
    nln_free(l->item);
    nln_free(l->is_listed);
}

/* Appends each liked item of a query, once. */
static nln_status likes_append(likes *l, const nln_queries *queries, const nln_query *c,
                               nln_error *err)
{
    size_t first = l->n;
    if (!NLN_ARRAY_RESERVE(l->item, l->room, l->n + c->n))
        return nln_error_memory(err);
    for (size_t i = 0; i < c->n; i++) {
        nln_literal met = queries->literal[c->first + i];
        if (!met.liked || l->is_listed[met.item])
            continue;
        l->is_listed[met.item] = 1;
        l->item[l->n++] = (int32_t)met.item;
    }
    for (size_t i = first; i < l->n; i++)
        l->is_listed[l->item[i]] = 0;
    return NLN_OK;
}

/* ---- learning --------------------------------------------------------------------------- */

/* The share of the work that counting is, at most: the rest is n^3 steps of one inversion. */
static const double counting = 0.2;
enum { USERS_AT_A_TIME = 1000 };

/* G += X'X, one user after the other. */
static nln_status count_pairs(real *G, size_t n, const nln_queries *users,
                              const nln_solve_watch *watch, nln_error *err)
{
    likes l;
    nln_status status = likes_create(&l, n, err);
    for (size_t u = 0; !status && u < users->n; u++) {
        l.n = 0;
        if (u % USERS_AT_A_TIME == 0)
            status = nln_solve_tell(watch, counting * (double)u / (double)users->n, err);
        if (!status)
            status = likes_append(&l, users, &users->list[u], err);
        for (size_t i = 0; !status && i < l.n; i++)
            for (size_t j = 0; j < l.n; j++)
                G[(size_t)l.item[i] * n + (size_t)l.item[j]]++;
    }
    likes_free(&l);
    return status;
}

/* P becomes B. */
static void divide_columns(real *P, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j)
                P[i * n + j] /= -P[j * n + j];
    for (size_t i = 0; i < n; i++)
        P[i * n + i] = 0;
}

static nln_status check(const nln_model *m, size_t n, nln_error *err)
{
    if (n > MOST_ITEMS)
        return nln_error_set(err, NLN_LIMIT,
                             "%zu items are too many for a model of kind ease, which holds a "
                             "number for each pair of items: %d at most",
                             n, MOST_ITEMS);
    if (!(m->config.l2 > 0))
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind ease needs an --l2 above 0: without it many "
                             "matrices explain the likes alike");
    return NLN_OK;
}

static nln_status solve(nln_model *m, const nln_queries *users, const nln_solve_watch *watch,
                        nln_error *err)
{
    size_t n = nln_model_variables(m);
    real *A = m->weights.data[MATRIX];
    nln_status status = check(m, n, err);
    if (status)
        return status;
    memset(A, 0, n * n * sizeof *A);
    status = count_pairs(A, n, users, watch, err);
    if (!status)
        status = nln_solve_tell(watch, counting, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        A[i * n + i] += (real)m->config.l2;
    if (!nln_lapack_invert(A, (int)n))
        return nln_error_set(err, NLN_NUMERIC,
                             "the matrix of the items liked together cannot be inverted: "
                             "choose an --l2 above %g",
                             m->config.l2);
    divide_columns(A, n);
    return nln_solve_tell(watch, 1, err);
}

/* ---- in use ------------------------------------------------------------------------------ */

typedef struct scorer {
    nln_item_scorer base;
    const nln_model *model;
    likes likes;
    size_t *start; /* [most + 1] the likes of query i are start[i] .. start[i + 1] - 1 */
} scorer;

static nln_status read(nln_item_scorer *base, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    scorer *s = (scorer *)base;
    nln_status status = NLN_OK;
    s->likes.n = 0;
    for (size_t i = 0; !status && i < n; i++) {
        status = likes_append(&s->likes, queries, &queries->list[first + i], err);
        s->start[i + 1] = s->likes.n;
    }
    return status;
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    const scorer *s = (const scorer *)base;
    n = only ? n : nln_symbols_count(s->model->symbols);
    for (int32_t j = 0; j < n; j++)
        score[only ? only[j] : j] = 0;
    for (size_t k = s->start[i]; k < s->start[i + 1]; k++) {
        const real *row = nln_table_learner_row(s->model, MATRIX, s->likes.item[k]);
        for (int32_t j = 0; only && j < n; j++)
            score[only[j]] += (double)row[only[j]];
        for (int32_t j = 0; !only && j < n; j++)
            score[j] += (double)row[j];
    }
}

static void release(nln_item_scorer *base)
{
    scorer *s = (scorer *)base;
    likes_free(&s->likes);
    nln_free(s->start);
    nln_free(s);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err);

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *s, nln_error *err)
{
    return ask(out, ((const scorer *)s)->model, s->most, err);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    if (model->weights.shape[MATRIX].rows != nln_model_variables(model))
        return nln_error_set(err, NLN_LIMIT, "a model of kind ease has %d items at most",
                             MOST_ITEMS);
    scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_item_scorer){
        .most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = model;
    s->start = nln_array_zeroed(most + 1, sizeof *s->start);
    nln_status status = likes_create(&s->likes, nln_model_variables(model), err);
    if (!status && !s->start)
        status = nln_error_memory(err);
    if (status)
        release(&s->base);
    else
        *out = &s->base;
    return status;
}

const nln_method nln_method_ease = {
    .name = "ease",
    .has = NLN_HAS_WEIGHTS,
    .tasks = 1u << NLN_TASK_TOPK,
    .reads_history = 1,
    .tensor = tensor,
    .solve = solve,
    .ask = ask,
};
