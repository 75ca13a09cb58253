/* The store in a PostgreSQL database, which several servers may share.  Every transaction that
 * writes locks the row of nln_store first, so that transactions are one after the other and numbers
 * rise in the order of the commits.  Values reach SQL only as parameters; a batch is one parameter
 * for each column, an array in the binary form. */
#include <inttypes.h>
#include <libpq-fe.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "store/postgres_array.h"
#include "store/store_engine.h"

/* A database that has the rows of two replicas which create the tables at once would be broken, so
 * they take this lock first; any number that no other program uses. */
#define CREATION_LOCK "7020365123"

#define EVENT_COLUMNS "e.number, e.item, e.kind, e.rating, e.time, e.client_id, u.name, u.id"
#define EVENTS        "FROM nln_events e JOIN nln_users u ON u.id = e.user_id "

/* name, parameters, SQL */
#define STATEMENTS(X)                                                                             \
    X(DUPLICATES, 1,                                                                              \
      "SELECT ord FROM (SELECT id, ord, row_number() OVER (PARTITION BY id ORDER BY ord) AS nth " \
      "FROM unnest($1::text[]) WITH ORDINALITY AS r (id, ord)) AS r WHERE id IS NOT NULL AND "    \
      "(nth > 1 OR EXISTS (SELECT FROM nln_events e WHERE e.client_id = r.id))")                  \
    X(ADD_USERS, 2,                                                                               \
      "INSERT INTO nln_users (id, name) SELECT $1::bigint + row_number() OVER (ORDER BY ord), "   \
      "name FROM (SELECT name, min(ord) AS ord FROM unnest($2::text[]) WITH ORDINALITY AS "       \
      "r (name, ord) WHERE NOT EXISTS (SELECT FROM nln_users u WHERE u.name = r.name) "           \
      "GROUP BY name) AS r")                                                                      \
    X(ADD_EVENTS, 7,                                                                              \
      "INSERT INTO nln_events (number, user_id, item, kind, rating, time, client_id) "            \
      "SELECT $1::bigint + ord, u.id, r.item, r.kind, r.rating, r.time, r.client_id FROM "        \
      "unnest($2::text[], $3::text[], $4::smallint[], $5::float8[], $6::float8[], $7::text[]) "   \
      "WITH ORDINALITY AS r (name, item, kind, rating, time, client_id, ord) "                    \
      "JOIN nln_users u ON u.name = r.name")                                                      \
    X(SET_TOTALS, 4,                                                                              \
      "UPDATE nln_store SET events = $1, users = $2, last_event = $3, last_user = $4")            \
    X(FIND_USER, 1, "SELECT id FROM nln_users WHERE name = $1")                                   \
    X(FORGET_EVENTS, 1, "DELETE FROM nln_events WHERE user_id = $1")                              \
    X(FORGET_USER, 1, "DELETE FROM nln_users WHERE id = $1")                                      \
    X(TOTALS, 0, "SELECT events, users, last_event FROM nln_store")                               \
    X(LIST_ALL, 3,                                                                                \
      "SELECT " EVENT_COLUMNS " " EVENTS                                                          \
      "WHERE e.number > $1 AND e.number <= $2 ORDER BY e.number LIMIT $3")                        \
    X(LIST_USER, 4,                                                                               \
      "SELECT " EVENT_COLUMNS " " EVENTS                                                          \
      "WHERE e.user_id = (SELECT id FROM nln_users WHERE name = $4) AND e.number > $1 "           \
      "AND e.number <= $2 ORDER BY e.number LIMIT $3")                                            \
    X(LIST_USERS, 3,                                                                              \
      "SELECT " EVENT_COLUMNS " " EVENTS                                                          \
      "WHERE e.user_id > $1 AND e.number <= $2 AND e.user_id <= "                                 \
      "(SELECT max(user_id) FROM (SELECT user_id FROM nln_events WHERE user_id > $1 "             \
      "AND number <= $2 ORDER BY user_id LIMIT $3) AS r) ORDER BY e.user_id, e.number")           \
    X(RATING_RANGE, 0, "SELECT min(rating), max(rating) FROM nln_events")                         \
    X(OUTCOME, 1, "SELECT txid_status($1::bigint)")

