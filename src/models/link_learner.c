#include "models/link_learner.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/table_learner.h"
#include "models/table_softmax.h"

enum { ENTITY, RELATION, AND_IN, AND_BIAS, AND_OUT };

/* Networks are parts of one vector: a score is the sum of theirs. */
static int width_of(const nln_link_family *family, const nln_config *c)
{
    return c->networks * nln_link_family_width(family, c->dimension);
}

int nln_link_width(const nln_model *model)
{
    return width_of(model->method->links, &model->config);
}

static int tensor_of(nln_shape *out, const nln_link_family *family, const nln_sizes *s, int index)
{
    size_t d = (size_t)width_of(family, s->config);
    const nln_shape shapes[] = {
        [ENTITY] = {"entities.vector", s->n_variables, d, NLN_START_TABLE, 1, 1},
        [RELATION] = {"relations.vector", 2 * s->n_users, d, NLN_START_TABLE, 1, 1},
    };
    if (index > RELATION)
        return 0;
    *out = shapes[index];
    return 1;
}

static int pairs_tensor(nln_shape *out, const nln_sizes *s, int index)
{
    return tensor_of(out, &nln_link_complex, s, index);
}

static int plain_tensor(nln_shape *out, const nln_sizes *s, int index)
{
    return tensor_of(out, &nln_link_real, s, index);
}

static int network_tensor(nln_shape *out, const nln_sizes *s, int index)
{
    size_t d = (size_t)width_of(&nln_link_complex, s->config), h = (size_t)s->config->hidden;
    const nln_shape shapes[] = {
        [AND_IN] = {"and.in", d, h, NLN_START_FAN_IN, 0, 0},
        [AND_BIAS] = {"and.bias", 1, h, NLN_START_ZERO, 0, 1},
        [AND_OUT] = {"and.out", h, d, NLN_START_ZERO, 0, 0},
    };
    if (index <= RELATION)
        return pairs_tensor(out, s, index);
    if (!s->config->premises || index > AND_OUT)
        return 0;
    *out = shapes[index];
    return 1;
}

/* ---- query vectors --------------------------------------------------------------------- */

static int has_premises(const nln_model *m)
{
    return m->weights.n > AND_IN;
}

void nln_link_queries_free(nln_link_queries *q)
{
    nln_free(q->query);
    nln_free(q->known);
    nln_free(q->facts);
    nln_free(q->hidden);
    *q = (nln_link_queries){0};
}

static nln_status fit_queries(nln_link_queries *q, const nln_model *m, size_t n, nln_error *err)
{
    size_t d = (size_t)nln_link_width(m), and = has_premises(m) ? n : 0;
    int ok = NLN_ARRAY_RESERVE(q->query, q->query_room, n * d) &&
             NLN_ARRAY_RESERVE(q->known, q->known_room, n * d) &&
             NLN_ARRAY_RESERVE(q->facts, q->facts_room, and*d) &&
             NLN_ARRAY_RESERVE(q->hidden, q->hidden_room, and*(size_t)m->config.hidden);
    return ok ? NLN_OK : nln_error_memory(err);
}

static int32_t inverse_of(const nln_model *m, int32_t relation)
{
    int32_t n = (int32_t)m->weights.shape[RELATION].rows / 2;
    return relation < n ? relation + n : relation - n;
}

const real *nln_link_relations(const nln_model *model)
{
    return model->weights.data[RELATION];
}

size_t nln_link_relation_numbers(const nln_model *model)
{
    return model->weights.shape[RELATION].rows * model->weights.shape[RELATION].columns;
}

void nln_link_mix_inverses(nln_model *model, const real *learned, double weight)
{
    size_t dim = (size_t)nln_link_width(model), n = nln_link_relation_numbers(model);
    real *relation = model->weights.data[RELATION];
    memcpy(relation, learned, n * sizeof *relation);
    for (size_t r = 0; weight > 0 && r < n / dim; r++)
        model->method->links->add_inverse(relation + r * dim,
                                          learned + (size_t)inverse_of(model, (int32_t)r) * dim,
                                          (real)weight, (int)dim);
}

/* The sum of n premises is divided by sqrt(n).  Where all facts are taken and not only as many as
 * are drawn in training, it is the expected sum of a draw. */
