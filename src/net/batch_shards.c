#include "net/batch_shards.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"
#include "math/kernels.h"
#include "net/law_shards.h"
#include "net/shard_exchange.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

nln_status nln_batch_create(nln_batch **out, const nln_net *net, nln_thread_pool *pool,
                            nln_error *err)
{
    nln_batch *b = nln_memory_zeroed(1, sizeof *b);
    int n = least(nln_thread_pool_size(pool), NLN_MOST_SHARDS);
    nln_status status = b ? NLN_OK : nln_error_memory(err);
    if (!status && !(b->workspace = nln_memory_zeroed((size_t)n, sizeof *b->workspace)))
        status = nln_error_memory(err);
    for (int i = 0; !status && i < n; i++) {
        status = nln_workspace_create(&b->workspace[i].work, net, 1, err);
        atomic_flag_clear(&b->workspace[i].busy);
        b->n_workspaces = i + 1;
    }
    if (status) {
        nln_batch_free(b);
        return status;
    }
    b->net = net;
    b->pool = pool;
    *out = b;
    return NLN_OK;
}

void nln_batch_free(nln_batch *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->n_made; i++) {
        nln_planner_free(b->shard[i].planner);
        nln_shard_gradient_free(&b->shard[i].gradient);
        nln_free(b->shard[i].index);
    }
    for (int i = 0; i < b->n_workspaces; i++) {
        nln_workspace_free(b->workspace[i].work);
        nln_softmax_free(b->workspace[i].softmax);
    }
    nln_shard_rows_free(&b->variables);
    nln_shard_rows_free(&b->entities);
    nln_shard_rows_free(&b->predicates);
    nln_free(b->dentity);
    nln_free(b->dpredicate);
    nln_shard_exchange_free(&b->exchange);
    nln_shard_outlines_free(&b->outlines);
    nln_free(b->shard);
    nln_free(b->workspace);
    nln_free(b->count);
    nln_free(b->negated);
    nln_free(b->literal[0]);
    nln_free(b->literal[1]);
    nln_free(b->dlogit);
    nln_free(b->dvector);
    nln_free(b);
}

/* Makes the shards that no batch before had. */
static nln_status make_shards(nln_batch *b, int n, nln_error *err)
{
    nln_status status = NLN_OK;
    if (!NLN_ARRAY_RESERVE(b->shard, b->shard_room, (size_t)n))
        return nln_error_memory(err);
    for (; !status && b->n_made < n; b->n_made++) {
        nln_shard *s = &b->shard[b->n_made];
        *s = (nln_shard){0};
        status = nln_planner_create(&s->planner, err);
        if (!status)
            status = nln_shard_gradient_create(&s->gradient, b->net, err);
    }
    b->n_shards = n;
    b->dmodules = b->shard[0].gradient.block;
    return status;
}

/* ---- workspaces ---------------------------------------------------------------------- */

/* Step i of a run tries workspace i first, which its thread has probably used the last time, then
 * the next ones.  One is free, since no more threads than workspaces run. */
static nln_thread_workspace *acquire_workspace(nln_batch *b, int i)
{
    i %= b->n_workspaces;
    while (atomic_flag_test_and_set_explicit(&b->workspace[i].busy, memory_order_acquire))
        i = (i + 1) % b->n_workspaces;
    return &b->workspace[i];
}

static void release_workspace(nln_thread_workspace *own)
{
    atomic_flag_clear_explicit(&own->busy, memory_order_release);
}

