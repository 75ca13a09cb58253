/* Computing expressions with the network: blocks of them, shared out among threads. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "math/scalar.h"
#include "models/network_learner.h"
#include "net/objective.h"

enum { BLOCK = 128 };

/* What computing one block of expressions needs; one's own in each thread. */
typedef struct run {
    nln_planner *planner;
    nln_workspace *work;
    int members;
    double *score; /* [BLOCK * members], of one network */
    nln_cost cost;
} run;

static nln_status run_create(run *r, const nln_model *m, int members, nln_error *err)
{
    *r = (run){.members = members};
    nln_status status = nln_planner_create(&r->planner, err);
    if (!status)
        status = nln_workspace_create(&r->work, m->net[0], 0, err);
    if (status)
        return status;
    nln_planner_set_members(r->planner, members, nln_model_rows(m));
    nln_planner_set_relations(r->planner, nln_model_entity_rows(m), nln_model_predicate_rows(m));
    r->score = nln_array_zeroed(BLOCK * (size_t)members, sizeof *r->score);
    return r->score ? NLN_OK : nln_error_memory(err);
}

static void run_free(run *r)
{
    nln_planner_free(r->planner);
    nln_workspace_free(r->work);
    nln_free(r->score);
}

/* A block as every network computes it: with the same order and noise, so that their mean is that
 * of what each would say alone. */
typedef struct block {
    const nln_plan *plan;
    nln_noise noise;
} block;

/* Every member of n expressions in one order. */
static nln_status plan_block(block *out, run *r, const nln_model *m, const nln_exprs *list,
                             const int32_t *index, int32_t n, nln_random *random, nln_error *err)
{
    out->noise = (nln_noise){.logit = random ? (real)m->config.predict_noise : 0,
                             .key = random ? nln_random_next(random) : 0};
    nln_status status = nln_planner_plan(&out->plan, r->planner, list, index, n,
                                         (nln_association)m->config.association, random, err);
    if (!status)
        status = nln_workspace_fit(r->work, out->plan->n_rows, err);
    return status ? status : nln_atom_workspace_fit(&r->work->atoms, m->net[0], out->plan, err);
}

/* What a plan costs a network forward; the tree counts what zeros spare. */
static void add_cost(nln_cost *cost, const nln_net *net, const nln_plan *plan)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        double each = nln_network_row_flop(net, g.module);
        for (int32_t r = g.first; r < g.first + g.count; r++)
            cost->textbook_flop += plan->count[r] * each;
        cost->executed_flop += g.count * each;
    }
    cost->rows += (double)plan->n_occurrences;
    cost->shared_rows += plan->n_rows - NLN_ROW_LEAF;
}

/* index = first, first + 1, ... */
static void count_up(int32_t *index, size_t first, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        index[i] = (int32_t)(first + (size_t)i);
}

/* The same draws for every block: a prediction does not depend on its neighbours. */
static nln_random order_of(int order)
{
    return nln_random_seed((uint64_t)order, 3);
}

int nln_network_means_odds(const nln_model *m, int passes)
{
    return passes == 1 || m->task->data == NLN_DATA_RATINGS;
}

static nln_status scores_of_batch(double *score, run *r, const nln_model *m, const nln_exprs *list,
                                  size_t first, int32_t n, int orders, int settled, nln_error *err)
{
    int32_t index[BLOCK], members = r->members;
    int passes = orders * members * m->n_networks;
    int of_odds = nln_network_means_odds(m, passes);
    nln_status status = NLN_OK;
    block b;
    count_up(index, first, n);
    memset(score, 0, (size_t)n * sizeof *score);
    for (int o = 0; !status && o < orders; o++) {
        nln_random random = order_of(o);
        nln_profile_start(&r->work->profile);
        status = plan_block(&b, r, m, list, index, n, orders > 1 ? &random : NULL, err);
        nln_profile_mark(&r->work->profile, NLN_PHASE_PLAN);
        b.noise.settled = settled ? m->config.members : 0;
        b.noise.stride = nln_model_rows(m);
        for (int k = 0; !status && k < m->n_networks; k++) {
            add_cost(&r->cost, m->net[k], b.plan);
            nln_propagation_forward(r->work, m->net[k], b.plan, b.noise);
            nln_objective_scores(r->score, r->work, m->net[k], b.plan);
            for (int32_t i = 0; i < n * members; i++)
                score[i % n] += (of_odds ? r->score[i] : nln_sigmoid(r->score[i])) / passes;
        }
    }
    for (int32_t i = 0; !of_odds && i < n; i++)
        score[i] = nln_log_odds(score[i]);
    return status;
}

