/* The contract of the store, the same for both engines: every test runs with SQLite, and again with
 * PostgreSQL. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "postgres_server.h"
#include "scratch.h"
#include "store/store.h"

#include <cmocka.h>

static postgres_server server;
static char where[256];

static nln_store *open_store(const nln_store_options *options)
{
    nln_store *store;
    nln_error err = {0};
    if (nln_store_open(&store, where, options, &err))
        fail_msg("%s", err.message);
    return store;
}

static nln_event like(const char *id, const char *user, const char *item)
{
    return (nln_event){.id = id, .user = user, .item = item, .kind = NLN_EVENT_LIKE, .time = NAN};
}

/* Appends one event and returns the verdict. */
static nln_verdict_kind append(nln_store *store, nln_event event)
{
    nln_verdict verdict = {0};
    nln_error err = {0};
    if (nln_store_append(&verdict, store, &event, 1, &err))
        fail_msg("%s", err.message);
    return verdict.kind;
}

static nln_store_totals totals(nln_store *store)
{
    nln_store_totals out;
    nln_error err = {0};
    if (nln_store_count(&out, store, &err))
        fail_msg("%s", err.message);
    return out;
}

/* The history as text: "+tea -milk rum=4". */
static const char *history(nln_store *store, const char *user, int64_t until)
{
    static char text[1024];
    nln_events list;
    nln_error err = {0};
    size_t n = 0;
    if (nln_store_history(&list, store, user, until, &err))
        fail_msg("%s", err.message);
    text[0] = '\0';
    for (size_t i = 0; i < list.n; i++) {
        const nln_event *e = &list.rows[i];
        assert_string_equal(e->user, user);
        const char *space = i ? " " : "";
        n +=
            (size_t)(e->kind == NLN_EVENT_RATING
                         ? snprintf(text + n, sizeof text - n, "%s%s=%g", space, e->item, e->rating)
                         : snprintf(text + n, sizeof text - n, "%s%c%s", space,
                                    e->kind == NLN_EVENT_LIKE ? '+' : '-', e->item));
    }
    nln_events_free(&list);
    return text;
}

/* ---- tests ---------------------------------------------------------------- */

static void what_is_acknowledged_is_read_at_once(void **state)
{
    (void)state;
    nln_store *store = open_store(NULL);
    nln_event events[] = {
        like("a", "ann", "tea"),
        {"b", "ann", "milk", NLN_EVENT_DISLIKE, 0, 1000, 0},
        {NULL, "ann", "rum", NLN_EVENT_RATING, 4.5, 2000, 0},
        like(NULL, "böb", "\xf0\x9f\x8d\xba"),
        {NULL, "ann", "", NLN_EVENT_LIKE, 0, NAN, 0},
    };
    nln_verdict verdicts[5];
    assert_int_equal(nln_store_append(verdicts, store, events, 5, NULL), NLN_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(verdicts[i].kind, NLN_STORED);
    assert_int_equal(verdicts[4].kind, NLN_REFUSED);
    assert_string_equal(verdicts[4].field, "item");
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "-milk rum=4.5 +tea");
    assert_string_equal(history(store, "böb", NLN_STORE_ALL), "+\xf0\x9f\x8d\xba");
    assert_string_equal(history(store, "carl", NLN_STORE_ALL), "");
    assert_int_equal(append(store, (nln_event){NULL, "ann", "milk", NLN_EVENT_RETRACT, 0, NAN, 0}),
                     NLN_STORED);
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "rum=4.5 +tea");
    assert_string_equal(history(store, "ann", 2), "-milk +tea");
    nln_store_totals now = totals(store);
    assert_int_equal(now.events, 5);
    assert_int_equal(now.users, 2);
    assert_int_equal(now.last, 5);
    nln_store_close(store);
}

