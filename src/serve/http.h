/* The network: libmicrohttpd with a pool of epoll threads.
 *
 * What the library leaves to its user is here: a deadline for every request, whatever trickles in;
 * limits of connections with an answer that says so; requests that wait for a worker or for a
 * commit without holding a thread; clients that went away; and a stop that lets the requests under
 * way finish. */
#ifndef NLN_SERVE_HTTP_H
#define NLN_SERVE_HTTP_H

#include "serve/server.h"

typedef struct nln_http nln_http;

nln_status nln_http_start(nln_http **out, nln_serve *server, nln_error *err);
int nln_http_port(const nln_http *http);
/* Accepts no more connections and ends the streams. */
void nln_http_quiesce(nln_http *http);
/* Waits until no request is under way, at most some seconds. */
void nln_http_drain(nln_http *http, double seconds);
/* Waits for every request that was handed on to a worker or to the store, however long it takes. */
void nln_http_finish_work(nln_http *http);
void nln_http_free(nln_http *http);

/* Wakes all streams that wait for more. */
void nln_http_wake_streams(nln_http *http);

typedef struct nln_http_counters {
    size_t connections, requests, streams; /* now */
    unsigned long refused, late, gone; /* since the start: over a limit, past a deadline, left */
} nln_http_counters;
nln_http_counters nln_http_count(nln_http *http);

#endif
