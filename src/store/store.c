#include "store/store.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store_writer.h"

struct nln_store {
    const nln_store_engine *engine;
    char *where;
    nln_store_options options;
    nln_store_writer *writer; /* NULL if read_only */

    pthread_mutex_t lock; /* for the readers */
    pthread_cond_t returned;
    void **idle; /* [options.readers] a stack of connections, the first n_idle */
    int n_idle, n_readers;
};

/* ---- opening -------------------------------------------------------------- */

static int has_scheme(const char *where)
{
    return !strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11);
}

int nln_store_recognise(const char *where)
{
    static const char magic[16] = "SQLite format 3";
    char head[sizeof magic];
    if (has_scheme(where))
        return 1;
    int file = open(where, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, head, sizeof head);
    if (file >= 0)
        close(file);
    return n == (ssize_t)sizeof head && !memcmp(head, magic, sizeof head);
}

static nln_store_options settle(const nln_store_options *options)
{
    nln_store_options o = options ? *options : (nln_store_options){0};
    if (o.queue == 0)
        o.queue = 65536;
    if (o.transaction == 0)
        o.transaction = 4096;
    if (o.readers <= 0)
        o.readers = 4;
    if (!(o.patience > 0))
        o.patience = 10;
    return o;
}

/* The writer first, since it creates the tables. */
static nln_status open_connections(nln_store *s, nln_error *err)
{
    void *connection;
    nln_status status = NLN_OK;
    if (!s->options.read_only) {
        status =
            s->engine->connect(&connection, s->where, NLN_STORE_WRITES, s->options.patience, err);
        if (!status)
            status = nln_store_writer_start(&s->writer, s->engine, connection, &s->options, err);
    }
    if (!status)
        status =
            s->engine->connect(&connection, s->where, NLN_STORE_READS, s->options.patience, err);
    if (!status) {
        s->idle[s->n_idle++] = connection;
        s->n_readers++;
    }
    return status;
}

nln_status nln_store_open(nln_store **out, const char *where, const nln_store_options *options,
                          nln_error *err)
{
    *out = NULL;
    nln_store *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->engine = has_scheme(where) ? &nln_postgres_engine : &nln_sqlite_engine;
    s->options = settle(options);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->returned, NULL);
    s->where = nln_memory_copy(where);
    s->idle = nln_memory_zeroed((size_t)s->options.readers, sizeof *s->idle);
    nln_status status = s->where && s->idle ? open_connections(s, err) : nln_error_memory(err);
    if (status)
        nln_store_close(s);
    else
        *out = s;
    return status;
}

void nln_store_close(nln_store *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->n_idle; i++)
        s->engine->disconnect(s->idle[i]);
    nln_store_writer_stop(s->writer);
    pthread_cond_destroy(&s->returned);
    pthread_mutex_destroy(&s->lock);
    nln_free(s->idle);
    nln_free(s->where);
    nln_free(s);
}

const char *nln_store_engine_name(const nln_store *store)
{
    return store->engine->name;
}

/* ---- writing -------------------------------------------------------------- */

static nln_status refuse_writing(const nln_store *s, nln_error *err)
{
    return nln_error_set(err, NLN_INVALID, "the store '%s' was opened for reading", s->where);
}

nln_status nln_store_submit(nln_store *s, const nln_event *events, size_t n, nln_verdict *verdicts,
                            nln_store_done *done, void *context, nln_error *err)
{
    return s->writer ? nln_store_writer_submit(s->writer, events, n, verdicts, done, context, err)
                     : refuse_writing(s, err);
}

nln_status nln_store_append(nln_verdict *verdicts, nln_store *s, const nln_event *events, size_t n,
                            nln_error *err)
{
    return s->writer ? nln_store_writer_append(verdicts, s->writer, events, n, err)
                     : refuse_writing(s, err);
}

nln_status nln_store_forget(size_t *n, nln_store *s, const char *user, nln_error *err)
{
    *n = 0;
    return s->writer ? nln_store_writer_forget(n, s->writer, user, err) : refuse_writing(s, err);
}

void nln_store_counters_read(nln_store_counters *out, nln_store *s)
{
    *out = (nln_store_counters){0};
    if (s->writer)
        nln_store_writer_count(out, s->writer);
}

/* ---- readers -------------------------------------------------------------- */

