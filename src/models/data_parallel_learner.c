#include "models/data_parallel_learner.h"

#include "base/array.h"
#include "base/memory.h"
#include "net/shard_exchange.h"

typedef struct shard {
    nln_learner *learner;
    nln_request request; /* its units ... */
    nln_queries queries; /* ... and their queries, borrowed */
    nln_status status;   /* of planning */
    nln_error err;
} shard;

typedef struct learner {
    nln_learner base;
    const nln_shard_learner *kind;
    nln_model *model;
    nln_thread_pool *team;
    const int32_t *frequency;
    shard *shard; /* [n_made] */
    int n_made, n_shards;
    uint64_t key;
    nln_loss loss[NLN_MOST_SHARDS];
    nln_shard_assignment owners;
    nln_shard_exchange exchange;
    nln_shard_part part[NLN_MOST_PARAMETERS];
    nln_shard_rows rows[NLN_MOST_PARAMETERS]; /* of the parameters that are tables */
    real *sum[NLN_MOST_PARAMETERS];           /* of several shards */
    size_t shard_room, sum_room[NLN_MOST_PARAMETERS];
} learner;

/* ---- planning ---------------------------------------------------------------------------- */

/* Shared candidates and repeated words are work for each shard, so shards are large. */
static int shards_of(const nln_request *r)
{
    enum { UNITS = 256 };
    int n = r->n / UNITS;
    return n < 1 ? 1 : n > NLN_MOST_SHARDS ? NLN_MOST_SHARDS : n;
}

static void close_shard(const nln_shard_learner *kind, nln_learner *own)
{
    if (own && kind->close)
        kind->close(own);
    if (own)
        nln_table_learner_close((nln_table_learner *)own);
    nln_free(own);
}

static nln_status open_shard(nln_learner **out, const learner *l, nln_error *err)
{
    nln_table_learner *own = nln_memory_zeroed(1, l->kind->size);
    if (!own)
        return nln_error_memory(err);
    own->base.plan = l->kind->plan;
    own->base.gradient = l->kind->gradient;
    *out = &own->base;
    nln_status status = nln_table_learner_open(own, l->model, err);
    if (!status && l->kind->open)
        status = l->kind->open(&own->base, l->model, l->frequency, err);
    return status;
}

static nln_status make_shards(learner *l, int n, nln_error *err)
{
    nln_status status = NLN_OK;
    if (!NLN_ARRAY_RESERVE(l->shard, l->shard_room, (size_t)n))
        return nln_error_memory(err);
    for (; !status && l->n_made < n; l->n_made++) {
        l->shard[l->n_made] = (shard){0};
        status = open_shard(&l->shard[l->n_made].learner, l, err);
    }
    l->n_shards = n;
    return status;
}

/* Shard i of a request: see request.h. */
static void cut(shard *s, const nln_request *r, int i, int n_shards)
{
    int32_t first = (int32_t)((int64_t)r->n * i / n_shards);
    size_t at = (size_t)first, candidates = at * (size_t)r->n_candidates;
    s->request = *r;
    s->request.n = (int32_t)((int64_t)r->n * (i + 1) / n_shards) - first;
    if (r->queries) {
        s->queries = *r->queries;
        s->queries.list += at;
        s->queries.n = (size_t)s->request.n;
        s->request.queries = &s->queries;
        s->request.truth = r->truth ? r->truth + at : NULL;
    }
    s->request.index = r->index ? r->index + at : NULL;
    s->request.unit = r->unit ? r->unit + at : NULL;
    s->request.refused = r->refused ? r->refused + candidates : NULL;
    if (r->candidate && r->loss_kind != NLN_LOSS_SOFTMAX)
        s->request.candidate = r->candidate + candidates;
}

static void plan_step(void *context, int i)
{
    learner *l = context;
    shard *s = &l->shard[i];
    s->status = s->learner->plan(s->learner, &s->request, &s->err);
}