enum {
#define X(name, n, sql) name,
    STATEMENTS(X)
#undef X
        N_STATEMENTS
};

static const struct statement_row {
    const char *name;
    int n_parameters;
    const char *sql;
} statement_table[N_STATEMENTS] = {
#define X(name, n, sql) {"nln_" #name, n, sql},
    STATEMENTS(X)
#undef X
};

enum { MOST_PARAMETERS = 7 };

static const char schema[] =
    "CREATE TABLE nln_store (version integer NOT NULL, events bigint NOT NULL, "
    "users bigint NOT NULL, last_event bigint NOT NULL, last_user bigint NOT NULL);"
    "CREATE TABLE nln_users (id bigint PRIMARY KEY, name text NOT NULL UNIQUE);"
    "CREATE TABLE nln_events (number bigint PRIMARY KEY, user_id bigint NOT NULL, "
    "item text NOT NULL, kind smallint NOT NULL, rating double precision, "
    "time double precision NOT NULL, client_id text UNIQUE);"
    "CREATE INDEX nln_events_by_user ON nln_events (user_id, number);"
    "INSERT INTO nln_store VALUES (1, 0, 0, 0, 0);";

typedef struct totals {
    int64_t events, users, last_event, last_user;
} totals;

typedef struct connection {
    PGconn *db;
    char prepared[N_STATEMENTS];
    double patience;
    nln_store_access access;
    int is_broken;        /* a statement failed because the connection did */
    char transaction[24]; /* the id of the transaction whose commit got no answer; else "" */
} connection;

/* ---- errors --------------------------------------------------------------- */

/* The server's sentence, without its line break and what follows. */
static nln_status fail(const connection *c, const char *act, nln_error *err)
{
    const char *message = c->db ? PQerrorMessage(c->db) : "";
    if (!c->db)
        return nln_error_memory(err);
    return nln_error_set(err, NLN_IO, "cannot %s the store in PostgreSQL: %.*s", act,
                         (int)strcspn(message, "\n"), message);
}

static nln_status fail_format(nln_error *err, const char *message)
{
    return nln_error_set(err, NLN_FORMAT, "%s", message);
}

/* ---- statements ----------------------------------------------------------- */

/* The result if it is one of success; else NULL, and the result is cleared.  An error without a
 * code is libpq's own, which happens where the connection breaks; with codes 08 and 57P the server
 * says that it ends it. */
static PGresult *checked(connection *c, PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        return result;
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    c->is_broken |= !code || !strncmp(code, "08", 2) || !strncmp(code, "57P", 3);
    PQclear(result);
    return NULL;
}

static int execute(connection *c, const char *sql)
{
    PGresult *result = checked(c, PQexec(c->db, sql));
    PQclear(result);
    return result != NULL;
}

/* A parameter: a text, or bytes in the binary form. */
typedef struct parameter {
    const char *bytes;
    size_t n; /* of the binary form; 0: a text */
} parameter;

static parameter number_parameter(char room[24], int64_t number)
{
    snprintf(room, 24, "%" PRId64, number);
    return (parameter){room, 0};
}

/* Executes a prepared statement; NULL on failure. */
static PGresult *run(connection *c, int which, const parameter *parameters)
{
    const struct statement_row *row = &statement_table[which];
    const char *values[MOST_PARAMETERS];
    int lengths[MOST_PARAMETERS], formats[MOST_PARAMETERS];
    if (!c->prepared[which]) {
        PGresult *result = checked(c, PQprepare(c->db, row->name, row->sql, 0, NULL));
        PQclear(result);
        if (!result)
            return NULL;
        c->prepared[which] = 1;
    }
    for (int i = 0; parameters && i < row->n_parameters; i++) {
        values[i] = parameters[i].bytes;
        lengths[i] = (int)parameters[i].n;
        formats[i] = parameters[i].n > 0;
    }
    return checked(
        c, PQexecPrepared(c->db, row->name, row->n_parameters, values, lengths, formats, 0));
}

