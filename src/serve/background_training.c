#include "serve/background_training.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "nln_lab.h"
#include "serve/server.h"
#include "store/store_ratings.h"

enum { MOST_NOTES = 4096, MOST_VARIABLES = 20000 };
static const double progress_seconds = .5;

/* One event of the stream. */
typedef struct note {
    const char *kind; /* state, progress, epoch, log or end */
    char *text;       /* a JSON object */
} note;

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
    note *notes;         /* [n_notes], the first of which has the number `first` */
    size_t n_notes, room;
    int64_t first;
};

/* ---- telling -------------------------------------------------------------- */

/* Takes over the text; the lock is held. */
static void tell(nln_trainer_service *t, const char *kind, nln_text *text)
{
    nln_text_add(text, "", 1);
    if (t->n_notes == MOST_NOTES) {
        nln_free(t->notes[0].text);
        memmove(t->notes, t->notes + 1, --t->n_notes * sizeof *t->notes);
        t->first++;
    }
    if (text->failed || !NLN_ARRAY_RESERVE(t->notes, t->room, t->n_notes + 1)) {
        nln_text_free(text);
        return;
    }
    t->notes[t->n_notes++] = (note){kind, text->bytes};
    *text = (nln_text){0};
}

static void clear_notes(nln_trainer_service *t)
{
    for (size_t i = 0; i < t->n_notes; i++)
        nln_free(t->notes[i].text);
    t->first += (int64_t)t->n_notes;
    t->n_notes = 0;
}

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
    tell(t, kind, &text);
}

static void tell_message(nln_trainer_service *t, const char *kind, const char *message)
{
    nln_text text = {0};
    nln_json_out_open(&text, NULL, '{');
    if (strcmp(kind, "log") != 0)
        nln_json_out_string(&text, "state", t->state);
    nln_json_out_string(&text, "message", message);
    nln_json_out_close(&text, '}');
    tell(t, kind, &text);
}

static void on_log(void *context, const char *message)
{
    nln_trainer_service *t = context;
    pthread_mutex_lock(&t->lock);
    tell_message(t, "log", message);
    pthread_mutex_unlock(&t->lock);
}

/* The measure that two models of a task are compared by; higher is better. */
static const char *measure_name(const char *task)
{
    return strcmp(task, "topk") == 0         ? "nDCG@10"
           : strcmp(task, "preference") == 0 ? "AUC"
                                             : "accuracy";
}