static real scale_of(const nln_model *m, const nln_link_question *q)
{
    double n = (double)q->n_premises, drawn = fmin(n, m->config.premises);
    return (real)(sqrt(drawn) / n);
}

static void add_premises(real *facts, real *term, const nln_model *m,
                         const nln_link_questions *questions, const nln_link_question *q)
{
    int dim = nln_link_width(m);
    memset(facts, 0, (size_t)dim * sizeof *facts);
    for (size_t i = q->premise; i < q->premise + q->n_premises; i++) {
        nln_edge e = questions->premise[i];
        m->method->links->query(term, nln_table_learner_row(m, ENTITY, e.entity),
                                nln_table_learner_row(m, RELATION, inverse_of(m, e.relation)), dim);
        nln_kernels_get()->axpy(facts, scale_of(m, q), term, (size_t)dim);
    }
}

/* known += AND(premises); `query` has room for a term. */
static void imply(nln_link_queries *q, const nln_model *m, const nln_link_questions *questions,
                  size_t first, size_t n)
{
    int dim = nln_link_width(m), h = m->config.hidden;
    for (size_t i = 0; i < n; i++)
        add_premises(q->facts + i * (size_t)dim, q->query, m, questions,
                     &questions->list[first + i]);
    nln_blas_nn(q->hidden, h, q->facts, dim, m->weights.data[AND_IN], h, (int)n, h, dim);
    nln_kernels_get()->relu(q->hidden, q->hidden, NULL, m->weights.data[AND_BIAS], (int)n, h);
    for (size_t i = 0; i < n; i++)
        if (!questions->list[first + i].n_premises)
            memset(q->hidden + i * (size_t)h, 0, (size_t)h * sizeof(real));
    nln_blas_nn_add(q->known, dim, q->hidden, h, m->weights.data[AND_OUT], dim, (int)n, dim, h);
}

nln_status nln_link_queries_make(nln_link_queries *q, const nln_model *m,
                                 const nln_link_questions *questions, size_t first, size_t n,
                                 nln_error *err)
{
    size_t d = (size_t)nln_link_width(m);
    nln_status status = fit_queries(q, m, n, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        memcpy(q->known + i * d,
               nln_table_learner_row(m, ENTITY, questions->list[first + i].entity),
               d * sizeof(real));
    if (has_premises(m) && n)
        imply(q, m, questions, first, n);
    for (size_t i = 0; i < n; i++)
        m->method->links->query(
            q->query + i * d, q->known + i * d,
            nln_table_learner_row(m, RELATION, questions->list[first + i].relation), (int)d);
    return NLN_OK;
}

/* ---- a request --------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    nln_thread_pool *team; /* which shares the candidates of the whole request */
    nln_link_queries queries;
    nln_table_softmax softmax, of_relation;
    real *gathered, *dgathered; /* [rows of a softmax, part of dim] where they are apart */
    real *asked, *dasked;       /* [n or targets, part of dim] likewise */
    real *dquery, *dknown;      /* [n, dim] */
    real *dhidden, *turned;     /* [n, hidden], and a weight of the AND */
    real *pair, *dpair;         /* [targets, dim] of relations */
    size_t *first, *one;        /* [n + 1] and [targets + 1] where targets begin */
    int32_t *target, *relation; /* [targets] places of entities; relations */
    int32_t n_candidates;
    size_t gathered_room, dgathered_room, asked_room, dasked_room, dquery_room, dknown_room,
        dhidden_room, turned_room, pair_room, dpair_room, first_room, one_room, target_room,
        relation_room;
} learner;

static const nln_link_questions *questions_of(const learner *l)
{
    return l->shared.request->links;
}

static int competes_whole(const learner *l)
{
    return (size_t)l->n_candidates == l->shared.model->weights.shape[ENTITY].rows;
}

