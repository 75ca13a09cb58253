#include "models/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "logic/normal.h"
#include "net/objective.h"

static nln_status copy_symbols(nln_symbols **out, const nln_symbols *from, nln_error *err)
{
    nln_symbols *s = nln_symbols_create();
    int32_t n = nln_symbols_count(from);
    for (int32_t i = 0; s && i < n; i++) {
        const char *name = nln_symbols_name(from, i);
        if (nln_symbols_intern(s, name, strlen(name)) != i) {
            nln_symbols_free(s);
            s = NULL;
        }
    }
    *out = s;
    return s ? NLN_OK : nln_error_memory(err);
}

nln_status nln_model_create(nln_model **out, const nln_symbols *symbols, const nln_options *options,
                            nln_error *err)
{
    nln_model *m = calloc(1, sizeof *m);
    if (!m)
        return nln_error_memory(err);
    m->temperature = 1;
    nln_status status = nln_options_copy(&m->options, options, err);
    if (!status)
        status = nln_config_read(&m->config, m->options, err);
    if (!status)
        status = copy_symbols(&m->symbols, symbols, err);
    if (!status)
        status = nln_net_create(&m->net, m->config.dimension, m->config.hidden,
                                nln_symbols_count(symbols) * m->config.members,
                                (nln_embedding)m->config.embedding, (real)m->config.alpha, err);
    if (status) {
        nln_model_free(m);
        return status;
    }
    *out = m;
    return NLN_OK;
}

void nln_model_free(nln_model *model)
{
    if (!model)
        return;
    nln_options_free(model->options);
    nln_symbols_free(model->symbols);
    nln_net_free(model->net);
    free(model);
}

const nln_options *nln_model_options(const nln_model *model)
{
    return model->options;
}

size_t nln_model_variables(const nln_model *model)
{
    return (size_t)nln_symbols_count(model->symbols);
}

const char *nln_model_variable(const nln_model *model, size_t index)
{
    return nln_symbols_name(model->symbols, (int32_t)index);
}

nln_status nln_model_normalize(nln_exprs *out, const nln_model *model, nln_expr e, nln_error *err)
{
    return nln_normal(out, e, (nln_form)model->config.form, (size_t)model->config.clause_limit,
                      err);
}

/* Appends `e` with the data's variables renumbered as the model's. */
static nln_status rename_variables(nln_exprs *out, const nln_model *model, const nln_symbols *names,
                                   nln_expr e, nln_error *err)
{
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (node.op == NLN_OP_VAR) {
            const char *name = nln_symbols_name(names, node.arg);
            node.arg = nln_symbols_find(model->symbols, name, strlen(name));
            if (node.arg < 0)
                return nln_error_set(err, NLN_UNKNOWN,
                                     "the model does not know the variable '%s': evaluate it on "
                                     "data with the variables it was trained on",
                                     name);
        }
        nln_status status = nln_exprs_push(out, (nln_op)node.op, node.arg, err);
        if (status)
            return status;
    }
    return nln_exprs_finish(out, err);
}

nln_status nln_model_add(nln_exprs *out, const nln_model *model, const nln_symbols *names,
                         nln_expr e, nln_error *err)
{
    nln_exprs renamed = {0};
    nln_status status = rename_variables(&renamed, model, names, e, err);
    if (!status)
        status = nln_model_normalize(out, model, nln_exprs_get(&renamed, 0), err);
    nln_exprs_free(&renamed);
    return status;
}

enum { PREDICT_BATCH = 256 };

typedef struct run {
    nln_planner *planner;
    nln_work *work;
    double *score; /* [PREDICT_BATCH * members] */
} run;

static nln_status run_create(run *r, const nln_model *m, int n_threads, nln_error *err)
{
    *r = (run){0};
    nln_status status = nln_planner_create(&r->planner, err);
    if (!status)
        status = nln_work_create(&r->work, m->net, 0, n_threads, err);
    if (status)
        return status;
    nln_planner_set_members(r->planner, m->config.members, nln_symbols_count(m->symbols));
    r->score = nln_array_zeroed((size_t)(PREDICT_BATCH * m->config.members), sizeof *r->score);
    return r->score ? NLN_OK : nln_error_memory(err);
}

