#include "net/probability_law.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "net/adam.h"

/* ---- points and probabilities -------------------------------------------------------------- */

static double cut(double log_odds, double alpha)
{
    return fmax(-NLN_ARC_MOST * alpha, fmin(log_odds, NLN_ARC_MOST * alpha));
}

double nln_arc_number(double log_odds, double alpha)
{
    return 3 * atanh(cut(log_odds, alpha) / alpha);
}

double nln_arc_log_odds(double number, double alpha)
{
    return cut(alpha * tanh(number / 3), alpha);
}

static double log_sigmoid(double x)
{
    return x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x));
}

/* The log-odds of two independent events together. */
static double both(double a, double b)
{
    double log_p = log_sigmoid(a) + log_sigmoid(b);
    return log_p - log(-expm1(log_p));
}

static double result_of(nln_module_id module, double a, double b)
{
    switch (module) {
    case NLN_MODULE_NOT:
        return -a;
    case NLN_MODULE_AND:
        return both(a, b);
    default:
        return -both(-a, -b);
    }
}

/* The log-odds of every row by probability alone. */
static void expect_rows(double *log_odds, const nln_net *net, const nln_plan *plan)
{
    double alpha = (double)net->alpha;
    log_odds[NLN_ROW_TRUE] = NLN_ARC_MOST * alpha;
    log_odds[NLN_ROW_FALSE] = -NLN_ARC_MOST * alpha;
    for (int32_t r = NLN_ROW_LEAF; r < NLN_ROW_LEAF + plan->n_leaves; r++)
        log_odds[r] = nln_arc_log_odds((double)net->logit[plan->operand[0][r]], alpha);
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        for (int32_t r = g.first; r < g.first + g.count; r++) {
            int32_t second = plan->operand[1][r];
            log_odds[r] = cut(result_of(g.module, log_odds[plan->operand[0][r]],
                                        second < 0 ? 0 : log_odds[second]),
                              alpha);
        }
    }
}

/* Adds the term of a row whose place is c T + s U, and its gradient. */
static double row_term(nln_workspace *work, const nln_net *net, int32_t row, double c, double s,
                       double scale)
{
    size_t d = (size_t)net->dim;
    const real *w = work->H + (size_t)row * d;
    real *dw = work->dH + (size_t)row * d;
    double sum = 0;
    for (size_t i = 0; i < d; i++) {
        double far = (double)w[i] - c * (double)net->truth[i] - s * (double)net->axis[i];
        sum += far * far;
        dw[i] += (real)(2 * scale * far);
    }
    return scale * sum;
}

double nln_probability_law_gradient(nln_shard_gradient *gradient, nln_workspace *work,
                                    double *log_odds, const nln_net *net, const nln_plan *plan)
{
    int32_t first = NLN_ROW_LEAF + plan->n_leaves;
    double alpha = (double)net->alpha, length = 0;
    for (int i = 0; i < net->dim; i++)
        length += (double)net->truth[i] * (double)net->truth[i];
    double scale = 1 / (length * (plan->n_rows - first + 1)), loss;
    work->gradient = gradient;
    memset(gradient->block, 0, nln_modules_size(net->dim, net->hidden) * sizeof(real));
    memset(work->dH, 0, (size_t)plan->n_rows * (size_t)net->dim * sizeof(real));
    expect_rows(log_odds, net, plan);
    nln_propagation_forward(work, net, plan, (nln_noise){0});
    loss = row_term(work, net, NLN_ROW_FALSE, -1, 0, scale);
    for (int32_t r = first; r < plan->n_rows; r++) {
        double c = log_odds[r] / alpha;
        loss += row_term(work, net, r, c, sqrt(1 - c * c), scale);
    }
    nln_propagation_backward(work, net, plan, (nln_noise){0});
    work->gradient = NULL;
    return loss;
}

/* ---- random lessons ------------------------------------------------------------------------ */

enum { EXPRESSIONS = 200, MOST_LEAVES = 8 }; /* of a step; of an expression */
#define RATE 0.003

typedef struct lesson {
    nln_net net;  /* the network's modules with variables of its own */
    real *number; /* [EXPRESSIONS * MOST_LEAVES] their numbers t */
    nln_exprs list;
    int32_t n_leaves;
    nln_planner *planner;
    nln_workspace *work;
    nln_shard_gradient gradient;
    double *log_odds; /* [room] */
    size_t room;
    nln_adam adam;
    nln_table modules;
} lesson;