/* Takes an idle connection, opens another one, or waits for one to come back. */
static nln_status lease(void **connection, nln_store *s, nln_error *err)
{
    nln_status status = NLN_OK;
    *connection = NULL;
    pthread_mutex_lock(&s->lock);
    while (s->n_idle == 0 && s->n_readers == s->options.readers)
        pthread_cond_wait(&s->returned, &s->lock);
    if (s->n_idle > 0)
        *connection = s->idle[--s->n_idle];
    else
        s->n_readers++;
    pthread_mutex_unlock(&s->lock);
    if (*connection)
        return NLN_OK;
    status = s->engine->connect(connection, s->where, NLN_STORE_READS, s->options.patience, err);
    if (!status)
        return NLN_OK;
    pthread_mutex_lock(&s->lock);
    s->n_readers--;
    pthread_cond_signal(&s->returned);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static void give_back(nln_store *s, void *connection)
{
    pthread_mutex_lock(&s->lock);
    s->idle[s->n_idle++] = connection;
    pthread_cond_signal(&s->returned);
    pthread_mutex_unlock(&s->lock);
}

/* Arguments and results of one question to the engine. */
typedef struct question {
    nln_status (*ask)(struct question *q, const nln_store_engine *engine, void *connection,
                      nln_error *err);
    nln_events *out;
    const char *user;
    int64_t after, until;
    size_t most;
    nln_store_totals totals;
    double least, greatest;
} question;

static double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Asks on an idle connection.  Questions change nothing, so they are asked again when the
 * connection was lost. */
static nln_status ask(nln_store *s, question *q, nln_error *err)
{
    void *connection;
    nln_status status = lease(&connection, s, err);
    if (status)
        return status;
    double deadline = monotonic() + s->options.patience;
    status = q->ask(q, s->engine, connection, err);
    while (status && s->engine->lost(connection) && monotonic() < deadline) {
        if (q->out)
            nln_events_free(q->out);
        if (s->engine->reconnect(connection, err))
            nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
        else
            status = q->ask(q, s->engine, connection, err);
    }
    give_back(s, connection);
    if (status && q->out)
        nln_events_free(q->out);
    return status;
}

static nln_status ask_list(question *q, const nln_store_engine *engine, void *connection,
                           nln_error *err)
{
    return engine->list(q->out, connection, q->user, q->after, q->until, q->most, err);
}

static nln_status ask_users(question *q, const nln_store_engine *engine, void *connection,
                            nln_error *err)
{
    int64_t cursor = q->after;
    nln_status status = engine->list_users(q->out, &cursor, connection, q->until, q->most, err);
    if (!status)
        q->after = cursor;
    return status;
}

static nln_status ask_totals(question *q, const nln_store_engine *engine, void *connection,
                             nln_error *err)
{
    return engine->count(&q->totals, connection, err);
}

static nln_status ask_range(question *q, const nln_store_engine *engine, void *connection,
                            nln_error *err)
{
    return engine->rating_range(&q->least, &q->greatest, connection, err);
}

/* ---- reading -------------------------------------------------------------- */

nln_status nln_store_history(nln_events *out, nln_store *s, const char *user, int64_t until,
                             nln_error *err)
{
    *out = (nln_events){0};
    question q = {.ask = ask_list, .out = out, .user = user, .until = until, .most = SIZE_MAX};
    nln_status status = ask(s, &q, err);
    out->n = nln_events_to_history(out->rows, out->n);
    return status;
}

nln_status nln_store_list(nln_events *out, nln_store *s, const char *user, int64_t after,
                          size_t most, nln_error *err)
{
    *out = (nln_events){0};
    question q = {.ask = ask_list,
                  .out = out,
                  .user = user,
                  .after = after,
                  .until = NLN_STORE_ALL,
                  .most = most};
    return ask(s, &q, err);
}

nln_status nln_store_histories(nln_events *out, int64_t *cursor, int *more, nln_store *s,
                               int64_t until, size_t most, nln_error *err)
{
    *out = (nln_events){0};
    question q = {
        .ask = ask_users, .out = out, .after = *cursor, .until = until, .most = most ? most : 1};
    nln_status status = ask(s, &q, err);
    size_t kept = 0;
    *more = out->n > 0;
    for (size_t begin = 0, end; begin < out->n; begin = end) {
        nln_event *rows = out->rows;
        for (end = begin + 1; end < out->n && !strcmp(rows[begin].user, rows[end].user); end++)
            continue;
        size_t n = nln_events_to_history(rows + begin, end - begin);
        memmove(rows + kept, rows + begin, n * sizeof *rows);
        kept += n;
    }
    out->n = kept;
    *cursor = q.after;
    return status;
}

nln_status nln_store_count(nln_store_totals *out, nln_store *s, nln_error *err)
{
    question q = {.ask = ask_totals};
    nln_status status = ask(s, &q, err);
    *out = q.totals;
    return status;
}

nln_status nln_store_rating_range(double *least, double *most, nln_store *s, nln_error *err)
{
    question q = {.ask = ask_range};
    nln_status status = ask(s, &q, err);
    *least = q.least;
    *most = q.greatest;
    return status;
}