/* Within a batch, in the next one, by another store on the same place, and after a restart. */
static void the_same_id_changes_nothing(void **state)
{
    (void)state;
    nln_store *store = open_store(NULL), *other = open_store(NULL);
    nln_event batch[] = {like("x", "ann", "tea"), like("x", "ann", "rum"), like("y", "ann", "pie"),
                         like(NULL, "ann", "gin"), like(NULL, "ann", "gin")};
    nln_verdict verdicts[5];
    assert_int_equal(nln_store_append(verdicts, store, batch, 5, NULL), NLN_OK);
    const nln_verdict_kind expected[] = {NLN_STORED, NLN_DUPLICATE, NLN_STORED, NLN_STORED,
                                         NLN_STORED};
    for (int i = 0; i < 5; i++)
        assert_int_equal(verdicts[i].kind, expected[i]);
    assert_int_equal(append(store, like("x", "ann", "tea")), NLN_DUPLICATE);
    assert_int_equal(append(other, like("y", "zoe", "other")), NLN_DUPLICATE);
    nln_store_close(store);
    store = open_store(NULL);
    assert_int_equal(append(store, like("x", "ann", "tea")), NLN_DUPLICATE);
    assert_string_equal(history(other, "ann", NLN_STORE_ALL), "+tea +pie +gin");
    assert_string_equal(history(other, "zoe", NLN_STORE_ALL), "");
    assert_int_equal(totals(store).events, 4);
    assert_int_equal(totals(store).users, 1);
    nln_store_counters counters;
    nln_store_counters_read(&counters, other);
    assert_int_equal(counters.duplicates, 1);
    assert_int_equal(counters.stored, 0);
    assert_int_equal(counters.waiting, 0);
    nln_store_close(store);
    nln_store_close(other);
}

/* Values are never SQL. */
static void names_are_only_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "'; DROP TABLE events; --", "\"", "\\", "{a,b}", "NULL", "$1", "?1", "%s", "a''b", "Ω≈ç√"};
    nln_store *store = open_store(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char expected[64];
        assert_int_equal(append(store, like(names[i], names[i], names[i])), NLN_STORED);
        assert_int_equal(append(store, like(names[i], "another", "item")), NLN_DUPLICATE);
        snprintf(expected, sizeof expected, "+%s", names[i]);
        assert_string_equal(history(store, names[i], NLN_STORE_ALL), expected);
    }
    assert_int_equal(totals(store).users, sizeof names / sizeof *names);
    nln_store_close(store);
}

static void a_list_goes_on_from_its_cursor(void **state)
{
    (void)state;
    enum { N = 103 };
    nln_store *store = open_store(NULL);
    char items[N][8];
    nln_event events[N];
    nln_verdict verdicts[N];
    for (int i = 0; i < N; i++) {
        snprintf(items[i], sizeof items[i], "i%d", i);
        events[i] = like(NULL, i % 3 ? "odd" : "even", items[i]);
        events[i].kind = i % 10 == 0 ? NLN_EVENT_RETRACT : NLN_EVENT_LIKE;
    }
    assert_int_equal(nln_store_append(verdicts, store, events, N, NULL), NLN_OK);
    for (int all = 0; all < 2; all++) {
        int64_t after = 0;
        int expected = 0;
        for (nln_events page = {0};; nln_events_free(&page)) {
            assert_int_equal(nln_store_list(&page, store, all ? NULL : "even", after, 10, NULL),
                             NLN_OK);
            for (size_t i = 0; i < page.n; i++, expected += all ? 1 : 3) {
                assert_string_equal(page.rows[i].item, items[expected]);
                assert_int_equal(page.rows[i].kind, events[expected].kind);
                assert_true(page.rows[i].number > after);
                assert_true(fabs(page.rows[i].time - (double)time(NULL)) < 60);
                after = page.rows[i].number;
            }
            if (page.n < 10) {
                nln_events_free(&page);
                break;
            }
        }
        assert_int_equal(expected, all ? N : 105);
    }
    nln_store_close(store);
}

/* Page by page the histories are those of each user alone. */
static void histories_of_all_users(void **state)
{
    (void)state;
    enum { N = 400, USERS = 37 };
    nln_store *store = open_store(NULL);
    char users[N][8], items[N][8], text[1024];
    nln_event events[N];
    nln_verdict verdicts[N];
    for (int i = 0; i < N; i++) {
        int user = i < USERS ? i : i * i % USERS;
        snprintf(users[i], sizeof users[i], "u%d", user);
        snprintf(items[i], sizeof items[i], "i%d", user == 3 ? 0 : i * 7 % 30);
        events[i] = (nln_event){.user = users[i],
                                .item = items[i],
                                .time = (i * 31) % 50,
                                .kind = user == 3 ? NLN_EVENT_RETRACT
                                                  : (nln_event_kind)(i % NLN_EVENT_KINDS),
                                .rating = i % 5};
    }
    assert_int_equal(nln_store_append(verdicts, store, events, N, NULL), NLN_OK);
    for (size_t most = 0; most < 1000; most = most * 5 + 1) {
        int64_t cursor = 0;
        int more = 1, n_users = 0;
        while (more) {
            nln_events page;
            assert_int_equal(
                nln_store_histories(&page, &cursor, &more, store, NLN_STORE_ALL, most, NULL),
                NLN_OK);
            for (size_t i = 0, end; i < page.n; i = end, n_users++) {
                nln_events alone;
                for (end = i; end < page.n && !strcmp(page.rows[end].user, page.rows[i].user);)
                    end++;
                assert_int_equal(
                    nln_store_history(&alone, store, page.rows[i].user, NLN_STORE_ALL, NULL),
                    NLN_OK);
                assert_int_equal(alone.n, end - i);
                for (size_t k = 0; k < alone.n; k++) {
                    assert_int_equal(alone.rows[k].number, page.rows[i + k].number);
                    assert_string_equal(alone.rows[k].item, page.rows[i + k].item);
                }
                nln_events_free(&alone);
            }
            nln_events_free(&page);
        }
        assert_in_range(n_users, 30, USERS - 1);
    }
    snprintf(text, sizeof text, "%s", history(store, "u1", NLN_STORE_ALL));
    assert_string_not_equal(text, history(store, "u1", 100));
    nln_store_close(store);
}

