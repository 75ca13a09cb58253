/* POST and GET /api/v1/events, GET /api/v1/export, DELETE /api/v1/users/NAME. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "serve/json_fields.h"
#include "serve/routes.h"
#include "serve/server.h"
#include "store/store_ratings.h"

enum { MOST_EVENTS = 10000, EXPORT_ROWS = 500 };

/* The store, or NULL after the request was answered. */
static nln_store *need_store(nln_http_request *r)
{
    if (!r->server->store)
        nln_http_request_fail(r, 409, NULL,
                              "this server has no store of events; start it with --store");
    return r->server->store;
}

/* The store failed: its own sentence, and the advice to come again. */
static nln_handled fail_store(nln_http_request *r, const nln_error *err)
{
    r->retry_after = 1;
    return nln_http_request_fail(r, 503, NULL, "%s", err->message);
}

/* ---- storing -------------------------------------------------------------- */

/* Events on their way into the store; their texts are those of the request's JSON. */
typedef struct batch {
    nln_event *events;
    nln_verdict *verdicts;
    size_t n;
} batch;

static void free_batch(void *work)
{
    batch *b = work;
    nln_free(b->events);
    nln_free(b->verdicts);
    nln_free(b);
}

/* One of liked, rating and retract says what the event is. */
static int read_event(nln_event *out, const nln_fields *body, const nln_json_value *value,
                      size_t number)
{
    nln_fields f;
    int liked = -1, retract = 0;
    *out = (nln_event){.rating = NAN, .time = NAN};
    if (!nln_fields_open_entry(&f, body, "events", number, value,
                               "id user item liked rating retract time") ||
        !nln_fields_string(&out->id, &f, "id", 0) ||
        !nln_fields_string(&out->user, &f, "user", 1) ||
        !nln_fields_string(&out->item, &f, "item", 1) || !nln_fields_flag(&liked, &f, "liked") ||
        !nln_fields_number(&out->rating, &f, "rating") ||
        !nln_fields_flag(&retract, &f, "retract") || !nln_fields_number(&out->time, &f, "time"))
        return 0;
    int rated = !isnan(out->rating);
    if ((liked >= 0) + rated + retract != 1)
        return nln_fields_fail(&f, "", "an event has one of liked, rating and retract");
    out->kind = rated        ? NLN_EVENT_RATING
                : retract    ? NLN_EVENT_RETRACT
                : liked == 1 ? NLN_EVENT_LIKE
                             : NLN_EVENT_DISLIKE;
    return 1;
}

static void print_results(nln_http_request *r, const batch *b)
{
    static const char *const words[] = {
        [NLN_STORED] = "stored",
        [NLN_DUPLICATE] = "duplicate",
        [NLN_REFUSED] = "refused",
    };
    nln_text *t = &r->text;
    size_t item, n_unknown = 0;
    nln_http_request_open(r);
    nln_json_out_open(t, "results", '[');
    for (size_t i = 0; i < b->n; i++) {
        const nln_verdict *verdict = &b->verdicts[i];
        nln_json_out_open(t, NULL, '{');
        nln_json_out_string(t, "id", b->events[i].id);
        nln_json_out_string(t, "status", words[verdict->kind]);
        if (verdict->kind == NLN_REFUSED) {
            nln_json_out_string(t, "why", verdict->why);
            nln_json_out_string(t, "field", verdict->field);
        }
        nln_json_out_close(t, '}');
        n_unknown += verdict->kind == NLN_STORED &&
                     nln_model_find(&item, r->model->model, b->events[i].item, NULL) != NLN_OK;
    }
    nln_json_out_close(t, ']');
    nln_json_out_count(t, "unknown_items", n_unknown);
    atomic_fetch_add(&r->server->unknown_items, n_unknown);
    nln_http_request_close(r);
}

/* On the thread of the writer, after the commit. */
static void answer_batch(void *context, nln_status status, const nln_error *err)
{
    nln_http_request *r = context;
    if (status)
        fail_store(r, err);
    else
        print_results(r, r->work);
    nln_http_request_finish(r);
}

static void submit_batch(nln_http_request *r)
{
    batch *b = r->work;
    nln_error err = {0};
    if (!nln_store_submit(r->server->store, b->events, b->n, b->verdicts, answer_batch, r, &err))
        return;
    fail_store(r, &err);
    nln_http_request_finish(r);
}

nln_handled nln_answer_events(nln_http_request *r)
{
    const nln_json_value *list = NULL;
    nln_fields f;
    batch *b;
    if (!need_store(r) || !nln_fields_open(&f, r, "events") ||
        !nln_fields_array(&list, &f, "events", MOST_EVENTS, 1))
        return NLN_ANSWERED;
    if (!(b = nln_memory_zeroed(1, sizeof *b)))
        return nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    r->work = b;
    r->work_free = free_batch;
    r->begin = submit_batch;
    b->n = list->n;
    b->events = nln_array_zeroed(b->n, sizeof *b->events);
    b->verdicts = nln_array_zeroed(b->n, sizeof *b->verdicts);
    if (!b->events || !b->verdicts)
        return nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    const nln_json_value *value = list + 1;
    for (size_t i = 0; i < b->n; i++, value += value->size)
        if (!read_event(&b->events[i], &f, value, i))
            return NLN_ANSWERED;
    return NLN_LATER;
}