/* Candidates come first, so that their places are 0, 1, ... */
static void touch_rows(learner *l, const nln_request *r)
{
    nln_table_learner *b = &l->shared;
    const nln_weights *w = &b->model->weights;
    size_t n = w->shape[ENTITY].rows, want = (size_t)b->model->config.negatives;
    for (size_t e = 0; (!want || want >= n) && e < n; e++)
        nln_table_learner_touch(b, ENTITY, (int32_t)e);
    for (int32_t i = 0; i < r->n_candidates; i++)
        nln_table_learner_touch(b, ENTITY, r->candidate[i]);
    for (size_t i = 0; i < r->links->n_targets; i++)
        nln_table_learner_touch(b, ENTITY, r->links->target[i]);
    l->n_candidates = b->touched[ENTITY].n;
    for (size_t i = 0; i < r->links->n; i++)
        nln_table_learner_touch(b, ENTITY, r->links->list[i].entity);
    for (size_t i = 0; has_premises(b->model) && i < r->links->n_premises; i++)
        nln_table_learner_touch(b, ENTITY, r->links->premise[i].entity);
    for (size_t k = 0; k < w->shape[RELATION].rows; k++)
        nln_table_learner_touch(b, RELATION, (int32_t)k);
}

/* Memory for a softmax over n_rows rows; `apart` where its rows are not those of a table. */
static nln_status fit_softmax(learner *l, nln_table_softmax *softmax, size_t n_rows, size_t n,
                              int apart, nln_error *err)
{
    const nln_model *m = l->shared.model;
    size_t d = (size_t)(nln_link_width(m) / m->config.networks);
    int ok = !apart || (NLN_ARRAY_RESERVE(l->gathered, l->gathered_room, n_rows * d) &&
                        NLN_ARRAY_RESERVE(l->dgathered, l->dgathered_room, n_rows * d) &&
                        NLN_ARRAY_RESERVE(l->asked, l->asked_room, n * d) &&
                        NLN_ARRAY_RESERVE(l->dasked, l->dasked_room, n * d));
    return ok ? nln_table_softmax_fit(softmax, (int32_t)n_rows, (int)d, (int32_t)n,
                                      m->method->links->distance, err)
              : nln_error_memory(err);
}

static nln_status fit(learner *l, const nln_request *r, nln_error *err)
{
    const nln_model *m = l->shared.model;
    size_t n = r->links->n, t = r->links->n_targets, d = (size_t)nln_link_width(m);
    size_t h = (size_t)m->config.hidden, and = has_premises(m) ? 1 : 0;
    size_t pairs = m->config.relation_weight > 0 ? t : 0;
    int several = m->config.networks > 1;
    int ok = NLN_ARRAY_RESERVE(l->dquery, l->dquery_room, n * d) &&
             NLN_ARRAY_RESERVE(l->dknown, l->dknown_room, n * d) &&
             NLN_ARRAY_RESERVE(l->dhidden, l->dhidden_room, and*n * h) &&
             NLN_ARRAY_RESERVE(l->turned, l->turned_room, and*d * h) &&
             NLN_ARRAY_RESERVE(l->pair, l->pair_room, pairs * d) &&
             NLN_ARRAY_RESERVE(l->dpair, l->dpair_room, pairs * d) &&
             NLN_ARRAY_RESERVE(l->first, l->first_room, n + 1) &&
             NLN_ARRAY_RESERVE(l->one, l->one_room, t + 1) &&
             NLN_ARRAY_RESERVE(l->target, l->target_room, t) &&
             NLN_ARRAY_RESERVE(l->relation, l->relation_room, t);
    nln_status status = ok ? fit_queries(&l->queries, m, n, err) : nln_error_memory(err);
    if (!status)
        status = fit_softmax(l, &l->softmax, (size_t)l->n_candidates, n,
                             several || !competes_whole(l), err);
    if (!status && pairs)
        status = fit_softmax(l, &l->of_relation, m->weights.shape[RELATION].rows, t, several, err);
    return status;
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    const nln_link_questions *q = request->links;
    nln_table_learner_begin(&l->shared, request);
    touch_rows(l, request);
    nln_status status = fit(l, request, err);
    if (status)
        return status;
    for (size_t i = 0, at = 0; i < q->n; i++) {
        l->first[i] = at;
        for (size_t k = 0; k < q->list[i].n_targets; k++, at++) {
            l->target[at] = l->shared.touched[ENTITY].place[q->target[q->list[i].target + k]] - 1;
            l->relation[at] = q->list[i].relation;
            l->one[at] = at;
        }
        l->first[i + 1] = l->one[at] = at;
    }
    return nln_table_learner_end(&l->shared, err);
}