/* What all shards touch; of one shard it is the shard's own. */
static nln_status list_rows(learner *l, int p, nln_error *err)
{
    nln_parameter *own = &l->base.parameter[p];
    nln_shard_list list[NLN_MOST_SHARDS];
    *own = l->shard[0].learner->parameter[p];
    if (!own->row || l->n_shards == 1)
        return NLN_OK;
    for (int i = 0; i < l->n_shards; i++) {
        const nln_parameter *x = &l->shard[i].learner->parameter[p];
        list[i] = (nln_shard_list){x->row, x->n_rows};
    }
    nln_status status = nln_shard_rows_list(&l->rows[p], list, l->n_shards, err);
    if (status)
        return status;
    own->n_rows = l->rows[p].n;
    own->row = l->rows[p].row;
    if (!NLN_ARRAY_RESERVE(l->sum[p], l->sum_room[p], (size_t)own->n_rows * (size_t)own->width))
        return nln_error_memory(err);
    own->gradient = l->sum[p];
    return NLN_OK;
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    double per_unit = l->model->config.reduce && request->n ? 1.0 / request->n : 1;
    nln_status status = make_shards(l, shards_of(request), err);
    if (status)
        return status;
    for (int i = 0; i < l->n_shards; i++) {
        cut(&l->shard[i], request, i, l->n_shards);
        l->shard[i].learner->per_unit = per_unit;
    }
    nln_thread_pool_run(l->team, l->n_shards, plan_step, l);
    for (int i = 0; i < l->n_shards; i++)
        if ((status = l->shard[i].status)) {
            if (err)
                *err = l->shard[i].err;
            return status;
        }
    for (int p = 0; !status && p < base->n_parameters; p++)
        status = list_rows(l, p, err);
    return status;
}

/* ---- computing --------------------------------------------------------------------------- */

static void gradient_step(void *context, int i)
{
    learner *l = context;
    i += l->owners.first;
    nln_learner *own = l->shard[i].learner;
    own->noise = l->base.noise;
    l->loss[i] = own->gradient(own, i ? l->key ^ nln_random_mix((uint64_t)i) : l->key);
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    l->key = key;
    nln_shard_assignment_assign(&l->owners, NULL, l->n_shards);
    nln_thread_pool_run(l->team, l->owners.last - l->owners.first, gradient_step, l);
    for (int p = 0; l->n_shards > 1 && p < base->n_parameters; p++) {
        const nln_parameter *own = &base->parameter[p];
        l->part[p].rows = own->row ? &l->rows[p] : NULL;
        l->part[p].width = (size_t)own->width;
        l->part[p].sum = own->gradient;
        for (int i = 0; i < l->n_shards; i++)
            l->part[p].gradient[i] = l->shard[i].learner->parameter[p].gradient;
    }
    if (l->n_shards > 1)
        nln_shard_sum(l->part, base->n_parameters, l->loss, &l->owners, &l->exchange, l->team);
    nln_table_learner_add_l2(&l->loss[0], base, l->model);
    return l->loss[0];
}

/* ---- setting up -------------------------------------------------------------------------- */

static void release(nln_learner *base)
{
    learner *l = (learner *)base;
    for (int i = 0; i < l->n_made; i++)
        close_shard(l->kind, l->shard[i].learner);
    for (int p = 0; p < NLN_MOST_PARAMETERS; p++) {
        nln_shard_rows_free(&l->rows[p]);
        nln_free(l->sum[p]);
    }
    nln_shard_exchange_free(&l->exchange);
    nln_free(l->shard);
    nln_free(l);
}

nln_status nln_data_parallel_learner_create(nln_learner **out, const nln_shard_learner *kind,
                                            nln_model *model, nln_thread_pool *team,
                                            const int32_t *frequency, nln_error *err)
{
    learner *l = nln_memory_zeroed(1, sizeof *l);
    if (!l)
        return nln_error_memory(err);
    l->kind = kind;
    l->model = model;
    l->team = team;
    l->frequency = frequency;
    nln_status status = make_shards(l, 1, err);
    if (status) {
        release(&l->base);
        return status;
    }
    l->base = *l->shard[0].learner;
    l->base.plan = plan;
    l->base.gradient = gradient;
    l->base.free = release;
    *out = &l->base;
    return NLN_OK;
}