static int64_t integer_at(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

static double real_at(const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column)
               ? NAN
               : nln_number_parse(PQgetvalue(result, row, column), NULL);
}

/* ---- opening -------------------------------------------------------------- */

static void disconnect(void *handle)
{
    connection *c = handle;
    if (!c)
        return;
    PQfinish(c->db);
    nln_free(c);
}

static int lost(const void *handle)
{
    const connection *c = handle;
    return c->is_broken || PQstatus(c->db) != CONNECTION_OK;
}

/* Creates the tables unless they are there. */
static nln_status create_tables(connection *c, nln_error *err)
{
    PGresult *found = NULL;
    if (!execute(c, "BEGIN") || !execute(c, "SELECT pg_advisory_xact_lock(" CREATION_LOCK ")") ||
        !(found = checked(c, PQexec(c->db, "SELECT to_regclass('nln_store') IS NULL"))))
        goto failed;
    int is_missing = PQgetvalue(found, 0, 0)[0] == 't';
    PQclear(found);
    if ((is_missing && !execute(c, schema)) || !execute(c, "COMMIT"))
        goto failed;
    return NLN_OK;
failed:;
    nln_status status = fail(c, "create", err);
    execute(c, "ROLLBACK");
    return status;
}

static nln_status check_tables(connection *c, nln_error *err)
{
    PGresult *found = checked(c, PQexec(c->db, "SELECT version FROM nln_store"));
    if (!found && !lost(c))
        return fail_format(err, "the PostgreSQL database has no store of events");
    if (!found)
        return fail(c, "read", err);
    int64_t version = PQntuples(found) ? integer_at(found, 0, 0) : 0;
    PQclear(found);
    if (version == NLN_STORE_VERSION)
        return NLN_OK;
    return nln_error_set(err, NLN_FORMAT,
                         "the store in PostgreSQL has version %ld, this program reads version %d; "
                         "use a newer program",
                         (long)version, NLN_STORE_VERSION);
}

/* A commit must mean that the data are on disk.  A session may insist on it, but cannot override a
 * server that never syncs. */
static nln_status check_server(connection *c, nln_error *err)
{
    PGresult *found =
        checked(c, PQexec(c->db, "SELECT current_setting('server_encoding') = 'UTF8', "
                                 "current_setting('fsync') = 'on'"));
    if (!found)
        return fail(c, "read", err);
    int is_utf8 = PQgetvalue(found, 0, 0)[0] == 't', syncs = PQgetvalue(found, 0, 1)[0] == 't';
    PQclear(found);
    if (!is_utf8)
        return fail_format(err, "the PostgreSQL database is not in UTF8; create it with "
                                "ENCODING 'UTF8'");
    if (!syncs)
        return fail_format(err, "the PostgreSQL server runs with fsync = off and would lose "
                                "events; turn it on");
    return NLN_OK;
}

/* libpq would print notices. */
static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

static nln_status configure(connection *c, nln_error *err)
{
    char sql[80];
    memset(c->prepared, 0, sizeof c->prepared);
    c->is_broken = 0;
    if (PQstatus(c->db) != CONNECTION_OK)
        return fail(c, "open", err);
    PQsetNoticeProcessor(c->db, ignore_notice, NULL);
    snprintf(sql, sizeof sql, "SET lock_timeout = %ld", (long)(c->patience * 1000));
    if (PQsetClientEncoding(c->db, "UTF8") || !execute(c, sql) ||
        !execute(c, "SET default_transaction_isolation = 'read committed'") ||
        !execute(c, "SELECT set_config('synchronous_commit', 'on', false) "
                    "WHERE current_setting('synchronous_commit') IN ('off', 'local')"))
        return fail(c, "open", err);
    nln_status status = check_server(c, err);
    if (!status && c->access == NLN_STORE_WRITES)
        status = create_tables(c, err);
    return status ? status : check_tables(c, err);
}

