/* The training loop: validation after every epoch, the best epoch kept. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"
#include "base/number.h"
#include "models/method.h"
#include "training/checkpoint.h"
#include "training/selection.h"

typedef struct loop {
    nln_trainer trainer;
    nln_training_state standing;
    nln_snapshot now; /* the weights that training goes on with, while their mean is measured */
    const nln_watch *watch;
    double start;
} loop;

/* ---- one epoch ---------------------------------------------------------------------- */

/* Passes a sentence to the listener, if there is one. */
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

/* All ranks of a job stop at the same batch, which they learn of with the next sum over shards; or
 * at the end of the epoch. */
static int stops(int wish, int at_end)
{
    nln_communicator_counts *c = nln_communicator_count();
    if (nln_communicator_size() == 1)
        return wish;
    c->wants_stop |= wish;
    int stop = at_end ? nln_communicator_any(c->wants_stop) : c->stops;
    if (stop)
        c->wants_stop = c->stops = 0;
    return stop;
}

static nln_status tell(loop *l, int at_end, nln_error *err)
{
    nln_progress *p = &l->standing.progress;
    p->seconds = seconds(l);
    int wish = l->watch->progress && l->watch->progress(l->watch->context, p);
    if (stops(wish, at_end))
        return nln_error_set(err, NLN_CANCELLED, "training was cancelled in epoch %d", p->epoch);
    return NLN_OK;
}