static double measure(const char *task, const nln_metrics *m)
{
    if (strcmp(task, "topk") == 0) {
        const nln_ranking *ranking = m->full.n ? &m->full : &m->sampled;
        for (int i = 0; i < ranking->n_cuts; i++)
            if (ranking->cut[i] == 10)
                return ranking->ndcg[i];
        return ranking->mrr;
    }
    return strcmp(task, "preference") == 0 && !isnan(m->auc) ? m->auc : m->accuracy;
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
        tell_progress(t, "epoch", measure_name(task), measure(task, &p->valid), laws);
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

/* ---- options and data ----------------------------------------------------- */

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

/* Text as a file that has no name any more when it is read. */
static nln_status read_sent_ratings(nln_ratings **out, const char *text, nln_error *err)
{
    char path[] = "/tmp/nln-upload-XXXXXX", open_path[64];
    size_t n = strlen(text), done = 0;
    nln_options *reading = NULL;
    int fd = mkstemp(path);
    if (fd < 0)
        return nln_error_set(err, NLN_IO, "the data that were sent cannot be kept in a file");
    unlink(path);
    for (ssize_t got; done < n && (got = write(fd, text + done, n - done)) > 0;)
        done += (size_t)got;
    snprintf(open_path, sizeof open_path, "/proc/self/fd/%d", fd);
    nln_status status = done == n ? nln_options_create(&reading, "ratings", err)
                                  : nln_error_set(err, NLN_IO, "there is no room for the data");
    if (!status)
        status = nln_ratings_read(out, NULL, open_path, reading, err);
    nln_options_free(reading);
    close(fd);
    if (err && err->status)
        err->file[0] = '\0';
    return status;
}

/* Lines of an expression, a tab and T or F; eight in ten train, one validates, one tests. */
static nln_status read_sent_expressions(nln_data **out, char *text, nln_error *err)
{
    nln_status status = nln_data_create(out, err);
    long number = 0;
    for (char *line = text, *end; !status && line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        number++;
        char *tab = strrchr(line, '\t');
        if (!*line || *line == '\r')
            continue;
        if (!tab || !strchr("TF10", tab[1]))
            return nln_error_at(err, NLN_SYNTAX, "", number, 0,
                                "a line must be an expression, a tab, and T or F");
        *tab = '\0';
        int label = tab[1] == 'T' || tab[1] == '1';
        const char *expression = line;
        nln_split split = number % 10 == 8 ? NLN_VALID : number % 10 == 9 ? NLN_TEST : NLN_TRAIN;
        status = nln_data_add(*out, split, &expression, &label, 1, err);
        if (status)
            nln_error_place(err, "", number);
    }
    return status;
}

/* ---- one training --------------------------------------------------------- */

static nln_status measure_on(double *out, const nln_model *model, const char *task,
                             const nln_ratings *ratings, nln_error *err)
{
    nln_metrics metrics = {0};
    nln_status status = nln_evaluate_ratings(&metrics, NULL, model, ratings, NLN_TEST, NULL, err);
    *out = status ? NAN : measure(task, &metrics);
    return status;
}

/* Puts the model in service unless it is worse; says what became of it. */
static void judge(nln_trainer_service *t, const nln_model *model, const nln_served *served,
                  const nln_ratings *ratings)
{
    const char *task = nln_model_abilities(model).task, *name = measure_name(task);
    double now = NAN, before = NAN;
    nln_error err = {0};
    t->outcome = "kept";
    if (!nln_ratings_size(ratings, NLN_TEST)) {
        snprintf(t->verdict, sizeof t->verdict,
                 "the store has no events to measure on; the old model stays in service");
        return;
    }
    if (measure_on(&now, model, task, ratings, &err)) {
        snprintf(t->verdict, sizeof t->verdict, "the new model cannot be measured: %.400s",
                 err.message);
        return;
    }
    int comparable = strcmp(served->abilities.task, task) == 0 &&
                     !measure_on(&before, served->model, task, ratings, &err) && !isnan(before);
    if (comparable && !(now >= before)) {
        snprintf(t->verdict, sizeof t->verdict,
                 "%s on the newest events is %.4f, worse than %.4f of the model in service, which "
                 "stays",
                 name, now, before);
        return;
    }
    if (nln_model_save(model, t->server->model_path, &err) || nln_serve_reload(t->server, &err)) {
        t->outcome = "failed";
        snprintf(t->verdict, sizeof t->verdict, "the new model cannot be kept: %.400s",
                 err.message);
        return;
    }
    t->outcome = "done";
    if (comparable)
        snprintf(t->verdict, sizeof t->verdict, "%s on the newest events is %.4f; it was %.4f",
                 name, now, before);
    else
        snprintf(t->verdict, sizeof t->verdict,
                 "%s on the newest events is %.4f; the model before cannot be compared", name, now);
}

static nln_status train_ratings(nln_trainer_service *t, const nln_served *served,
                                const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_ratings *ratings = NULL;
    nln_options *reading = NULL;
    nln_model *model = NULL;
    nln_status status = NLN_OK;
    if (t->data)
        status = read_sent_ratings(&ratings, t->data, err);
    else {
        status = nln_model_reading(&reading, served->model, err);
        if (!status)
            status =
                nln_store_ratings(&ratings, NULL, t->server->store, NLN_STORE_ALL, reading, err);
    }
    if (!status)
        status = nln_train_ratings(&model, NULL, ratings, options, watch, err);
    if (!status && !t->data)
        judge(t, model, served, ratings);
    nln_model_free(model);
    nln_ratings_free(ratings);
    nln_options_free(reading);
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
        status = train_ratings(t, served, options, &watch, err);
    else if (!status) {
        status = t->data ? read_sent_expressions(&data, t->data, err)
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
    clear_notes(t);
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
    t->first = 1;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->has_thread = !pthread_create(&t->thread, NULL, serve_jobs, t);
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
    clear_notes(t);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->changed);
    nln_free(t->notes);
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

static void print_notes(nln_text *out, const nln_trainer_service *t, const char *key,
                        const char *kind)
{
    nln_json_out_open(out, key, '[');
    for (size_t i = 0; i < t->n_notes; i++)
        if (strcmp(t->notes[i].kind, kind) == 0) {
            const char *text = t->notes[i].text;
            nln_json_out_open(out, NULL, text[0]);
            nln_text_add(out, text + 1, strlen(text) - 1);
        }
    nln_json_out_close(out, ']');
}

void nln_trainer_service_print(nln_text *out, nln_trainer_service *t)
{
    pthread_mutex_lock(&t->lock);
    nln_json_out_string(out, "state", t->state);
    if (t->message[0])
        nln_json_out_string(out, "message", t->message);
    print_progress(out, t);
    print_notes(out, t, "epochs", "epoch");
    print_notes(out, t, "log", "log");
    pthread_mutex_unlock(&t->lock);
}

/* ---- streams -------------------------------------------------------------- */

typedef struct follower {
    nln_trainer_service *service;
    int64_t next;  /* the number of the next event */
    double told;   /* when something was last sent */
    nln_text text; /* of the event being sent */
    size_t sent;
} follower;

static void free_follower(void *context)
{
    follower *f = context;
    nln_text_free(&f->text);
    nln_free(f);
}

/* The text of the next event or a ping; -1 after the end of a training. */
static int next_text(follower *f)
{
    nln_trainer_service *t = f->service;
    int ended = 0;
    f->text.n = f->sent = 0;
    pthread_mutex_lock(&t->lock);
    int64_t end = t->first + (int64_t)t->n_notes;
    f->next = f->next < t->first ? t->first : f->next;
    if (f->next < end) {
        const note *n = &t->notes[f->next - t->first];
        nln_text_format(&f->text, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)f->next, n->kind,
                        n->text);
        f->next++;
    } else if (!t->running)
        ended = 1;
    pthread_mutex_unlock(&t->lock);
    if (!ended && !f->text.n && nln_clock_now() - f->told > t->server->settings.ping)
        nln_text_format(&f->text, ": ping\n\n");
    return ended ? -1 : 0;
}

static ptrdiff_t read_follower(void *context, char *bytes, size_t n)
{
    follower *f = context;
    if (f->sent == f->text.n && next_text(f) < 0)
        return -1;
    size_t left = f->text.n - f->sent, some = left < n ? left : n;
    if (!some)
        return f->text.failed ? -2 : 0;
    memcpy(bytes, f->text.bytes + f->sent, some);
    f->sent += some;
    f->told = nln_clock_now();
    return (ptrdiff_t)some;
}

int nln_trainer_service_follow(nln_stream *out, nln_trainer_service *t, int64_t after)
{
    pthread_mutex_lock(&t->lock);
    int64_t end = t->first + (int64_t)t->n_notes;
    int nothing = !t->running && (!t->n_notes || after + 1 >= end);
    pthread_mutex_unlock(&t->lock);
    follower *f = nothing ? NULL : nln_array_zeroed(1, sizeof *f);
    if (!f)
        return 0;
    *f = (follower){.service = t, .next = after + 1, .told = nln_clock_now()};
    *out = (nln_stream){read_follower, free_follower, f};
    return 1;
}
