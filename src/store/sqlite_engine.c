/* The store in an SQLite file.  Write-ahead log, synchronous=FULL: a commit returns after the log
 * is synced.  Values reach SQL only as bound parameters. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/store_engine.h"

/* "nlne", which `file` and SQLite's tools show. */
enum { APPLICATION_ID = 0x6e6c6e65 };

#define EVENT_COLUMNS "e.number, e.item, e.kind, e.rating, e.time, e.client_id, u.name, u.id"
#define EVENTS        "FROM events e JOIN users u ON u.id = e.user_id "

/* name, SQL */
#define STATEMENTS(X)                                                                          \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                \
    X(COMMIT, "COMMIT")                                                                        \
    X(ROLLBACK, "ROLLBACK")                                                                    \
    X(TOTALS, "SELECT events, users, last_event, last_user FROM store")                        \
    X(SET_TOTALS, "UPDATE store SET events = ?1, users = ?2, last_event = ?3, last_user = ?4") \
    X(FIND_ID, "SELECT 1 FROM events WHERE client_id = ?1")                                    \
    X(FIND_USER, "SELECT id FROM users WHERE name = ?1")                                       \
    X(ADD_USER, "INSERT INTO users (id, name) VALUES (?1, ?2)")                                \
    X(ADD_EVENT, "INSERT INTO events (number, user_id, item, kind, rating, time, client_id) "  \
                 "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")                                        \
    X(FORGET_EVENTS, "DELETE FROM events WHERE user_id = ?1")                                  \
    X(FORGET_USER, "DELETE FROM users WHERE id = ?1")                                          \
    X(LIST_ALL, "SELECT " EVENT_COLUMNS " " EVENTS                                             \
                "WHERE e.number > ?1 AND e.number <= ?2 ORDER BY e.number LIMIT ?3")           \
    X(LIST_USER, "SELECT " EVENT_COLUMNS " " EVENTS                                            \
                 "WHERE e.user_id = (SELECT id FROM users WHERE name = ?4) AND e.number > ?1 " \
                 "AND e.number <= ?2 ORDER BY e.number LIMIT ?3")                              \
    X(LIST_USERS, "SELECT " EVENT_COLUMNS " " EVENTS                                           \
                  "WHERE e.user_id > ?1 AND e.number <= ?2 AND e.user_id <= "                  \
                  "(SELECT max(user_id) FROM (SELECT user_id FROM events WHERE user_id > ?1 "  \
                  "AND number <= ?2 ORDER BY user_id LIMIT ?3)) ORDER BY e.user_id, e.number") \
    X(RATING_RANGE, "SELECT min(rating), max(rating) FROM events")

enum {
#define X(name, sql) name,
    STATEMENTS(X)
#undef X
        N_STATEMENTS
};

static const char *const statement_sql[N_STATEMENTS] = {
#define X(name, sql) sql,
    STATEMENTS(X)
#undef X
};

static const char schema[] =
    "CREATE TABLE store (version INTEGER NOT NULL, events INTEGER NOT NULL, "
    "users INTEGER NOT NULL, last_event INTEGER NOT NULL, last_user INTEGER NOT NULL) STRICT;"
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "CREATE TABLE events (number INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, "
    "item TEXT NOT NULL, kind INTEGER NOT NULL, rating REAL, time REAL NOT NULL, "
    "client_id TEXT) STRICT;"
    "CREATE UNIQUE INDEX events_by_client_id ON events (client_id) WHERE client_id IS NOT NULL;"
    "CREATE INDEX events_by_user ON events (user_id, number);"
    "INSERT INTO store VALUES (1, 0, 0, 0, 0);"
    "PRAGMA application_id = 0x6e6c6e65;"
    "PRAGMA user_version = 1;";

typedef struct connection {
    sqlite3 *db;
    sqlite3_stmt *statements[N_STATEMENTS]; /* prepared at their first use */
    char *path;
} connection;

/* ---- errors --------------------------------------------------------------- */

