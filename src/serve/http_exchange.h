/* What the files of the network share: the connections, the requests on them, and the server's side
 * of both. */
#ifndef NLN_SERVE_HTTP_EXCHANGE_H
#define NLN_SERVE_HTTP_EXCHANGE_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <sys/socket.h>

#include "serve/http.h"
#include "serve/routes.h"

typedef enum nln_http_phase {
    NLN_HTTP_IDLE,
    NLN_HTTP_RECEIVING,
    NLN_HTTP_UPLOADING,
    NLN_HTTP_ANSWERING
} nln_http_phase;

/* One connection.  The list and the socket's life are under the lock of the server. */
typedef struct nln_http_client {
    struct nln_http_client *previous, *next;
    int fd;
    int refused; /* the status for a connection beyond a limit, or 0 */
    atomic_int phase;
    _Atomic double since; /* of the phase */
    struct sockaddr_storage address;
} nln_http_client;

/* A request as the network sees it. */
typedef struct nln_http_exchange {
    nln_http_request request; /* first, so that both have one address */
    nln_http *http;
    nln_http_client *client;
    struct MHD_Connection *connection;
    int begun;    /* its headers have been looked at */
    int running;  /* the handler has been called */
    int answered; /* before the body was complete */
    size_t most;  /* bytes of the body */
    int origin_listed;
    size_t sent;
    struct nln_http_exchange *next_stream;
    int waiting; /* a stream that is suspended */
    char address[INET6_ADDRSTRLEN], origin[256];
} nln_http_exchange;

struct nln_http {
    nln_serve *server;
    struct MHD_Daemon *daemon;
    int fd, port;
    pthread_mutex_t lock; /* of the clients */
    nln_http_client *clients;
    size_t n_clients;
    atomic_size_t under_way;
    atomic_size_t handed_on; /* requests that wait for a worker or for a commit */
    pthread_mutex_t streams_lock;
    nln_http_exchange *streams;
    size_t n_streams;
    atomic_int stopping;
    pthread_t watchman, acceptor;
    int has_watchman, has_acceptor;
    atomic_ulong refused, late, gone;
};

/* ---- connections (http_clients.c) ------------------------------------------ */

void nln_http_enter(nln_http_client *client, nln_http_phase phase);
/* Counts the connection, and marks it as refused beyond a limit. */
void nln_http_add_client(nln_http *http, nln_http_client *client);
void nln_http_remove_client(nln_http *http, nln_http_client *client);
/* Closes connections whose request does not come.  The library still owns the socket; it finds it
 * shut down, and closes it. */
void nln_http_close_late(nln_http *http);

/* ---- replies (http_reply.c) -------------------------------------------------- */

/* Hands the reply to the library, with its headers. */
enum MHD_Result nln_http_reply(nln_http_exchange *exchange);
/* A stream that has ended is woken no more. */
void nln_http_leave_streams(nln_http_exchange *exchange);

/* ---- the log (http_log.c) ---------------------------------------------------- */

/* A line about a request that is over, if the settings want one. */
void nln_http_log(const nln_http_exchange *exchange, double seconds);

#endif
