#include "task/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- setting up ---------------------------------------------------------------- */

/* What training lacks when there is nothing to learn from, and why. */
static const char *lack(const nln_trainer *t, const nln_data *data)
{
    if (data)
        return "expressions";
    return t->model->config.task == NLN_TASK_TOPK
               ? "likes with --least-history interactions before them; is --like-from or "
                 "--least-history too high?"
               : "interactions with --least-history others before them; is that too many?";
}

static nln_status create_source(nln_trainer *t, const nln_data *data, const nln_ratings *ratings,
                                nln_error *err)
{
    nln_status status = data ? nln_source_from_data(&t->source, data, t->model, err)
                             : nln_source_from_ratings(&t->source, ratings, t->model, err);
    if (status)
        return status;
    if (t->source->n == 0)
        return nln_error_set(err, NLN_INVALID, "there are no training %s", lack(t, data));
    if (t->source->n > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "there are more than 2^31 training examples");
    return NLN_OK;
}

static void set_objective(nln_trainer *t)
{
    const nln_config *c = &t->model->config;
    t->objective = (nln_objective){
        .lesson = t->source->lesson,
        .law_weight = c->law_weight,
        .law_sample = c->law_sample,
        .laws = c->laws,
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
    t->adam =
        (nln_adam){.beta1 = c->beta1, .beta2 = c->beta2, .epsilon = c->epsilon, .clip = c->clip};
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

/* The recipe was found on sets that make so many batches, or more. */
static int epochs_of(const nln_trainer *t)
{
    enum { EPOCHS = 24, BATCHES = 768 };
    size_t size = (size_t)t->batch_size, batches = (t->source->n + size - 1) / size;
    int enough = (int)((BATCHES + batches - 1) / batches);
    if (t->model->config.epochs)
        return t->model->config.epochs;
    return enough > EPOCHS ? enough : EPOCHS;
}

static nln_status allocate(nln_trainer *t, nln_error *err)
{
    size_t n = t->source->n;
    t->batch_size = batch_size(t);
    t->n_epochs = epochs_of(t);
    t->order = nln_array_zeroed(n, sizeof *t->order);
    t->frequency = nln_array_zeroed(nln_model_variables(t->model), sizeof *t->frequency);
    return t->order && t->frequency ? NLN_OK : nln_error_memory(err);
}

static nln_status create_tables(nln_trainer *t, nln_error *err)
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

static nln_status set_up(nln_trainer *t, const nln_data *data, const nln_ratings *ratings,
                         nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_random init = nln_random_seed((uint64_t)c->seed, 1);
    t->random = nln_random_seed((uint64_t)c->seed, 2);
    nln_net_draw(t->model->net,
                 (nln_init){(real)c->init_scale, (real)c->init_variables, c->init_truth}, &init);
    nln_status status = create_source(t, data, ratings, err);
    if (!status)
        status = allocate(t, err);
    if (!status)
        status = nln_team_create(&t->team, c->threads, err);
    if (!status)
        status = nln_batch_create(&t->batch, t->model->net, t->team, err);
    if (!status)
        status = create_tables(t, err);
    if (status)
        return status;
    t->source->count(t->frequency, t->source);
    set_objective(t);
    for (size_t i = 0; i < t->source->n; i++)
        t->order[i] = (int32_t)i;
    return NLN_OK;
}

void nln_trainer_free(nln_trainer *t)
{
    nln_model_free(t->model);
    if (t->source)
        t->source->free(t->source);
    nln_batch_free(t->batch);
    nln_team_free(t->team);
    nln_adam_free(&t->adam);
    nln_adam_free(&t->adam_logit);
    nln_table_free(&t->modules);
    nln_table_free(&t->logit);
    nln_table_free(&t->vector);
    free(t->order);
    free(t->frequency);
    *t = (nln_trainer){0};
}

nln_status nln_trainer_create(nln_trainer *t, const nln_data *data, const nln_ratings *ratings,
                              const nln_options *options, nln_error *err)
{
    *t = (nln_trainer){0};
    nln_status status =
        nln_model_create(&t->model, data ? data->symbols : ratings->items, options, err);
    if (!status)
        status = set_up(t, data, ratings, err);
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

/* The variables of a batch are distinct, so threads may share them as they like, in
 * pieces. */
enum { PIECES = 16 };

static void refresh_piece(void *context, int piece)
{
    nln_trainer *t = context;
    const nln_batch *b = t->batch;
    int64_t n = b->n_variables;
    for (int64_t i = n * piece / PIECES; i < n * (piece + 1) / PIECES; i++) {
        size_t variable = (size_t)b->variable[i];
        if (t->logit.x)
            nln_table_refresh(&t->logit, &t->adam_logit, variable);
        if (t->vector.x)
            nln_table_refresh(&t->vector, &t->adam, variable);
    }
}

static void update_piece(void *context, int piece)
{
    nln_trainer *t = context;
    const nln_batch *b = t->batch;
    int64_t n = b->n_variables, d = t->model->net->dim;
    for (int64_t i = n * piece / PIECES; i < n * (piece + 1) / PIECES; i++) {
        size_t variable = (size_t)b->variable[i];
        if (t->logit.x)
            nln_table_update(&t->logit, &t->adam_logit, variable, b->dlogit + i);
        if (t->vector.x)
            nln_table_update(&t->vector, &t->adam, variable, b->dvector + i * d);
    }
}

static void update(nln_trainer *t)
{
    nln_table_update(&t->modules, &t->adam, 0, t->batch->dmodules);
    nln_net_transpose(t->model->net);
    nln_team_run(t->team, PIECES, update_piece, t);
}

static double total(const nln_loss *loss)
{
    return loss->data + loss->laws + loss->length + loss->l2;
}

/* Flops of one row forward: a product of [1, a] and [a, b] is 2 a b. */
static double row_flop(const nln_net *net, nln_kind kind)
{
    double inputs = net->modules.kind[kind].inputs;
    return 2.0 * net->dim * net->hidden * (inputs + 1);
}

/* Backward costs twice forward.  Under the laws a vector goes through 2 NOT, 4 AND and 4
 * OR by the book; with shared projections that is 18 products. */
static void add_cost(nln_trainer *t, const nln_plan *plan, int32_t n_law_rows)
{
    const nln_net *net = t->model->net;
    double n_vectors = (double)plan->n_occurrences;
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        double occurrences = 0;
        for (int32_t r = g.first; r < g.first + g.count; r++)
            occurrences += plan->count[r];
        t->cost.textbook_flop += 3 * occurrences * row_flop(net, g.kind);
        t->cost.executed_flop += 3.0 * g.count * row_flop(net, g.kind);
    }
    t->cost.rows += n_vectors;
    t->cost.shared_rows += plan->n_rows - NLN_ROW_LEAF;
    if (!(t->objective.law_weight > 0 && t->objective.laws))
        return;
    t->cost.textbook_flop +=
        3 * n_vectors * (2 * row_flop(net, NLN_KIND_NOT) + 8 * row_flop(net, NLN_KIND_AND));
    t->cost.executed_flop += 3.0 * n_law_rows * 18 * 2.0 * net->dim * net->hidden;
}

static nln_status draw(nln_draw *out, nln_trainer *t, size_t at, int32_t n, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_status status =
        t->source->draw(out, t->source, t->order + at, n, nln_random_next(&t->random), err);
    out->members = c->members;
    out->stride = (int32_t)nln_model_variables(t->model);
    out->association = (nln_association)c->association;
    out->shuffled = c->shuffle;
    return status;
}

static nln_status train_batch(nln_loss *loss, nln_trainer *t, size_t at, int32_t n, nln_error *err)
{
    const nln_config *c = &t->model->config;
    nln_draw drawn;
    double done = (t->epoch - 1 + (double)at / (double)t->source->n) / t->n_epochs;
    nln_status status = draw(&drawn, t, at, n, err);
    if (!status)
        status = nln_batch_plan(t->batch, &drawn, err);
    if (!status)
        status = nln_adam_tick(&t->adam, schedule(c, done), err);
    if (!status)
        status = nln_adam_tick(&t->adam_logit, schedule(c, done), err);
    if (status)
        return status;
    nln_profile_start(&t->profile);
    nln_team_run(t->team, PIECES, refresh_piece, t);
    nln_profile_mark(&t->profile, NLN_PHASE_ADAM);
    *loss = nln_batch_gradient(t->batch, &t->objective, nln_random_next(&t->random));
    if (!isfinite(total(loss)))
        return nln_error_set(err, NLN_NUMERIC,
                             "the loss is not a finite number in epoch %d: try a smaller learning "
                             "rate or a smaller initial scale",
                             t->epoch);
    nln_profile_start(&t->profile);
    update(t);
    nln_profile_mark(&t->profile, NLN_PHASE_ADAM);
    for (int i = 0; i < t->batch->n_shards; i++)
        add_cost(t, t->batch->shard[i].plan, t->batch->shard[i].work->n_law_rows);
    return NLN_OK;
}

/* ---- one epoch ---------------------------------------------------------------------- */

nln_status nln_trainer_epoch(double *loss, nln_trainer *t, nln_trainer_hook *hook, void *context,
                             nln_error *err)
{
    size_t n = t->source->n, batch = (size_t)t->batch_size;
    double sum = 0, flips = 0, members = t->model->config.members;
    t->epoch++;
    if (t->source->shuffle)
        t->source->shuffle(t->order, t->source, &t->random);
    else
        nln_random_shuffle(&t->random, t->order, (int32_t)n);
    for (size_t at = 0; at < n; at += batch) {
        size_t count = n - at < batch ? n - at : batch;
        nln_loss parts;
        nln_status status = train_batch(&parts, t, at, (int32_t)count, err);
        if (status)
            return status;
        sum += t->objective.mean ? total(&parts) * (double)count : total(&parts) / members;
        flips += parts.flips / members;
        *loss = sum / (double)(at + count);
        if (hook && at + count < n && (status = hook(context, at + count, *loss, err)))
            return status;
    }
    if (t->model->config.fit_noise)
        t->objective.noise = fmin(flips / (double)n, 0.49); /* a step of expectation-maximization */
    nln_table_flush(&t->logit, &t->adam_logit);
    nln_table_flush(&t->vector, &t->adam);
    return NLN_OK;
}
