#include "serve/background_training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "models/model.h"
#include "nln_lab.h"
#include "serve/model_comparison.h"
#include "serve/retraining_data.h"
#include "serve/sent_data.h"
#include "serve/server.h"
#include "serve/training_notes.h"

enum { MOST_VARIABLES = 20000 };
static const double progress_seconds = .5;

struct nln_trainer_service {
    struct nln_serve *server;
    pthread_t thread;
    int has_thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int wanted, running, stop, closing;
    char *data, *task;
    size_t epochs;
    const char *state;
    char message[600];
    const char *outcome; /* the state and ... */
    char verdict[600];   /* ... the message to come; of the thread alone */
    nln_progress last;   /* of the training that runs; its model is not to be used */
    double left, told;   /* seconds to go; when progress was last told */
    size_t memory;       /* nln_memory_used() when the training began */
    nln_training_notes *notes;
};

/* ---- telling -------------------------------------------------------------- */

static void print_progress(nln_text *out, const nln_trainer_service *t)
{
    nln_json_out_whole(out, "epoch", t->last.epoch);
    nln_json_out_whole(out, "n_epochs", t->last.n_epochs);
    nln_json_out_count(out, "done", t->last.done);
    nln_json_out_count(out, "total", t->last.total);
    nln_json_out_number(out, "loss", t->last.loss);
    nln_json_out_number(out, "seconds", t->last.seconds);
    nln_json_out_number(out, "seconds_left", t->left);
}

static void tell_progress(nln_trainer_service *t, const char *kind, const char *metric,
                          double valid, double laws)
{
    nln_text text = {0};
    nln_json_out_open(&text, NULL, '{');
    print_progress(&text, t);
    if (metric) {
        nln_json_out_string(&text, "metric", metric);
        nln_json_out_number(&text, "valid", valid);
        nln_json_out_number(&text, "laws", laws);
        nln_json_out_whole(&text, "best_epoch", t->last.best_epoch);
    }
    nln_json_out_close(&text, '}');
    nln_training_notes_add(t->notes, kind, &text);
}

static void tell_message(nln_trainer_service *t, const char *kind, const char *message)
{
    nln_text text = {0};
    nln_json_out_open(&text, NULL, '{');
    if (strcmp(kind, "log") != 0)
        nln_json_out_string(&text, "state", t->state);
    nln_json_out_string(&text, "message", message);
    nln_json_out_close(&text, '}');
    nln_training_notes_add(t->notes, kind, &text);
}

static void on_log(void *context, const char *message)
{
    nln_trainer_service *t = context;
    pthread_mutex_lock(&t->lock);
    tell_message(t, "log", message);
    pthread_mutex_unlock(&t->lock);
}

/* The mean share of cases in which the laws are kept; NAN where it is not measured. */
static double laws_kept(const nln_model *model)
{
    nln_law_score scores[64];
    size_t n = 0;
    double sum = 0;
    if (nln_model_variables(model) > MOST_VARIABLES ||
        nln_inspect(scores, 64, &n, model, NULL, NULL))
        return NAN;
    for (size_t i = 0; i < n && i < 64; i++)
        sum += scores[i].kept;
    return n ? sum / (double)n : NAN;
}

static int on_progress(void *context, const nln_progress *p)
{
    nln_trainer_service *t = context;
    double laws = p->model ? laws_kept(p->model) : NAN;
    size_t used = nln_memory_used();
    pthread_mutex_lock(&t->lock);
    double share = p->n_epochs && p->total
                       ? (p->epoch - 1 + (double)p->done / (double)p->total) / p->n_epochs
                       : 0;
    t->last = *p;
    t->last.model = NULL;
    t->left = share > 0 ? p->seconds / share - p->seconds : NAN;
    if (p->model) {
        const char *task = nln_options_text(nln_model_options(p->model), "task");
        tell_progress(t, "epoch", nln_model_comparison_name(task),
                      nln_model_comparison_value(task, &p->valid), laws);
    } else if (p->seconds - t->told > progress_seconds || p->seconds < t->told) {
        t->told = p->seconds;
        tell_progress(t, "progress", NULL, 0, 0);
    }
    int too_large =
        used > t->memory && (double)(used - t->memory) > t->server->settings.train_memory;
    if (too_large)
        snprintf(t->message, sizeof t->message,
                 "the training took more memory than train-memory allows");
    int stop = t->stop || too_large;
    pthread_mutex_unlock(&t->lock);
    return stop;
}

/* ---- options ----------------------------------------------------- */

