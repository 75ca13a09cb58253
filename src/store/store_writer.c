#include "store/store_writer.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/array.h"

/* Events that wait, or, with `user`, the wish to forget one.  Owned by the queue. */
typedef struct batch {
    struct batch *next;
    const nln_event *events;
    size_t n;
    nln_verdict *verdicts;
    const char *user;
    size_t *n_removed;
    double arrival;
    nln_store_done *done;
    void *context;
} batch;

struct nln_store_writer {
    const nln_store_engine *engine;
    void *connection;
    nln_store_options options;
    pthread_t thread;
    int is_running;
    nln_store_row *rows; /* of the transaction; the thread's own */
    size_t rows_room;

    pthread_mutex_t lock; /* for everything below */
    pthread_cond_t arrived;
    batch *first, *last;
    nln_store_counters counters;
    int stopping;
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the queue ------------------------------------------------------------ */

static nln_status enqueue(nln_store_writer *w, const batch *wish, nln_error *err)
{
    batch *b = nln_memory_take(sizeof *b);
    if (!b)
        return nln_error_memory(err);
    *b = *wish;
    pthread_mutex_lock(&w->lock);
    size_t waiting = w->counters.waiting;
    int is_full = b->n > w->options.queue - waiting;
    if (!is_full) {
        w->counters.waiting += b->n;
        if (w->last)
            w->last->next = b;
        else
            w->first = b;
        w->last = b;
        pthread_cond_signal(&w->arrived);
    }
    pthread_mutex_unlock(&w->lock);
    if (!is_full)
        return NLN_OK;
    nln_free(b);
    return nln_error_set(
        err, NLN_LIMIT, "%zu events wait for the store, and %zu more are too many; try again later",
        waiting, wish->n);
}

/* Waits for batches and takes those of one transaction; NULL at the end. */
static batch *take_batches(nln_store_writer *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->stopping)
        pthread_cond_wait(&w->arrived, &w->lock);
    batch *first = w->first, *last = first;
    if (first) {
        size_t n = first->n;
        while (!first->user && last->next && !last->next->user &&
               n + last->next->n <= w->options.transaction) {
            last = last->next;
            n += last->n;
        }
        w->first = last->next;
        last->next = NULL;
        if (!w->first)
            w->last = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    return first;
}

/* ---- a transaction -------------------------------------------------------- */

/* Times are kept in milliseconds: enough, and exact when they are printed and read again. */
static double rounded(double time)
{
    return floor(time * 1000 + 0.5) / 1000;
}

/* Collects the events that may be stored; the others get their verdicts. */
static nln_status collect_rows(size_t *n, nln_store_writer *w, const batch *first, nln_error *err)
{
    *n = 0;
    for (const batch *b = first; b; b = b->next) {
        if (!NLN_ARRAY_RESERVE(w->rows, w->rows_room, *n + b->n))
            return nln_error_memory(err);
        for (size_t i = 0; i < b->n; i++) {
            const nln_event *event = &b->events[i];
            b->verdicts[i] = nln_event_check(event);
            if (b->verdicts[i].kind != NLN_REFUSED)
                w->rows[(*n)++] = (nln_store_row){
                    event, &b->verdicts[i], rounded(isnan(event->time) ? b->arrival : event->time)};
        }
    }
    return NLN_OK;
}

static nln_status try_once(nln_store_writer *w, const batch *first, size_t n, int again,
                           nln_error *err)
{
    if (first->user)
        return w->engine->forget(first->n_removed, w->connection, first->user, err);
    return n ? w->engine->write(w->connection, w->rows, n, again, err) : NLN_OK;
}

/* Repeats what a lost connection has interrupted, as long as patience lasts. */
static nln_status write_batches(nln_store_writer *w, const batch *first, nln_error *err)
{
    size_t n = 0;
    nln_status status = first->user ? NLN_OK : collect_rows(&n, w, first, err);
    if (status)
        return status;
    double deadline = seconds(CLOCK_MONOTONIC) + w->options.patience;
    status = try_once(w, first, n, 0, err);
    while (status && w->engine->lost(w->connection) && seconds(CLOCK_MONOTONIC) < deadline) {
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        if (w->engine->reconnect(w->connection, err))
            continue;
        pthread_mutex_lock(&w->lock);
        w->counters.reconnects++;
        pthread_mutex_unlock(&w->lock);
        status = try_once(w, first, n, 1, err);
    }
    return status;
}

static void count_batches(nln_store_writer *w, const batch *first, nln_status status, double spent)
{
    pthread_mutex_lock(&w->lock);
    nln_store_counters *c = &w->counters;
    uint64_t *const by_kind[] = {
        [NLN_STORED] = &c->stored,
        [NLN_DUPLICATE] = &c->duplicates,
        [NLN_REFUSED] = &c->refused,
    };
    c->seconds += spent;
    ++*(status ? &c->failures : &c->commits);
    for (const batch *b = first; b; b = b->next) {
        c->waiting -= b->n;
        for (size_t i = 0; i < b->n && !status; i++)
            ++*by_kind[b->verdicts[i].kind];
    }
    pthread_mutex_unlock(&w->lock);
}

static void *work(void *argument)
{
    nln_store_writer *w = argument;
    batch *b;
    while ((b = take_batches(w))) {
        nln_error err = {0};
        double begin = seconds(CLOCK_MONOTONIC);
        nln_status status = write_batches(w, b, &err);
        count_batches(w, b, status, seconds(CLOCK_MONOTONIC) - begin);
        while (b) { /* nothing of a batch is left when its sender is told */
            const batch told = *b;
            nln_free(b);
            told.done(told.context, status, &err);
            b = told.next;
        }
    }
    return NULL;
}

/* ---- from outside --------------------------------------------------------- */

nln_status nln_store_writer_start(nln_store_writer **out, const nln_store_engine *engine,
                                  void *connection, const nln_store_options *options,
                                  nln_error *err)
{
    *out = NULL;
    nln_store_writer *w = nln_memory_zeroed(1, sizeof *w);
    if (!w) {
        engine->disconnect(connection);
        return nln_error_memory(err);
    }
    w->engine = engine;
    w->connection = connection;
    w->options = *options;
    w->counters.queue = options->queue;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->arrived, NULL);
    w->is_running = !pthread_create(&w->thread, NULL, work, w);
    if (!w->is_running) {
        nln_store_writer_stop(w);
        return nln_error_set(err, NLN_MEMORY, "cannot start the thread that writes to the store");
    }
    *out = w;
    return NLN_OK;
}

