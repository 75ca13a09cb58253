/* The training loop: batches, validation after every epoch, the best epoch kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/array.h"
#include "data/logicset.h"
#include "models/model.h"
#include "net/adam.h"
#include "net/objective.h"
#include "task/fit.h"
#include "task/metrics.h"

/* Everything a training owns; train_free releases it whole. */
typedef struct trainer {
    nln_model *model;
    const nln_data *data;
    nln_exprs exprs[3]; /* by split, in normal form */
    nln_objective objective;
    nln_planner *planner;
    nln_work *work;
    nln_adam adam, adam_logit; /* the same clock, another decay */
    nln_table modules, logit, vector;
    nln_snapshot best, mean;
    int32_t *order;     /* [training expressions] */
    int32_t *frequency; /* [variables] */
    uint8_t *labels;    /* [members, batch] */
    double *p;          /* [largest split] */
    nln_random random;
    nln_progress progress;
    const nln_watch *watch;
    struct timespec start;
    int epochs;
    double seconds_in_epochs;
} trainer;

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static size_t peak_rss(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}

/* ---- setting up ---------------------------------------------------------------- */

static nln_status normalize_splits(trainer *t, nln_error *err)
{
    for (int s = 0; s < 3; s++) {
        const nln_exprs *list = &t->data->split[s].exprs;
        for (size_t i = 0; i < list->n; i++) {
            nln_status status =
                nln_model_normalize(&t->exprs[s], t->model, nln_exprs_get(list, i), err);
            if (status)
                return status;
        }
    }
    if (t->exprs[NLN_TRAIN].n == 0)
        return nln_error_set(err, NLN_INVALID, "there are no training expressions");
    if (t->exprs[NLN_TRAIN].n > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "there are more than 2^31 training expressions");
    return NLN_OK;
}

static void set_objective(trainer *t)
{
    const nln_config *c = &t->model->config;
    t->objective = (nln_objective){
        .law_weight = c->law_weight,
        .law_sample = c->law_sample,
        .laws = (1u << NLN_N_LAWS) - 1,
        .product_weight = c->product_weight,
        .length_weight = c->length_weight,
        .length_squared = c->length,
        .l2 = c->l2,
        .l2_variables = c->l2_variables,
        .l2_logit = c->l2_logit,
        .frequency = t->frequency,
        .n_names = (int32_t)nln_model_variables(t->model),
        .noise = c->noise,
        .mean = c->reduce,
        .dropout = c->dropout,
        .dropout_variables = c->dropout_variables,
        .logit_noise = c->logit_noise,
    };
    t->adam = (nln_adam){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = c->clip};
    t->adam_logit = t->adam;
    t->adam_logit.beta2 = c->beta2_logit;
}

static void count_occurrences(trainer *t)
{
    const nln_exprs *list = &t->exprs[NLN_TRAIN];
    for (size_t i = 0; i < list->n_nodes; i++)
        if (list->nodes[i].op == NLN_OP_VAR)
            t->frequency[list->nodes[i].arg]++;
}

static nln_status allocate(trainer *t, nln_error *err)
{
    size_t n = t->exprs[NLN_TRAIN].n, largest = n;
    for (int s = 1; s < 3; s++)
        largest = t->exprs[s].n > largest ? t->exprs[s].n : largest;
    t->order = nln_array_zeroed(n, sizeof *t->order);
    t->frequency = nln_array_zeroed(nln_model_variables(t->model), sizeof *t->frequency);
    t->labels = nln_array_zeroed((size_t)t->model->config.batch * (size_t)t->model->config.members,
                                 sizeof *t->labels);
    t->p = nln_array_zeroed(largest, sizeof *t->p);
    return t->order && t->frequency && t->labels && t->p ? NLN_OK : nln_error_memory(err);
}

static nln_status create_tables(trainer *t, nln_error *err)
{
    nln_net *net = t->model->net;
    const nln_config *c = &t->model->config;
    size_t n = (size_t)net->n_variables;
    nln_status status = nln_table_create(
        &t->modules, net->weights, 1, (int)nln_modules_size(net->dim, net->hidden), c->rate, err);
    if (!status && net->logit)
        status = nln_table_create(&t->logit, net->logit, n, 1, c->rate_logit, err);
    if (!status && net->vector)
        status = nln_table_create(&t->vector, net->vector, n, net->dim, c->rate, err);
    return status;
}

static nln_status set_up(trainer *t, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_random init = nln_random_seed((uint64_t)c->seed, 1);
    t->random = nln_random_seed((uint64_t)c->seed, 2);
    nln_net_draw(t->model->net,
                 (nln_init){(real)c->init_scale, (real)c->init_variables, c->init_truth}, &init);
    nln_status status = normalize_splits(t, err);
    if (!status)
        status = allocate(t, err);
    if (!status)
        status = nln_planner_create(&t->planner, err);
    if (!status)
        status = nln_work_create(&t->work, t->model->net, 1, c->threads, err);
    if (!status)
        nln_planner_set_members(t->planner, c->members, (int32_t)nln_model_variables(t->model));
    if (!status)
        status = create_tables(t, err);
    if (!status)
        status = nln_snapshot_create(&t->best, t->model->net, err);
    if (!status && c->average)
        status = nln_snapshot_create(&t->mean, t->model->net, err);
    if (status)
        return status;
    count_occurrences(t);
    set_objective(t);
    for (size_t i = 0; i < t->exprs[NLN_TRAIN].n; i++)
        t->order[i] = (int32_t)i;
    return NLN_OK;
}