/* Any thread may get any shard of this rank. */
static nln_status fit_workspaces(nln_batch *b, nln_loss_kind loss_kind, nln_error *err)
{
    int32_t n_rows = 0;
    nln_status status = NLN_OK;
    for (int i = b->owners.first; i < b->owners.last; i++)
        if (b->shard[i].plan->n_rows > n_rows)
            n_rows = b->shard[i].plan->n_rows;
    for (int i = 0; !status && i < least(b->n_workspaces, b->n_shards); i++) {
        nln_thread_workspace *own = &b->workspace[i];
        status = nln_workspace_fit(own->work, n_rows, err);
        for (int j = b->owners.first; !status && j < b->owners.last; j++)
            status = nln_atom_workspace_fit(&own->work->atoms, b->net, b->shard[j].plan, err);
        if (!status && b->sharing)
            status = nln_workspace_fit_projections(own->work, n_rows, err);
        if (status || loss_kind != NLN_LOSS_SOFTMAX)
            continue;
        if (!own->softmax)
            status = nln_softmax_create(&own->softmax, b->net, err);
        for (int j = b->owners.first; !status && j < b->owners.last; j++)
            status = nln_softmax_fit(own->softmax, b->shard[j].request.n,
                                     b->shard[j].request.n_candidates, err);
    }
    return status;
}

/* ---- planning ------------------------------------------------------------------- */

/* Fewer than 32 units in a shard would make the products of the tree too thin, and up to 16 shards
 * are enough for the threads of one machine; beyond, with 64 units each, many machines have work.
 * Where all is under the laws, which have tiles of their own, a small batch is better shared by two
 * threads; but not for the loss SOFTMAX, since each shard has all the candidates. */
static int shards_of(const nln_request *r, const nln_batch_settings *settings)
{
    enum { UNITS = 32, FEW = 16, ENOUGH = 16, MANY_UNITS = 64 };
    int64_t n = r->n, units = n * settings->members, shards = units / UNITS;
    if (shards > ENOUGH)
        shards = units / MANY_UNITS > ENOUGH ? units / MANY_UNITS : ENOUGH;
    if (shards < 2 && units >= FEW && settings->sharing && r->loss_kind != NLN_LOSS_SOFTMAX)
        shards = 2;
    if (shards > n)
        shards = n;
    return shards < 1 ? 1 : shards > NLN_MOST_SHARDS ? NLN_MOST_SHARDS : (int)shards;
}

/* How many expressions n units are. */
static int32_t expressions_of(const nln_request *r, int32_t n)
{
    switch (r->loss_kind) {
    case NLN_LOSS_LABELS:
        return n;
    case NLN_LOSS_PAIRS:
    case NLN_LOSS_PROBABILITY_PAIRS:
    case NLN_LOSS_BINARY_PAIRS:
        return 2 * n;
    default:
        return 2 * n + r->n_candidates;
    }
}

/* Expression j of those of n units from `first` on: see request.h. */
static int32_t expression_of(const nln_request *r, int32_t first, int32_t n, int32_t j)
{
    if (r->loss_kind == NLN_LOSS_LABELS)
        return r->index[first + j];
    if (r->loss_kind != NLN_LOSS_SOFTMAX)
        return 2 * first + j;
    if (j < 2 * n)
        return j < n ? first + j : r->n + first + j - n;
    return 2 * r->n + j - 2 * n;
}

/* The units of a shard, with the first of them. */
static int32_t units_of(int32_t *first, const nln_request *r, int shard, int n_shards)
{
    *first = (int32_t)((int64_t)r->n * shard / n_shards);
    return (int32_t)((int64_t)r->n * (shard + 1) / n_shards) - *first;
}

typedef struct planning {
    nln_batch *batch;
    const nln_request *request;
    const nln_batch_settings *settings;
} planning;