/* The blocks of a list, divided among one run for each thread. */
typedef struct dealing {
    double *score;
    const nln_model *model;
    const nln_exprs *list;
    int orders, settled, n_runs, profiled;
    struct hand {
        run run;
        nln_cost cost;
        nln_profile profile;
        nln_status status;
        nln_error err;
    } * hand; /* [n_runs] */
} dealing;

/* Run i computes blocks i, i + n_runs, ...; a block is computed alike in every run. */
static void play_hand(void *context, int i)
{
    const dealing *d = context;
    struct hand *h = &d->hand[i];
    size_t n = d->list->n;
    h->status = run_create(&h->run, d->model, d->settled ? 1 : d->model->config.members, &h->err);
    if (!h->status)
        h->run.work->profile.on = d->profiled;
    for (size_t at = (size_t)i * BLOCK; !h->status && at < n; at += (size_t)d->n_runs * BLOCK)
        h->status = scores_of_batch(d->score + at, &h->run, d->model, d->list, at,
                                    (int32_t)(n - at < BLOCK ? n - at : BLOCK), d->orders,
                                    d->settled, &h->err);
    if (!h->status) {
        h->cost = h->run.cost;
        h->cost.executed_flop -= h->run.work->skipped_flop;
        h->profile = h->run.work->profile;
    }
    run_free(&h->run);
}

static nln_status deal(dealing *d, nln_error *err)
{
    nln_thread_pool *team = NULL;
    nln_status status = nln_thread_pool_create(&team, d->n_runs, err);
    if (!status)
        nln_thread_pool_run(team, d->n_runs, play_hand, d);
    for (int i = 0; !status && i < d->n_runs; i++)
        if ((status = d->hand[i].status) && err)
            *err = d->hand[i].err;
    nln_thread_pool_free(team);
    return status;
}

/* Adds up what the hands have cost. */
static void collect_costs(nln_cost *cost, nln_profile *profile, const dealing *d)
{
    for (int i = 0; i < d->n_runs; i++) {
        const struct hand *h = &d->hand[i];
        cost->textbook_flop += h->cost.textbook_flop;
        cost->executed_flop += h->cost.executed_flop;
        cost->rows += h->cost.rows;
        cost->shared_rows += h->cost.shared_rows;
        for (int p = 0; p < NLN_N_PHASES; p++)
            profile->seconds[p] += h->profile.seconds[p];
    }
}

static nln_status measure(nln_cost *cost, nln_profile *profile, double *score,
                          const nln_model *model, const nln_exprs *list, int orders, int settled,
                          int n_threads, nln_error *err)
{
    size_t n_blocks = (list->n + BLOCK - 1) / BLOCK;
    int n_runs = n_blocks < (size_t)n_threads ? (int)n_blocks : n_threads;
    dealing d = {score, model, list, orders, settled, n_runs, profile->on, NULL};
    *cost = (nln_cost){0};
    if (!n_blocks)
        return NLN_OK;
    d.hand = nln_memory_zeroed((size_t)n_runs, sizeof *d.hand);
    nln_status status = d.hand ? deal(&d, err) : nln_error_memory(err);
    if (!status)
        collect_costs(cost, profile, &d);
    nln_free(d.hand);
    return status;
}

nln_status nln_network_measure(nln_cost *cost, nln_profile *profile, double *score,
                               const nln_model *model, const nln_exprs *list, int orders,
                               int n_threads, nln_error *err)
{
    return measure(cost, profile, score, model, list, orders, 0, n_threads, err);
}

/* ---- expressions of any length --------------------------------------------------------------- */

/* Has more literals, or an AND or OR of more operands, than any expression of training; where there
 * are but variables, and these are on the arc. */
static int is_long(const nln_model *m, const nln_exprs *list, nln_expr e)
{
    if (!(m->longest > 0) || list->atoms || !nln_embedding_is_arc(m->net[0]->embedding))
        return 0;
    return (double)nln_expr_literals(e) > m->longest ||
           (m->widest > 0 && (double)nln_expr_widest(e) > m->widest);
}

/* The scores of a list; expressions that are long, or all if `hard`, take variables as they are
 * solved. */
static nln_status scores_of_any(double *score, const nln_model *m, const nln_exprs *list,
                                int orders, int hard, int n_threads, nln_error *err)
{
    nln_cost cost;
    nln_profile profile = {0};
    nln_exprs part[2] = {{.atoms = list->atoms}, {.atoms = list->atoms}};
    double *found = nln_array_zeroed(list->n, sizeof *found);
    nln_status status = found ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < list->n; i++) {
        nln_expr e = nln_exprs_get(list, i);
        status = nln_exprs_append(&part[hard || is_long(m, list, e)], e, err);
    }
    if (!status)
        status = measure(&cost, &profile, found, m, &part[0], orders, 0, n_threads, err);
    if (!status)
        status = measure(&cost, &profile, found + part[0].n, m, &part[1], 1, 1, n_threads, err);
    size_t at[2] = {0, part[0].n};
    for (size_t i = 0; !status && i < list->n; i++)
        score[i] = found[at[hard || is_long(m, list, nln_exprs_get(list, i))]++];
    nln_exprs_free(&part[0]);
    nln_exprs_free(&part[1]);
    nln_free(found);
    return status;
}