static void train_free(trainer *t)
{
    nln_model_free(t->model);
    for (int s = 0; s < 3; s++)
        nln_exprs_free(&t->exprs[s]);
    nln_planner_free(t->planner);
    nln_work_free(t->work);
    nln_adam_free(&t->adam);
    nln_adam_free(&t->adam_logit);
    nln_table_free(&t->modules);
    nln_table_free(&t->logit);
    nln_table_free(&t->vector);
    nln_snapshot_free(&t->best);
    nln_snapshot_free(&t->mean);
    free(t->order);
    free(t->frequency);
    free(t->labels);
    free(t->p);
}

/* ---- one batch -------------------------------------------------------------------- */

/* What the schedule makes of the learning rate at share x of the training. */
static double schedule(const nln_config *c, double x)
{
    return c->schedule ? 0.5 * (1 + cos(3.141592653589793 * x)) : 1;
}

static void refresh_variables(trainer *t, const nln_plan *plan)
{
    for (int32_t i = 0; i < plan->n_leaves; i++) {
        size_t variable = (size_t)plan->left[NLN_ROW_LEAF + i];
        if (t->logit.x)
            nln_table_refresh(&t->logit, &t->adam_logit, variable);
        if (t->vector.x)
            nln_table_refresh(&t->vector, &t->adam, variable);
    }
}

static void update(trainer *t, const nln_plan *plan)
{
    size_t d = (size_t)t->model->net->dim;
    nln_table_update(&t->modules, &t->adam, 0, t->work->lane[0].block);
    for (int32_t i = 0; i < plan->n_leaves; i++) {
        size_t row = (size_t)(NLN_ROW_LEAF + i), variable = (size_t)plan->left[row];
        if (t->logit.x)
            nln_table_update(&t->logit, &t->adam_logit, variable, t->work->dlogit + i);
        if (t->vector.x)
            nln_table_update(&t->vector, &t->adam, variable, t->work->dH + row * d);
    }
    nln_net_transpose(t->model->net);
}

static double total(const nln_loss *loss)
{
    return loss->data + loss->laws + loss->product + loss->length + loss->l2;
}

static nln_status train_batch(nln_loss *loss, trainer *t, size_t at, int32_t n, nln_error *err)
{
    const nln_config *c = &t->model->config;
    const nln_plan *plan;
    size_t n_all = t->exprs[NLN_TRAIN].n;
    double done = (t->progress.epoch - 1 + (double)at / (double)n_all) / c->epochs;
    nln_status status = nln_planner_plan(&plan, t->planner, &t->exprs[NLN_TRAIN], t->order + at, n,
                                         (nln_association)c->association, &t->random, err);
    if (!status)
        status = nln_work_fit(t->work, plan, err);
    if (!status)
        status = nln_adam_tick(&t->adam, schedule(c, done), err);
    if (!status)
        status = nln_adam_tick(&t->adam_logit, schedule(c, done), err);
    if (status)
        return status;
    for (int32_t i = 0; i < n * c->members; i++)
        t->labels[i] = t->data->split[NLN_TRAIN].labels[t->order[at + (size_t)(i % n)]];
    refresh_variables(t, plan);
    *loss = nln_objective_gradient(t->work, t->model->net, plan, t->labels, &t->objective,
                                   nln_random_next(&t->random));
    if (!isfinite(total(loss)))
        return nln_error_set(err, NLN_NUMERIC,
                             "the loss is not a finite number in epoch %d: try a smaller learning "
                             "rate or a smaller initial scale",
                             t->progress.epoch);
    update(t, plan);
    return NLN_OK;
}

/* ---- one epoch ---------------------------------------------------------------------- */

static nln_status tell(trainer *t, nln_error *err)
{
    t->progress.seconds = seconds_since(&t->start);
    if (t->watch && t->watch->progress && t->watch->progress(t->watch->context, &t->progress))
        return nln_error_set(err, NLN_CANCELLED, "training was cancelled in epoch %d",
                             t->progress.epoch);
    return NLN_OK;
}

