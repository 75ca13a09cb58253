/* Replies: their headers and bodies, and streams, which wait without a thread. */
#include <stdio.h>
#include <string.h>

#include "serve/http_exchange.h"

static void header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value)
        MHD_add_response_header(response, name, value);
}

static void add_headers(struct MHD_Response *response, const nln_http_exchange *e)
{
    const nln_http_request *r = &e->request;
    char text[160];
    header(response, "Content-Type", r->type ? r->type : "application/json");
    header(response, "X-Content-Type-Options", "nosniff");
    header(response, "Cache-Control", r->cached ? "no-cache" : "no-store");
    header(response, "ETag", r->etag);
    header(response, "Content-Encoding", r->encoding);
    if (r->cached)
        header(response, "Vary", "Accept-Encoding");
    if (r->type && strncmp(r->type, "text/html", 9) == 0) {
        header(response, "Content-Security-Policy",
               "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        header(response, "Referrer-Policy", "no-referrer");
    }
    if (r->download) {
        snprintf(text, sizeof text, "attachment; filename=\"%s\"", r->download);
        header(response, "Content-Disposition", text);
    }
    if (r->status == 401)
        header(response, "WWW-Authenticate", "Bearer");
    if (r->status == 405 || r->status == 204)
        header(response, "Allow", r->allow);
    if (r->retry_after) {
        snprintf(text, sizeof text, "%d", r->retry_after);
        header(response, "Retry-After", text);
    }
    if (e->origin_listed) {
        header(response, "Access-Control-Allow-Origin", e->origin);
        header(response, "Vary", "Origin");
        header(response, "Access-Control-Allow-Methods", "GET, POST, DELETE");
        header(response, "Access-Control-Allow-Headers", "Authorization, Content-Type, X-API-Key");
    }
    if (atomic_load(&e->http->server->draining) || (e->client && e->client->refused) || e->answered)
        header(response, "Connection", "close");
}

static ssize_t read_stream(void *context, uint64_t position, char *bytes, size_t n)
{
    nln_http_exchange *e = context;
    nln_http *h = e->http;
    (void)position;
    pthread_mutex_lock(&h->streams_lock);
    ptrdiff_t got = atomic_load(&h->stopping)
                        ? -1
                        : e->request.stream.read(e->request.stream.context, bytes, n);
    if (got == 0) { /* a reader that has nothing would be called again at once */
        e->waiting = 1;
        MHD_suspend_connection(e->connection);
    }
    pthread_mutex_unlock(&h->streams_lock);
    if (got > 0)
        e->sent += (size_t)got;
    return got == -1   ? MHD_CONTENT_READER_END_OF_STREAM
           : got == -2 ? MHD_CONTENT_READER_END_WITH_ERROR
                       : (ssize_t)got;
}

static struct MHD_Response *make_response(nln_http_exchange *e)
{
    nln_http_request *r = &e->request;
    nln_text *t = &r->text;
    struct MHD_Response *response;
    if (r->stream.context) {
        nln_http *h = e->http;
        pthread_mutex_lock(&h->streams_lock);
        e->next_stream = h->streams;
        h->streams = e;
        h->n_streams++;
        pthread_mutex_unlock(&h->streams_lock);
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32768, read_stream, e, NULL);
    }
    if (r->constant) {
        e->sent = r->n_constant;
        return MHD_create_response_from_buffer(r->n_constant, (void *)(uintptr_t)r->constant,
                                               MHD_RESPMEM_PERSISTENT);
    }
    e->sent = t->n;
    response = MHD_create_response_from_buffer_with_free_callback(t->n, t->bytes, nln_free);
    if (response)
        *t = (nln_text){0};
    return response;
}

enum MHD_Result nln_http_reply(nln_http_exchange *e)
{
    struct MHD_Response *response = make_response(e);
    if (!response)
        return MHD_NO;
    add_headers(response, e);
    enum MHD_Result result =
        MHD_queue_response(e->connection, (unsigned)e->request.status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- streams ---------------------------------------------------------------- */

void nln_http_wake_streams(nln_http *h)
{
    pthread_mutex_lock(&h->streams_lock);
    for (nln_http_exchange *e = h->streams; e; e = e->next_stream)
        if (e->waiting) {
            e->waiting = 0;
            MHD_resume_connection(e->connection);
        }
    pthread_mutex_unlock(&h->streams_lock);
}

void nln_http_leave_streams(nln_http_exchange *e)
{
    nln_http *h = e->http;
    if (!e->request.stream.context)
        return;
    pthread_mutex_lock(&h->streams_lock);
    for (nln_http_exchange **at = &h->streams; *at; at = &(*at)->next_stream)
        if (*at == e) {
            *at = e->next_stream;
            h->n_streams--;
            break;
        }
    pthread_mutex_unlock(&h->streams_lock);
}