/* What the URL says counts more than these settings. */
static nln_status connect(void **out, const char *where, nln_store_access access, double patience,
                          nln_error *err)
{
    char seconds[24], milliseconds[24];
    const char *const names[] = {"connect_timeout", "tcp_user_timeout", "dbname",
                                 "fallback_application_name", NULL};
    const char *const values[] = {seconds, milliseconds, where, "nln", NULL};
    connection *c = nln_memory_zeroed(1, sizeof *c);
    *out = NULL;
    if (!c)
        return nln_error_memory(err);
    c->access = access;
    c->patience = patience;
    number_parameter(seconds, (int64_t)ceil(patience) + 1);
    number_parameter(milliseconds, (int64_t)(patience * 1000));
    c->db = PQconnectdbParams(names, values, 1);
    nln_status status = configure(c, err);
    if (status)
        disconnect(c);
    else
        *out = c;
    return status;
}

static nln_status reconnect(void *handle, nln_error *err)
{
    connection *c = handle;
    PQreset(c->db);
    return configure(c, err);
}

/* ---- writing -------------------------------------------------------------- */

/* Begins a transaction and locks the row of the store; the id of the transaction goes into
 * `transaction`. */
static int begin(totals *now, char transaction[24], connection *c)
{
    PGresult *found = checked(
        c, PQexec(c->db, "BEGIN; SELECT events, users, last_event, last_user, txid_current() "
                         "FROM nln_store FOR UPDATE"));
    if (!found)
        return 0;
    *now = (totals){integer_at(found, 0, 0), integer_at(found, 0, 1), integer_at(found, 0, 2),
                    integer_at(found, 0, 3)};
    snprintf(transaction, 24, "%s", PQgetvalue(found, 0, 4));
    PQclear(found);
    return 1;
}

/* Executes a statement and returns how many rows it changed; -1 on failure. */
static int64_t change(connection *c, int which, const parameter *parameters)
{
    PGresult *result = run(c, which, parameters);
    int64_t n = result ? strtoll(PQcmdTuples(result), NULL, 10) : -1;
    PQclear(result);
    return n;
}

static int write_totals(connection *c, const totals *now)
{
    char room[4][24];
    const parameter parameters[] = {
        number_parameter(room[0], now->events), number_parameter(room[1], now->users),
        number_parameter(room[2], now->last_event), number_parameter(room[3], now->last_user)};
    return change(c, SET_TOTALS, parameters) == 1;
}

/* Fills in the verdicts; an id that stands twice among the rows is stored once. */
static int find_duplicates(connection *c, nln_postgres_array *ids, const nln_store_row *rows,
                           size_t n)
{
    nln_postgres_array_begin(ids, NLN_POSTGRES_TEXT, n);
    for (size_t i = 0; i < n; i++) {
        nln_postgres_array_text(ids, rows[i].event->id);
        *rows[i].verdict = (nln_verdict){NLN_STORED, NULL, NULL};
    }
    PGresult *found = ids->failed ? NULL : run(c, DUPLICATES, &(parameter){ids->data, ids->n});
    for (int i = 0; found && i < PQntuples(found); i++)
        rows[integer_at(found, i, 0) - 1].verdict->kind = NLN_DUPLICATE;
    PQclear(found);
    return found != NULL;
}

enum { USER, ITEM, KIND, RATING, TIME, ID, N_COLUMNS };

