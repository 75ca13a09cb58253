#include "training/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "models/method.h"

/* ---- setting up ---------------------------------------------------------------- */

static nln_status open_source(nln_trainer *t, nln_error *err)
{
    nln_status status = t->source->open(t->source, t->model, err);
    if (status)
        return status;
    if (t->source->n == 0)
        return nln_error_set(err, NLN_INVALID, "there are no training %s", t->model->task->lacks);
    if (t->source->n > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT,
                             "there are more than 2^31 training examples: use fewer");
    return t->source->check ? t->source->check(t->source, err) : NLN_OK;
}

static void set_adam(nln_trainer *t)
{
    const nln_config *c = &t->model->config;
    t->adam = (nln_adam){.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = c->clip};
    t->adam_logit = t->adam;
    t->adam_logit.beta2 = c->beta2_logit;
}

static int32_t batch_size(const nln_trainer *t)
{
    size_t part = t->source->n / 64;
    if (t->model->config.batch)
        return t->model->config.batch;
    return part < 128 ? 128 : part > 1024 ? 1024 : (int32_t)part;
}

static int epochs_of(const nln_trainer *t)
{
    const nln_task *task = t->model->task;
    size_t size = (size_t)t->batch_size, batches = (t->source->n + size - 1) / size;
    if (t->model->config.epochs)
        return t->model->config.epochs;
    /* NOLINTNEXTLINE: a source that has nothing was refused before */
    int enough = (int)(((size_t)task->batches + batches - 1) / batches);
    enough = enough < task->most ? enough : task->most;
    return enough > task->epochs ? enough : task->epochs;
}

/* What a recipe leaves to the data is kept as it turned out, so that the model says how long it
 * was trained. */
static nln_status keep_epochs(nln_trainer *t, nln_error *err)
{
    char text[16];
    if (nln_options_source(t->model->options, "epochs") != NLN_FROM_RECIPE)
        return NLN_OK;
    snprintf(text, sizeof text, "%d", t->n_epochs);
    return nln_options_assign(t->model->options, "epochs", text, NLN_FROM_RECIPE, err);
}

static nln_status allocate(nln_trainer *t, nln_error *err)
{
    size_t n = t->source->n;
    t->batch_size = batch_size(t);
    t->n_epochs = epochs_of(t);
    t->order = nln_array_zeroed(n, sizeof *t->order);
    t->frequency = nln_array_zeroed((size_t)nln_model_rows(t->model), sizeof *t->frequency);
    return t->order && t->frequency ? keep_epochs(t, err) : nln_error_memory(err);
}

static nln_status create_learner(nln_trainer *t, nln_error *err)
{
    nln_model *m = t->model;
    if (!m->method->learn)
        return NLN_OK;
    nln_status status = m->method->learn(&t->learner, m, t->team, t->frequency, err);
    for (int i = 0; !status && i < t->learner->n_parameters; i++) {
        const nln_parameter *p = &t->learner->parameter[i];
        status = nln_table_create(&t->table[i], p->x, p->n, p->width, p->rate, err);
    }
    return status;
}

static nln_status set_up(nln_trainer *t, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_random init = nln_random_seed((uint64_t)c->seed, 1);
    t->random = nln_random_seed((uint64_t)c->seed, 2);
    nln_model_draw(t->model, &init);
    nln_status status = open_source(t, err);
    if (!status)
        status = allocate(t, err);
    if (!status)
        status = nln_thread_pool_create(&t->team, c->threads, err);
    if (status)
        return status;
    if (t->model->method->needs_counts)
        t->source->count(t->frequency, t->source);
    set_adam(t);
    for (size_t i = 0; i < t->source->n; i++)
        t->order[i] = (int32_t)i;
    return create_learner(t, err);
}

void nln_trainer_free(nln_trainer *t)
{
    if (t->learner)
        t->learner->free(t->learner);
    if (t->source)
        t->source->free(t->source);
    nln_model_free(t->model);
    nln_thread_pool_free(t->team);
    nln_adam_free(&t->adam);
    nln_adam_free(&t->adam_logit);
    for (int i = 0; i < NLN_MOST_PARAMETERS; i++)
        nln_table_free(&t->table[i]);
    nln_free(t->order);
    nln_free(t->frequency);
    *t = (nln_trainer){0};
}