/* A random tree over n fresh variables; one in four results is negated. */
static nln_status draw_tree(lesson *l, int n, nln_random *random, nln_error *err)
{
    nln_status status;
    if (n == 1) {
        status = nln_exprs_push(&l->list, NLN_OP_VAR, l->n_leaves++, err);
    } else {
        int left = 1 + (int)nln_random_below(random, (uint64_t)n - 1);
        status = draw_tree(l, left, random, err);
        if (!status)
            status = draw_tree(l, n - left, random, err);
        if (!status)
            status = nln_exprs_push(&l->list,
                                    nln_random_next(random) >> 63 ? NLN_OP_AND : NLN_OP_OR, 2, err);
    }
    if (!status && !(nln_random_next(random) >> 62))
        status = nln_exprs_push(&l->list, NLN_OP_NOT, 0, err);
    return status;
}

/* Half of the points are spread evenly over what the arc can say, half are in doubt. */
static nln_status draw_lesson(lesson *l, nln_random *random, nln_error *err)
{
    double alpha = (double)l->net.alpha, most = NLN_ARC_MOST * alpha;
    nln_status status = NLN_OK;
    l->list.n = l->list.n_nodes = 0;
    l->n_leaves = 0;
    for (int i = 0; !status && i < EXPRESSIONS; i++) {
        status = draw_tree(l, 1 + (int)nln_random_below(random, MOST_LEAVES), random, err);
        if (!status)
            status = nln_exprs_finish(&l->list, err);
    }
    for (int32_t i = 0; i < l->n_leaves; i++) {
        double log_odds = nln_random_next(random) >> 63
                              ? (2 * nln_random_uniform(random) - 1) * most
                              : alpha / 5 * nln_random_normal(random);
        l->number[i] = (real)nln_arc_number(log_odds, alpha);
    }
    return status;
}

static nln_status open_lesson(lesson *l, nln_net *net, nln_error *err)
{
    size_t most = (size_t)EXPRESSIONS * MOST_LEAVES;
    *l = (lesson){.net = *net, .number = nln_array_zeroed(most, sizeof(real))};
    l->net.logit = l->number;
    l->net.n_variables = (int32_t)most;
    l->adam = (nln_adam){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    nln_status status = l->number ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_planner_create(&l->planner, err);
    if (!status)
        status = nln_workspace_create(&l->work, &l->net, 1, err);
    if (!status)
        status = nln_shard_gradient_create(&l->gradient, &l->net, err);
    if (!status)
        status = nln_table_create(&l->modules, net->weights, 1,
                                  (int)nln_modules_size(net->dim, net->hidden), RATE, err);
    return status;
}

static void close_lesson(lesson *l)
{
    nln_free(l->number);
    nln_exprs_free(&l->list);
    nln_planner_free(l->planner);
    nln_workspace_free(l->work);
    nln_shard_gradient_free(&l->gradient);
    nln_free(l->log_odds);
    nln_adam_free(&l->adam);
    nln_table_free(&l->modules);
}

static nln_status take_step(double *loss, lesson *l, double factor, nln_random *random,
                            nln_error *err)
{
    const nln_plan *plan = NULL;
    nln_status status = draw_lesson(l, random, err);
    if (!status)
        status = nln_planner_plan(&plan, l->planner, &l->list, NULL, EXPRESSIONS,
                                  NLN_ASSOCIATE_FOLD, NULL, err);
    if (!status)
        status = nln_workspace_fit(l->work, plan->n_rows, err);
    if (!status)
        status = nln_shard_gradient_fit(&l->gradient, &l->net, plan, err);
    if (!status && !NLN_ARRAY_RESERVE(l->log_odds, l->room, (size_t)plan->n_rows))
        status = nln_error_memory(err);
    if (!status)
        status = nln_adam_tick(&l->adam, factor, err);
    if (status)
        return status;
    *loss = nln_probability_law_gradient(&l->gradient, l->work, l->log_odds, &l->net, plan);
    nln_table_refresh(&l->modules, &l->adam, 0);
    nln_table_update(&l->modules, &l->adam, 0, l->gradient.block, 0, l->modules.width);
    nln_net_transpose(&l->net);
    return NLN_OK;
}

nln_status nln_probability_law_learn(double *loss, nln_net *net, int steps, uint64_t seed,
                                     nln_error *err)
{
    nln_random random = nln_random_seed(seed, 9);
    int n_last = steps / 10 + 1;
    double sum = 0;
    lesson l;
    nln_status status = open_lesson(&l, net, err);
    for (int i = 0; !status && i < steps; i++) {
        double each = 0, factor = 0.5 * (1 + cos(3.141592653589793 * i / steps));
        status = take_step(&each, &l, factor, &random, err);
        sum += i < steps - n_last ? 0 : each;
    }
    *loss = steps > 0 ? sum / (n_last < steps ? n_last : steps) : INFINITY;
    close_lesson(&l);
    return status;
}