/* The rows that are no duplicates, as one array for each column; returns their number. */
static size_t fill_columns(nln_postgres_array columns[N_COLUMNS], const nln_store_row *rows,
                           size_t n)
{
    static const uint32_t types[N_COLUMNS] = {NLN_POSTGRES_TEXT,     NLN_POSTGRES_TEXT,
                                              NLN_POSTGRES_SMALLINT, NLN_POSTGRES_FLOAT8,
                                              NLN_POSTGRES_FLOAT8,   NLN_POSTGRES_TEXT};
    size_t n_new = 0;
    for (size_t i = 0; i < n; i++)
        n_new += rows[i].verdict->kind == NLN_STORED;
    for (int column = 0; column < N_COLUMNS; column++)
        nln_postgres_array_begin(&columns[column], types[column], n_new);
    for (size_t i = 0; i < n; i++) {
        const nln_event *event = rows[i].event;
        if (rows[i].verdict->kind != NLN_STORED)
            continue;
        nln_postgres_array_text(&columns[USER], event->user);
        nln_postgres_array_text(&columns[ITEM], event->item);
        nln_postgres_array_small(&columns[KIND], (int)event->kind);
        if (event->kind == NLN_EVENT_RATING)
            nln_postgres_array_real(&columns[RATING], event->rating);
        else
            nln_postgres_array_null(&columns[RATING]);
        nln_postgres_array_real(&columns[TIME], rows[i].time);
        nln_postgres_array_text(&columns[ID], event->id);
    }
    return n_new;
}

static int add_rows(connection *c, nln_postgres_array columns[N_COLUMNS], totals *now,
                    const nln_store_row *rows, size_t n)
{
    char room[24];
    parameter parameters[1 + N_COLUMNS];
    if (!find_duplicates(c, &columns[ID], rows, n))
        return 0;
    int64_t n_new = (int64_t)fill_columns(columns, rows, n);
    for (int i = 0; i < N_COLUMNS; i++) {
        if (columns[i].failed)
            return 0;
        parameters[1 + i] = (parameter){columns[i].data, columns[i].n};
    }
    parameters[0] = number_parameter(room, now->last_user);
    int64_t n_users = change(c, ADD_USERS, parameters);
    if (n_users < 0)
        return 0;
    parameters[0] = number_parameter(room, now->last_event);
    if (change(c, ADD_EVENTS, parameters) != n_new)
        return 0;
    now->users += n_users;
    now->last_user += n_users;
    now->events += n_new;
    now->last_event += n_new;
    return write_totals(c, now);
}

/* Whether the transaction that got no answer was committed; -1 if that cannot be found out.  The
 * server may still be busy with it. */
