/* The PostgreSQL engine against a real server, which is killed, and whose connections are cut at
 * the worst moments by a proxy between the two. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "postgres_server.h"
#include "store/store.h"
#include "store/store_engine.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

static postgres_server server;

/* ---- a proxy that cuts connections ---------------------------------------- */

typedef enum cut { CUT_NEVER, CUT_BEFORE_COMMIT, CUT_AFTER_COMMIT } cut;

static struct {
    char folder[96]; /* of its socket */
    int listener;
    pthread_t thread;
    atomic_int cut;
    atomic_int n_cuts;
} proxy;

static int unix_socket(const char *folder, int listens)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.80s/.s.PGSQL.5432", folder);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    int failed = listens ? bind(s, (struct sockaddr *)&address, sizeof address) || listen(s, 8)
                         : connect(s, (struct sockaddr *)&address, sizeof address);
    return failed ? -1 : s;
}

static int pass(int from, int to, char *bytes, size_t room, ssize_t *n)
{
    *n = recv(from, bytes, room, 0);
    return *n > 0 && send(to, bytes, (size_t)*n, MSG_NOSIGNAL) == *n;
}

/* One connection until its end; a message with COMMIT is the last if it is to be cut. */
static void *serve_one(void *argument)
{
    int client = (int)(intptr_t)argument, behind = unix_socket(server.folder, 0), is_open = 1;
    char bytes[65536];
    while (is_open) {
        struct pollfd ends[] = {{client, POLLIN, 0}, {behind, POLLIN, 0}};
        ssize_t n;
        poll(ends, 2, -1);
        if (ends[0].revents) {
            n = recv(client, bytes, sizeof bytes, MSG_PEEK);
            int is_commit = n == 12 && !memcmp(bytes, "Q\0\0\0\013COMMIT", 12);
            int now = is_commit ? atomic_exchange(&proxy.cut, CUT_NEVER) : CUT_NEVER;
            is_open = now != CUT_BEFORE_COMMIT && pass(client, behind, bytes, sizeof bytes, &n);
            if (now == CUT_AFTER_COMMIT)
                is_open = recv(behind, bytes, sizeof bytes, 0) < 0; /* the answer is lost */
            atomic_fetch_add(&proxy.n_cuts, now != CUT_NEVER);
        } else if (ends[1].revents) {
            is_open = pass(behind, client, bytes, sizeof bytes, &n);
        }
    }
    close(client);
    close(behind);
    return NULL;
}

static void *serve_all(void *argument)
{
    int client;
    (void)argument;
    while ((client = accept(proxy.listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)client);
        pthread_detach(thread);
    }
    return NULL;
}

/* ---- helpers -------------------------------------------------------------- */

static nln_store *open_store(const char *url, double patience)
{
    const nln_store_options options = {.patience = patience};
    nln_store *store;
    nln_error err = {0};
    if (nln_store_open(&store, url, &options, &err))
        fail_msg("%s", err.message);
    return store;
}

static nln_status append(nln_store *store, const char *id, const char *item, nln_error *err)
{
    nln_event event = {.id = id, .user = "ann", .item = item, .time = 1};
    nln_verdict verdict;
    return nln_store_append(&verdict, store, &event, 1, err);
}

static int64_t count_events(nln_store *store)
{
    nln_store_totals totals;
    nln_error err = {0};
    if (nln_store_count(&totals, store, &err))
        fail_msg("%s", err.message);
    return totals.events;
}

static int empty_database(void **state)
{
    (void)state;
    return postgres_psql(&server, "nln", "DROP TABLE IF EXISTS nln_store, nln_users, nln_events");
}

static void assert_refused(const char *url, nln_status expected, const char *words)
{
    nln_store *store;
    nln_error err = {0};
    const nln_store_options options = {.patience = 1};
    nln_status status = nln_store_open(&store, url, &options, &err);
    if (status != expected || !strstr(err.message, words))
        fail_msg("%d instead of %d: %s", status, expected, err.message);
}

/* ---- tests ---------------------------------------------------------------- */

static void other_databases_are_refused(void **state)
{
    (void)state;
    char url[256];
    assert_refused("postgresql:///nln?host=/no/such/folder", NLN_IO, "cannot open the store");
    snprintf(url, sizeof url, "postgresql:///missing?host=%s&user=nln", server.folder);
    assert_refused(url, NLN_IO, "\"missing\" does not exist");
    assert_int_equal(postgres_psql(&server, "postgres",
                                   "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0"),
                     0);
    snprintf(url, sizeof url, "postgresql:///ascii?host=%s&user=nln", server.folder);
    assert_refused(url, NLN_FORMAT, "not in UTF8");
    nln_store_close(open_store(server.url, 1));
    assert_int_equal(postgres_psql(&server, "nln", "UPDATE nln_store SET version = 2"), 0);
    assert_refused(server.url, NLN_FORMAT, "has version 2");
    assert_int_equal(postgres_psql(&server, "nln", "DROP TABLE nln_store"), 0);
    const nln_store_options reading = {.read_only = 1, .patience = 1};
    nln_store *store;
    assert_int_equal(nln_store_open(&store, server.url, &reading, NULL), NLN_FORMAT);
}

static void reload(void)
{
    assert_int_equal(postgres_psql(&server, "postgres", "SELECT pg_reload_conf()"), 0);
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
}