/* The options of the model in service, of those that still apply; for another task its defaults. */
static nln_status make_options(nln_options **out, nln_trainer_service *t, const nln_served *served,
                               nln_error *err)
{
    const nln_options *from = nln_model_options(served->model);
    const char *config = t->server->settings.train_config;
    char number[32];
    int n_rows;
    nln_status status = nln_options_create(out, "train", err);
    const nln_option *rows = status ? NULL : nln_options_table(&n_rows, from);
    int same = !t->task || strcmp(t->task, served->abilities.task) == 0;
    if (!status)
        status = nln_options_set(*out, "task", t->task ? t->task : served->abilities.task, err);
    if (!status && config[0] && !t->data)
        status = nln_options_read(*out, config, err);
    else
        for (int i = 0; same && !status && i < n_rows; i++) {
            nln_option_use use;
            nln_options_use(&use, from, rows[i].name);
            if (use.applies && strcmp(rows[i].name, "threads") != 0)
                status =
                    nln_options_set(*out, rows[i].name, nln_options_text(from, rows[i].name), err);
        }
    snprintf(number, sizeof number, "%d", t->server->settings.train_threads);
    if (!status)
        status = nln_options_set(*out, "threads", number, err);
    snprintf(number, sizeof number, "%zu", t->epochs);
    if (!status && t->epochs)
        status = nln_options_set(*out, "epochs", number, err);
    return status;
}

/* ---- one training --------------------------------------------------------- */

/* The file of the model in service stays beside the new one, as FILE.previous. */
static void keep_previous(const char *path)
{
    size_t room = strlen(path) + sizeof ".previous";
    char *previous = nln_memory_zeroed(room, 1);
    if (!previous)
        return;
    snprintf(previous, room, "%s.previous", path);
    unlink(previous);
    if (link(path, previous)) {
        /* A file system without links has none of it: the new model counts more. */
    }
    nln_free(previous);
}

/* Puts the model in service. */
static void keep(nln_trainer_service *t, nln_model *model, const nln_model_comparison *c,
                 const nln_retraining_data *data, const nln_report *report)
{
    nln_error err = {0};
    nln_training_record_measure(&model->record, &report->valid, &c->metrics);
    model->record.rows[NLN_TEST] = data->n_compared;
    nln_model_stamp(model, (double)time(NULL));
    keep_previous(t->server->model_path);
    if (nln_model_save(model, t->server->model_path, &err) || nln_serve_reload(t->server, &err)) {
        t->outcome = "failed";
        snprintf(t->verdict, sizeof t->verdict, "the new model cannot be kept: %.400s",
                 err.message);
    } else {
        size_t n = strlen(t->verdict);
        t->outcome = "done";
        snprintf(t->verdict + n, sizeof t->verdict - n,
                 "; the new model is in service, and its file replaces the old one, which is kept "
                 "beside it with the ending .previous");
    }
}

/* Events have fractions of a second: one of this second is not of the future. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Learns from the store, and puts the model in service unless it is worse. */
static nln_status retrain(nln_trainer_service *t, const nln_served *served,
                          const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_retraining_data data;
    nln_model *model = NULL;
    nln_report report;
    t->outcome = "kept";
    nln_status status = nln_retraining_data_read(
        &data, t->server->store, t->server->settings.train_data, served, seconds_now(), err);
    if (status == NLN_LIMIT) {
        snprintf(t->verdict, sizeof t->verdict, "%s", err->message);
        return NLN_OK;
    }
    if (!status)
        on_log(t, data.account);
    if (!status)
        status = nln_train_ratings(&model, &report, data.learned, options, watch, err);
    if (!status) {
        nln_model_comparison c;
        nln_model_comparison_make(&c, model, served->model, data.compared);
        memcpy(t->verdict, c.verdict, sizeof t->verdict);
        if (!c.worse)
            keep(t, model, &c, &data, &report);
    }
    nln_model_free(model);
    nln_retraining_data_free(&data);
    return status;
}

static nln_status train_sent(nln_trainer_service *t, const nln_options *options,
                             const nln_watch *watch, nln_error *err)
{
    nln_ratings *ratings = NULL;
    nln_model *model = NULL;
    nln_status status = nln_sent_ratings(&ratings, t->data, err);
    if (!status)
        status = nln_train_ratings(&model, NULL, ratings, options, watch, err);
    nln_model_free(model);
    nln_ratings_free(ratings);
    return status;
}

static nln_status train(nln_trainer_service *t, const nln_served *served, nln_error *err)
{
    nln_watch watch = {.context = t, .progress = on_progress, .log = on_log};
    nln_options *options = NULL;
    nln_data *data = NULL;
    nln_model *model = NULL;
    nln_status status = make_options(&options, t, served, err);
    if (!status && strcmp(nln_options_text(options, "task"), "logic") != 0)
        status = t->data ? train_sent(t, options, &watch, err)
                         : retrain(t, served, options, &watch, err);
    else if (!status) {
        status = t->data ? nln_sent_expressions(&data, t->data, err)
                         : nln_error_set(err, NLN_INVALID,
                                         "the store has ratings, and this model learns from "
                                         "expressions: send data");
        if (!status)
            status = nln_train(&model, NULL, data, options, &watch, err);
    }
    nln_model_free(model);
    nln_data_free(data);
    nln_options_free(options);
    return status;
}