/* Every expression, and every dual after them. */
static nln_status append_both(nln_exprs *out, const nln_exprs *list, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < list->n; i++)
        status = nln_exprs_append(out, nln_exprs_get(list, i), err);
    for (size_t i = 0; !status && i < list->n; i++)
        status = nln_model_append_dual(out, nln_exprs_get(list, i), err);
    return status;
}

/* The log-odds of an expression are half of its own, less half of those of its dual: the negation
 * of an expression in the same form has the same number with the opposite sign. */
static nln_status scores_with_duals(double *score, const nln_model *model, const nln_exprs *list,
                                    int orders, int hard, int n_threads, nln_error *err)
{
    nln_exprs both = {.atoms = list->atoms};
    double *own = nln_array_zeroed(2 * list->n, sizeof *own);
    nln_status status = own ? append_both(&both, list, err) : nln_error_memory(err);
    if (!status)
        status = scores_of_any(own, model, &both, orders, hard, n_threads, err);
    for (size_t i = 0; !status && i < list->n; i++)
        score[i] = (own[i] - own[list->n + i]) / 2;
    nln_exprs_free(&both);
    nln_free(own);
    return status;
}

nln_status nln_network_scores(double *score, const nln_model *model, const nln_exprs *list,
                              int orders, int n_threads, nln_error *err)
{
    int hard = orders == NLN_ORDERS_HARD;
    if (hard && !nln_embedding_is_arc(model->net[0]->embedding))
        return nln_error_set(err, NLN_INVALID,
                             "solved values need variables on the arc: train with embedding = arc");
    return model->config.duals ? scores_with_duals(score, model, list, orders, hard, n_threads, err)
                               : scores_of_any(score, model, list, orders, hard, n_threads, err);
}

/* The vectors of a block of n from a list of n_all, member by member, each n_all rows long; out
 * is where the first is to stand. */
static void copy_roots(real *out, const run *r, const nln_plan *plan, int32_t n, size_t n_all)
{
    size_t d = (size_t)r->work->dim;
    for (int32_t i = 0; i < plan->n_roots; i++) {
        size_t row = (size_t)(i / n) * n_all + (size_t)(i % n);
        memcpy(out + row * d, r->work->H + (size_t)plan->root[i] * d, d * sizeof(real));
    }
}

struct nln_vector_reader {
    const nln_model *model;
    run run;
};

nln_status nln_vector_reader_create(nln_vector_reader **out, const nln_model *model, nln_error *err)
{
    nln_vector_reader *r = *out = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->model = model;
    nln_status status = run_create(&r->run, model, model->config.members, err);
    if (status) {
        nln_vector_reader_free(r);
        *out = NULL;
    }
    return status;
}

void nln_vector_reader_free(nln_vector_reader *r)
{
    if (r)
        run_free(&r->run);
    nln_free(r);
}

nln_status nln_vector_reader_read(real *out, nln_vector_reader *reader, const nln_exprs *list,
                                  int order, nln_error *err)
{
    const nln_model *model = reader->model;
    run *r = &reader->run;
    size_t d = (size_t)model->config.dimension;
    size_t of_network = (size_t)model->config.members * list->n * d;
    int32_t index[BLOCK];
    nln_status status = NLN_OK;
    for (size_t at = 0; !status && at < list->n; at += BLOCK) {
        block b;
        int32_t n = (int32_t)(list->n - at < BLOCK ? list->n - at : BLOCK);
        count_up(index, at, n);
        nln_random random = order_of(order);
        status = plan_block(&b, r, model, list, index, n, order < 0 ? NULL : &random, err);
        for (int k = 0; !status && k < model->n_networks; k++) {
            nln_propagation_forward(r->work, model->net[k], b.plan, b.noise);
            copy_roots(out + (size_t)k * of_network + at * d, r, b.plan, n, list->n);
        }
    }
    return status;
}

nln_status nln_model_vectors(real *out, const nln_model *model, const nln_exprs *list, int order,
                             nln_error *err)
{
    nln_vector_reader *reader = NULL;
    nln_status status = nln_vector_reader_create(&reader, model, err);
    if (!status)
        status = nln_vector_reader_read(out, reader, list, order, err);
    nln_vector_reader_free(reader);
    return status;
}