/* The sentence for what SQLite says now; `act` is "read" or "write". */
static nln_status fail(const connection *c, const char *act, nln_error *err)
{
    int code = sqlite3_errcode(c->db);
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return nln_error_memory(err);
    case SQLITE_FULL:
        return nln_error_set(err, NLN_IO, "cannot write the store '%s': the disk is full", c->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return nln_error_set(err, NLN_IO, "cannot %s the store '%s': another program has locked it",
                             act, c->path);
    case SQLITE_NOTADB:
        return nln_error_set(err, NLN_FORMAT, "'%s' is not a store of events: it is no SQLite file",
                             c->path);
    case SQLITE_CORRUPT:
        return nln_error_set(err, NLN_FORMAT,
                             "the store '%s' is damaged (%s); restore it from a backup", c->path,
                             sqlite3_errmsg(c->db));
    default:
        return nln_error_set(err, NLN_IO, "cannot %s the store '%s': %s", act, c->path,
                             sqlite3_errmsg(c->db));
    }
}

/* ---- statements ----------------------------------------------------------- */

/* The statement, ready to be bound; NULL on failure. */
static sqlite3_stmt *prepare(connection *c, int which)
{
    sqlite3_stmt **statement = &c->statements[which];
    if (!*statement)
        sqlite3_prepare_v3(c->db, statement_sql[which], -1, SQLITE_PREPARE_PERSISTENT, statement,
                           NULL);
    return *statement;
}

/* Executes a statement that gives no rows. */
static int run(connection *c, sqlite3_stmt *s)
{
    int code = s ? sqlite3_step(s) : sqlite3_errcode(c->db);
    if (s)
        sqlite3_reset(s);
    return code == SQLITE_DONE;
}

static int bind_text(sqlite3_stmt *s, int at, const char *text)
{
    return sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC) == SQLITE_OK;
}