static nln_status plan_shard(nln_shard *s, const planning *p, int i)
{
    const nln_request *r = p->request;
    int32_t first, n = units_of(&first, r, i, p->batch->n_shards), n_all = expressions_of(r, n);
    nln_random random = nln_random_seed(r->key, (uint64_t)i);
    if (!NLN_ARRAY_RESERVE(s->index, s->index_room, (size_t)n_all))
        return nln_error_memory(&s->err);
    for (int32_t j = 0; j < n_all; j++)
        s->index[j] = expression_of(r, first, n, j);
    s->law = (nln_law_counts){0};
    s->request = *r;
    s->request.n = n;
    if (r->index)
        s->request.index += first;
    if (r->refused)
        s->request.refused += (size_t)first * (size_t)r->n_candidates;
    nln_planner_set_members(s->planner, p->settings->members, p->settings->stride);
    nln_planner_set_relations(s->planner, p->settings->entities, p->settings->predicates);
    nln_planner_set_keys(s->planner, r->keys);
    nln_status status =
        nln_planner_plan(&s->plan, s->planner, r->exprs, s->index, n_all, p->settings->association,
                         p->settings->shuffled ? &random : NULL, &s->err);
    if (!status)
        status = nln_shard_gradient_fit(&s->gradient, p->batch->net, s->plan, &s->err);
    return status;
}

static void plan_step(void *context, int step)
{
    const planning *p = context;
    int i = p->batch->owners.first + step;
    nln_shard *s = &p->batch->shard[i];
    nln_thread_workspace *own = acquire_workspace(p->batch, step);
    nln_profile_start(&own->work->profile);
    s->status = plan_shard(s, p, i);
    nln_profile_mark(&own->work->profile, NLN_PHASE_PLAN);
    release_workspace(own);
}

static nln_status list_variables(nln_batch *b, nln_error *err)
{
    nln_shard_list list[NLN_MOST_SHARDS];
    nln_shard_rows *u = &b->variables;
    for (int i = 0; i < b->n_shards; i++)
        list[i] = (nln_shard_list){b->shard[i].plan->operand[0] + NLN_ROW_LEAF,
                                   b->shard[i].plan->n_leaves};
    nln_status status = nln_shard_rows_list(u, list, b->n_shards, err);
    if (status)
        return status;
    size_t n = (size_t)u->n, d = (size_t)b->net->dim;
    b->n_variables = u->n;
    b->variable = u->row;
    if (!NLN_ARRAY_RESERVE(b->count, b->count_room, n) ||
        !NLN_ARRAY_RESERVE(b->negated, b->negated_room, u->start[b->n_shards]) ||
        !NLN_ARRAY_RESERVE(b->literal[0], b->literal_room[0], n) ||
        !NLN_ARRAY_RESERVE(b->literal[1], b->literal_room[1], n) ||
        (b->net->logit && !NLN_ARRAY_RESERVE(b->dlogit, b->dlogit_room, n)) ||
        (b->net->vector && !NLN_ARRAY_RESERVE(b->dvector, b->dvector_room, n * d)))
        return nln_error_memory(err);
    memset(b->count, 0, n * sizeof *b->count);
    for (int i = 0; i < b->n_shards; i++)
        for (int32_t j = 0; j < list[i].n; j++)
            b->count[u->place[u->start[i] + (size_t)j]] +=
                b->shard[i].plan->count[NLN_ROW_LEAF + j];
    return NLN_OK;
}

/* The entities and predicates of all shards. */
static nln_status list_relations(nln_batch *b, nln_error *err)
{
    nln_shard_list entities[NLN_MOST_SHARDS], predicates[NLN_MOST_SHARDS];
    if (!b->net->entity)
        return NLN_OK;
    for (int i = 0; i < b->n_shards; i++) {
        const nln_plan_atoms *a = &b->shard[i].plan->atoms;
        entities[i] = (nln_shard_list){a->entity, a->n_entities};
        predicates[i] = (nln_shard_list){a->predicate, a->n_predicates};
    }
    nln_status status = nln_shard_rows_list(&b->entities, entities, b->n_shards, err);
    if (!status)
        status = nln_shard_rows_list(&b->predicates, predicates, b->n_shards, err);
    if (status)
        return status;
    b->datoms = b->shard[0].gradient.atoms.block;
    size_t d = (size_t)b->net->dim, width = (size_t)b->net->predicate_width;
    if (!NLN_ARRAY_RESERVE(b->dentity, b->dentity_room, (size_t)b->entities.n * d + 1) ||
        !NLN_ARRAY_RESERVE(b->dpredicate, b->dpredicate_room, (size_t)b->predicates.n * width + 1))
        return nln_error_memory(err);
    return NLN_OK;
}