/* ---- listing -------------------------------------------------------------- */

static void print_event(nln_text *t, const nln_event *e)
{
    char time[NLN_NUMBER_ROOM];
    nln_json_out_open(t, NULL, '{');
    nln_json_out_whole(t, "number", e->number);
    nln_json_out_string(t, "id", e->id);
    nln_json_out_string(t, "user", e->user);
    nln_json_out_string(t, "item", e->item);
    if (e->kind == NLN_EVENT_RATING)
        nln_json_out_number(t, "rating", e->rating);
    else if (e->kind == NLN_EVENT_RETRACT)
        nln_json_out_flag(t, "retract", 1);
    else
        nln_json_out_flag(t, "liked", e->kind == NLN_EVENT_LIKE);
    nln_number_round(time, e->time, 15); /* milliseconds, too */
    nln_text_format(t, ",\"time\":%s", time);
    nln_json_out_close(t, '}');
}

nln_handled nln_answer_event_list(nln_http_request *r)
{
    const char *user = nln_http_request_query(r, "user");
    size_t k = 100, after = 0;
    nln_events list;
    nln_error err = {0};
    if (!need_store(r) || !nln_http_request_query_size(&k, r, "k", 1, MOST_EVENTS) ||
        !nln_http_request_query_size(&after, r, "after", 0, INT64_MAX))
        return NLN_ANSWERED;
    if (!user || !*user)
        return nln_http_request_fail(r, 422, "user", "name a user: ?user=NAME");
    if (!r->on_worker)
        return NLN_ON_WORKER;
    if (nln_store_list(&list, r->server->store, user, (int64_t)after, k, &err))
        return fail_store(r, &err);
    nln_http_request_open(r);
    nln_json_out_open(&r->text, "events", '[');
    for (size_t i = 0; i < list.n; i++)
        print_event(&r->text, &list.rows[i]);
    nln_json_out_close(&r->text, ']');
    if (list.n == k)
        nln_json_out_whole(&r->text, "next", list.rows[list.n - 1].number);
    else
        nln_json_out_null(&r->text, "next");
    nln_http_request_close(r);
    nln_events_free(&list);
    return NLN_ANSWERED;
}

/* ---- exporting ------------------------------------------------------------ */

/* Text that was made and not yet sent: bytes[sent .. n). */
typedef struct export
{
    nln_store *store;
    nln_store_scale scale;
    int64_t cursor;
    int more;
    char *bytes;
    size_t n, room, sent;
}
export;

static void free_export(void *context)
{
    export *e = context;
    nln_free(e->bytes);
    nln_free(e);
}

/* Makes the text of the next users. */
static nln_status refill(export *e)
{
    nln_events page;
    e->n = e->sent = 0;
    nln_status status = nln_store_histories(&page, &e->cursor, &e->more, e->store, NLN_STORE_ALL,
                                            EXPORT_ROWS, NULL);
    if (!status)
        status = nln_store_export_lines(&e->bytes, &e->n, &e->room, &page, e->scale, NULL);
    nln_events_free(&page);
    return status;
}

static ptrdiff_t read_export(void *context, char *bytes, size_t n)
{
    export *e = context;
    while (e->sent == e->n) {
        if (!e->more)
            return -1;
        if (refill(e))
            return -2;
    }
    size_t take = e->n - e->sent < n ? e->n - e->sent : n;
    memcpy(bytes, e->bytes + e->sent, take);
    e->sent += take;
    return (ptrdiff_t)take;
}

nln_handled nln_answer_export(nln_http_request *r)
{
    static const char header[] = NLN_STORE_EXPORT_HEADER;
    nln_error err = {0};
    if (!need_store(r))
        return NLN_ANSWERED;
    if (!r->on_worker)
        return NLN_ON_WORKER;
    export *e = nln_memory_zeroed(1, sizeof *e);
    if (!e || !NLN_ARRAY_RESERVE(e->bytes, e->room, sizeof header)) {
        nln_free(e);
        return nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    }
    e->store = r->server->store;
    e->more = 1;
    e->n = sizeof header - 1;
    memcpy(e->bytes, header, e->n);
    if (nln_store_scale_find(&e->scale, e->store, &err)) {
        free_export(e);
        return fail_store(r, &err);
    }
    r->stream = (nln_stream){read_export, free_export, e};
    r->type = "text/tab-separated-values; charset=utf-8";
    r->download = "events.tsv";
    return NLN_ANSWERED;
}

/* ---- forgetting ----------------------------------------------------------- */

nln_handled nln_answer_forget(nln_http_request *r)
{
    size_t n;
    nln_error err = {0};
    if (!need_store(r))
        return NLN_ANSWERED;
    if (!r->on_worker)
        return NLN_ON_WORKER;
    if (nln_store_forget(&n, r->server->store, r->rest, &err))
        return fail_store(r, &err);
    nln_http_request_open(r);
    nln_json_out_count(&r->text, "removed", n);
    nln_http_request_close(r);
    return NLN_ANSWERED;
}