static void run_free(run *r)
{
    nln_planner_free(r->planner);
    nln_work_free(r->work);
    free(r->score);
}

/* Scores of every member of n expressions, in one order. */
static nln_status run_batch(const nln_plan **out, run *r, const nln_model *m, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_random *random, nln_error *err)
{
    const nln_plan *plan;
    nln_jitter jitter = {.logit = random ? (real)m->config.predict_noise : 0,
                         .key = random ? nln_random_next(random) : 0};
    nln_status status = nln_planner_plan(&plan, r->planner, list, index, n,
                                         (nln_association)m->config.association, random, err);
    if (!status)
        status = nln_work_fit(r->work, plan, err);
    if (status)
        return status;
    nln_tree_forward(r->work, m->net, plan, jitter);
    nln_objective_scores(r->score, r->work, m->net, plan);
    *out = plan;
    return NLN_OK;
}

/* index = first, first + 1, ... */
static void count_up(int32_t *index, size_t first, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        index[i] = (int32_t)(first + (size_t)i);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Rounding may take the mean of many ones above 1. */
static double log_odds(double p)
{
    return p > 1 ? INFINITY : log(p / (1 - p));
}

/* The mean over members and orders is one of probabilities; a single score is kept
 * as it is, since its log-odds would be clipped by the way. */
static nln_status scores_of_batch(double *score, run *r, const nln_model *m, const nln_exprs *list,
                                  size_t first, int32_t n, int orders, nln_error *err)
{
    int32_t index[PREDICT_BATCH], members = m->config.members;
    nln_random random = nln_random_seed(first, 3); /* so that predictions are repeatable */
    nln_status status = NLN_OK;
    const nln_plan *plan;
    count_up(index, first, n);
    memset(score, 0, (size_t)n * sizeof *score);
    for (int o = 0; !status && o < orders; o++) {
        status = run_batch(&plan, r, m, list, index, n, orders > 1 ? &random : NULL, err);
        for (int32_t i = 0; !status && i < n * members; i++)
            score[i % n] += sigmoid(r->score[i]) / (orders * members);
    }
    for (int32_t i = 0; i < n; i++) {
        int single = orders * members == 1;
        score[i] = m->temperature * (single ? r->score[i] : log_odds(score[i]));
    }
    return status;
}

static nln_status check_scores(const double *score, size_t n, nln_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return nln_error_set(err, NLN_NUMERIC,
                                 "the vectors of expression %zu left the finite range: train with "
                                 "a smaller initial scale or learning rate",
                                 i + 1);
    return NLN_OK;
}

nln_status nln_model_scores(double *score, const nln_model *model, const nln_exprs *list,
                            int orders, int n_threads, nln_error *err)
{
    run r;
    nln_status status = run_create(&r, model, n_threads, err);
    for (size_t at = 0; !status && at < list->n; at += PREDICT_BATCH) {
        size_t n = list->n - at < PREDICT_BATCH ? list->n - at : PREDICT_BATCH;
        status = scores_of_batch(score + at, &r, model, list, at, (int32_t)n, orders, err);
    }
    run_free(&r);
    return status ? status : check_scores(score, list->n, err);
}

nln_status nln_model_vectors(real *out, const nln_model *model, const nln_exprs *list,
                             int n_threads, nln_error *err)
{
    run r;
    size_t d = (size_t)model->net->dim;
    int32_t index[PREDICT_BATCH];
    nln_status status = run_create(&r, model, n_threads, err);
    for (size_t at = 0; !status && at < list->n; at += PREDICT_BATCH) {
        const nln_plan *plan;
        int32_t n = (int32_t)(list->n - at < PREDICT_BATCH ? list->n - at : PREDICT_BATCH);
        count_up(index, at, n);
        status = run_batch(&plan, &r, model, list, index, n, NULL, err);
        for (int32_t i = 0; !status && i < plan->n_roots; i++) {
            size_t row = (size_t)(i / n) * list->n + at + (size_t)(i % n);
            memcpy(out + row * d, r.work->H + (size_t)plan->root[i] * d, d * sizeof(real));
        }
    }
    run_free(&r);
    return status;
}