/* A server that does not sync is refused; a session that would not wait for it does wait. */
static void a_commit_means_the_disk(void **state)
{
    (void)state;
    assert_int_equal(postgres_psql(&server, "postgres", "ALTER SYSTEM SET fsync = off"), 0);
    reload();
    assert_refused(server.url, NLN_FORMAT, "fsync = off");
    assert_int_equal(postgres_psql(&server, "postgres", "ALTER SYSTEM RESET fsync"), 0);
    assert_int_equal(
        postgres_psql(&server, "nln", "ALTER DATABASE nln SET synchronous_commit = off"), 0);
    reload();
    nln_store *store = open_store(server.url, 1);
    assert_int_equal(append(store, "1", "tea", NULL), NLN_OK);
    postgres_kill(&server);
    assert_int_equal(postgres_resume(&server), 0);
    assert_int_equal(count_events(store), 1);
    nln_store_close(store);
}

/* While another transaction holds the row of the store, nothing is acknowledged. */
static void note_done(void *context, nln_status status, const nln_error *err)
{
    (void)err;
    atomic_store((atomic_int *)context, status ? -1 : 1);
}

static void nothing_is_acknowledged_before_the_commit(void **state)
{
    (void)state;
    nln_store *store = open_store(server.url, 20);
    nln_event event = {.user = "ann", .item = "tea"};
    nln_verdict verdict;
    atomic_int done = 0;
    char *arguments[] = {"psql",
                         "-q",
                         "-X",
                         "-h",
                         server.folder,
                         "-U",
                         "nln",
                         "-d",
                         "nln",
                         "-c",
                         "BEGIN; UPDATE nln_store SET version = version; SELECT pg_sleep(1.5); "
                         "COMMIT",
                         NULL};
    pid_t holder = postgres_spawn(&server, "psql", arguments);
    nanosleep(&(struct timespec){.tv_nsec = 700 * 1000 * 1000}, NULL);
    assert_int_equal(nln_store_submit(store, &event, 1, &verdict, note_done, &done, NULL), NLN_OK);
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    assert_int_equal(atomic_load(&done), 0);
    assert_int_equal(postgres_wait(holder), 0);
    for (int i = 0; i < 5000 && !atomic_load(&done); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    assert_int_equal(atomic_load(&done), 1);
    nln_store_close(store);
}

/* Errors while it is away are clear, and the store finds it again by itself. */
static void a_server_that_goes_and_comes_back(void **state)
{
    (void)state;
    nln_store *store = open_store(server.url, 0.5);
    nln_error err = {0};
    nln_events list;
    assert_int_equal(append(store, "1", "tea", NULL), NLN_OK);
    postgres_kill(&server);
    assert_int_equal(append(store, "2", "rum", &err), NLN_IO);
    assert_non_null(strstr(err.message, "PostgreSQL"));
    assert_int_equal(nln_store_history(&list, store, "ann", NLN_STORE_ALL, &err), NLN_IO);
    assert_int_equal(list.n, 0);
    assert_int_equal(postgres_resume(&server), 0);
    assert_int_equal(append(store, "2", "rum", &err), NLN_OK);
    assert_int_equal(nln_store_history(&list, store, "ann", NLN_STORE_ALL, &err), NLN_OK);
    assert_int_equal(list.n, 2);
    nln_events_free(&list);
    nln_store_counters counters;
    nln_store_counters_read(&counters, store);
    assert_true(counters.reconnects > 0);
    assert_int_equal(counters.failures, 1);
    nln_store_close(store);
}

/* The answer to a commit may get lost before or after the server has done it.  Events without ids
 * are stored once all the same. */
static void a_commit_without_an_answer_is_looked_up(void **state)
{
    (void)state;
    char url[256];
    snprintf(url, sizeof url, "postgresql:///nln?host=%s&user=nln", proxy.folder);
    nln_store *store = open_store(url, 5);
    static const cut cuts[] = {CUT_BEFORE_COMMIT, CUT_AFTER_COMMIT, CUT_AFTER_COMMIT,
                               CUT_BEFORE_COMMIT};
    for (int i = 0; i < 4; i++) {
        nln_error err = {0};
        atomic_store(&proxy.cut, cuts[i]);
        if (append(store, NULL, "tea", &err))
            fail_msg("%s", err.message);
        assert_int_equal(atomic_load(&proxy.n_cuts), i + 1);
        assert_int_equal(count_events(store), i + 1);
    }
    nln_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(other_databases_are_refused, empty_database),
        cmocka_unit_test_setup(a_commit_means_the_disk, empty_database),
        cmocka_unit_test_setup(nothing_is_acknowledged_before_the_commit, empty_database),
        cmocka_unit_test_setup(a_server_that_goes_and_comes_back, empty_database),
        cmocka_unit_test_setup(a_commit_without_an_answer_is_looked_up, empty_database),
    };
    int failed = postgres_start(&server);
    if (failed == 0) {
        snprintf(proxy.folder, sizeof proxy.folder, "%s/proxy", server.folder);
        mkdir(proxy.folder, 0777);
        proxy.listener = unix_socket(proxy.folder, 1);
        pthread_create(&proxy.thread, NULL, serve_all, NULL);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        shutdown(proxy.listener, SHUT_RDWR);
        pthread_join(proxy.thread, NULL);
        close(proxy.listener);
    } else if (failed > 0) {
        failed = 0;
    }
    postgres_stop(&server);
    return failed;
}