/* Divides the shards among the ranks of a job by the nodes of their expressions. */
static void assign_owners(nln_batch *b, const nln_request *r)
{
    int64_t cost[NLN_MOST_SHARDS] = {0};
    int n_ranks = nln_communicator_size();
    for (int i = 0; n_ranks > 1 && i < b->n_shards; i++) {
        int32_t first, n = units_of(&first, r, i, b->n_shards), n_all = expressions_of(r, n);
        for (int32_t j = 0; j < n_all; j++)
            cost[i] += nln_exprs_get(r->exprs, (size_t)expression_of(r, first, n, j)).n_nodes;
    }
    nln_shard_assignment_assign(&b->owners, cost, b->n_shards);
}

/* This rank's shards; of those of the others it gets an outline. */
static nln_status plan_shards(nln_batch *b, const planning *p, nln_error *err)
{
    const nln_plan *plan[NLN_MOST_SHARDS];
    assign_owners(b, p->request);
    nln_thread_pool_run(b->pool, b->owners.last - b->owners.first, plan_step, (void *)p);
    for (int i = b->owners.first; i < b->owners.last; i++) {
        if (b->shard[i].status) {
            if (err)
                *err = b->shard[i].err;
            return b->shard[i].status;
        }
        plan[i] = b->shard[i].plan;
    }
    if (!b->owners.shared)
        return NLN_OK;
    nln_status status = nln_shard_outlines_share(&b->outlines, plan, &b->owners, err);
    for (int i = 0; !status && i < b->n_shards; i++)
        b->shard[i].plan = plan[i];
    if (!status && b->owners.first > 0) /* the sums of blocks end in its gradient */
        status = nln_shard_gradient_fit(&b->shard[0].gradient, b->net, b->shard[0].plan, err);
    return status;
}

nln_status nln_batch_plan(nln_batch *b, const nln_request *request,
                          const nln_batch_settings *settings, nln_error *err)
{
    nln_status status = make_shards(b, shards_of(request, settings), err);
    if (status)
        return status;
    b->n_units = (double)request->n * settings->members;
    b->sharing = settings->sharing;
    status = plan_shards(b, &(planning){b, request, settings}, err);
    if (!status)
        status = fit_workspaces(b, request->loss_kind, err);
    if (!status)
        status = list_variables(b, err);
    return status ? status : list_relations(b, err);
}

/* ---- computing -------------------------------------------------------------------- */

enum { PIECES = 8 };

static double add_l2(real *gradient, const real *x, size_t n, double weight)
{
    enum { STRETCH = 256 }; /* short enough for sums in real */
    const nln_kernels *k = nln_kernels_get();
    double sum = 0;
    if (weight <= 0)
        return 0;
    for (size_t i = 0; i < n; i += STRETCH)
        sum += (double)k->dot(x + i, x + i, n - i < STRETCH ? (int)(n - i) : STRETCH);
    k->axpy(gradient, (real)(2 * weight), x, n);
    return weight * sum;
}

/* The prior of a variable's number t, spread over its occurrences.  Twenty-four occurrences leave a
 * variable in doubt, and the prior whole; half as many again settle it, and then the prior would
 * only hold back what is known.  A label that may be flipped says less. */
static double prior_of(const nln_objective *o, int32_t frequency)
{
    const double enough = 24;
    double n = frequency ? frequency : 1, told = n * pow(1 - 2 * o->noise, 2);
    return o->l2_logit / n * (told > enough ? pow(enough / told, 8) : 1);
}