/* The first column of the only row, or `absent` where there is none; 0 on failure. */
static int find(int64_t *out, connection *c, int which, const char *text, int64_t absent)
{
    sqlite3_stmt *s = prepare(c, which);
    if (!s || !bind_text(s, 1, text))
        return 0;
    int code = sqlite3_step(s);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(s, 0) : absent;
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

/* ---- opening -------------------------------------------------------------- */

static void disconnect(void *handle)
{
    connection *c = handle;
    if (!c)
        return;
    for (int i = 0; i < N_STATEMENTS; i++)
        sqlite3_finalize(c->statements[i]);
    sqlite3_close(c->db);
    nln_free(c->path);
    nln_free(c);
}

static int pragma_number(int64_t *out, connection *c, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int found =
        sqlite3_prepare_v2(c->db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW;
    if (found)
        *out = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return found;
}

/* The settings of every connection.  A writer overwrites what it deletes. */
static nln_status configure(connection *c, nln_store_access access, double patience, nln_error *err)
{
    static const char *const settings[] = {
        [NLN_STORE_READS] = "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON;",
        [NLN_STORE_WRITES] = "PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL;"
                             "PRAGMA secure_delete = ON;",
    };
    sqlite3_extended_result_codes(c->db, 1);
    if (sqlite3_busy_timeout(c->db, (int)(patience * 1000)) ||
        sqlite3_exec(c->db, settings[access], NULL, NULL, NULL))
        return fail(c, "read", err);
    return NLN_OK;
}

/* Creates the tables in an empty file.  Another process may do the same at this moment, so the file
 * is looked at again inside the transaction. */
static nln_status create_tables(connection *c, nln_error *err)
{
    int64_t n_tables = 0;
    int done = run(c, prepare(c, BEGIN)) &&
               pragma_number(&n_tables, c, "SELECT count(*) FROM sqlite_schema") &&
               (n_tables > 0 || !sqlite3_exec(c->db, schema, NULL, NULL, NULL)) &&
               run(c, prepare(c, COMMIT));
    if (done)
        return NLN_OK;
    nln_status status = fail(c, "write", err);
    run(c, prepare(c, ROLLBACK));
    return status;
}

/* Checks that the file is a store of this version. */
static nln_status check_tables(connection *c, nln_error *err)
{
    int64_t id = 0, version = 0;
    if (!pragma_number(&id, c, "PRAGMA application_id") ||
        !pragma_number(&version, c, "PRAGMA user_version"))
        return fail(c, "read", err);
    if (id != APPLICATION_ID)
        return nln_error_set(err, NLN_FORMAT,
                             "'%s' is an SQLite file, but not a store of events; name another file",
                             c->path);
    if (version != NLN_STORE_VERSION)
        return nln_error_set(err, NLN_FORMAT,
                             "the store '%s' has version %ld, this program reads version %d; "
                             "use a newer program",
                             c->path, (long)version, NLN_STORE_VERSION);
    return NLN_OK;
}

/* Switches to the write-ahead log: readers do not wait for the writer, and a commit syncs once. */
static nln_status use_log(connection *c, nln_error *err)
{
    sqlite3_stmt *s = NULL;
    int found = sqlite3_prepare_v2(c->db, "PRAGMA journal_mode = WAL", -1, &s, NULL) == SQLITE_OK &&
                sqlite3_step(s) == SQLITE_ROW;
    const char *mode = found ? (const char *)sqlite3_column_text(s, 0) : NULL;
    nln_status status = found ? NLN_OK : fail(c, "write", err);
    if (found && (!mode || strcmp(mode, "wal")))
        status = nln_error_set(err, NLN_IO,
                               "the file system of the store '%s' cannot share memory between "
                               "programs, which its log needs; put it on a local disk",
                               c->path);
    sqlite3_finalize(s);
    return status;
}

/* What users said is private: a new file is for its owner alone.  SQLite gives its log the same
 * rights. */
static void create_file(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        close(file);
}

static nln_status open_file(connection *c, nln_store_access access, double patience, nln_error *err)
{
    int64_t n_tables = 0;
    if (access == NLN_STORE_WRITES)
        create_file(c->path);
    if (sqlite3_open_v2(c->path, &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
        return c->db ? fail(c, "open", err) : nln_error_memory(err);
    nln_status status = configure(c, access, patience, err);
    if (!status && !pragma_number(&n_tables, c, "SELECT count(*) FROM sqlite_schema"))
        status = fail(c, "read", err);
    if (!status && access == NLN_STORE_WRITES && n_tables == 0)
        status = create_tables(c, err);
    if (!status)
        status = check_tables(c, err);
    if (status || access == NLN_STORE_READS)
        return status;
    if (sqlite3_db_readonly(c->db, "main"))
        return nln_error_set(err, NLN_IO, "cannot write the store '%s': it is read-only", c->path);
    return use_log(c, err);
}

static nln_status connect(void **out, const char *where, nln_store_access access, double patience,
                          nln_error *err)
{
    *out = NULL;
    if (!*where || !strcmp(where, ":memory:"))
        return nln_error_set(err, NLN_INVALID, "a store needs the name of a file");
    connection *c = nln_memory_zeroed(1, sizeof *c);
    if (!c || !(c->path = nln_memory_copy(where))) {
        disconnect(c);
        return nln_error_memory(err);
    }
    nln_status status = open_file(c, access, patience, err);
    if (status)
        disconnect(c);
    else
        *out = c;
    return status;
}

static int lost(const void *handle)
{
    (void)handle;
    return 0;
}

static nln_status reconnect(void *handle, nln_error *err)
{
    (void)handle;
    (void)err;
    return NLN_OK;
}

/* ---- writing -------------------------------------------------------------- */

typedef struct totals {
    int64_t events, users, last_event, last_user;
} totals;

static int read_totals(totals *out, connection *c)
{
    sqlite3_stmt *s = prepare(c, TOTALS);
    int found = s && sqlite3_step(s) == SQLITE_ROW;
    if (found)
        *out = (totals){sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
                        sqlite3_column_int64(s, 2), sqlite3_column_int64(s, 3)};
    if (s)
        sqlite3_reset(s);
    return found;
}

static int write_totals(connection *c, const totals *now)
{
    sqlite3_stmt *s = prepare(c, SET_TOTALS);
    return s && !sqlite3_bind_int64(s, 1, now->events) && !sqlite3_bind_int64(s, 2, now->users) &&
           !sqlite3_bind_int64(s, 3, now->last_event) &&
           !sqlite3_bind_int64(s, 4, now->last_user) && run(c, s);
}

/* The id of a user, who is added if new. */
static int user_id(int64_t *id, connection *c, totals *now, const char *name)
{
    if (!find(id, c, FIND_USER, name, -1))
        return 0;
    if (*id >= 0)
        return 1;
    sqlite3_stmt *s = prepare(c, ADD_USER);
    *id = ++now->last_user;
    now->users++;
    return s && !sqlite3_bind_int64(s, 1, *id) && bind_text(s, 2, name) && run(c, s);
}

/* Adds one event unless its id is there already. */
static int add_event(connection *c, totals *now, const nln_store_row *row)
{
    const nln_event *event = row->event;
    int64_t is_duplicate = 0, user;
    if (event->id && !find(&is_duplicate, c, FIND_ID, event->id, 0))
        return 0;
    *row->verdict = (nln_verdict){is_duplicate ? NLN_DUPLICATE : NLN_STORED, NULL, NULL};
    if (is_duplicate)
        return 1;
    sqlite3_stmt *s = prepare(c, ADD_EVENT);
    if (!s || !user_id(&user, c, now, event->user))
        return 0;
    now->events++;
    return !sqlite3_bind_int64(s, 1, ++now->last_event) && !sqlite3_bind_int64(s, 2, user) &&
           bind_text(s, 3, event->item) && !sqlite3_bind_int(s, 4, (int)event->kind) &&
           !(event->kind == NLN_EVENT_RATING ? sqlite3_bind_double(s, 5, event->rating)
                                             : sqlite3_bind_null(s, 5)) &&
           !sqlite3_bind_double(s, 6, row->time) && bind_text(s, 7, event->id) && run(c, s);
}

/* Ends a transaction that failed, after its error was read. */
static nln_status roll_back(connection *c, nln_error *err)
{
    nln_status status = fail(c, "write", err);
    if (!sqlite3_get_autocommit(c->db))
        run(c, prepare(c, ROLLBACK));
    return status;
}

static nln_status write_rows(void *handle, const nln_store_row *rows, size_t n, int again,
                             nln_error *err)
{
    connection *c = handle;
    totals now;
    (void)again;
    if (!run(c, prepare(c, BEGIN)) || !read_totals(&now, c))
        return roll_back(c, err);
    for (size_t i = 0; i < n; i++)
        if (!add_event(c, &now, &rows[i]))
            return roll_back(c, err);
    if (!write_totals(c, &now) || !run(c, prepare(c, COMMIT)))
        return roll_back(c, err);
    return NLN_OK;
}

static int run_with(connection *c, int which, int64_t id)
{
    sqlite3_stmt *s = prepare(c, which);
    return s && !sqlite3_bind_int64(s, 1, id) && run(c, s);
}

/* After the commit the log, which still has the old pages, is copied into the file and emptied.
 * Where a reader is in the way for too long, this fails, and the next checkpoint does it. */
static nln_status forget(size_t *n, void *handle, const char *user, nln_error *err)
{
    connection *c = handle;
    totals now;
    int64_t id = -1, removed = 0;
    *n = 0;
    if (!run(c, prepare(c, BEGIN)) || !read_totals(&now, c) || !find(&id, c, FIND_USER, user, -1))
        return roll_back(c, err);
    if (id >= 0) {
        if (!run_with(c, FORGET_EVENTS, id))
            return roll_back(c, err);
        removed = sqlite3_changes64(c->db);
        now.events -= removed;
        now.users--;
        if (!run_with(c, FORGET_USER, id) || !write_totals(c, &now))
            return roll_back(c, err);
    }
    if (!run(c, prepare(c, COMMIT)))
        return roll_back(c, err);
    *n = (size_t)removed;
    if (sqlite3_wal_checkpoint_v2(c->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL))
        return nln_error_set(err, NLN_IO,
                             "the user's events are removed, but the log of the store '%s' could "
                             "not be emptied: %s",
                             c->path, sqlite3_errmsg(c->db));
    return NLN_OK;
}

/* ---- reading -------------------------------------------------------------- */

/* Appends the rows of a statement with the columns EVENT_COLUMNS, and resets it.  *last_user is the
 * user's id in the last row. */
static nln_status read_events(nln_events *out, int64_t *last_user, connection *c, sqlite3_stmt *s,
                              nln_error *err)
{
    nln_status status = NLN_OK;
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW && !status) {
        nln_event event = {
            .number = sqlite3_column_int64(s, 0),
            .item = (const char *)sqlite3_column_text(s, 1),
            .kind = (nln_event_kind)sqlite3_column_int(s, 2),
            .rating = sqlite3_column_double(s, 3),
            .time = sqlite3_column_double(s, 4),
            .id = (const char *)sqlite3_column_text(s, 5),
            .user = (const char *)sqlite3_column_text(s, 6),
        };
        *last_user = sqlite3_column_int64(s, 7);
        status =
            event.item && event.user ? nln_events_add(out, &event, err) : nln_error_memory(err);
    }
    if (!status && code != SQLITE_DONE)
        status = fail(c, "read", err);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

static nln_status list(nln_events *out, void *handle, const char *user, int64_t after,
                       int64_t until, size_t most, nln_error *err)
{
    connection *c = handle;
    sqlite3_stmt *s = prepare(c, user ? LIST_USER : LIST_ALL);
    int64_t last_user;
    if (!s || sqlite3_bind_int64(s, 1, after) || sqlite3_bind_int64(s, 2, until) ||
        sqlite3_bind_int64(s, 3, nln_store_row_limit(most)) || (user && !bind_text(s, 4, user)))
        return fail(c, "read", err);
    return read_events(out, &last_user, c, s, err);
}

static nln_status list_users(nln_events *out, int64_t *cursor, void *handle, int64_t until,
                             size_t most, nln_error *err)
{
    connection *c = handle;
    sqlite3_stmt *s = prepare(c, LIST_USERS);
    if (!s || sqlite3_bind_int64(s, 1, *cursor) || sqlite3_bind_int64(s, 2, until) ||
        sqlite3_bind_int64(s, 3, nln_store_row_limit(most)))
        return fail(c, "read", err);
    return read_events(out, cursor, c, s, err);
}

static nln_status count(nln_store_totals *out, void *handle, nln_error *err)
{
    totals now;
    if (!read_totals(&now, handle))
        return fail(handle, "read", err);
    *out = (nln_store_totals){now.events, now.users, now.last_event};
    return NLN_OK;
}

static double column_or_nan(sqlite3_stmt *s, int column)
{
    int is_null = sqlite3_column_type(s, column) == SQLITE_NULL;
    return is_null ? NAN : sqlite3_column_double(s, column);
}

static nln_status rating_range(double *least, double *most, void *handle, nln_error *err)
{
    connection *c = handle;
    sqlite3_stmt *s = prepare(c, RATING_RANGE);
    int found = s && sqlite3_step(s) == SQLITE_ROW;
    *least = found ? column_or_nan(s, 0) : NAN;
    *most = found ? column_or_nan(s, 1) : NAN;
    nln_status status = found ? NLN_OK : fail(c, "read", err);
    sqlite3_reset(s);
    return status;
}

const nln_store_engine nln_sqlite_engine = {
    .name = "sqlite",
    .connect = connect,
    .disconnect = disconnect,
    .lost = lost,
    .reconnect = reconnect,
    .write = write_rows,
    .forget = forget,
    .list = list,
    .list_users = list_users,
    .count = count,
    .rating_range = rating_range,
};
