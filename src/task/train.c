/* The training loop: validation after every epoch, the best epoch kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/usage.h"
#include "math/scalar.h"
#include "task/fit.h"
#include "task/metrics.h"
#include "task/trainer.h"

typedef struct loop {
    nln_trainer trainer;
    nln_snapshot best;
    nln_snapshot mean; /* of the epochs so far, where option average asks for it ... */
    nln_snapshot now;  /* ... and the weights that training goes on with */
    double best_noise; /* of the labels, as estimated in the best epoch */
    double *p;         /* [largest split] */
    nln_progress progress;
    const nln_watch *watch;
    double start, seconds_in_epochs;
} loop;

/* ---- one epoch ---------------------------------------------------------------------- */

static nln_status tell(loop *l, nln_error *err)
{
    l->progress.seconds = nln_profile_now() - l->start;
    if (l->watch && l->watch->progress && l->watch->progress(l->watch->context, &l->progress))
        return nln_error_set(err, NLN_CANCELLED, "training was cancelled in epoch %d",
                             l->progress.epoch);
    return NLN_OK;
}

static nln_status after_batch(void *context, size_t done, double loss, nln_error *err)
{
    loop *l = context;
    l->progress.done = done;
    l->progress.loss = loss;
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
    nln_snapshot_mix(&l->mean, learner, l->progress.epoch > 1 ? share : 0);
    nln_snapshot_restore(learner, &l->mean);
}

static void go_on(loop *l)
{
    nln_snapshot_restore(l->trainer.learner, &l->now);
}

/* Measures the epoch on validation and keeps the weights if they are the best so far. */
static nln_status validate(loop *l, nln_error *err)
{
    nln_progress *p = &l->progress;
    nln_status status = measure(&p->valid, l, NLN_VALID, 1, err);
    if (!status && p->curves)
        status = measure(&p->train, l, NLN_TRAIN, 1, err);
    if (!status && p->curves)
        status = measure(&p->test, l, NLN_TEST, 1, err);
    if (!status && better(&l->trainer.model->config, &p->valid, &p->best)) {
        p->best = p->valid;
        p->best_epoch = p->epoch;
        if (l->trainer.learner) {
            l->best_noise = l->trainer.learner->noise;
            nln_snapshot_take(&l->best, l->trainer.learner);
        }
    }
    return status;
}

static nln_status one_epoch(loop *l, nln_error *err)
{
    nln_progress *p = &l->progress;
    p->epoch++;
    p->done = 0;
    p->valid = (nln_metrics){0};
    p->model = NULL;
    double before = nln_profile_now();
    nln_status status = nln_trainer_epoch(&p->loss, &l->trainer, after_batch, l, err);
    l->seconds_in_epochs += nln_profile_now() - before;
    p->done = p->total;
    if (!status && l->mean.n)
        take_mean(l);
    if (!status)
        status = validate(l, err);
    p->model = l->trainer.model;
    if (!status)
        status = tell(l, err);
    if (!status && l->mean.n)
        go_on(l);
    return status;
}

static nln_status run(loop *l, nln_error *err)
{
    const nln_config *c = &l->trainer.model->config;
    nln_progress *p = &l->progress;
    nln_status status = NLN_OK;
    p->n_epochs = l->trainer.learner ? l->trainer.n_epochs : 1;
    p->total = l->trainer.source->n;
    p->curves = c->curves;
    while (!status && p->epoch < p->n_epochs) {
        status = one_epoch(l, err);
        if (c->patience && p->epoch - p->best_epoch >= c->patience)
            break;
        if (c->stop_at > 0 && p->valid.accuracy >= c->stop_at)
            break;
    }
    return status;
}

/* ---- from beginning to end -------------------------------------------------------------- */

/* A metric that the task does not have would keep the first epoch, whatever came after it. */
static nln_status check_select(const nln_config *c, nln_error *err)
{
    int topk = c->task == NLN_TASK_TOPK;
    if (topk == (c->select == NLN_SELECT_NDCG))
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         topk ? "task topk is measured by ranks alone: option --select must be ndcg"
                              : "option --select may be ndcg for task topk alone");
}

static nln_status create_snapshots(loop *l, nln_error *err)
{
    const nln_learner *learner = l->trainer.learner;
    nln_status status = nln_snapshot_create(&l->best, learner, err);
    if (!status && l->trainer.model->config.average > 0) {
        status = nln_snapshot_create(&l->mean, learner, err);
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
    return status;
}

static nln_status calibrate(loop *l, nln_error *err)
{
    const nln_source *source = l->trainer.source;
    nln_status status = nln_source_scores(l->p, source, l->trainer.model, NLN_VALID, err);
    if (!status)
        l->trainer.model->temperature = nln_fit_temperature(
            l->p, source->labels[NLN_VALID], nln_source_size(source, NLN_VALID), l->best_noise);
    return status;
}

static nln_status finish(nln_report *report, loop *l, nln_error *err)
{
    nln_report r = {.epochs = l->progress.epoch,
                    .best_epoch = l->progress.best_epoch,
                    .seconds = nln_profile_now() - l->start,
                    .seconds_per_epoch = l->seconds_in_epochs / l->progress.epoch};
    nln_metrics *out[3] = {&r.train, &r.valid, &r.test};
    nln_status status = NLN_OK;
    if (l->trainer.learner)
        nln_snapshot_restore(l->trainer.learner, &l->best);
    if (l->trainer.model->config.calibrate && !l->trainer.source->measure)
        status = calibrate(l, err);
    for (int s = 0; !status && report && s < 3; s++)
        status = measure(out[s], l, (nln_split)s, 0, err);
    r.peak_rss_bytes = nln_usage_peak_rss();
    if (!status && report)
        *report = r;
    return status;
}

static nln_status train(nln_model **out, nln_report *report, const nln_data *data,
                        const nln_ratings *ratings, const nln_options *options,
                        const nln_watch *watch, nln_error *err)
{
    loop l = {.watch = watch, .start = nln_profile_now()};
    nln_status status = set_up(&l, data, ratings, options, err);
    if (!status)
        status = run(&l, err);
    if (!status)
        status = finish(report, &l, err);
    if (!status) {
        *out = l.trainer.model;
        l.trainer.model = NULL;
    }
    nln_trainer_free(&l.trainer);
    nln_snapshot_free(&l.best);
    nln_snapshot_free(&l.mean);
    nln_snapshot_free(&l.now);
    nln_free(l.p);
    return status;
}

nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                     const nln_options *options, const nln_watch *watch, nln_error *err)
{
    const char *task = nln_options_text(options, "task");
    if (strcmp(task, "logic") != 0)
        return nln_error_set(err, NLN_INVALID, "task %s needs ratings, not labelled expressions",
                             task);
    return train(out, report, data, NULL, options, watch, err);
}

nln_status nln_train_ratings(nln_model **out, nln_report *report, const nln_ratings *ratings,
                             const nln_options *options, const nln_watch *watch, nln_error *err)
{
    if (strcmp(nln_options_text(options, "task"), "logic") == 0)
        return nln_error_set(err, NLN_INVALID,
                             "ratings need --task preference or --task topk, not logic");
    return train(out, report, NULL, ratings, options, watch, err);
}