static double variable_l2(const nln_batch *b, const nln_objective *o, double per_expression,
                          size_t i)
{
    const nln_net *net = b->net;
    size_t d = (size_t)net->dim, v = (size_t)b->variable[i];
    double loss = 0;
    if (net->vector)
        loss += add_l2(b->dvector + i * d, net->vector + v * d, d, o->l2_variables);
    if (net->logit) {
        int32_t frequency = o->frequency ? o->frequency[v % (size_t)o->n_names] : 1;
        loss += add_l2(b->dlogit + i, net->logit + v, 1,
                       prior_of(o, frequency) * per_expression * b->count[i]);
    }
    return loss;
}

typedef struct computing {
    nln_batch *batch;
    const nln_objective *objective;
    nln_shard_context share;
    uint64_t key;
    int order[NLN_MOST_SHARDS]; /* in which the shards are taken */
    double l2[PIECES];
} computing;

static void gradient_step(void *context, int i)
{
    const computing *c = context;
    int at = c->order[i];
    nln_shard *s = &c->batch->shard[at];
    nln_thread_workspace *own = acquire_workspace(c->batch, i);
    nln_workspace *work = own->work;
    nln_shard_context share = c->share;
    share.sharing = c->batch->sharing;
    share.has_truth = at == 0;
    share.request = &s->request;
    share.softmax = own->softmax;
    work->skipped_flop = work->laws.active.skipped_flop = 0;
    nln_profile_start(&work->profile);
    if (nln_objective_has_laws(c->objective))
        nln_law_sharing_count(&work->law, c->batch, at);
    nln_profile_mark(&work->profile, NLN_PHASE_PLAN);
    c->batch->loss[at] =
        nln_objective_gradient(&s->gradient, work, c->batch->net, s->plan, c->objective, share,
                               c->key ^ nln_random_mix((uint64_t)at));
    s->law = (nln_law_counts){work->law.n, work->law.n_pairs, work->law.n_shared,
                              work->skipped_flop + work->laws.active.skipped_flop};
    release_workspace(own);
}

/* The shards of this rank, the largest first, so that the threads end at about the same time;
 * returns how many.  Roughly, a row costs 8 products in the tree and 27 under the laws. */
static int order_shards(computing *c)
{
    const nln_objective *o = c->objective;
    nln_batch *b = c->batch;
    double laws = nln_objective_has_laws(o) ? fmin(o->law_sample, 1) : 0;
    int64_t cost[NLN_MOST_SHARDS] = {0};
    int n = 0;
    for (int i = 0; i < b->n_shards; i++)
        cost[i] =
            8 * (int64_t)b->shard[i].plan->n_rows + (int64_t)(27 * laws * b->shard[i].n_under_laws);
    for (int i = b->owners.first; i < b->owners.last; i++) {
        int at = n++;
        for (; at > 0 && cost[c->order[at - 1]] < cost[i]; at--)
            c->order[at] = c->order[at - 1];
        c->order[at] = i;
    }
    return n;
}

/* One piece of the terms of the atoms' matrices, as of modules, and of the vectors of entities and
 * predicates, as of variables. */
static double relations_l2(const nln_batch *b, const nln_objective *o, int piece)
{
    const nln_net *net = b->net;
    const nln_shard_rows *rows[] = {&b->entities, &b->predicates};
    const real *x[] = {net->entity, net->predicate};
    real *gradient[] = {b->dentity, b->dpredicate};
    size_t width[] = {(size_t)net->dim, (size_t)net->predicate_width}, n = net->atom_block_size;
    size_t at = n * (size_t)piece / PIECES, end = n * (size_t)(piece + 1) / PIECES;
    double loss = add_l2(b->datoms + at, net->atom_weights + at, end - at, o->l2);
    for (int k = 0; k < 2; k++) {
        size_t last = (size_t)rows[k]->n * (size_t)(piece + 1) / PIECES;
        for (size_t i = (size_t)rows[k]->n * (size_t)piece / PIECES; i < last; i++)
            loss += add_l2(gradient[k] + i * width[k], x[k] + (size_t)rows[k]->row[i] * width[k],
                           width[k], o->l2_variables);
    }
    return loss;
}

