/* One request and its reply, apart from the connection that it came on.
 *
 * A handler reads the request, writes a reply into `text` and returns NLN_ANSWERED.  Work that
 * takes long is not done on the threads that read from the network: there a handler returns
 * NLN_ON_WORKER and is called again by a worker.  One that returns NLN_LATER has set `begin`, which
 * hands the request on to somebody who will call nln_http_request_finish. */
#ifndef NLN_SERVE_HTTP_REQUEST_H
#define NLN_SERVE_HTTP_REQUEST_H

#include "nln.h"
#include "serve/json_out.h"
#include "serve/json_value.h"

typedef enum nln_role { NLN_ROLE_NONE, NLN_ROLE_READ, NLN_ROLE_WRITE, NLN_ROLE_ADMIN } nln_role;

typedef enum nln_handled { NLN_ANSWERED, NLN_ON_WORKER, NLN_LATER } nln_handled;

typedef struct nln_http_request nln_http_request;
struct nln_serve;
struct nln_route;
struct nln_served;

/* A reply that is longer than memory, or never ends. */
typedef struct nln_stream {
    /* Writes at most n bytes; returns their number, 0 if there are none yet, -1 at the end and -2
     * after a failure, which breaks the connection off.  After a 0 nln_http_request_wake calls
     * again. */
    ptrdiff_t (*read)(void *context, char *bytes, size_t n);
    void (*free)(void *context);
    void *context; /* NULL: the reply is no stream */
} nln_stream;

enum { NLN_REQUEST_QUERIES = 8 };

struct nln_http_request {
    struct nln_serve *server;
    const struct nln_route *route; /* NULL: there is none */
    const char *method;
    char *path;       /* without the query; belongs to the request */
    const char *rest; /* after a route's prefix: a part of path */
    struct {
        const char *name, *value;
    } query[NLN_REQUEST_QUERIES];
    int n_query;
    char *body; /* [n_body], not terminated */
    size_t n_body, body_room;
    nln_json_value *json;      /* of the body, if the route reads one */
    struct nln_served *model;  /* in service when the handler began */
    const char *if_none_match; /* headers, or NULL */
    int takes_gzip;
    int64_t last_event; /* Last-Event-ID, or -1 */
    int on_worker;
    double started; /* nln_clock_now() */

    int status; /* of the reply */
    nln_text text;
    const char *type;                               /* Content-Type; NULL: JSON */
    const char *etag, *encoding, *allow, *download; /* headers, or NULL */
    const unsigned char *constant; /* a body that is never freed, instead of text */
    size_t n_constant;
    int retry_after; /* seconds; 0: no header */
    int cached;      /* may be kept by the client, and asked for again with its etag */
    nln_stream stream;

    void (*begin)(
        nln_http_request *r); /* of a handler that returned NLN_LATER: it is called when
                               * the network waits, and leads to nln_http_request_finish */
    void *work;               /* for begin */
    void (*work_free)(void *work);
    void (*wake)(nln_http_request *r);          /* set by the one who waits for the reply */
    int (*has_gone)(const nln_http_request *r); /* the client has closed the connection, or NULL */
    void *waiting;
};

/* Seconds of a clock that only goes forward. */
double nln_clock_now(void);

/* Replaces the reply by an error: {"error": {"status", "message", "field"}}.  `field` may be
 * NULL. */
nln_handled nln_http_request_fail(nln_http_request *r, int status, const char *field,
                                  const char *format, ...) __attribute__((format(printf, 4, 5)));
/* The same with a place in the text of the field; line and column may be 0. */
nln_handled nln_http_request_fail_at(nln_http_request *r, int status, const char *field, long line,
                                     long column, const char *message);
/* An error of the library as the status that fits it: 422, 404, 409, 503 or 500. */
nln_handled nln_http_request_fail_error(nln_http_request *r, const char *field,
                                        const nln_error *err);
int nln_http_request_status(nln_status status);

/* Begins a JSON object that names the version of the model. */
void nln_http_request_open(nln_http_request *r);
void nln_http_request_close(nln_http_request *r);

/* The parameter of the query, or NULL. */
const char *nln_http_request_query(const nln_http_request *r, const char *name);
/* A whole number of the query in [least, most]; 0 after a failure, which is answered. */
int nln_http_request_query_size(size_t *out, nln_http_request *r, const char *name, size_t least,
                                size_t most);

/* Reads the body as JSON; 0 after a failure, which is answered. */
int nln_http_request_read_json(nln_http_request *r);
/* Whether to go on: the client is there and there is time. */
int nln_http_request_wanted(const nln_http_request *r);
/* The reply is complete; the request belongs to the network again. */
void nln_http_request_finish(nln_http_request *r);
/* Releases everything but the request itself. */
void nln_http_request_clear(nln_http_request *r);

#endif