/* ---- its loss -------------------------------------------------------------------------------- */

static real *entity_gradient(learner *l, int32_t entity)
{
    return nln_table_learner_gradient(&l->shared, ENTITY,
                                      l->shared.touched[ENTITY].place[entity] - 1);
}

static real *relation_gradient(learner *l, int32_t relation)
{
    return nln_table_learner_gradient(&l->shared, RELATION, relation);
}

/* The places of a network in a vector: two halves where vectors are pairs. */
typedef struct part {
    int n_runs, run, first[2];
} part;

static part part_of(const nln_model *m, int network)
{
    int dim = nln_link_width(m), pairs = m->method->links->in_pairs;
    int run = dim / m->config.networks / (pairs ? 2 : 1);
    return (part){pairs ? 2 : 1, run, {network * run, dim / 2 + network * run}};
}

static void take_part(real *out, const real *x, const part *p)
{
    for (int i = 0; i < p->n_runs; i++)
        memcpy(out + i * p->run, x + p->first[i], (size_t)p->run * sizeof *out);
}

static void add_part(real *x, const real *from, const part *p)
{
    for (int i = 0; i < p->n_runs; i++)
        nln_kernels_get()->axpy(x + p->first[i], 1, from + i * p->run, (size_t)p->run);
}

/* A softmax for each network, over its part of the vectors.  `all` has whole vectors, and its
 * gradients are added; row[k] is the row of the table that competes as k, or row is NULL. */
static double compete(learner *l, nln_table_softmax *softmax, const nln_table_softmax_case *all,
                      const int32_t *row)
{
    const nln_model *m = l->shared.model;
    int64_t dim = all->dim;
    double loss = 0;
    if (m->config.networks == 1 && !row)
        return nln_table_softmax_run(softmax, l->team, all);
    for (int network = 0; network < m->config.networks; network++) {
        part p = part_of(m, network);
        nln_table_softmax_case one = *all;
        one.dim = p.n_runs * p.run;
        one.table = l->gathered, one.dtable = l->dgathered;
        one.query = l->asked, one.dquery = l->dasked;
        for (int32_t k = 0; k < all->n_rows; k++)
            take_part(l->gathered + (int64_t)k * one.dim, all->table + (row ? row[k] : k) * dim,
                      &p);
        for (int32_t i = 0; i < all->n; i++)
            take_part(l->asked + (int64_t)i * one.dim, all->query + i * dim, &p);
        memset(l->dgathered, 0, (size_t)all->n_rows * (size_t)one.dim * sizeof(real));
        memset(l->dasked, 0, (size_t)all->n * (size_t)one.dim * sizeof(real));
        loss += nln_table_softmax_run(softmax, l->team, &one);
        for (int32_t k = 0; k < all->n_rows; k++)
            add_part(all->dtable + k * dim, l->dgathered + (int64_t)k * one.dim, &p);
        for (int32_t i = 0; i < all->n; i++)
            add_part(all->dquery + i * dim, l->dasked + (int64_t)i * one.dim, &p);
    }
    return loss;
}

/* Entities against each other; dquery is set. */
static double entity_loss(learner *l, double weight)
{
    nln_table_learner *b = &l->shared;
    const nln_model *m = b->model;
    int dim = nln_link_width(m);
    memset(l->dquery, 0, questions_of(l)->n * (size_t)dim * sizeof(real));
    nln_table_softmax_case one = {.table = m->weights.data[ENTITY],
                                  .n_rows = l->n_candidates,
                                  .dim = dim,
                                  .query = l->queries.query,
                                  .n = (int32_t)questions_of(l)->n,
                                  .first = l->first,
                                  .target = l->target,
                                  .distance = m->method->links->distance,
                                  .weight = weight,
                                  .dtable = nln_table_learner_gradient(b, ENTITY, 0),
                                  .dquery = l->dquery};
    return compete(l, &l->softmax, &one, competes_whole(l) ? NULL : b->touched[ENTITY].row);
}

