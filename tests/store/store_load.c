/* Load on a store, and the proof that it kept what it acknowledged.
 *
 *     store_load write STORE CLIENTS SECONDS [LOG RUN]
 *         Clients that send one event each, wait for the commit, and send the next.  The ids of
 *         acknowledged events are appended to LOG.  With the log of an earlier run, each client
 *         first sends again the event that may have been under way when that run was killed.
 *         Prints the rate and the times.
 *     store_load check STORE LOG
 *         Every id of the log is in the store once, no id twice, the counts agree, and SQLite finds
 *         the file in order. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"

enum { MOST_CLIENTS = 1024 };

typedef struct client {
    nln_store *store;
    const char *run;
    FILE *log;
    char again[64]; /* the id that may have been under way; "" if there is none */
    int number;
    double until;
    double *latencies;
    size_t n, room;
    pthread_t thread;
} client;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what, const nln_error *err)
{
    fprintf(stderr, "store_load: %s: %s\n", what, err ? err->message : "");
    _exit(1);
}

/* One write for one line, so that a kill leaves no half of it before another line. */
static void note(FILE *log, const char *id)
{
    char line[80];
    int n = snprintf(line, sizeof line, "%s\n", id);
    if (log && write(fileno(log), line, (size_t)n) != n)
        die("the log cannot be written", NULL);
}

static void send_event(client *c, const char *id)
{
    char user[24], item[24];
    nln_verdict verdict;
    nln_error err = {0};
    snprintf(user, sizeof user, "user %d", c->number);
    snprintf(item, sizeof item, "item %zu", c->n % 1000);
    nln_event event = {.id = id, .user = user, .item = item, .time = NAN};
    double begin = now();
    if (nln_store_append(&verdict, c->store, &event, 1, &err))
        die("an event failed", &err);
    if (verdict.kind == NLN_REFUSED)
        die("an event was refused", NULL);
    if (c->n == c->room) {
        c->room = c->room * 2 + 1024;
        c->latencies = realloc(c->latencies, c->room * sizeof *c->latencies);
    }
    c->latencies[c->n++] = now() - begin;
    note(c->log, id);
}

static void *work(void *argument)
{
    client *c = argument;
    char id[64];
    if (c->again[0])
        send_event(c, c->again);
    for (long i = 0; now() < c->until; i++) {
        snprintf(id, sizeof id, "%s-%d-%ld", c->run, c->number, i);
        send_event(c, id);
    }
    return NULL;
}

/* Finds the event after the last that each client of the run before has logged. */
static void find_unfinished(client *clients, int n, FILE *log, const char *run)
{
    long before = strtol(run, NULL, 10) - 1, a, b, i, last[MOST_CLIENTS];
    char line[80];
    for (int k = 0; k < n; k++)
        last[k] = -1;
    while (fgets(line, sizeof line, log))
        if (sscanf(line, "%ld-%ld-%ld", &a, &b, &i) == 3 && a == before && b >= 0 && b < n)
            last[b] = i > last[b] ? i : last[b];
    for (int k = 0; k < n && before >= 0; k++)
        snprintf(clients[k].again, sizeof clients[k].again, "%ld-%d-%ld", before, k, last[k] + 1);
}

