/* The training loop: validation after every epoch, the best epoch kept. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/number.h"
#include "base/peak_memory.h"
#include "data/fingerprint.h"
#include "evaluation/metrics.h"
#include "math/scalar.h"
#include "models/method.h"
#include "training/checkpoint.h"

typedef struct loop {
    nln_trainer trainer;
    nln_training_state standing;
    nln_snapshot now; /* the weights that training goes on with, while their mean is measured */
    double *p;        /* [largest split] */
    const nln_watch *watch;
    double start;
} loop;

/* ---- one epoch ---------------------------------------------------------------------- */

/* Says a sentence to whoever listens. */
static void say(const loop *l, const char *format, ...)
{
    char message[512];
    va_list args;
    if (!l->watch->log)
        return;
    va_start(args, format);
    nln_number_format(message, sizeof message, format, args);
    va_end(args);
    l->watch->log(l->watch->context, message);
}

static double seconds(const loop *l)
{
    return l->standing.seconds + nln_profile_now() - l->start;
}

static nln_status tell(loop *l, nln_error *err)
{
    nln_progress *p = &l->standing.progress;
    p->seconds = seconds(l);
    if (l->watch->progress && l->watch->progress(l->watch->context, p))
        return nln_error_set(err, NLN_CANCELLED, "training was cancelled in epoch %d", p->epoch);
    return NLN_OK;
}

static nln_status after_batch(void *context, size_t done, double loss, nln_error *err)
{
    loop *l = context;
    l->standing.progress.done = done;
    l->standing.progress.loss = loss;
    return tell(l, err);
}

static nln_status measure(nln_metrics *out, loop *l, nln_split split, int quickly, nln_error *err)
{
    const nln_source *source = l->trainer.source;
    size_t n = nln_source_size(source, split);
    if (source->measure)
        return source->measure(out, source, l->trainer.model, split, quickly, err);
    nln_status status = nln_source_scores(l->p, source, l->trainer.model, split, err);
    for (size_t i = 0; !status && i < n; i++)
        l->p[i] = nln_sigmoid(l->p[i]);
    if (status)
        return status;
    *out = nln_metrics_binary(l->p, source->labels[split], n);
    return nln_metrics_auc(&out->auc, l->p, source->labels[split], n, err);
}

/* nDCG@10 of the sampled ranking, or at the cut nearest to 10. */
static double ndcg(const nln_metrics *m)
{
    const nln_ranking *r = &m->sampled;
    int best = 0;
    for (int i = 0; i < r->n_cuts; i++)
        if (abs(r->cut[i] - 10) < abs(r->cut[best] - 10))
            best = i;
    return r->ndcg[best];
}

static int better(const nln_config *c, const nln_metrics *a, const nln_metrics *b)
{
    if (!b->n && !b->sampled.n)
        return 1;
    switch (c->select) {
    case NLN_SELECT_ACCURACY:
        return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->rmse < b->rmse);
    case NLN_SELECT_RMSE:
        return a->rmse < b->rmse;
    case NLN_SELECT_CROSS_ENTROPY:
        return a->cross_entropy < b->cross_entropy;
    case NLN_SELECT_AUC: /* unknown where all labels are the same */
        return isnan(a->auc) ? a->cross_entropy < b->cross_entropy : a->auc > b->auc;
    case NLN_SELECT_LAST:
        return 1;
    default:
        return ndcg(a) > ndcg(b);
    }
}

/* Puts the mean over the epochs in the place of the weights; go_on undoes it. */
static void take_mean(loop *l)
{
    nln_learner *learner = l->trainer.learner;
    double share = l->trainer.model->config.average;
    nln_snapshot_take(&l->now, learner);
    nln_snapshot_mix(&l->standing.mean, learner, l->standing.progress.epoch > 1 ? share : 0);
    nln_snapshot_restore(learner, &l->standing.mean);
}

static void go_on(loop *l)
{
    nln_snapshot_restore(l->trainer.learner, &l->now);
}

/* Measures the epoch on validation and keeps the weights if they are the best so far. */
static nln_status validate(loop *l, nln_error *err)
{
    nln_progress *p = &l->standing.progress;
    nln_status status = measure(&p->valid, l, NLN_VALID, 1, err);
    if (!status && p->curves)
        status = measure(&p->train, l, NLN_TRAIN, 1, err);
    if (!status && p->curves)
        status = measure(&p->test, l, NLN_TEST, 1, err);
    if (!status && better(&l->trainer.model->config, &p->valid, &p->best)) {
        p->best = p->valid;
        p->best_epoch = p->epoch;
        if (l->trainer.learner) {
            l->standing.best_noise = l->trainer.learner->noise;
            nln_snapshot_take(&l->standing.best, l->trainer.learner);
        }
    }
    return status;
}