/* Runs the job that is wanted; the lock is not held. */
static void run(nln_trainer_service *t)
{
    nln_error err = {0};
    nln_served *served = nln_model_slot_take(&t->server->slot);
    t->memory = nln_memory_used();
    nln_status status = served ? train(t, served, &err) : NLN_CANCELLED;
    nln_served_release(served);
    pthread_mutex_lock(&t->lock);
    if (status == NLN_CANCELLED && !t->message[0]) {
        t->state = "stopped";
        snprintf(t->message, sizeof t->message, "the training was stopped");
    } else if (status) {
        t->state = "failed";
        if (!t->message[0])
            snprintf(t->message, sizeof t->message, "%s", err.message);
    } else if (t->data) {
        t->state = "kept";
        snprintf(t->message, sizeof t->message,
                 "trained on the data that were sent; the model in service stays");
    } else {
        t->state = t->outcome;
        snprintf(t->message, sizeof t->message, "%s", t->verdict);
    }
    t->running = 0;
    tell_message(t, "end", t->message);
    nln_training_notes_end(t->notes);
    nln_free(t->data);
    nln_free(t->task);
    t->data = t->task = NULL;
    char message[sizeof t->message];
    memcpy(message, t->message, sizeof message);
    pthread_mutex_unlock(&t->lock);
    nln_serve_note(t->server, "training", message);
}

/* Clears the last training; the lock is held. */
static void prepare(nln_trainer_service *t)
{
    nln_training_notes_begin(t->notes);
    t->wanted = t->running = 1;
    t->stop = 0;
    t->state = "running";
    t->message[0] = '\0';
    t->last = (nln_progress){0};
    t->left = NAN;
    t->told = 0;
    tell_message(t, "state", "the training begins");
}

static void *serve_jobs(void *context)
{
    nln_trainer_service *t = context;
    double every = t->server->settings.retrain, due = nln_clock_now() + every;
    setpriority(PRIO_PROCESS, 0, 10); /* of this thread, and of those that it starts */
    pthread_mutex_lock(&t->lock);
    while (!t->closing) {
        if (!t->wanted && every > 0 && nln_clock_now() >= due) {
            due = nln_clock_now() + every;
            t->epochs = 0; /* not those of the last request */
            prepare(t);
        }
        if (t->wanted) {
            t->wanted = 0;
            pthread_mutex_unlock(&t->lock);
            run(t);
            pthread_mutex_lock(&t->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&t->changed, &t->lock, &until);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* ---- the service ---------------------------------------------------------- */

nln_status nln_trainer_service_create(nln_trainer_service **out, struct nln_serve *server,
                                      nln_error *err)
{
    nln_trainer_service *t = *out = nln_array_zeroed(1, sizeof *t);
    if (!t)
        return nln_error_memory(err);
    t->server = server;
    t->state = "idle";
    t->notes = nln_training_notes_create();
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->has_thread = t->notes && !pthread_create(&t->thread, NULL, serve_jobs, t);
    if (t->has_thread)
        return NLN_OK;
    nln_trainer_service_free(t);
    *out = NULL;
    return nln_error_set(err, NLN_MEMORY, "the threads of the server cannot be started");
}

void nln_trainer_service_free(nln_trainer_service *t)
{
    if (!t)
        return;
    pthread_mutex_lock(&t->lock);
    t->closing = t->stop = 1;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    if (t->has_thread)
        pthread_join(t->thread, NULL);
    nln_training_notes_free(t->notes);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    nln_free(t->data);
    nln_free(t->task);
    nln_free(t);
}

nln_status nln_trainer_service_begin(nln_trainer_service *t, const nln_training_job *job,
                                     nln_error *err)
{
    char *data = job->data ? nln_memory_copy(job->data) : NULL;
    char *task = job->task ? nln_memory_copy(job->task) : NULL;
    if ((job->data && !data) || (job->task && !task)) {
        nln_free(data);
        nln_free(task);
        return nln_error_memory(err);
    }
    pthread_mutex_lock(&t->lock);
    int busy = t->running || t->closing;
    if (!busy) {
        t->data = data;
        t->task = task;
        t->epochs = job->epochs;
        prepare(t);
        pthread_cond_broadcast(&t->changed);
    }
    pthread_mutex_unlock(&t->lock);
    if (!busy)
        return NLN_OK;
    nln_free(data);
    nln_free(task);
    return nln_error_set(err, NLN_LIMIT, "a training is running; stop it, or wait for its end");
}

int nln_trainer_service_stop(nln_trainer_service *t)
{
    pthread_mutex_lock(&t->lock);
    int running = t->running;
    t->stop = running;
    pthread_mutex_unlock(&t->lock);
    return running;
}

void nln_trainer_service_print(nln_text *out, nln_trainer_service *t)
{
    pthread_mutex_lock(&t->lock);
    nln_json_out_string(out, "state", t->state);
    if (t->message[0])
        nln_json_out_string(out, "message", t->message);
    print_progress(out, t);
    nln_training_notes_print(out, t->notes, "epochs", "epoch");
    nln_training_notes_print(out, t->notes, "log", "log");
    pthread_mutex_unlock(&t->lock);
}

int nln_trainer_service_follow(nln_stream *out, nln_trainer_service *t, int64_t after)
{
    return nln_training_notes_follow(out, t->notes, after, t->server->settings.ping);
}
