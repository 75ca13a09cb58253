/* What a database must be able to do to be a store.  A connection is used by one thread at a time;
 * the store keeps one that writes and several that read.
 *
 * The tables, in both engines:
 *     store   one row: version of the schema, events, users, last_event, last_user
 *     users   id, name
 *     events  number, user_id, item, kind, rating, time, client_id (unique where not NULL)
 * Numbers and ids come from the row of `store`, which every transaction that writes changes.  So
 * transactions are one after the other, numbers rise in the order of the commits, and no number is
 * ever used again, even after a user was forgotten. */
#ifndef NLN_STORE_STORE_ENGINE_H
#define NLN_STORE_STORE_ENGINE_H

#include "store/store.h"

enum { NLN_STORE_VERSION = 1 };

typedef enum nln_store_access {
    NLN_STORE_READS, /* of a store that exists */
    NLN_STORE_WRITES /* creates the tables where there are none */
} nln_store_access;

/* One event on its way into the store.  Only rows that nln_event_check allows get this far. */
typedef struct nln_store_row {
    const nln_event *event;
    nln_verdict *verdict;
    double time; /* that of the event, or of its arrival */
} nln_store_row;

typedef struct nln_store_engine {
    const char *name;
    nln_status (*connect)(void **out, const char *where, nln_store_access access, double patience,
                          nln_error *err);
    void (*disconnect)(void *connection);
    /* Whether the server has gone, so that only `reconnect` can help. */
    int (*lost)(const void *connection);
    nln_status (*reconnect)(void *connection, nln_error *err);
    /* One transaction: fills the verdicts, and returns NLN_OK after the commit.  `again` repeats
     * the call that failed before, with the same rows, on a connection that was lost then: what has
     * been committed all the same is not written twice. */
    nln_status (*write)(void *connection, const nln_store_row *rows, size_t n, int again,
                        nln_error *err);
    nln_status (*forget)(size_t *n, void *connection, const char *user, nln_error *err);
    /* Events after < number <= until, by number; of one user, or of all with user NULL.  Appends.
     */
    nln_status (*list)(nln_events *out, void *connection, const char *user, int64_t after,
                       int64_t until, size_t most, nln_error *err);
    /* Events with number <= until of whole users with ids above *cursor, by user and number, about
     * `most`; *cursor becomes the id of the last of them, or stays where there are none. */
    nln_status (*list_users)(nln_events *out, int64_t *cursor, void *connection, int64_t until,
                             size_t most, nln_error *err);
    nln_status (*count)(nln_store_totals *out, void *connection, nln_error *err);
    /* The lowest and the highest rating; NAN where there are none. */
    nln_status (*rating_range)(double *least, double *most, void *connection, nln_error *err);
} nln_store_engine;

/* A number of rows as SQL takes it. */
static inline int64_t nln_store_row_limit(size_t most)
{
    return most < INT64_MAX ? (int64_t)most : INT64_MAX;
}

extern const nln_store_engine nln_sqlite_engine, nln_postgres_engine;

#endif