static void forgetting_removes_every_row(void **state)
{
    (void)state;
    nln_store *store = open_store(NULL);
    size_t n;
    nln_event events[] = {like("1", "ann", "tea"), like("2", "bob", "tea"),
                          like("3", "ann", "rum")};
    nln_verdict verdicts[3];
    assert_int_equal(nln_store_append(verdicts, store, events, 3, NULL), NLN_OK);
    assert_int_equal(nln_store_forget(&n, store, "ann", NULL), NLN_OK);
    assert_int_equal(n, 2);
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "");
    assert_string_equal(history(store, "bob", NLN_STORE_ALL), "+tea");
    assert_int_equal(totals(store).events, 1);
    assert_int_equal(totals(store).users, 1);
    assert_int_equal(totals(store).last, 3);
    assert_int_equal(nln_store_forget(&n, store, "ann", NULL), NLN_OK);
    assert_int_equal(n, 0);
    /* Numbers are not used again, ids are free. */
    assert_int_equal(append(store, like("3", "ann", "new")), NLN_STORED);
    assert_int_equal(totals(store).last, 4);
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "+new");
    nln_store_close(store);
}

static void the_range_of_the_ratings(void **state)
{
    (void)state;
    nln_store *store = open_store(NULL);
    double least, most;
    append(store, like(NULL, "ann", "tea"));
    assert_int_equal(nln_store_rating_range(&least, &most, store, NULL), NLN_OK);
    assert_true(isnan(least) && isnan(most));
    append(store, (nln_event){NULL, "ann", "tea", NLN_EVENT_RATING, 0.1, NAN, 0});
    append(store, (nln_event){NULL, "ann", "rum", NLN_EVENT_RATING, 4.7, NAN, 0});
    assert_int_equal(nln_store_rating_range(&least, &most, store, NULL), NLN_OK);
    assert_true(least == 0.1 && most == 4.7);
    nln_store_close(store);
}

static void a_store_for_reading_writes_nothing(void **state)
{
    (void)state;
    const nln_store_options reading = {.read_only = 1};
    nln_store *store = NULL;
    nln_error err = {0};
    nln_verdict verdict;
    size_t n;
    nln_event event = like(NULL, "ann", "tea");
    assert_int_not_equal(nln_store_open(&store, where, &reading, &err), NLN_OK);
    assert_null(store);
    assert_true(err.message[0]);
    nln_store *writer = open_store(NULL);
    append(writer, event);
    store = open_store(&reading);
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "+tea");
    assert_int_equal(nln_store_append(&verdict, store, &event, 1, &err), NLN_INVALID);
    assert_int_equal(nln_store_forget(&n, store, "ann", &err), NLN_INVALID);
    append(writer, like(NULL, "ann", "rum"));
    assert_string_equal(history(store, "ann", NLN_STORE_ALL), "+tea +rum");
    nln_store_counters counters;
    nln_store_counters_read(&counters, store);
    assert_int_equal(counters.commits, 0);
    nln_store_close(store);
    nln_store_close(writer);
}

/* ---- threads -------------------------------------------------------------- */

enum { N_THREADS = 8, N_EVENTS = 60 };

typedef struct client {
    nln_store *store;
    int number;
} client;

