/* The server: everything that its parts share. */
#ifndef NLN_SERVE_SERVER_H
#define NLN_SERVE_SERVER_H

#include "nln_serve.h"
#include "serve/access.h"
#include "serve/request_metrics.h"
#include "serve/serve_options.h"
#include "serve/served_model.h"
#include "serve/work_queue.h"
#include "store/store.h"

struct nln_http;
struct nln_trainer_service;

struct nln_serve {
    nln_options *options;
    nln_serve_settings settings;
    char *model_path;
    void (*log)(void *context, const char *line);
    void *log_context;

    nln_model_slot slot;
    pthread_mutex_t reloading; /* one at a time */
    nln_keys keys;
    nln_request_metrics *metrics;
    nln_work_queue *queue;
    nln_store *store;      /* NULL without one */
    struct nln_http *http; /* NULL unless it runs */
    struct nln_trainer_service *trainer;
    double started; /* nln_clock_now() */
    atomic_int draining;
    atomic_ulong failed_reloads, unknown_items;
};

/* Writes a line to the log unless the options say not to: {"time", "event", "message"}. */
void nln_serve_note(nln_serve *server, const char *event, const char *message);

/* What happens to a request before its body is read: the route, the origin, the key.  Returns 0
 * after it has answered. */
typedef struct nln_http_headers {
    const char *authorization, *api_key, *origin, *host; /* or NULL */
} nln_http_headers;
int nln_dispatch_admit(nln_http_request *r, const nln_http_headers *headers);
/* Calls the handler.  NLN_ON_WORKER and NLN_LATER as the handler says. */
nln_handled nln_dispatch_run(nln_http_request *r);

#endif