nln_status nln_trainer_create(nln_trainer *t, nln_source *source, const nln_options *options,
                              nln_error *err)
{
    *t = (nln_trainer){.source = source};
    nln_vocabulary names = {.variables = (nln_symbols *)source->names,
                            .relations = (nln_relations *)source->relations};
    nln_options *own = NULL;
    nln_status status = nln_options_copy(&own, options, err);
    if (!status && source->defaults)
        status = source->defaults(own, source, err);
    if (!status)
        status = nln_model_create_of(&t->model, &names, source->n_users, own, err);
    nln_options_free(own);
    if (!status && t->model->task->data != source->data) {
        char tasks[NLN_TASK_NAMES_ROOM];
        nln_task_list(tasks, nln_task_reading(source->data));
        status = nln_error_set(err, NLN_INVALID, "%s need --task %s: task %s reads %s",
                               nln_task_data_name(source->data), tasks, t->model->task->name,
                               nln_task_data_name(t->model->task->data));
    }
    if (!status)
        status = nln_config_check(t->model->options, err);
    if (!status)
        status = set_up(t, err);
    if (status)
        nln_trainer_free(t);
    return status;
}

/* ---- one batch -------------------------------------------------------------------- */

/* What the schedule makes of the learning rate at share x of the training. */
static double schedule(const nln_config *c, double x)
{
    return c->schedule ? 0.5 * (1 + cos(3.141592653589793 * x)) : 1;
}

/* The rows of a part are distinct, so threads may share them as they like, in pieces. */
enum { PIECES = 16 };

static const nln_adam *clock_of(const nln_trainer *t, const nln_parameter *p)
{
    return p->is_logit ? &t->adam_logit : &t->adam;
}

static size_t row_of(const nln_parameter *p, int64_t r)
{
    return (size_t)(p->row ? p->row[r] : r);
}

enum { AHEAD = 4 }; /* rows that are fetched before they are needed */

static void refresh_piece(void *context, int piece)
{
    nln_trainer *t = context;
    for (int i = 0; i < t->learner->n_parameters; i++) {
        const nln_parameter *p = &t->learner->parameter[i];
        int64_t n = p->n_rows, last = n * (piece + 1) / PIECES;
        for (int64_t r = n * piece / PIECES; r < last; r++) {
            if (r + AHEAD < last)
                nln_table_expect(&t->table[i], row_of(p, r + AHEAD));
            nln_table_refresh(&t->table[i], clock_of(t, p), row_of(p, r));
        }
    }
}

static void update_rows(nln_trainer *t, int part, int piece)
{
    const nln_parameter *p = &t->learner->parameter[part];
    int64_t n = p->n_rows, last = n * (piece + 1) / PIECES;
    for (int64_t r = n * piece / PIECES; r < last; r++) {
        if (r + AHEAD < last)
            nln_table_expect(&t->table[part], row_of(p, r + AHEAD));
        nln_table_update(&t->table[part], clock_of(t, p), row_of(p, r), p->gradient + r * p->width,
                         0, p->width);
    }
}

/* A part of few rows, as the modules are one, is cut through all of them, in the one row where the
 * vectors of the processor and the lines of its cache end. */
static void update_columns(nln_trainer *t, int part, int piece)
{
    enum { CUT = 64 };
    const nln_parameter *p = &t->learner->parameter[part];
    int64_t n = p->width, first = n * piece / PIECES / CUT * CUT;
    int64_t last = piece + 1 < PIECES ? n * (piece + 1) / PIECES / CUT * CUT : n;
    for (int64_t r = 0; first < last && r < p->n_rows; r++)
        nln_table_update(&t->table[part], clock_of(t, p), row_of(p, r), p->gradient + r * p->width,
                         (int)first, (int)last);
}

static void update_piece(void *context, int piece)
{
    nln_trainer *t = context;
    for (int i = 0; i < t->learner->n_parameters; i++)
        if (t->learner->parameter[i].n_rows < PIECES)
            update_columns(t, i, piece);
        else
            update_rows(t, i, piece);
}

static void flush_piece(void *context, int piece)
{
    nln_trainer *t = context;
    for (int i = 0; i < t->learner->n_parameters; i++) {
        size_t n = t->table[i].n, first = n * (size_t)piece / PIECES;
        nln_table_flush(&t->table[i], clock_of(t, &t->learner->parameter[i]), first,
                        n * (size_t)(piece + 1) / PIECES);
    }
}

static void update(nln_trainer *t)
{
    nln_thread_pool_run_again(t->team, PIECES, update_piece, t);
    if (t->learner->changed)
        t->learner->changed(t->learner);
}

static double total(const nln_loss *loss)
{
    return loss->data + loss->laws + loss->length + loss->l2;
}

