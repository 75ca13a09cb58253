#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "scratch.h"
#include "store/store_engine.h"

#include <sqlite3.h>

#include <cmocka.h>

static const char *path(void)
{
    return scratch_path("events.db");
}

static nln_status try_connect(void **connection, nln_store_access access, nln_error *err)
{
    return nln_sqlite_engine.connect(connection, path(), access, 0.2, err);
}

static void *open_engine(nln_store_access access)
{
    void *connection;
    nln_error err = {0};
    if (try_connect(&connection, access, &err))
        fail_msg("%s", err.message);
    return connection;
}

static nln_status write_one(void *connection, const char *id, const char *user, nln_error *err)
{
    nln_event event = {.id = id, .user = user, .item = "tea"};
    nln_verdict verdict;
    nln_store_row row = {&event, &verdict, 1};
    return nln_sqlite_engine.write(connection, &row, 1, 0, err);
}

/* Executes SQL on the file, past the engine. */
static void execute(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path(), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void assert_refused(nln_store_access access, nln_status expected, const char *words)
{
    void *connection;
    nln_error err = {0};
    nln_status status = try_connect(&connection, access, &err);
    if (status != expected || !strstr(err.message, words))
        fail_msg("%d instead of %d: %s", status, expected, err.message);
    assert_null(connection);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    assert_refused(NLN_STORE_READS, NLN_IO, "unable to open");
    assert_int_equal(scratch_count(), 0);
    char *text = malloc(5000);
    memset(text, 'x', 5000);
    scratch_bytes("events.db", text, 5000);
    assert_refused(NLN_STORE_WRITES, NLN_FORMAT, "is not a store of events");
    size_t n;
    char *after = scratch_read(&n, "events.db");
    assert_int_equal(n, 5000);
    assert_memory_equal(after, text, n);
    free(after);
    free(text);
    unlink(path());
    execute("CREATE TABLE events (x); PRAGMA user_version = 1");
    assert_refused(NLN_STORE_WRITES, NLN_FORMAT, "is an SQLite file, but not a store");
    assert_refused(NLN_STORE_READS, NLN_FORMAT, "is an SQLite file, but not a store");
    void *connection;
    nln_error err = {0};
    assert_int_equal(nln_sqlite_engine.connect(&connection, ":memory:", NLN_STORE_WRITES, 1, &err),
                     NLN_INVALID);
    assert_int_equal(nln_sqlite_engine.connect(&connection, "", NLN_STORE_WRITES, 1, &err),
                     NLN_INVALID);
    assert_int_equal(
        nln_sqlite_engine.connect(&connection, scratch_folder, NLN_STORE_WRITES, 1, &err), NLN_IO);
    assert_int_equal(nln_sqlite_engine.connect(&connection, scratch_path("no/such/folder"),
                                               NLN_STORE_WRITES, 1, &err),
                     NLN_IO);
}

static void a_newer_version_is_refused(void **state)
{
    (void)state;
    nln_sqlite_engine.disconnect(open_engine(NLN_STORE_WRITES));
    execute("PRAGMA user_version = 2");
    assert_refused(NLN_STORE_WRITES, NLN_FORMAT, "has version 2");
    assert_refused(NLN_STORE_READS, NLN_FORMAT, "use a newer program");
}

/* The promises rest on these settings. */
static void the_log_is_synced_and_the_file_private(void **state)
{
    (void)state;
    void *connection = open_engine(NLN_STORE_WRITES);
    struct stat info;
    sqlite3 *db = *(sqlite3 **)connection; /* its first member */
    static const struct {
        const char *sql, *value;
    } settings[] = {{"PRAGMA journal_mode", "wal"},
                    {"PRAGMA synchronous", "2"},
                    {"PRAGMA secure_delete", "1"},
                    {"PRAGMA integrity_check", "ok"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sqlite3_stmt *statement;
        assert_int_equal(sqlite3_prepare_v2(db, settings[i].sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(statement, 0), settings[i].value);
        sqlite3_finalize(statement);
    }
    assert_int_equal(stat(path(), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    nln_sqlite_engine.disconnect(connection);
}

static void a_locked_file_is_said(void **state)
{
    (void)state;
    void *connection = open_engine(NLN_STORE_WRITES), *reader = open_engine(NLN_STORE_READS);
    nln_error err = {0};
    nln_store_totals totals;
    sqlite3 *other;
    assert_int_equal(write_one(connection, "1", "ann", &err), NLN_OK);
    assert_int_equal(sqlite3_open(path(), &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(write_one(connection, "2", "ann", &err), NLN_IO);
    assert_non_null(strstr(err.message, "another program has locked it"));
    assert_int_equal(nln_sqlite_engine.count(&totals, reader, NULL), NLN_OK);
    assert_int_equal(totals.events, 1);
    sqlite3_close(other);
    assert_int_equal(write_one(connection, "2", "ann", &err), NLN_OK);
    nln_sqlite_engine.disconnect(connection);
    nln_sqlite_engine.disconnect(reader);
}

/* Root may write everywhere, so it becomes nobody for a moment. */
static void a_read_only_file_is_said(void **state)
{
    (void)state;
    nln_sqlite_engine.disconnect(open_engine(NLN_STORE_WRITES));
    assert_int_equal(chmod(path(), 0444) || chmod(scratch_folder, 0555), 0);
    int is_root = geteuid() == 0;
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    assert_refused(NLN_STORE_WRITES, NLN_IO, "events.db'");
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(scratch_folder, 0755), 0);
}

static int file_has(const char *name, const char *text)
{
    size_t n, length = strlen(text);
    char *bytes = scratch_read(&n, name);
    int found = 0;
    for (size_t i = 0; bytes && i + length <= n && !found; i++)
        found = !memcmp(bytes + i, text, length);
    free(bytes);
    return found;
}

/* Not only the rows: the bytes are gone, from the file and from its log. */
static void nothing_of_a_forgotten_user_stays(void **state)
{
    (void)state;
    void *connection = open_engine(NLN_STORE_WRITES);
    char id[64], user[64];
    for (int i = 0; i < 3000; i++) {
        int is_secret = i % 3 == 0;
        snprintf(id, sizeof id, is_secret ? "secret id %d" : "id %d", i);
        snprintf(user, sizeof user, is_secret ? "secret user" : "user %d", i);
        assert_int_equal(write_one(connection, id, user, NULL), NLN_OK);
    }
    assert_true(file_has("events.db", "secret user") || file_has("events.db-wal", "secret user"));
    size_t n;
    nln_error err = {0};
    if (nln_sqlite_engine.forget(&n, connection, "secret user", &err))
        fail_msg("%s", err.message);
    assert_int_equal(n, 1000);
    assert_true(file_has("events.db", "user 2999"));
    assert_false(file_has("events.db", "secret"));
    assert_false(file_has("events.db-wal", "secret"));
    nln_sqlite_engine.disconnect(connection);
}

/* A statement that failed within a transaction leaves no part of it. */
static void a_failed_transaction_leaves_nothing(void **state)
{
    (void)state;
    void *connection = open_engine(NLN_STORE_WRITES);
    nln_event events[] = {{.id = "1", .user = "ann", .item = "tea"},
                          {.id = "2", .user = "bob", .item = "tea"}};
    nln_verdict verdicts[2];
    nln_store_row rows[] = {{&events[0], &verdicts[0], 1}, {&events[1], &verdicts[1], 2}};
    nln_store_totals totals;
    nln_error err = {0};
    execute("CREATE TRIGGER t BEFORE INSERT ON users WHEN NEW.name = 'bob' "
            "BEGIN SELECT raise(ABORT, 'not bob'); END");
    assert_int_equal(nln_sqlite_engine.write(connection, rows, 2, 0, &err), NLN_IO);
    assert_non_null(strstr(err.message, "not bob"));
    assert_int_equal(nln_sqlite_engine.count(&totals, connection, NULL), NLN_OK);
    assert_int_equal(totals.events + totals.users + totals.last, 0);
    assert_int_equal(nln_sqlite_engine.write(connection, rows, 1, 0, &err), NLN_OK);
    nln_sqlite_engine.disconnect(connection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_files_are_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_newer_version_is_refused, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_log_is_synced_and_the_file_private, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_locked_file_is_said, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_read_only_file_is_said, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(nothing_of_a_forgotten_user_stays, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_failed_transaction_leaves_nothing, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