static nln_status one_epoch(loop *l, nln_error *err)
{
    nln_progress *p = &l->standing.progress;
    p->epoch = l->trainer.at ? l->trainer.epoch : l->trainer.epoch + 1;
    p->done = l->trainer.at;
    p->valid = (nln_metrics){0};
    p->model = NULL;
    double before = nln_profile_now();
    nln_status status = nln_trainer_epoch(&p->loss, &l->trainer, after_batch, l, err);
    l->standing.seconds_in_epochs += nln_profile_now() - before;
    if (status)
        return status;
    p->done = p->total;
    if (l->standing.mean.n)
        take_mean(l);
    status = validate(l, err);
    p->model = l->trainer.model;
    if (!status)
        status = tell(l, err);
    if (l->standing.mean.n)
        go_on(l);
    return status;
}

/* ---- checkpoints ---------------------------------------------------------------------- */

static nln_status write_checkpoint(loop *l, nln_error *err)
{
    nln_training_state now = l->standing;
    now.seconds = seconds(l);
    return nln_checkpoint_write(&l->trainer, &now, l->watch->checkpoint, err);
}

/* A cancelled training leaves one, so that nothing is lost. */
static nln_status leave_checkpoint(loop *l, nln_error *err)
{
    nln_status status = write_checkpoint(l, err);
    if (status)
        return status;
    return nln_error_at(err, NLN_CANCELLED, l->watch->checkpoint, 0, 0,
                        "training was cancelled in epoch %d; it can go on from this file",
                        l->standing.progress.epoch);
}

static int can_checkpoint(const loop *l)
{
    return l->watch->checkpoint && l->trainer.learner;
}

static nln_status resume(loop *l, nln_error *err)
{
    const char *path = l->watch->checkpoint;
    struct stat info;
    int asked = l->watch->resume || l->watch->every > 0;
    if (!path && asked)
        return nln_error_set(
            err, NLN_INVALID,
            "the name of a checkpoint is needed to write one, or to go on from it");
    if (!l->trainer.learner && asked)
        say(l, "a model of kind %s learns at once: there is no checkpoint of it",
            l->trainer.model->method->name);
    if (!can_checkpoint(l) || !l->watch->resume)
        return NLN_OK;
    if (stat(path, &info) && errno == ENOENT) {
        say(l, "there is no '%s' to go on from: beginning anew", path);
        return NLN_OK;
    }
    nln_status status = nln_checkpoint_read(&l->trainer, &l->standing, path, err);
    if (!status)
        say(l, "going on from '%s', in epoch %d of %d", path,
            l->trainer.epoch + (l->trainer.at == 0), l->trainer.n_epochs);
    return status;
}

/* ---- all epochs ------------------------------------------------------------------------ */

static int is_over(const loop *l)
{
    const nln_config *c = &l->trainer.model->config;
    const nln_progress *p = &l->standing.progress;
    if (l->trainer.at) /* within an epoch */
        return 0;
    if (c->patience && p->epoch - p->best_epoch >= c->patience) {
        say(l, "no epoch was better on validation than epoch %d for %d epochs: stopping early",
            p->best_epoch, c->patience);
        return 1;
    }
    if (c->stop_at > 0 && p->valid.accuracy >= c->stop_at) {
        say(l, "the accuracy on validation has reached %.4f: stopping early", c->stop_at);
        return 1;
    }
    return p->epoch >= p->n_epochs;
}

static nln_status run(loop *l, nln_error *err)
{
    nln_progress *p = &l->standing.progress;
    nln_status status = NLN_OK;
    p->n_epochs = l->trainer.learner ? l->trainer.n_epochs : 1;
    p->total = l->trainer.source->n;
    p->curves = l->trainer.model->config.curves;
    while (!status && !is_over(l)) {
        status = one_epoch(l, err);
        if (status == NLN_CANCELLED && can_checkpoint(l))
            status = leave_checkpoint(l, err);
        else if (!status && can_checkpoint(l) && l->watch->every > 0 &&
                 p->epoch % l->watch->every == 0)
            status = write_checkpoint(l, err);
    }
    return status;
}

/* ---- from beginning to end -------------------------------------------------------------- */

/* A metric that the task does not have would keep the first epoch, whatever came after it; and
 * without a metric no epoch is ever worse. */
static nln_status check_select(const nln_config *c, nln_error *err)
{
    int topk = c->task == NLN_TASK_TOPK;
    if (c->select == NLN_SELECT_LAST && c->patience)
        return nln_error_set(err, NLN_INVALID,
                             "option --patience needs a metric to wait for: with --select last "
                             "leave it out, or choose another --select");
    if (c->select == NLN_SELECT_LAST || topk == (c->select == NLN_SELECT_NDCG))
        return NLN_OK;
    return nln_error_set(
        err, NLN_INVALID,
        topk ? "task topk is measured by ranks alone: option --select must be ndcg or last"
             : "option --select may be ndcg for task topk alone");
}

static nln_status create_snapshots(loop *l, nln_error *err)
{
    const nln_learner *learner = l->trainer.learner;
    nln_status status = nln_snapshot_create(&l->standing.best, learner, err);
    if (!status && l->trainer.model->config.average > 0) {
        status = nln_snapshot_create(&l->standing.mean, learner, err);
        if (!status)
            status = nln_snapshot_create(&l->now, learner, err);
    }
    return status;
}

