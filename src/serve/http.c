#include "serve/http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "serve/http_exchange.h"

/* ---- connections ----------------------------------------------------------- */

static void on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code)
{
    nln_http *h = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*socket_context)
            nln_http_remove_client(h, *socket_context);
        return;
    }
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    nln_http_client *c = *socket_context = nln_memory_zeroed(1, sizeof *c);
    if (!c)
        return;
    c->fd = fd->connect_fd;
    if (address && address->client_addr)
        memcpy(&c->address, address->client_addr,
               address->client_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                           : sizeof(struct sockaddr_in));
    nln_http_enter(c, NLN_HTTP_IDLE);
    nln_http_add_client(h, c);
}

/* Connections are accepted here and dealt out to the library's threads by the number of their
 * socket.  Left to itself, the thread that wakes first takes all that have come, and one processor
 * does the work of all. */
static void *accept_clients(void *context)
{
    nln_http *h = context;
    const struct timespec pause = {0, 20 * 1000 * 1000};
    while (!atomic_load(&h->stopping)) {
        struct sockaddr_storage address;
        socklen_t length = sizeof address;
        int fd = accept(h->fd, (struct sockaddr *)&address, &length);
        if (fd >= 0)
            /* It sets the flags of the socket, and closes it where there is no room or memory. */
            MHD_add_connection(h->daemon, fd, (struct sockaddr *)&address, length);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            nanosleep(&pause, NULL); /* others will go */
    }
    return NULL;
}

static void *watch(void *context)
{
    nln_http *h = context;
    const struct timespec pause = {0, 200 * 1000 * 1000};
    for (unsigned tick = 0; !atomic_load(&h->stopping); tick++) {
        nanosleep(&pause, NULL);
        nln_http_close_late(h);
        nln_http_wake_streams(h); /* streams send pings from time to time */
    }
    return NULL;
}

/* ---- requests ------------------------------------------------------------- */

static int has_gone(const nln_http_request *r)
{
    const nln_http_exchange *e = (const nln_http_exchange *)r;
    char byte;
    ssize_t n = e->client ? recv(e->client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) : -1;
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void wake(nln_http_request *r)
{
    nln_http_exchange *e = (nln_http_exchange *)r;
    nln_http *h = e->http;
    MHD_resume_connection(e->connection);
    atomic_fetch_sub(&h->handed_on, 1);
}

/* On a worker. */
static void run_on_worker(nln_http_request *r)
{
    r->on_worker = 1;
    if (has_gone(r)) {
        atomic_fetch_add(&((nln_http_exchange *)r)->http->gone, 1);
        nln_http_request_fail(r, 499, NULL, "the client has gone");
    } else if (!nln_http_request_wanted(r)) {
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL, "the answer would have come too late; try again later");
    } else
        nln_dispatch_run(r);
    nln_http_request_finish(r);
}

static enum MHD_Result add_query(void *context, enum MHD_ValueKind kind, const char *name,
                                 const char *value)
{
    nln_http_request *r = context;
    (void)kind;
    if (r->n_query < NLN_REQUEST_QUERIES) {
        r->query[r->n_query].name = name;
        r->query[r->n_query++].value = value ? value : "";
    }
    return MHD_YES;
}

static const char *look(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void read_headers(nln_http_exchange *e)
{
    nln_http_request *r = &e->request;
    struct MHD_Connection *c = e->connection;
    const char *encodings = look(c, "Accept-Encoding"), *last = look(c, "Last-Event-ID");
    MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, add_query, r);
    r->if_none_match = look(c, "If-None-Match");
    r->takes_gzip = encodings && strstr(encodings, "gzip");
    r->last_event = last ? strtoll(last, NULL, 10) : -1;
}

/* Looks at the headers; the request is answered without its handler after a 0. */
static int admit(nln_http_exchange *e)
{
    nln_http_request *r = &e->request;
    nln_http *h = e->http;
    struct MHD_Connection *c = e->connection;
    const nln_http_headers headers = {
        .authorization = look(c, "Authorization"),
        .api_key = look(c, "X-API-Key"),
        .origin = look(c, "Origin"),
        .host = look(c, "Host"),
    };
    const char *length = look(c, "Content-Length");
    const nln_serve_settings *s = &h->server->settings;
    read_headers(e);
    if (headers.origin && nln_access_listed(headers.origin, s->origins) &&
        strlen(headers.origin) < sizeof e->origin) {
        e->origin_listed = 1;
        snprintf(e->origin, sizeof e->origin, "%s", headers.origin);
    }
    if (e->client && e->client->refused) {
        atomic_fetch_add(&h->refused, 1);
        r->retry_after = 1;
        nln_http_request_fail(r, e->client->refused, NULL, "there are too many connections%s",
                              e->client->refused == 429 ? " from your address"
                                                        : "; try again later");
        return 0;
    }
    if (!nln_dispatch_admit(r, &headers)) {
        if (e->origin_listed && strcmp(r->method, "OPTIONS") == 0 && r->allow) {
            r->text.n = 0;
            r->status = 204;
        }
        return 0;
    }
    e->most = r->route->is_upload ? s->upload : s->body;
    if (length && strtoull(length, NULL, 10) > e->most) {
        nln_http_request_fail(r, 413, NULL, "the body may have %zu bytes", e->most);
        return 0;
    }
    if (e->client)
        nln_http_enter(e->client, r->route->is_upload ? NLN_HTTP_UPLOADING : NLN_HTTP_RECEIVING);
    return 1;
}