/* The next step of both clocks, for the batch that begins with unit `at` of an epoch. */
static nln_status tick(nln_trainer *t, int epoch, size_t at, nln_error *err)
{
    double done = (epoch - 1 + (double)at / (double)t->source->n) / t->n_epochs;
    double factor = schedule(&t->model->config, done);
    nln_status status = nln_adam_tick(&t->adam, factor, err);
    return status ? status : nln_adam_tick(&t->adam_logit, factor, err);
}

static nln_status train_batch(nln_loss *loss, nln_trainer *t, size_t at, int32_t n, nln_error *err)
{
    nln_request request;
    nln_status status =
        t->source->draw(&request, t->source, t->order + at, n, nln_random_next(&t->random), err);
    if (!status)
        status = t->learner->plan(t->learner, &request, err);
    if (!status)
        status = tick(t, t->epoch, at, err);
    if (status)
        return status;
    nln_profile_start(&t->profile);
    nln_thread_pool_run_again(t->team, PIECES, refresh_piece, t);
    nln_profile_mark(&t->profile, NLN_PHASE_ADAM);
    *loss = t->learner->gradient(t->learner, nln_random_next(&t->random));
    if (!isfinite(total(loss)))
        return nln_error_set(err, NLN_NUMERIC,
                             "the loss is not a finite number in epoch %d: try a smaller learning "
                             "rate, a smaller initial scale, or a --length-weight such as 1e-4",
                             t->epoch);
    nln_profile_start(&t->profile);
    update(t);
    nln_profile_mark(&t->profile, NLN_PHASE_ADAM);
    return NLN_OK;
}

/* ---- one epoch ---------------------------------------------------------------------- */

/* Progress in examples, as the other methods tell it. */
typedef struct solving {
    nln_trainer_hook *hook;
    void *context;
    size_t n;
} solving;

static nln_status tell_share(void *context, double share, nln_error *err)
{
    const solving *s = context;
    return s->hook ? s->hook(s->context, (size_t)(share * (double)s->n), 0, err) : NLN_OK;
}

static nln_status solve(double *loss, nln_trainer *t, nln_trainer_hook *hook, void *context,
                        nln_error *err)
{
    nln_queries users = {0};
    solving s = {hook, context, t->source->n};
    const nln_solve_watch watch = {tell_share, &s};
    nln_status status = NLN_OK;
    *loss = 0;
    if (!t->epoch++) {
        status = t->source->gather(&users, t->source, err);
        if (!status)
            status = t->model->method->solve(t->model, &users, &watch, err);
    }
    nln_queries_free(&users);
    return status;
}

static void begin_epoch(nln_trainer *t)
{
    t->epoch++;
    t->sum = t->flips = 0;
    if (t->source->shuffle)
        t->source->shuffle(t->order, t->source, &t->random);
    else
        nln_random_shuffle(&t->random, t->order, (int32_t)t->source->n);
}

static void end_epoch(nln_trainer *t)
{
    if (t->model->config.fit_noise) /* a step of expectation-maximization */
        t->learner->noise =
            fmin(t->flips / (t->source->mass > 0 ? t->source->mass : (double)t->source->n), 0.49);
    nln_profile_start(&t->profile);
    nln_thread_pool_run_again(t->team, PIECES, flush_piece, t);
    nln_profile_mark(&t->profile, NLN_PHASE_ADAM);
    t->at = 0;
}

nln_status nln_trainer_epoch(double *loss, nln_trainer *t, nln_trainer_hook *hook, void *context,
                             nln_error *err)
{
    size_t n = t->source->n, batch = (size_t)t->batch_size;
    if (!t->learner)
        return solve(loss, t, hook, context, err);
    if (!t->at)
        begin_epoch(t);
    while (t->at < n) {
        size_t count = n - t->at < batch ? n - t->at : batch;
        nln_loss parts;
        nln_status status = train_batch(&parts, t, t->at, (int32_t)count, err);
        if (status)
            return status;
        t->sum += t->model->config.reduce ? total(&parts) * (double)count : total(&parts);
        t->flips += parts.flips;
        t->at += count;
        *loss = t->sum / (double)t->at;
        if (hook && t->at < n && (status = hook(context, t->at, *loss, err)))
            return status;
    }
    end_epoch(t);
    return NLN_OK;
}

nln_status nln_trainer_rewind(nln_trainer *t, int epoch, size_t at, nln_error *err)
{
    size_t n = t->source->n, batch = (size_t)t->batch_size;
    nln_status status = NLN_OK;
    t->epoch = epoch;
    t->at = at;
    t->adam.step = t->adam_logit.step = 0;
    for (int e = 1; !status && e <= epoch; e++)
        for (size_t i = 0; !status && i < (e == epoch && at ? at : n); i += batch)
            status = tick(t, e, i, err);
    return status;
}