static int was_committed(connection *c, const char *transaction)
{
    for (double waited = 0; waited <= c->patience; waited += 0.02) {
        PGresult *found = run(c, OUTCOME, &(parameter){transaction, 0});
        if (!found)
            return -1;
        const char *outcome = PQgetvalue(found, 0, 0);
        int committed = !strcmp(outcome, "committed");
        int is_open = !strcmp(outcome, "in progress");
        PQclear(found);
        if (!is_open)
            return committed;
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
    return -1;
}

static nln_status write_rows(void *handle, const nln_store_row *rows, size_t n, int again,
                             nln_error *err)
{
    connection *c = handle;
    nln_postgres_array columns[N_COLUMNS] = {{0}};
    char transaction[24];
    totals now;
    int done = 0, failed_memory = 0;
    if (again && c->transaction[0]) {
        int committed = was_committed(c, c->transaction);
        if (committed < 0)
            return fail(c, "write", err);
        if (committed) {
            c->transaction[0] = '\0';
            return NLN_OK;
        }
    }
    c->transaction[0] = '\0';
    if (begin(&now, transaction, c) && add_rows(c, columns, &now, rows, n)) {
        snprintf(c->transaction, sizeof c->transaction, "%s", transaction);
        done = execute(c, "COMMIT");
        if (done || !lost(c))
            c->transaction[0] = '\0';
    }
    for (int i = 0; i < N_COLUMNS; i++) {
        failed_memory |= columns[i].failed;
        nln_free(columns[i].data);
    }
    if (done)
        return NLN_OK;
    nln_status status = failed_memory ? nln_error_memory(err) : fail(c, "write", err);
    execute(c, "ROLLBACK");
    return status;
}

/* The events of one user; -1 on failure. */
static int64_t remove_user(connection *c, totals *now, const char *user)
{
    PGresult *found = run(c, FIND_USER, &(parameter){user, 0});
    int64_t n = found ? 0 : -1;
    if (found && PQntuples(found) > 0) {
        parameter id = {PQgetvalue(found, 0, 0), 0};
        n = change(c, FORGET_EVENTS, &id);
        now->events -= n;
        now->users--;
        if (n >= 0 && (change(c, FORGET_USER, &id) != 1 || !write_totals(c, now)))
            n = -1;
    }
    PQclear(found);
    return n;
}

static nln_status forget(size_t *n, void *handle, const char *user, nln_error *err)
{
    connection *c = handle;
    char transaction[24];
    totals now;
    int64_t removed = -1;
    *n = 0;
    if (begin(&now, transaction, c))
        removed = remove_user(c, &now, user);
    if (removed < 0 || !execute(c, "COMMIT")) {
        nln_status status = fail(c, "write", err);
        execute(c, "ROLLBACK");
        return status;
    }
    *n = (size_t)removed;
    return !removed || execute(c, "VACUUM nln_events, nln_users") ? NLN_OK : fail(c, "vacuum", err);
}

/* ---- reading -------------------------------------------------------------- */

/* Appends the rows of a result with the columns EVENT_COLUMNS, which it clears. */
static nln_status read_events(nln_events *out, int64_t *last_user, const connection *c,
                              PGresult *found, nln_error *err)
{
    nln_status status = found ? NLN_OK : fail(c, "read", err);
    for (int i = 0; found && i < PQntuples(found) && !status; i++) {
        nln_event event = {
            .number = integer_at(found, i, 0),
            .item = PQgetvalue(found, i, 1),
            .kind = (nln_event_kind)integer_at(found, i, 2),
            .rating = PQgetisnull(found, i, 3) ? 0 : real_at(found, i, 3),
            .time = real_at(found, i, 4),
            .id = PQgetisnull(found, i, 5) ? NULL : PQgetvalue(found, i, 5),
            .user = PQgetvalue(found, i, 6),
        };
        *last_user = integer_at(found, i, 7);
        status = nln_events_add(out, &event, err);
    }
    PQclear(found);
    return status;
}

static nln_status list(nln_events *out, void *handle, const char *user, int64_t after,
                       int64_t until, size_t most, nln_error *err)
{
    connection *c = handle;
    char room[3][24];
    int64_t last_user;
    const parameter parameters[] = {number_parameter(room[0], after),
                                    number_parameter(room[1], until),
                                    number_parameter(room[2], nln_store_row_limit(most)),
                                    {user, 0}};
    return read_events(out, &last_user, c, run(c, user ? LIST_USER : LIST_ALL, parameters), err);
}

static nln_status list_users(nln_events *out, int64_t *cursor, void *handle, int64_t until,
                             size_t most, nln_error *err)
{
    connection *c = handle;
    char room[3][24];
    const parameter parameters[] = {number_parameter(room[0], *cursor),
                                    number_parameter(room[1], until),
                                    number_parameter(room[2], nln_store_row_limit(most))};
    return read_events(out, cursor, c, run(c, LIST_USERS, parameters), err);
}

static nln_status count(nln_store_totals *out, void *handle, nln_error *err)
{
    connection *c = handle;
    PGresult *found = run(c, TOTALS, NULL);
    if (!found)
        return fail(c, "read", err);
    *out = (nln_store_totals){integer_at(found, 0, 0), integer_at(found, 0, 1),
                              integer_at(found, 0, 2)};
    PQclear(found);
    return NLN_OK;
}

static nln_status rating_range(double *least, double *most, void *handle, nln_error *err)
{
    connection *c = handle;
    PGresult *found = run(c, RATING_RANGE, NULL);
    if (!found)
        return fail(c, "read", err);
    *least = real_at(found, 0, 0);
    *most = real_at(found, 0, 1);
    PQclear(found);
    return NLN_OK;
}

const nln_store_engine nln_postgres_engine = {
    .name = "postgresql",
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