/* The L2 terms, which have no shard. */
static void l2_piece(void *context, int piece)
{
    computing *c = context;
    const nln_batch *b = c->batch;
    size_t n = nln_modules_size(b->net->dim, b->net->hidden), variables = (size_t)b->n_variables;
    size_t at = n * (size_t)piece / PIECES, end = n * (size_t)(piece + 1) / PIECES;
    size_t last = variables * (size_t)(piece + 1) / PIECES;
    c->l2[piece] = add_l2(b->dmodules + at, b->net->weights + at, end - at, c->objective->l2);
    for (size_t i = variables * (size_t)piece / PIECES; i < last; i++)
        c->l2[piece] += variable_l2(b, c->objective, c->share.per_expression, i);
    if (b->net->entity)
        c->l2[piece] += relations_l2(b, c->objective, piece);
}

/* The sums of the modules, of the variables' vectors and of their numbers, and of the atoms'
 * matrices, entities and predicates. */
static void sum_shards(nln_batch *b)
{
    int n = 0, first = 0;
    b->part[n++] = (nln_shard_part){.width = nln_modules_size(b->net->dim, b->net->hidden)};
    if (b->net->vector)
        b->part[n++] = (nln_shard_part){&b->variables, (size_t)b->net->dim, {0}, b->dvector};
    if (b->net->logit)
        b->part[n++] = (nln_shard_part){&b->variables, 1, {0}, b->dlogit};
    first = n;
    if (b->net->entity) {
        b->part[n++] = (nln_shard_part){&b->entities, (size_t)b->net->dim, {0}, b->dentity};
        b->part[n++] =
            (nln_shard_part){&b->predicates, (size_t)b->net->predicate_width, {0}, b->dpredicate};
        b->part[n++] = (nln_shard_part){.width = b->net->atom_block_size};
    }
    for (int i = 0; i < b->n_shards; i++) {
        const nln_shard_gradient *g = &b->shard[i].gradient;
        real *of_atoms[] = {g->atoms.dentity, g->atoms.dpredicate, g->atoms.block};
        for (int k = first; k < n; k++)
            b->part[k].gradient[i] = of_atoms[k - first];
        for (int k = 0; k < first; k++)
            b->part[k].gradient[i] = !k                             ? g->block
                                     : b->part[k].sum == b->dvector ? g->dvector
                                                                    : g->dlogit;
    }
    nln_shard_sum(b->part, n, b->loss, &b->owners, &b->exchange, b->pool);
}

nln_loss nln_batch_gradient(nln_batch *b, const nln_objective *o, uint64_t key)
{
    computing c = {.batch = b, .objective = o, .key = key};
    double vectors = 0;
    for (int i = 0; i < b->n_shards; i++)
        vectors += (double)b->shard[i].plan->n_occurrences;
    c.share.per_expression = o->mean && b->n_units > 0 ? 1 / b->n_units : 1;
    c.share.per_vector = o->mean && vectors > 0 ? 1 / vectors : 1;
    if (nln_objective_has_laws(o))
        nln_law_sharing_assign(b, o);
    nln_thread_pool_run(b->pool, order_shards(&c), gradient_step, &c);
    nln_profile *profile = &b->workspace[0].work->profile;
    nln_profile_start(profile);
    sum_shards(b);
    nln_loss sum = b->loss[0];
    nln_thread_pool_run_again(b->pool, PIECES, l2_piece, &c);
    for (int i = 0; i < PIECES; i++)
        sum.l2 += c.l2[i];
    nln_profile_mark(profile, NLN_PHASE_GATHER);
    return sum;
}
