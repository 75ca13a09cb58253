/* The writer over the SQLite engine, with the syncs of the disk in the test's hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "scratch.h"
#include "sqlite_faults.h"
#include "store/store_writer.h"

#include <cmocka.h>

static nln_store_writer *start(size_t queue, size_t transaction)
{
    const nln_store_options options = {
        .queue = queue, .transaction = transaction, .readers = 1, .patience = 0.3};
    void *connection;
    nln_store_writer *writer = NULL;
    nln_error err = {0};
    if (nln_sqlite_engine.connect(&connection, scratch_path("events.db"), NLN_STORE_WRITES, 0.3,
                                  &err) ||
        nln_store_writer_start(&writer, &nln_sqlite_engine, connection, &options, &err))
        fail_msg("%s", err.message);
    return writer;
}

static int64_t count_events(void)
{
    void *connection;
    nln_store_totals totals;
    assert_int_equal(
        nln_sqlite_engine.connect(&connection, scratch_path("events.db"), NLN_STORE_READS, 1, NULL),
        NLN_OK);
    assert_int_equal(nln_sqlite_engine.count(&totals, connection, NULL), NLN_OK);
    nln_sqlite_engine.disconnect(connection);
    return totals.events;
}

/* A batch of one event, and what became of it. */
typedef struct request {
    char id[16];
    nln_event event;
    nln_verdict verdict;
    long syncs_before, syncs_when_done;
    atomic_int n_done;
    nln_status status;
    nln_error err;
} request;

static void note(void *context, nln_status status, const nln_error *err)
{
    request *r = context;
    r->syncs_when_done = atomic_load(&sqlite_faults.n_syncs);
    r->status = status;
    r->err = *err;
    atomic_fetch_add(&r->n_done, 1);
}

static nln_status submit(nln_store_writer *writer, request *r, int number)
{
    *r = (request){.syncs_before = atomic_load(&sqlite_faults.n_syncs)};
    snprintf(r->id, sizeof r->id, "id%d", number);
    r->event = (nln_event){.id = r->id, .user = "ann", .item = r->id, .time = NAN};
    return nln_store_writer_submit(writer, &r->event, 1, &r->verdict, note, r, NULL);
}

static void wait_until_done(request *r)
{
    for (int i = 0; i < 10000 && !atomic_load(&r->n_done); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    assert_int_equal(atomic_load(&r->n_done), 1);
}

/* While the sync of its transaction is held, nothing is acknowledged; what waits meanwhile goes
 * into the next transaction together. */
static void nothing_is_acknowledged_before_the_commit(void **state)
{
    (void)state;
    enum { N = 50 };
    static request requests[1 + N];
    nln_store_counters counters;
    nln_store_writer *writer = start(1000, 1000);
    sqlite_faults_hold(1);
    assert_int_equal(submit(writer, &requests[0], 0), NLN_OK);
    sqlite_faults_await();
    for (int i = 1; i <= N; i++)
        assert_int_equal(submit(writer, &requests[i], i), NLN_OK);
    nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
    for (int i = 0; i <= N; i++)
        assert_int_equal(atomic_load(&requests[i].n_done), 0);
    assert_int_equal(count_events(), 0);
    nln_store_writer_count(&counters, writer);
    assert_int_equal(counters.waiting, 1 + N);
    assert_int_equal(counters.commits, 0);

    sqlite_faults_hold(0);
    for (int i = 0; i <= N; i++)
        wait_until_done(&requests[i]);
    assert_int_equal(count_events(), 1 + N);
    nln_store_writer_count(&counters, writer);
    assert_int_equal(counters.commits, 2);
    assert_int_equal(counters.stored, 1 + N);
    assert_int_equal(counters.waiting, 0);
    assert_true(counters.seconds > 0.1);
    nln_store_writer_stop(writer);
}

/* Between a submission and its acknowledgement the disk was synced. */
static void every_acknowledgement_follows_a_sync(void **state)
{
    (void)state;
    static request requests[100];
    nln_store_writer *writer = start(1000, 1000);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(submit(writer, &requests[i], i), NLN_OK);
        wait_until_done(&requests[i]);
        assert_int_equal(requests[i].verdict.kind, NLN_STORED);
        assert_true(requests[i].syncs_when_done > requests[i].syncs_before);
    }
    nln_store_writer_stop(writer);
}

