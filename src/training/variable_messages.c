#include "training/variable_messages.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/scalar.h"
#include "net/objective.h"
#include "net/probability_law.h"

enum { BLOCK = 64 };     /* expressions that are planned together */
#define LEAST_NOISE 1e-3 /* the modules are not exact, and contradictions stay finite */
#define MOST_NOISE  0.45
#define DAMPING     0.5 /* the share of the old message that is kept */

/* One edge for each expression and variable of it. */
typedef struct graph {
    const nln_model *model;
    const nln_net *net;
    const nln_exprs *list;
    const nln_truths *truths;
    double noise;
    size_t *first;   /* [list->n + 1] edges of each expression */
    int32_t *name;   /* [edges] the variable */
    nln_exprs local; /* the expressions with their variables numbered from 0 */
    double *message; /* [edges] log-odds, from the expression to the variable */
    double *total;   /* [names] the sum of a variable's messages */
    double *flipped; /* [list->n] probability that the label is flipped */
} graph;

/* What a thread needs to compute blocks. */
typedef struct worker {
    const graph *g;
    int index, n_workers;
    nln_net net;       /* the modules, with a variable for each edge of the block */
    real *number;      /* [room] their numbers t */
    double *slope;     /* [2 BLOCK] of the roots */
    double *score;     /* [2 BLOCK] */
    double *by_number; /* [room] derivative of p(e) by the numbers */
    size_t number_room, by_number_room;
    nln_exprs block, both;
    nln_planner *planner;
    nln_workspace *work;
    nln_shard_gradient gradient;
    nln_status status;
    nln_error err;
} worker;

/* ---- the graph ------------------------------------------------------------------------------ */

static void graph_free(graph *g)
{
    nln_free(g->first);
    nln_free(g->name);
    nln_exprs_free(&g->local);
    nln_free(g->message);
    nln_free(g->total);
    nln_free(g->flipped);
}

/* Appends an expression with its variables numbered in order of first occurrence; place[v] is 1 +
 * the edge of variable v, if that is one of this expression's. */
static nln_status append_local(graph *g, size_t i, size_t *place, size_t *n_edges, nln_error *err)
{
    nln_expr e = nln_exprs_get(g->list, i);
    nln_status status = nln_exprs_append(&g->local, e, err);
    if (status)
        return status;
    nln_node *node = g->local.nodes + g->local.n_nodes - e.n_nodes;
    g->first[i] = *n_edges;
    for (int32_t k = 0; k < e.n_nodes; k++) {
        if (node[k].op != NLN_OP_VAR)
            continue;
        int32_t v = node[k].arg;
        if (place[v] <= g->first[i]) {
            g->name[*n_edges] = v;
            place[v] = ++*n_edges;
        }
        node[k].arg = (int32_t)(place[v] - 1 - g->first[i]);
    }
    g->first[i + 1] = *n_edges;
    return NLN_OK;
}

static nln_status graph_create(graph *g, nln_error *err)
{
    size_t most = 0, n_edges = 0, n = (size_t)nln_model_rows(g->model);
    for (size_t i = 0; i < g->list->n_nodes; i++)
        most += g->list->nodes[i].op == NLN_OP_VAR;
    size_t *place = nln_array_zeroed(n, sizeof *place);
    g->first = nln_array_zeroed(g->list->n + 1, sizeof *g->first);
    g->name = nln_array_zeroed(most, sizeof *g->name);
    g->message = nln_array_zeroed(most, sizeof *g->message);
    g->total = nln_array_zeroed(n, sizeof *g->total);
    g->flipped = nln_array_zeroed(g->list->n, sizeof *g->flipped);
    nln_status status = place && g->first && g->name && g->message && g->total && g->flipped
                            ? NLN_OK
                            : nln_error_memory(err);
    for (size_t i = 0; !status && i < g->list->n; i++)
        status = append_local(g, i, place, &n_edges, err);
    nln_free(place);
    return status;
}

/* Sums the messages in the order of the edges. */
static void sum_messages(graph *g)
{
    size_t n = (size_t)nln_model_rows(g->model);
    memset(g->total, 0, n * sizeof *g->total);
    for (size_t k = 0; k < g->first[g->list->n]; k++)
        g->total[g->name[k]] += g->message[k];
}