/* Appends, and reads every time what was just acknowledged; ids of two clients are the same. */
static void *work_as_client(void *argument)
{
    const client *c = argument;
    char user[16], id[24], item[16];
    snprintf(user, sizeof user, "user%d", c->number);
    for (int i = 0; i < N_EVENTS; i++) {
        nln_events list;
        nln_verdict verdict;
        snprintf(id, sizeof id, "%d-%d", c->number / 2, i);
        snprintf(item, sizeof item, "item%d", i);
        nln_event event = like(i % 4 ? NULL : id, user, item);
        if (nln_store_append(&verdict, c->store, &event, 1, NULL) ||
            nln_store_history(&list, c->store, user, NLN_STORE_ALL, NULL))
            return "failed";
        int is_there = 0;
        for (size_t k = 0; k < list.n; k++)
            is_there |= !strcmp(list.rows[k].item, item);
        nln_events_free(&list);
        if (is_there != (verdict.kind == NLN_STORED))
            return "what was acknowledged is not there";
    }
    return NULL;
}

static void many_clients_at_once(void **state)
{
    (void)state;
    const nln_store_options few = {.readers = 3};
    nln_store *stores[2] = {open_store(&few), open_store(&few)};
    pthread_t threads[N_THREADS];
    client clients[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        clients[i] = (client){stores[i % 2], i};
        assert_int_equal(pthread_create(&threads[i], NULL, work_as_client, &clients[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem)
            fail_msg("%s", (const char *)problem);
    }
    int64_t expected = N_THREADS * N_EVENTS - N_THREADS / 2 * (N_EVENTS / 4);
    assert_int_equal(totals(stores[0]).events, expected);
    assert_int_equal(totals(stores[1]).last, expected);
    assert_int_equal(totals(stores[1]).users, N_THREADS);
    nln_store_close(stores[0]);
    nln_store_close(stores[1]);
}

static void stores_are_recognised(void **state)
{
    (void)state;
    assert_true(nln_store_recognise("postgresql://host/db"));
    assert_true(nln_store_recognise("postgres://host/db"));
    assert_false(nln_store_recognise(scratch_path("missing")));
    assert_false(nln_store_recognise(scratch_text("ratings.tsv", "user\titem\nu\ti\nu\tj\n")));
    assert_false(nln_store_recognise(scratch_text("short", "SQLite")));
    nln_store_close(open_store(NULL));
    assert_true(nln_store_recognise(where));
}

/* ---- the two engines ------------------------------------------------------ */

static int use_sqlite(void **state)
{
    int failed = scratch_setup(state);
    snprintf(where, sizeof where, "%s", scratch_path("events.db"));
    return failed;
}

static int use_postgres(void **state)
{
    int failed = scratch_setup(state);
    snprintf(where, sizeof where, "%s", server.url);
    return failed || postgres_psql(&server, "nln",
                                   "DROP TABLE IF EXISTS nln_store, nln_users, "
                                   "nln_events");
}

#define TESTS(setup)                                                                               \
    {                                                                                              \
        cmocka_unit_test_setup_teardown(what_is_acknowledged_is_read_at_once, setup,               \
                                        scratch_teardown),                                         \
            cmocka_unit_test_setup_teardown(the_same_id_changes_nothing, setup, scratch_teardown), \
            cmocka_unit_test_setup_teardown(names_are_only_names, setup, scratch_teardown),        \
            cmocka_unit_test_setup_teardown(a_list_goes_on_from_its_cursor, setup,                 \
                                            scratch_teardown),                                     \
            cmocka_unit_test_setup_teardown(histories_of_all_users, setup, scratch_teardown),      \
            cmocka_unit_test_setup_teardown(forgetting_removes_every_row, setup,                   \
                                            scratch_teardown),                                     \
            cmocka_unit_test_setup_teardown(the_range_of_the_ratings, setup, scratch_teardown),    \
            cmocka_unit_test_setup_teardown(a_store_for_reading_writes_nothing, setup,             \
                                            scratch_teardown),                                     \
            cmocka_unit_test_setup_teardown(many_clients_at_once, setup, scratch_teardown),        \
            cmocka_unit_test_setup_teardown(stores_are_recognised, setup, scratch_teardown),       \
    }

int main(void)
{
    const struct CMUnitTest sqlite[] = TESTS(use_sqlite), postgres[] = TESTS(use_postgres);
    int failed = cmocka_run_group_tests_name("sqlite", sqlite, NULL, NULL);
    int started = postgres_start(&server);
    if (started == 0)
        failed += cmocka_run_group_tests_name("postgresql", postgres, NULL, NULL);
    postgres_stop(&server);
    return failed || started < 0;
}