/* Whether the rest of the body of a request that is answered already is worth reading, so that the
 * client sees the answer: a socket that is closed with unread bytes is reset. */
static int worth_reading(nln_http_exchange *e)
{
    const char *length = look(e->connection, "Content-Length");
    const char *expects = look(e->connection, "Expect");
    unsigned long long n = length ? strtoull(length, NULL, 10) : 0;
    return !expects && n > 0 && n <= 64u << 20;
}

static void take_body(nln_http_exchange *e, const char *bytes, size_t n)
{
    nln_http_request *r = &e->request;
    if (e->answered)
        return;
    if (n > e->most - r->n_body) {
        nln_http_request_fail(r, 413, NULL, "the body may have %zu bytes", e->most);
        e->answered = 1;
    } else if (!NLN_ARRAY_RESERVE(r->body, r->body_room, r->n_body + n)) {
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
        e->answered = 1;
    } else {
        memcpy(r->body + r->n_body, bytes, n);
        r->n_body += n;
    }
}

/* The request is complete: answers it, or lets it wait without a thread. */
static enum MHD_Result run(nln_http_exchange *e)
{
    nln_http_request *r = &e->request;
    nln_http *h = e->http;
    e->running = 1;
    if (e->client)
        nln_http_enter(e->client, NLN_HTTP_ANSWERING);
    nln_handled handled = e->answered ? NLN_ANSWERED : nln_dispatch_run(r);
    if (handled == NLN_ANSWERED) {
        if (r->text.failed) {
            r->retry_after = 1;
            nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
        }
        return nln_http_reply(e);
    }
    atomic_fetch_add(&h->handed_on, 1);
    MHD_suspend_connection(e->connection);
    if (handled == NLN_LATER)
        r->begin(r);
    else if (!nln_work_queue_add(h->server->queue, r)) {
        atomic_fetch_add(&h->refused, 1);
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL,
                              "too many requests wait for an answer; try again later");
        nln_http_request_finish(r);
    }
    return MHD_YES;
}

static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection)
{
    nln_http *h = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    nln_http_exchange *e = nln_memory_zeroed(1, sizeof *e);
    (void)uri;
    if (!e)
        return NULL;
    e->http = h;
    e->connection = connection;
    e->client = info ? info->socket_context : NULL;
    e->request = (nln_http_request){.server = h->server,
                                    .started = nln_clock_now(),
                                    .status = 400,
                                    .last_event = -1,
                                    .wake = wake,
                                    .has_gone = has_gone};
    if (e->client)
        nln_http_enter(e->client, NLN_HTTP_RECEIVING);
    atomic_fetch_add(&h->under_way, 1);
    return e;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *n_upload, void **request)
{
    nln_http_exchange *e = *request;
    (void)context;
    (void)connection;
    (void)version;
    if (!e)
        return MHD_NO;
    if (!e->begun) {
        e->begun = 1;
        e->request.method = method;
        e->request.path = nln_memory_copy(url);
        if (!e->request.path)
            return MHD_NO;
        e->answered = !admit(e);
        if (e->answered && !worth_reading(e)) {
            e->running = 1;
            if (e->client)
                nln_http_enter(e->client, NLN_HTTP_ANSWERING);
            return nln_http_reply(e);
        }
        return MHD_YES;
    }
    if (*n_upload) {
        take_body(e, upload, *n_upload);
        *n_upload = 0;
        return MHD_YES;
    }
    return e->running ? nln_http_reply(e) : run(e);
}

/* ---- the end of a request ---------------------------------------------------- */

static void on_completed(void *context, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode code)
{
    nln_http *h = context;
    nln_http_exchange *e = *request;
    (void)connection;
    if (!e)
        return;
    *request = NULL;
    nln_http_request *r = &e->request;
    double seconds = nln_clock_now() - r->started;
    nln_http_leave_streams(e);
    if (code != MHD_REQUEST_TERMINATED_COMPLETED_OK && !e->running)
        r->status = code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ? 408 : 499;
    if (r->route)
        nln_request_metrics_add(h->server->metrics, (int)(r->route - nln_routes), r->status,
                                seconds);
    else
        nln_request_metrics_add(h->server->metrics, nln_routes_count(), r->status, seconds);
    nln_http_log(e, seconds);
    if (e->client)
        nln_http_enter(e->client, NLN_HTTP_IDLE);
    nln_http_request_clear(r);
    nln_free(e);
    atomic_fetch_sub(&h->under_way, 1);
}

/* ---- starting and stopping ----------------------------------------------------- */