static void fit_noise(graph *g)
{
    double sum = 0, mass = 0;
    for (size_t i = 0; i < g->list->n; i++) {
        double weight = nln_truths_weight(g->truths, i);
        sum += weight * g->flipped[i];
        mass += weight;
    }
    if (mass > 0)
        g->noise = fmax(LEAST_NOISE, fmin(sum / mass, MOST_NOISE));
}

/* ---- one block ------------------------------------------------------------------------------ */

static nln_status worker_open(worker *w, nln_error *err)
{
    w->net = *w->g->net;
    w->score = nln_array_zeroed(2 * (size_t)BLOCK, sizeof *w->score);
    w->slope = nln_array_zeroed(2 * (size_t)BLOCK, sizeof *w->slope);
    nln_status status = w->score && w->slope ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_planner_create(&w->planner, err);
    if (!status)
        status = nln_workspace_create(&w->work, &w->net, 1, err);
    if (!status)
        status = nln_shard_gradient_create(&w->gradient, &w->net, err);
    return status;
}

static void worker_close(worker *w)
{
    nln_free(w->number);
    nln_free(w->by_number);
    nln_free(w->score);
    nln_free(w->slope);
    nln_exprs_free(&w->block);
    nln_exprs_free(&w->both);
    nln_planner_free(w->planner);
    nln_workspace_free(w->work);
    nln_shard_gradient_free(&w->gradient);
}

/* The expressions first .. last - 1 with a variable for each edge, followed by their duals where
 * the model has these; and the points of the variables without the messages of the expression. */
static nln_status gather(worker *w, size_t first, size_t last, nln_error *err)
{
    const graph *g = w->g;
    size_t edge = g->first[first], n = g->first[last] - edge;
    double alpha = (double)w->net.alpha;
    nln_status status = NLN_OK;
    w->block.n = w->block.n_nodes = w->both.n = w->both.n_nodes = 0;
    if (!NLN_ARRAY_RESERVE(w->number, w->number_room, n + 1) ||
        !NLN_ARRAY_RESERVE(w->by_number, w->by_number_room, n + 1))
        return nln_error_memory(err);
    for (size_t k = 0; k < n; k++)
        w->number[k] =
            (real)nln_arc_number(g->total[g->name[edge + k]] - g->message[edge + k], alpha);
    w->net.logit = w->number;
    w->net.n_variables = (int32_t)n;
    for (size_t i = first; !status && i < last; i++) {
        nln_expr e = nln_exprs_get(&g->local, i);
        if ((status = nln_exprs_append(&w->block, e, err)))
            break;
        nln_node *node = w->block.nodes + w->block.n_nodes - e.n_nodes;
        for (int32_t k = 0; k < e.n_nodes; k++)
            node[k].arg += node[k].op == NLN_OP_VAR ? (int32_t)(g->first[i] - edge) : 0;
    }
    for (size_t i = 0; !status && i < w->block.n; i++)
        status = nln_exprs_append(&w->both, nln_exprs_get(&w->block, i), err);
    for (size_t i = 0; !status && g->model->config.duals && i < w->block.n; i++)
        status = nln_model_append_dual(&w->both, nln_exprs_get(&w->block, i), err);
    return status;
}

/* p[i] = p(e) of every expression of the block, and its derivatives by the numbers. */
static nln_status compute(double *p, worker *w, nln_error *err)
{
    const nln_plan *plan = NULL;
    int32_t n = (int32_t)w->block.n, n_both = (int32_t)w->both.n, ways = n_both / n;
    nln_status status =
        nln_planner_plan(&plan, w->planner, &w->both, NULL, n_both,
                         (nln_association)w->g->model->config.association, NULL, err);
    if (!status)
        status = nln_workspace_fit(w->work, plan->n_rows, err);
    if (!status)
        status = nln_shard_gradient_fit(&w->gradient, &w->net, plan, err);
    if (status)
        return status;
    w->work->gradient = &w->gradient;
    memset(w->work->dH, 0, (size_t)plan->n_rows * (size_t)w->net.dim * sizeof(real));
    nln_propagation_forward(w->work, &w->net, plan, (nln_noise){0});
    nln_objective_scores(w->score, w->work, &w->net, plan);
    for (int32_t i = 0; i < n; i++)
        p[i] = nln_sigmoid(ways == 1 ? w->score[i] : (w->score[i] - w->score[n + i]) / 2);
    for (int32_t i = 0; i < n_both; i++)
        w->slope[i] = (i < n ? 1 : -1) * p[i % n] * (1 - p[i % n]) / ways;
    nln_objective_add_score_gradients(w->work, &w->net, plan, w->slope);
    nln_propagation_backward(w->work, &w->net, plan, (nln_noise){0});
    w->work->gradient = NULL;
    memset(w->by_number, 0, (size_t)w->net.n_variables * sizeof *w->by_number);
    for (int32_t i = 0; i < plan->n_leaves; i++)
        w->by_number[plan->operand[0][NLN_ROW_LEAF + i]] = (double)w->gradient.dlogit[i];
    return NLN_OK;
}