static nln_status set_up(loop *l, const nln_data *data, const nln_ratings *ratings,
                         const nln_options *options, nln_error *err)
{
    nln_status status = nln_trainer_create(&l->trainer, data, ratings, options, err);
    size_t largest = 0;
    if (!status)
        status = check_select(&l->trainer.model->config, err);
    for (int s = 0; !status && s < 3; s++) {
        size_t n = nln_source_size(l->trainer.source, (nln_split)s);
        largest = n > largest ? n : largest;
    }
    if (!status && l->trainer.learner)
        status = create_snapshots(l, err);
    if (!status && !(l->p = nln_array_zeroed(largest, sizeof *l->p)))
        status = nln_error_memory(err);
    if (!status && l->watch->checkpoint)
        l->standing.data = data ? nln_fingerprint_data(data) : nln_fingerprint_ratings(ratings);
    return status;
}

static nln_status calibrate(loop *l, nln_error *err)
{
    const nln_source *source = l->trainer.source;
    nln_status status = nln_source_scores(l->p, source, l->trainer.model, NLN_VALID, err);
    if (!status)
        l->trainer.model->temperature =
            nln_calibration_temperature(l->p, source->labels[NLN_VALID],
                                        nln_source_size(source, NLN_VALID), l->standing.best_noise);
    return status;
}

/* After the temperature, under which surprises are seen. */
static nln_status fit_carry(loop *l, nln_error *err)
{
    const nln_source *source = l->trainer.source;
    nln_model *model = l->trainer.model;
    size_t n = source->queries[NLN_VALID].n;
    double *surprise = nln_array_zeroed(n, sizeof *surprise);
    nln_status status = surprise ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_source_scores(l->p, source, model, NLN_VALID, err);
    if (!status)
        status = nln_model_surprises(surprise, model, &source->queries[NLN_VALID],
                                     model->config.threads, err);
    if (!status)
        model->carry = nln_calibration_carry(l->p, surprise, source->labels[NLN_VALID], n,
                                             l->standing.best_noise);
    nln_free(surprise);
    return status;
}

static nln_status finish(nln_report *report, loop *l, nln_error *err)
{
    nln_report r = {.epochs = l->standing.progress.epoch,
                    .best_epoch = l->standing.progress.best_epoch,
                    .seconds = seconds(l),
                    .seconds_per_epoch =
                        l->standing.seconds_in_epochs / l->standing.progress.epoch};
    nln_metrics *out[3] = {&r.train, &r.valid, &r.test};
    nln_status status = NLN_OK;
    if (l->trainer.learner)
        nln_snapshot_restore(l->trainer.learner, &l->standing.best);
    if (l->trainer.model->config.calibrate && !l->trainer.source->measure)
        status = calibrate(l, err);
    if (!status && l->trainer.model->config.surprises && l->trainer.source->queries[NLN_VALID].n)
        status = fit_carry(l, err);
    for (int s = 0; !status && report && s < 3; s++)
        status = measure(out[s], l, (nln_split)s, 0, err);
    r.peak_rss_bytes = nln_peak_memory();
    if (!status && report)
        *report = r;
    return status;
}

static nln_status train(nln_model **out, nln_report *report, const nln_data *data,
                        const nln_ratings *ratings, const nln_options *options,
                        const nln_watch *watch, nln_error *err)
{
    static const nln_watch nobody;
    loop l = {.watch = watch ? watch : &nobody, .start = nln_profile_now()};
    nln_status status = set_up(&l, data, ratings, options, err);
    if (!status)
        status = resume(&l, err);
    if (!status)
        status = run(&l, err);
    if (!status)
        status = finish(report, &l, err);
    if (!status) {
        *out = l.trainer.model;
        l.trainer.model = NULL;
    }
    nln_trainer_free(&l.trainer);
    nln_snapshot_free(&l.standing.best);
    nln_snapshot_free(&l.standing.mean);
    nln_snapshot_free(&l.now);
    nln_free(l.p);
    return status;
}

nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                     const nln_options *options, const nln_watch *watch, nln_error *err)
{
    *out = NULL;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (status)
        return status;
    const char *task = nln_options_text(options, "task");
    if (strcmp(task, "logic") != 0)
        return nln_error_set(err, NLN_INVALID, "task %s needs ratings, not labelled expressions",
                             task);
    return train(out, report, data, NULL, options, watch, err);
}

nln_status nln_train_ratings(nln_model **out, nln_report *report, const nln_ratings *ratings,
                             const nln_options *options, const nln_watch *watch, nln_error *err)
{
    *out = NULL;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (status)
        return status;
    if (strcmp(nln_options_text(options, "task"), "logic") == 0)
        return nln_error_set(err, NLN_INVALID,
                             "ratings need --task preference or --task topk, not logic");
    return train(out, report, NULL, ratings, options, watch, err);
}