static int compare_reals(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int write_events(const char *where, int n, double seconds, const char *log, const char *run)
{
    static client clients[MOST_CLIENTS];
    nln_store *store;
    nln_store_counters counters;
    nln_error err = {0};
    FILE *file = log ? fopen(log, "a+") : NULL;
    size_t total = 0, at = 0;
    if (n < 1 || n > MOST_CLIENTS || (log && !file) || nln_store_open(&store, where, NULL, &err))
        die("cannot begin", &err);
    if (file)
        find_unfinished(clients, n, file, run);
    double begin = now();
    for (int i = 0; i < n; i++) {
        client *c = &clients[i];
        c->store = store;
        c->run = run;
        c->log = file;
        c->number = i;
        c->until = begin + seconds;
        if (pthread_create(&c->thread, NULL, work, c))
            die("no thread", NULL);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(clients[i].thread, NULL);
        total += clients[i].n;
    }
    double spent = now() - begin, *all = calloc(total + 1, sizeof *all);
    for (int i = 0; i < n; i++) {
        memcpy(all + at, clients[i].latencies, clients[i].n * sizeof *all);
        at += clients[i].n;
        free(clients[i].latencies);
    }
    qsort(all, total, sizeof *all, compare_reals);
    nln_store_counters_read(&counters, store);
    printf("%s: %zu events of %d clients in %.2f s: %.0f/s, %" PRIu64 " commits of %.1f events, "
           "p50 %.2f ms, p99 %.2f ms\n",
           nln_store_engine_name(store), total, n, spent, (double)total / spent, counters.commits,
           (double)total / (double)(counters.commits ? counters.commits : 1), 1000 * all[total / 2],
           1000 * all[total * 99 / 100]);
    free(all);
    nln_store_close(store);
    if (file)
        fclose(file);
    return 0;
}

/* ---- checking ------------------------------------------------------------- */

typedef struct ids {
    char **text;
    size_t n, room;
} ids;

static void add_id(ids *list, const char *text)
{
    if (list->n == list->room) {
        list->room = list->room * 2 + 1024;
        list->text = realloc(list->text, list->room * sizeof *list->text);
    }
    list->text[list->n++] = strdup(text);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_ids(ids *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->text[i]);
    free(list->text);
}

static void read_store(ids *out, nln_store_totals *totals, const char *where)
{
    const nln_store_options reading = {.read_only = 1};
    nln_store *store;
    nln_events page = {0};
    nln_error err = {0};
    int64_t after = 0;
    if (nln_store_open(&store, where, &reading, &err) || nln_store_count(totals, store, &err))
        die("the store cannot be opened", &err);
    do {
        nln_events_free(&page);
        if (nln_store_list(&page, store, NULL, after, 10000, &err))
            die("the store cannot be read", &err);
        for (size_t i = 0; i < page.n; i++)
            add_id(out, page.rows[i].id);
        after = page.n ? page.rows[page.n - 1].number : after;
    } while (page.n > 0);
    nln_store_close(store);
}

static void check_file(const char *where)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    if (!strncmp(where, "postgres", 8))
        return;
    if (sqlite3_open(where, &db) ||
        sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &s, NULL) ||
        sqlite3_step(s) != SQLITE_ROW || strcmp((const char *)sqlite3_column_text(s, 0), "ok"))
        die("the file is damaged", NULL);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static int check_events(const char *where, const char *log)
{
    ids stored = {0}, logged = {0};
    nln_store_totals totals;
    size_t n_lost = 0, n_doubled = 0;
    char line[80];
    FILE *file = fopen(log, "r");
    if (!file)
        die("there is no log", NULL);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        add_id(&logged, line);
    }
    fclose(file);
    read_store(&stored, &totals, where);
    check_file(where);
    qsort(stored.text, stored.n, sizeof *stored.text, compare_texts);
    for (size_t i = 1; i < stored.n; i++)
        n_doubled += !strcmp(stored.text[i - 1], stored.text[i]);
    for (size_t i = 0; i < logged.n; i++)
        n_lost +=
            !bsearch(&logged.text[i], stored.text, stored.n, sizeof *stored.text, compare_texts);
    printf("%zu acknowledged, %zu stored: %zu lost, %zu doubled\n", logged.n, stored.n, n_lost,
           n_doubled);
    int failed = n_lost > 0 || n_doubled > 0 || totals.events != (int64_t)stored.n || logged.n == 0;
    free_ids(&stored);
    free_ids(&logged);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "check"))
        return check_events(argv[2], argv[3]);
    if ((argc == 5 || argc == 7) && !strcmp(argv[1], "write"))
        return write_events(argv[2], atoi(argv[3]), atof(argv[4]), argc == 7 ? argv[5] : NULL,
                            argc == 7 ? argv[6] : "0");
    fprintf(stderr, "usage: store_load write STORE CLIENTS SECONDS [LOG RUN]\n"
                    "       store_load check STORE LOG\n");
    return 2;
}