/* P(label) where the expression is true with probability p. */
static double likelihood(double p, double label, double noise)
{
    double held = fmax(0, fmin(p, 1));
    return noise + (1 - 2 * noise) * (label * held + (1 - label) * (1 - held));
}

/* The messages of expression i, whose edges are `at` edges after the first of the block. */
static void send(const worker *w, size_t i, size_t at, double p)
{
    const graph *g = w->g;
    double alpha = (double)w->net.alpha, weight = nln_truths_weight(g->truths, i);
    double label = nln_truths_label(g->truths, i), noise = g->noise;
    double wrong = noise * (1 - label * p - (1 - label) * (1 - p));
    g->flipped[i] = wrong / likelihood(p, label, noise);
    for (size_t k = 0; k < g->first[i + 1] - g->first[i]; k++) {
        double c = tanh((double)w->number[at + k] / 3), q = nln_sigmoid(alpha * c);
        double by_q = w->by_number[at + k] / (q * (1 - q) * alpha / 3 * (1 - c * c));
        double wanted = weight * log(likelihood(p + (1 - q) * by_q, label, noise) /
                                     likelihood(p - q * by_q, label, noise));
        double *message = &g->message[g->first[i] + k];
        *message += (1 - DAMPING) * (wanted - *message);
    }
}

/* Blocks index, index + n_workers, ...; a block is computed alike by every worker, and reads totals
 * of the sweep before. */
static void run_worker(void *context, int index)
{
    worker *w = (worker *)context + index;
    size_t n = w->g->list->n;
    double p[BLOCK];
    for (size_t first = (size_t)index * BLOCK; !w->status && first < n;
         first += (size_t)w->n_workers * BLOCK) {
        size_t last = first + BLOCK < n ? first + BLOCK : n;
        w->status = gather(w, first, last, &w->err);
        if (!w->status)
            w->status = compute(p, w, &w->err);
        for (size_t i = first; !w->status && i < last; i++)
            send(w, i, w->g->first[i] - w->g->first[first], p[i - first]);
    }
}

nln_status nln_variable_messages_solve(double *log_odds, const nln_model *model,
                                       const nln_exprs *list, const nln_truths *truths,
                                       const nln_message_settings *settings, nln_thread_pool *pool,
                                       nln_error *err)
{
    int n_workers = nln_thread_pool_size(pool);
    graph g = {.model = model,
               .net = model->net[settings->network],
               .list = list,
               .truths = truths,
               .noise = fmax(LEAST_NOISE, fmin(settings->noise, MOST_NOISE))};
    worker *workers = nln_memory_zeroed((size_t)n_workers, sizeof *workers);
    nln_status status = workers ? graph_create(&g, err) : nln_error_memory(err);
    for (int i = 0; !status && i < n_workers; i++) {
        workers[i] = (worker){.g = &g, .index = i, .n_workers = n_workers};
        status = worker_open(&workers[i], err);
    }
    for (int sweep = 0; !status && sweep < settings->sweeps; sweep++) {
        nln_thread_pool_run(pool, n_workers, run_worker, workers);
        for (int i = 0; !status && i < n_workers; i++)
            if ((status = workers[i].status) && err)
                *err = workers[i].err;
        sum_messages(&g);
        if (settings->fit_noise)
            fit_noise(&g);
    }
    if (!status)
        memcpy(log_odds, g.total, (size_t)nln_model_rows(model) * sizeof *log_odds);
    for (int i = 0; workers && i < n_workers; i++)
        worker_close(&workers[i]);
    nln_free(workers);
    graph_free(&g);
    return status;
}
