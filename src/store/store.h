/* The store of events: an SQLite file, or a PostgreSQL database that several servers share.
 *
 * What it promises:
 *   - An event is acknowledged (nln_store_submit calls `done`, nln_store_append returns) only after
 *     the transaction that holds it is committed and synced to disk.
 *   - An event whose id is stored already is a duplicate and changes nothing: sent twice in one
 *     batch, by two servers at once, or again after a restart.
 *   - Whatever was acknowledged is in every later answer, of this process or another.
 *   - Events are never changed.  Forgetting a user removes every row of that user.
 *
 * One thread per store writes: it takes all batches that wait and commits them together, so that
 * many clients share one sync.  Reading uses other connections and never waits for the writer. */
#ifndef NLN_STORE_STORE_H
#define NLN_STORE_STORE_H

#include "store/events.h"

typedef struct nln_store nln_store;

/* Zero means the default. */
typedef struct nln_store_options {
    int read_only;      /* the store must exist; nothing is written, not even its tables */
    size_t queue;       /* the most events that may wait for the writer; default 65,536 */
    size_t transaction; /* events after which a transaction is closed; default 4,096 */
    int readers;        /* the most connections that read at the same time; default 4 */
    double patience;    /* seconds to wait for a locked file or to reconnect to a server that has
                         * gone; then batches fail with NLN_IO; default 10 */
} nln_store_options;

/* Opens the store, or creates it: `where` is a path, or postgresql://..., as libpq reads it.
 * `options` may be NULL.  NLN_FORMAT: a file or database that is no store, or one of a newer
 * version; NLN_IO: it cannot be opened, read or written. */
nln_status nln_store_open(nln_store **out, const char *where, const nln_store_options *options,
                          nln_error *err);
/* Commits and acknowledges everything that was submitted, then closes. */
void nln_store_close(nln_store *store);
/* Whether `where` names a store: by its scheme, or by the first bytes of the file. */
int nln_store_recognise(const char *where);

/* ---- writing ------------------------------------------------------------ */

/* Called once for each batch, on the writer's thread, so it should be quick and must not call
 * nln_store_append, _forget or _close.  NLN_OK: verdicts are filled, and what they say is
 * committed.  Else `err` says why nothing of the batch can be promised; sending it again is safe
 * where its events have ids. */
typedef void nln_store_done(void *context, nln_status status, const nln_error *err);

/* Gives n events to the writer and returns at once.  The store borrows `events` and `verdicts`
 * until it calls `done`.  NLN_LIMIT: the queue is full, `done` will not be called; try later. */
nln_status nln_store_submit(nln_store *store, const nln_event *events, size_t n,
                            nln_verdict *verdicts, nln_store_done *done, void *context,
                            nln_error *err);
/* The same, and waits for the commit. */
nln_status nln_store_append(nln_verdict *verdicts, nln_store *store, const nln_event *events,
                            size_t n, nln_error *err);
/* Removes every event of a user, after what was submitted before; *n is the number removed, 0 if
 * the user is not known.  An SQLite file is overwritten with zeros where the rows were, and its log
 * is emptied; PostgreSQL is told to vacuum.  Waits for both.  Ids of forgotten events are
 * forgotten, too. */
nln_status nln_store_forget(size_t *n, nln_store *store, const char *user, nln_error *err);

/* ---- reading ------------------------------------------------------------ */

/* Any thread may read at any time.  Lists are the caller's, who frees them with nln_events_free;
 * they are empty after a failure.  `until` limits an answer to events with numbers up to it;
 * NLN_STORE_ALL is no limit. */
#define NLN_STORE_ALL INT64_MAX

/* What a user likes, dislikes and has rated now: see nln_events_to_history.  Empty if the user is
 * not known. */
nln_status nln_store_history(nln_events *out, nln_store *store, const char *user, int64_t until,
                             nln_error *err);
/* The next events by number, retractions too: at most `most` with numbers above `after`, of one
 * user, or of all with user NULL.  0 as `after` begins; the number of the last row continues.
 * Fewer than `most` rows: there are no more now. */
nln_status nln_store_list(nln_events *out, nln_store *store, const char *user, int64_t after,
                          size_t most, nln_error *err);
/* The histories of the next users, one after the other: about `most` rows, but always whole users.
 * *cursor is 0 at the beginning; *more is 0 after the last user.  (Rows may be none while users
 * remain, where users have taken everything back.) */
nln_status nln_store_histories(nln_events *out, int64_t *cursor, int *more, nln_store *store,
                               int64_t until, size_t most, nln_error *err);

typedef struct nln_store_totals {
    int64_t events, users; /* stored now */
    int64_t last; /* the highest number so far: events after this moment have a higher one */
} nln_store_totals;
nln_status nln_store_count(nln_store_totals *out, nln_store *store, nln_error *err);

/* The lowest and the highest rating stored; NAN where there are none. */
nln_status nln_store_rating_range(double *least, double *most, nln_store *store, nln_error *err);

/* Of this process since the store was opened; never waits. */
typedef struct nln_store_counters {
    uint64_t stored, duplicates, refused; /* events */
    uint64_t commits;                     /* transactions */
    uint64_t failures;                    /* transactions that failed */
    uint64_t reconnects;
    size_t waiting; /* events in the queue ... */
    size_t queue;   /* ... and the most that it takes */
    double seconds; /* spent in transactions */
} nln_store_counters;
void nln_store_counters_read(nln_store_counters *out, nln_store *store);
/* "sqlite" or "postgresql". */
const char *nln_store_engine_name(const nln_store *store);

#endif