/* Relations against each other, for each pair of ends. */
static double relation_loss(learner *l, double weight)
{
    nln_table_learner *b = &l->shared;
    const nln_model *m = b->model;
    const nln_link_questions *q = questions_of(l);
    int dim = nln_link_width(m);
    for (size_t i = 0; i < q->n; i++)
        for (size_t k = l->first[i]; k < l->first[i + 1]; k++)
            m->method->links->between(
                l->pair + k * (size_t)dim, nln_table_learner_row(m, ENTITY, q->list[i].entity),
                nln_table_learner_row(m, ENTITY, b->touched[ENTITY].row[l->target[k]]), dim);
    memset(l->dpair, 0, q->n_targets * (size_t)dim * sizeof(real));
    nln_table_softmax_case one = {.table = m->weights.data[RELATION],
                                  .n_rows = (int32_t)m->weights.shape[RELATION].rows,
                                  .dim = dim,
                                  .query = l->pair,
                                  .n = (int32_t)q->n_targets,
                                  .first = l->one,
                                  .target = l->relation,
                                  .distance = m->method->links->distance,
                                  .weight = weight,
                                  .dtable = relation_gradient(l, 0),
                                  .dquery = l->dpair};
    double loss = compete(l, &l->of_relation, &one, NULL);
    for (size_t i = 0; i < q->n; i++)
        for (size_t k = l->first[i]; k < l->first[i + 1]; k++)
            m->method->links->between_back(
                entity_gradient(l, q->list[i].entity),
                nln_table_learner_gradient(b, ENTITY, l->target[k]), l->dpair + k * (size_t)dim,
                nln_table_learner_row(m, ENTITY, q->list[i].entity),
                nln_table_learner_row(m, ENTITY, b->touched[ENTITY].row[l->target[k]]), dim);
    return loss;
}

/* out[columns, rows] = w[rows, columns]' */
static void turn(real *out, const real *w, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            out[(int64_t)c * rows + r] = w[(int64_t)r * columns + c];
}

/* What the premises owe, given the gradient of what they imply; `query` is free by now. */
static void premises_back(learner *l)
{
    nln_table_learner *b = &l->shared;
    const nln_model *m = b->model;
    const nln_link_questions *q = questions_of(l);
    int dim = nln_link_width(m), h = m->config.hidden, n = (int)q->n;
    real *dfacts = l->queries.query;
    nln_blas_tn_add(nln_table_learner_gradient(b, AND_OUT, 0), dim, l->queries.hidden, h, l->dknown,
                    dim, h, dim, n);
    turn(l->turned, m->weights.data[AND_OUT], h, dim);
    nln_blas_nn(l->dhidden, h, l->dknown, dim, l->turned, h, n, h, dim);
    nln_kernels_get()->relu_back(l->dhidden, nln_table_learner_gradient(b, AND_BIAS, 0),
                                 l->queries.hidden, 1, n, h);
    nln_blas_tn_add(nln_table_learner_gradient(b, AND_IN, 0), h, l->queries.facts, dim, l->dhidden,
                    h, dim, h, n);
    turn(l->turned, m->weights.data[AND_IN], dim, h);
    nln_blas_nn(dfacts, dim, l->dhidden, h, l->turned, dim, n, dim, h);
    for (size_t i = 0; i < q->n; i++) {
        real *by = dfacts + i * (size_t)dim, scale = scale_of(m, &q->list[i]);
        for (int j = 0; q->list[i].n_premises && j < dim; j++)
            by[j] *= scale;
        for (size_t k = q->list[i].premise; k < q->list[i].premise + q->list[i].n_premises; k++) {
            int32_t entity = q->premise[k].entity, r = inverse_of(m, q->premise[k].relation);
            m->method->links->query_back(entity_gradient(l, entity), relation_gradient(l, r), by,
                                         nln_table_learner_row(m, ENTITY, entity),
                                         nln_table_learner_row(m, RELATION, r), dim);
        }
    }
}

static void queries_back(learner *l)
{
    const nln_model *m = l->shared.model;
    const nln_link_questions *q = questions_of(l);
    size_t d = (size_t)nln_link_width(m);
    memset(l->dknown, 0, q->n * d * sizeof(real));
    for (size_t i = 0; i < q->n; i++) {
        m->method->links->query_back(l->dknown + i * d, relation_gradient(l, q->list[i].relation),
                                     l->dquery + i * d, l->queries.known + i * d,
                                     nln_table_learner_row(m, RELATION, q->list[i].relation),
                                     (int)d);
        nln_kernels_get()->axpy(entity_gradient(l, q->list[i].entity), 1, l->dknown + i * d, d);
    }
    if (has_premises(m))
        premises_back(l);
}