static nln_status listen_on(nln_http *h, nln_error *err)
{
    const nln_serve_settings *s = &h->server->settings;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list = NULL;
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    int on = 1, code = getaddrinfo(s->host, s->port, &hints, &list);
    if (code)
        return nln_error_set(err, NLN_IO, "the address %s is not known: %s", s->host,
                             gai_strerror(code));
    h->fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int ok = h->fd >= 0 && !setsockopt(h->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
             !bind(h->fd, list->ai_addr, list->ai_addrlen) && !listen(h->fd, 1024) &&
             !getsockname(h->fd, (struct sockaddr *)&bound, &length);
    int why = errno;
    freeaddrinfo(list);
    if (!ok) {
        char text[128] = "";
        return nln_error_set(
            err, NLN_IO,
            "the server cannot listen on %s:%s: %s; --listen takes another address or port",
            s->host, s->port, strerror_r(why, text, sizeof text) ? "unknown error" : text);
    }
    h->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                : ((struct sockaddr_in *)&bound)->sin_port);
    return NLN_OK;
}

static nln_status start_daemon(nln_http *h, nln_error *err)
{
    const nln_serve_settings *s = &h->server->settings;
    /* The library divides its limit among the threads, but connections do not divide evenly; ours
     * is counted by itself. */
    unsigned most = (unsigned)(s->connections + 256) * (unsigned)s->threads;
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |
            MHD_USE_ITC,
        0, NULL, NULL, on_request, h, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)s->request_time + 1,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_CONNECTION_MEMORY_INCREMENT,
        (size_t)4096, MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, h, MHD_OPTION_URI_LOG_CALLBACK, on_uri, h,
        s->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (unsigned)s->threads,
        MHD_OPTION_END);
    if (!h->daemon)
        return nln_error_set(err, NLN_IO, "the HTTP server cannot be started");
    return NLN_OK;
}

nln_status nln_http_start(nln_http **out, nln_serve *server, nln_error *err)
{
    nln_http *h = *out = nln_memory_zeroed(1, sizeof *h);
    if (!h)
        return nln_error_memory(err);
    h->server = server;
    h->fd = -1;
    pthread_mutex_init(&h->lock, NULL);
    pthread_mutex_init(&h->streams_lock, NULL);
    nln_status status = nln_work_queue_create(&server->queue, server->settings.workers,
                                              server->settings.queue, run_on_worker, err);
    if (!status)
        status = listen_on(h, err);
    if (!status)
        status = start_daemon(h, err);
    if (!status) {
        h->has_watchman = !pthread_create(&h->watchman, NULL, watch, h);
        h->has_acceptor = h->has_watchman && !pthread_create(&h->acceptor, NULL, accept_clients, h);
        if (!h->has_acceptor)
            status = nln_error_set(err, NLN_MEMORY, "the threads of the server cannot be started");
    }
    if (status) {
        nln_http_free(h);
        *out = NULL;
    }
    return status;
}

int nln_http_port(const nln_http *h)
{
    return h->port;
}

void nln_http_quiesce(nln_http *h)
{
    atomic_store(&h->stopping, 1);
    shutdown(h->fd, SHUT_RDWR); /* wakes the thread that accepts */
    nln_http_wake_streams(h);
}

void nln_http_drain(nln_http *h, double seconds)
{
    const struct timespec pause = {0, 2 * 1000 * 1000};
    double end = nln_clock_now() + seconds;
    while (atomic_load(&h->under_way) && nln_clock_now() < end)
        nanosleep(&pause, NULL);
}

void nln_http_finish_work(nln_http *h)
{
    const struct timespec pause = {0, 2 * 1000 * 1000};
    while (h && atomic_load(&h->handed_on))
        nanosleep(&pause, NULL);
}

void nln_http_free(nln_http *h)
{
    if (!h)
        return;
    atomic_store(&h->stopping, 1);
    if (h->fd >= 0)
        shutdown(h->fd, SHUT_RDWR);
    if (h->has_acceptor)
        pthread_join(h->acceptor, NULL);
    if (h->has_watchman)
        pthread_join(h->watchman, NULL);
    nln_work_queue_free(h->server->queue);
    h->server->queue = NULL;
    nln_http_wake_streams(h);
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    if (h->fd >= 0)
        close(h->fd);
    pthread_mutex_destroy(&h->lock);
    pthread_mutex_destroy(&h->streams_lock);
    nln_free(h);
}

nln_http_counters nln_http_count(nln_http *h)
{
    nln_http_counters out = {.requests = atomic_load(&h->under_way),
                             .refused = atomic_load(&h->refused),
                             .late = atomic_load(&h->late),
                             .gone = atomic_load(&h->gone)};
    pthread_mutex_lock(&h->lock);
    out.connections = h->n_clients;
    pthread_mutex_unlock(&h->lock);
    pthread_mutex_lock(&h->streams_lock);
    out.streams = h->n_streams;
    pthread_mutex_unlock(&h->streams_lock);
    return out;
}