void nln_store_writer_stop(nln_store_writer *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stopping = 1;
    pthread_cond_signal(&w->arrived);
    pthread_mutex_unlock(&w->lock);
    if (w->is_running)
        pthread_join(w->thread, NULL);
    w->engine->disconnect(w->connection);
    pthread_cond_destroy(&w->arrived);
    pthread_mutex_destroy(&w->lock);
    nln_free(w->rows);
    nln_free(w);
}

static batch batch_of(const nln_event *events, size_t n, nln_verdict *verdicts)
{
    return (batch){
        .events = events, .n = n, .verdicts = verdicts, .arrival = seconds(CLOCK_REALTIME)};
}

nln_status nln_store_writer_submit(nln_store_writer *w, const nln_event *events, size_t n,
                                   nln_verdict *verdicts, nln_store_done *done, void *context,
                                   nln_error *err)
{
    batch b = batch_of(events, n, verdicts);
    b.done = done;
    b.context = context;
    return enqueue(w, &b, err);
}

/* ---- waiting for the commit ----------------------------------------------- */

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t called;
    int is_done;
    nln_status status;
    nln_error *err;
} waiter;

static void wake(void *context, nln_status status, const nln_error *err)
{
    waiter *w = context;
    pthread_mutex_lock(&w->lock);
    w->is_done = 1;
    w->status = status;
    if (status && w->err)
        *w->err = *err;
    pthread_cond_signal(&w->called);
    pthread_mutex_unlock(&w->lock);
}

/* Puts the batch into the queue and waits until it is done. */
static nln_status enqueue_and_wait(nln_store_writer *w, batch *b, nln_error *err)
{
    waiter wait = {.err = err};
    pthread_mutex_init(&wait.lock, NULL);
    pthread_cond_init(&wait.called, NULL);
    b->done = wake;
    b->context = &wait; /* cppcheck-suppress autoVariables ; the batch is done before it ends */
    nln_status status = enqueue(w, b, err);
    if (!status) {
        pthread_mutex_lock(&wait.lock);
        while (!wait.is_done)
            pthread_cond_wait(&wait.called, &wait.lock);
        pthread_mutex_unlock(&wait.lock);
        status = wait.status;
    }
    pthread_cond_destroy(&wait.called);
    pthread_mutex_destroy(&wait.lock);
    return status;
}

nln_status nln_store_writer_append(nln_verdict *verdicts, nln_store_writer *w,
                                   const nln_event *events, size_t n, nln_error *err)
{
    batch b = batch_of(events, n, verdicts);
    return enqueue_and_wait(w, &b, err);
}

nln_status nln_store_writer_forget(size_t *n, nln_store_writer *w, const char *user, nln_error *err)
{
    *n = 0;
    return enqueue_and_wait(w, &(batch){.user = user, .n_removed = n}, err);
}

void nln_store_writer_count(nln_store_counters *out, nln_store_writer *w)
{
    pthread_mutex_lock(&w->lock);
    *out = w->counters;
    pthread_mutex_unlock(&w->lock);
}