static void a_full_queue_says_so(void **state)
{
    (void)state;
    static request requests[12];
    nln_store_writer *writer = start(10, 4);
    nln_error err = {0};
    nln_verdict verdicts[11];
    nln_event events[11];
    sqlite_faults_hold(1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(submit(writer, &requests[i], i), NLN_OK);
    assert_int_equal(submit(writer, &requests[10], 10), NLN_LIMIT);
    sqlite_faults_hold(0);
    for (int i = 0; i < 10; i++)
        wait_until_done(&requests[i]);
    assert_int_equal(atomic_load(&requests[10].n_done), 0);
    assert_int_equal(submit(writer, &requests[11], 11), NLN_OK);
    wait_until_done(&requests[11]);
    for (int i = 0; i < 11; i++)
        events[i] = requests[0].event;
    assert_int_equal(nln_store_writer_append(verdicts, writer, events, 11, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "try again later"));
    assert_int_equal(nln_store_writer_append(verdicts, writer, events, 10, &err), NLN_OK);
    assert_int_equal(verdicts[9].kind, NLN_DUPLICATE);
    nln_store_counters counters;
    nln_store_writer_count(&counters, writer);
    assert_true(counters.commits >= 4); /* of 4 events at most, but a batch stays whole */
    nln_store_writer_stop(writer);
    assert_int_equal(count_events(), 11);
}

/* A disk that is full, or that fails to sync: the batch fails, and nothing else. */
static void a_failing_disk_loses_nothing(void **state)
{
    (void)state;
    static request requests[6];
    const struct {
        atomic_int *fault;
        int result;
        const char *message;
    } faults[] = {
        {&sqlite_faults.write_result, SQLITE_FULL, "the disk is full"},
        {&sqlite_faults.write_result, SQLITE_IOERR_WRITE, "disk I/O error"},
        {&sqlite_faults.sync_result, SQLITE_IOERR_FSYNC, "disk I/O error"},
    };
    nln_store_writer *writer = start(100, 100);
    for (int i = 0; i < 3; i++) {
        request *good = &requests[2 * i], *bad = &requests[2 * i + 1];
        assert_int_equal(submit(writer, good, 2 * i), NLN_OK);
        wait_until_done(good);
        assert_int_equal(good->status, NLN_OK);
        atomic_store(faults[i].fault, faults[i].result);
        assert_int_equal(submit(writer, bad, 2 * i + 1), NLN_OK);
        wait_until_done(bad);
        atomic_store(faults[i].fault, 0);
        assert_int_equal(bad->status, NLN_IO);
        assert_non_null(strstr(bad->err.message, faults[i].message));
        assert_int_equal(count_events(), i + 1);
    }
    nln_store_counters counters;
    nln_store_writer_count(&counters, writer);
    assert_int_equal(counters.failures, 3);
    assert_int_equal(counters.stored, 3);
    /* Sent again, what failed is stored, once. */
    for (int i = 1; i < 6; i += 2) {
        assert_int_equal(submit(writer, &requests[i], i), NLN_OK);
        wait_until_done(&requests[i]);
        assert_int_equal(requests[i].status, NLN_OK);
    }
    nln_store_writer_stop(writer);
    assert_int_equal(count_events(), 6);
}

static void stopping_writes_what_waits(void **state)
{
    (void)state;
    static request requests[200];
    nln_store_writer *writer = start(1000, 16);
    for (int i = 0; i < 200; i++)
        assert_int_equal(submit(writer, &requests[i], i), NLN_OK);
    nln_store_writer_stop(writer);
    for (int i = 0; i < 200; i++)
        assert_int_equal(atomic_load(&requests[i].n_done), 1);
    assert_int_equal(count_events(), 200);
    nln_store_writer_stop(NULL);
}

/* ---- many submitters ------------------------------------------------------ */

enum { SUBMITTERS = 8, EACH = 200 };

typedef struct submitter {
    nln_store_writer *writer;
    int number, n_full;
} submitter;

static void *submit_many(void *argument)
{
    submitter *s = argument;
    request *requests = calloc(EACH, sizeof *requests);
    for (int i = 0; i < EACH; i++)
        while (submit(s->writer, &requests[i], s->number * EACH + i) == NLN_LIMIT) {
            s->n_full++;
            nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
        }
    for (int i = 0; i < EACH; i++)
        while (!atomic_load(&requests[i].n_done))
            nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    int n = 0;
    for (int i = 0; i < EACH; i++)
        n += requests[i].status == NLN_OK && requests[i].verdict.kind == NLN_STORED;
    free(requests);
    return n == EACH ? NULL : "an event was not stored";
}

static void many_threads_submit(void **state)
{
    (void)state;
    nln_store_writer *writer = start(64, 32);
    pthread_t threads[SUBMITTERS];
    submitter submitters[SUBMITTERS];
    for (int i = 0; i < SUBMITTERS; i++) {
        submitters[i] = (submitter){writer, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, submit_many, &submitters[i]), 0);
    }
    for (int i = 0; i < SUBMITTERS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        assert_null(problem);
    }
    nln_store_counters counters;
    nln_store_writer_count(&counters, writer);
    assert_int_equal(counters.stored, SUBMITTERS * EACH);
    assert_true(counters.commits < SUBMITTERS * EACH);
    nln_store_writer_stop(writer);
    assert_int_equal(count_events(), SUBMITTERS * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_acknowledged_before_the_commit, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(every_acknowledgement_follows_a_sync, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_full_queue_says_so, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_failing_disk_loses_nothing, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(stopping_writes_what_waits, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(many_threads_submit, scratch_setup, scratch_teardown),
    };
    sqlite_faults_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