/* N3 of each triple: its two ends and its relation. */
static double cubes(learner *l, double weight)
{
    const nln_model *m = l->shared.model;
    const nln_link_questions *q = questions_of(l);
    const nln_link_family *f = m->method->links;
    int dim = nln_link_width(m);
    double sum = 0;
    for (size_t i = 0; weight > 0 && i < q->n; i++) {
        const nln_link_question *one = &q->list[i];
        double times = weight * (double)one->n_targets;
        sum += nln_link_family_cubes(entity_gradient(l, one->entity), f,
                                     nln_table_learner_row(m, ENTITY, one->entity), times, dim);
        sum += nln_link_family_cubes(relation_gradient(l, one->relation), f,
                                     nln_table_learner_row(m, RELATION, one->relation), times, dim);
        for (size_t k = one->target; k < one->target + one->n_targets; k++)
            sum +=
                nln_link_family_cubes(entity_gradient(l, q->target[k]), f,
                                      nln_table_learner_row(m, ENTITY, q->target[k]), weight, dim);
    }
    return sum;
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    nln_table_learner *b = &l->shared;
    const nln_config *c = &b->model->config;
    const nln_link_questions *q = questions_of(l);
    double weight = (c->reduce ? 1 / (double)q->n : 1) / c->networks;
    int dim = nln_link_width(b->model);
    nln_loss loss = {0};
    nln_table_learner_clear(b);
    nln_link_queries_make(&l->queries, b->model, q, 0, q->n, NULL); /* has its memory */
    nln_table_learner_drop(l->queries.query, b, q->n, dim, key);
    loss.data = entity_loss(l, weight);
    nln_table_learner_drop(l->dquery, b, q->n, dim, key);
    queries_back(l);
    if (c->relation_weight > 0)
        loss.data += relation_loss(l, weight * c->relation_weight);
    loss.l2 = cubes(l, weight * c->n3);
    nln_table_learner_add_l2(&loss, base, b->model);
    return loss;
}

/* ---- the learner ------------------------------------------------------------------------------
 */

static void release(nln_learner *base)
{
    learner *l = (learner *)base;
    nln_table_learner_close(&l->shared);
    nln_link_queries_free(&l->queries);
    nln_table_softmax_free(&l->softmax);
    nln_table_softmax_free(&l->of_relation);
    nln_free(l->gathered);
    nln_free(l->dgathered);
    nln_free(l->asked);
    nln_free(l->dasked);
    nln_free(l->dquery);
    nln_free(l->dknown);
    nln_free(l->dhidden);
    nln_free(l->turned);
    nln_free(l->pair);
    nln_free(l->dpair);
    nln_free(l->first);
    nln_free(l->one);
    nln_free(l->target);
    nln_free(l->relation);
    nln_free(l);
}

static nln_status learn(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err)
{
    (void)frequency;
    learner *l = nln_memory_zeroed(1, sizeof *l);
    if (!l)
        return nln_error_memory(err);
    l->shared.base = (nln_learner){.plan = plan, .gradient = gradient, .free = release};
    l->team = team;
    nln_status status = nln_table_learner_open(&l->shared, model, err);
    if (status)
        release(&l->shared.base);
    else
        *out = &l->shared.base;
    return status;
}

#define LINKS(text, shapes, family)                                                               \
    {                                                                                             \
        .name = (text), .has = NLN_HAS_VECTORS, .tasks = 1u << NLN_TASK_LINK, .tensor = (shapes), \
        .learn = learn, .links = &(family)                                                        \
    }
const nln_method nln_method_complex = LINKS("complex", pairs_tensor, nln_link_complex);
const nln_method nln_method_distmult = LINKS("distmult", plain_tensor, nln_link_real);
const nln_method nln_method_transe = LINKS("transe", plain_tensor, nln_link_shift);

const nln_method nln_method_nln_links = {
    .name = "nln",
    .has = NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS | NLN_HAS_PREMISES | NLN_HAS_NETWORKS,
    .tasks = 1u << NLN_TASK_LINK,
    .tensor = network_tensor,
    .learn = learn,
    .links = &nln_link_complex,
};