static nln_status train_epoch(trainer *t, nln_error *err)
{
    size_t n = t->exprs[NLN_TRAIN].n, batch = (size_t)t->model->config.batch;
    double sum = 0, flips = 0, members = t->model->config.members;
    nln_random_shuffle(&t->random, t->order, (int32_t)n);
    t->progress.valid = (nln_metrics){0};
    for (size_t at = 0; at < n; at += batch) {
        size_t count = n - at < batch ? n - at : batch;
        nln_loss loss;
        nln_status status = train_batch(&loss, t, at, (int32_t)count, err);
        if (status)
            return status;
        sum += t->objective.mean ? total(&loss) * (double)count : total(&loss) / members;
        flips += loss.flips / members;
        t->progress.done = at + count;
        t->progress.loss = sum / (double)t->progress.done;
        if (t->progress.done < n && (status = tell(t, err)))
            return status;
    }
    if (t->model->config.fit_noise)
        t->objective.noise = flips / (double)n; /* a step of expectation-maximization */
    nln_table_flush(&t->logit, &t->adam_logit);
    nln_table_flush(&t->vector, &t->adam);
    return NLN_OK;
}

static nln_status measure(nln_metrics *out, trainer *t, nln_split split, nln_error *err)
{
    nln_status status = nln_model_scores(t->p, t->model, &t->exprs[split], t->model->config.orders,
                                         t->model->config.threads, err);
    size_t n = t->exprs[split].n;
    for (size_t i = 0; !status && i < n; i++)
        t->p[i] = 1 / (1 + exp(-t->p[i]));
    if (!status)
        *out = nln_metrics_binary(t->p, t->data->split[split].labels, n);
    return status;
}

static int better(const nln_config *c, const nln_metrics *a, const nln_metrics *b)
{
    if (!b->n)
        return 1;
    switch (c->select) {
    case 0:
        return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->rmse < b->rmse);
    case 1:
        return a->rmse < b->rmse;
    default:
        return a->cross_entropy < b->cross_entropy;
    }
}

/* Measures the epoch on validation, with averaged weights where these are wanted,
 * and keeps the weights if they are the best so far. */
static nln_status validate(trainer *t, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_net *net = t->model->net;
    nln_snapshot current = {0};
    nln_status status = NLN_OK;
    int averaging = c->average && t->progress.epoch > c->epochs - c->average;
    if (averaging) {
        nln_snapshot_accumulate(&t->mean, net);
        status = nln_snapshot_create(&current, net, err);
        if (!status)
            nln_snapshot_exchange(&t->mean, &current, net);
    }
    if (!status)
        status = measure(&t->progress.valid, t, NLN_VALID, err);
    if (!status && better(c, &t->progress.valid, &t->progress.best)) {
        t->progress.best = t->progress.valid;
        t->progress.best_epoch = t->progress.epoch;
        nln_snapshot_take(&t->best, net);
    }
    if (averaging && current.block)
        nln_snapshot_restore(net, &current);
    nln_snapshot_free(&current);
    return status;
}

static nln_status run(trainer *t, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_status status = NLN_OK;
    t->progress.n_epochs = c->epochs;
    t->progress.total = t->exprs[NLN_TRAIN].n;
    for (int epoch = 1; !status && epoch <= c->epochs; epoch++) {
        t->progress.epoch = epoch;
        t->progress.done = 0;
        double before = seconds_since(&t->start);
        status = train_epoch(t, err);
        t->seconds_in_epochs += seconds_since(&t->start) - before;
        if (!status)
            status = validate(t, err);
        if (!status)
            status = tell(t, err);
        t->epochs = epoch;
        if (c->patience && epoch - t->progress.best_epoch >= c->patience)
            break;
    }
    return status;
}

/* ---- the end ---------------------------------------------------------------------------- */

static nln_status finish(nln_report *report, trainer *t, nln_error *err)
{
    nln_report r = {.epochs = t->epochs,
                    .best_epoch = t->progress.best_epoch,
                    .seconds = seconds_since(&t->start),
                    .seconds_per_epoch = t->seconds_in_epochs / t->epochs};
    nln_status status = NLN_OK;
    nln_snapshot_restore(t->model->net, &t->best);
    if (t->model->config.calibrate) {
        status = nln_model_scores(t->p, t->model, &t->exprs[NLN_VALID], t->model->config.orders,
                                  t->model->config.threads, err);
        if (!status)
            t->model->temperature = nln_fit_temperature(t->p, t->data->split[NLN_VALID].labels,
                                                        t->exprs[NLN_VALID].n, t->objective.noise);
    }
    nln_metrics *out[3] = {&r.train, &r.valid, &r.test};
    for (int s = 0; !status && report && s < 3; s++)
        status = measure(out[s], t, (nln_split)s, err);
    r.peak_rss_bytes = peak_rss();
    if (!status && report)
        *report = r;
    return status;
}

nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                     const nln_options *options, const nln_watch *watch, nln_error *err)
{
    trainer t = {.data = data, .watch = watch};
    clock_gettime(CLOCK_MONOTONIC, &t.start);
    nln_status status = nln_model_create(&t.model, data->symbols, options, err);
    if (!status)
        status = set_up(&t, err);
    if (!status)
        status = run(&t, err);
    if (!status)
        status = finish(report, &t, err);
    if (!status) {
        *out = t.model;
        t.model = NULL;
    }
    train_free(&t);
    return status;
}