static nln_status after_batch(void *context, size_t done, double loss, nln_error *err)
{
    loop *l = context;
    l->standing.progress.done = done;
    l->standing.progress.loss = loss;
    return tell(l, 0, err);
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

static nln_status measure(nln_metrics *out, const loop *l, nln_split split, int quickly,
                          nln_error *err)
{
    const nln_source *source = l->trainer.source;
    return source->measure(out, source, l->trainer.model, split, quickly, err);
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
    if (!status && nln_selection_better(l->trainer.model->config.select, &p->valid, &p->best)) {
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
        status = tell(l, 1, err);
    if (l->standing.mean.n)
        go_on(l);
    return status;
}

/* ---- checkpoints ---------------------------------------------------------------------- */

static nln_status write_checkpoint(loop *l, nln_error *err)
{
    nln_training_state now = l->standing;
    now.seconds = seconds(l);
    if (nln_communicator_rank())
        return NLN_OK;
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
    int missing = stat(path, &info) && errno == ENOENT;
    nln_communicator_broadcast(&missing, sizeof missing);
    if (missing) {
        say(l, "there is no '%s' to go on from: beginning anew", path);
        return NLN_OK;
    }
    nln_shared_file file;
    const char *copy = path; /* on other ranks */
    nln_status status = nln_shared_file_open(&file, &copy, err);
    if (!status)
        status = nln_checkpoint_read(&l->trainer, &l->standing, copy ? copy : path, err);
    nln_shared_file_close(&file);
    if (!status)
        say(l, "going on from '%s', in epoch %d of %d", path,
            l->trainer.epoch + (l->trainer.at == 0), l->trainer.n_epochs);
    return status;
}

/* ---- all epochs ------------------------------------------------------------------------ */

/* Whether the number of epochs was left to the data, and validation has risen in the last epochs:
 * then training goes on, up to twice that number.  Not where the learning rate has come to its
 * end. */
static int goes_on(loop *l)
{
    enum { RISES = 3 };
    const nln_config *c = &l->trainer.model->config;
    nln_progress *p = &l->standing.progress;
    int most = 2 * l->trainer.n_epochs;
    if (c->epochs || c->schedule || c->select == NLN_SELECT_LAST || !l->trainer.learner ||
        p->epoch >= most || p->epoch - p->best_epoch >= RISES)
        return 0;
    if (p->n_epochs < most)
        say(l, "validation still rises: training goes on, up to epoch %d", most);
    p->n_epochs = most;
    return 1;
}

static int is_over(loop *l)
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
    return p->epoch >= (l->trainer.learner ? l->trainer.n_epochs : 1) && !goes_on(l);
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

/* Ranks of a job that learn from different data would come to nonsense. */
static nln_status check_data(const nln_source *source, nln_error *err)
{
    size_t n = (size_t)nln_communicator_size();
    if (n == 1)
        return NLN_OK;
    uint64_t mine = source->fingerprint(source), *all = nln_array_zeroed(n, sizeof *all);
    if (!all)
        return nln_error_memory(err);
    nln_communicator_gather(all, &mine, sizeof mine);
    uint64_t first = all[0];
    nln_free(all);
    if (mine == first)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "the data differ from those of rank 0: every machine must read the same");
}

static nln_status set_up(loop *l, nln_source *source, const nln_options *options, nln_error *err)
{
    nln_status status = nln_trainer_create(&l->trainer, source, options, err);
    if (!status)
        status = nln_selection_check(l->trainer.model, err);
    if (!status && l->trainer.learner)
        status = create_snapshots(l, err);
    if (!status)
        status = check_data(source, err);
    if (!status && l->watch->checkpoint)
        l->standing.data = source->fingerprint(source);
    if (!status && source->note[0])
        say(l, "%s", source->note);
    return status;
}

/* Fits on validation what is fitted after training: the temperature, and then the carry, since
 * surprises depend on the temperature. */
static nln_status calibrate(loop *l, nln_error *err)
{
    const nln_source *source = l->trainer.source;
    nln_truths truths = source->truths[NLN_VALID];
    nln_model *model = l->trainer.model;
    const nln_config *c = &model->config;
    size_t n = nln_source_size(source, NLN_VALID);
    double *score = nln_array_zeroed(n, sizeof *score);
    double *surprise = nln_array_zeroed(n, sizeof *surprise);
    nln_status status = score && surprise ? NLN_OK : nln_error_memory(err);
    if (!status && c->calibrate) {
        status = nln_source_scores(score, source, model, NLN_VALID, err);
        if (!status)
            model->temperature =
                nln_calibration_temperature(score, truths, n, l->standing.best_noise);
    }
    if (!status && c->surprises && source->queries[NLN_VALID].n) {
        status = nln_source_scores(score, source, model, NLN_VALID, err);
        if (!status)
            status =
                nln_model_surprises(surprise, model, &source->queries[NLN_VALID], c->threads, err);
        if (!status)
            model->carry =
                nln_calibration_carry(score, surprise, truths, n, l->standing.best_noise);
    }
    nln_free(score);
    nln_free(surprise);
    return status;
}

static nln_status refine(loop *l, nln_error *err)
{
    char note[NLN_NOTE_ROOM] = "";
    const nln_trainer *t = &l->trainer;
    nln_status status =
        t->source->refine(note, t->source, t->model, l->standing.best_noise, t->team, err);
    if (!status && *note)
        say(l, "%s", note);
    return status;
}

/* A word where a simpler model does better, for whoever listens. */
static nln_status compare(loop *l, const nln_report *r, nln_error *err)
{
    char note[NLN_NOTE_ROOM] = "";
    const nln_trainer *t = &l->trainer;
    if (!l->watch->log || !t->learner || !t->source->compare)
        return NLN_OK;
    nln_status status = t->source->compare(note, t->source, t->model, &r->valid, err);
    if (!status && *note)
        say(l, "%s", note);
    return status;
}

/* What the model's file will tell of its training. */
static void keep_record(nln_model *model, const loop *l, const nln_report *r)
{
    const nln_source *source = l->trainer.source;
    nln_record *record = &model->record;
    *record = nln_training_record_none();
    snprintf(record->data, sizeof record->data, "%s", source->data_name);
    record->fingerprint = source->fingerprint(source);
    memcpy(record->rows, source->rows, sizeof record->rows);
    record->newest = source->newest;
    record->epochs = r->epochs;
    record->best_epoch = r->best_epoch;
    nln_training_record_measure(record, &r->valid, &r->test);
    model->has_record = 1;
}

static nln_status finish(nln_report *report, loop *l, nln_error *err)
{
    nln_report r = {.epochs = l->standing.progress.epoch,
                    .best_epoch = l->standing.progress.best_epoch,
                    .seconds_per_epoch =
                        l->standing.seconds_in_epochs / l->standing.progress.epoch};
    nln_metrics *out[3] = {&r.train, &r.valid, &r.test};
    nln_status status = NLN_OK;
    if (l->trainer.learner)
        nln_snapshot_restore(l->trainer.learner, &l->standing.best);
    if (r.epochs > l->trainer.n_epochs) { /* the model says how long it was trained */
        char text[16];
        snprintf(text, sizeof text, "%d", r.epochs);
        status =
            nln_options_assign(l->trainer.model->options, "epochs", text, NLN_FROM_RECIPE, err);
    }
    if (!status && l->trainer.source->refine)
        status = refine(l, err);
    if (!status && l->trainer.model->task->measures == NLN_MEASURE_LABELS)
        status = calibrate(l, err);
    for (int s = 0; !status && report && s < 3; s++)
        status = measure(out[s], l, (nln_split)s, 0, err);
    r.peak_rss_bytes = nln_memory_peak();
    r.seconds = seconds(l); /* with the last evaluation */
    if (!status && report)
        status = compare(l, &r, err);
    if (!status)
        keep_record(l->trainer.model, l, &r);
    if (!status && report)
        *report = r;
    return status;
}

/* Takes the source. */
static nln_status train(nln_model **out, nln_report *report, nln_source *source,
                        const nln_options *options, const nln_watch *watch, nln_error *err)
{
    static const nln_watch nobody;
    loop l = {.watch = watch ? watch : &nobody, .start = nln_profile_now()};
    nln_status status = set_up(&l, source, options, err);
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
    return status;
}

/* Options of predicates that the caller has set do nothing for data without any. */
static nln_status check_predicates(const nln_data *data, const nln_options *options, nln_error *err)
{
    static const char *const names[] = {"predicates", "groundings"};
    if (data->relations && nln_symbols_count(data->relations->predicates) > 0)
        return NLN_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (nln_options_source(options, names[i]) == NLN_FROM_CALLER)
            return nln_error_set(err, NLN_INVALID,
                                 "option --%s does nothing for data without predicates: leave it "
                                 "out",
                                 names[i]);
    return NLN_OK;
}

nln_status nln_train(nln_model **out, nln_report *report, const nln_data *data,
                     const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_source *source = NULL;
    *out = NULL;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (!status)
        status = check_predicates(data, options, err);
    if (!status)
        status = nln_source_of_expressions(&source, data, err);
    return status ? status : train(out, report, source, options, watch, err);
}

nln_status nln_train_ratings(nln_model **out, nln_report *report, const nln_ratings *ratings,
                             const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_source *source = NULL;
    *out = NULL;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (!status)
        status = nln_source_of_ratings(&source, ratings, err);
    return status ? status : train(out, report, source, options, watch, err);
}

nln_status nln_train_links(nln_model **out, nln_report *report, const nln_triples *triples,
                           const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_source *source = NULL;
    *out = NULL;
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (!status)
        status = nln_source_of_links(&source, triples, err);
    return status ? status : train(out, report, source, options, watch, err);
}
