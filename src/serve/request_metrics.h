/* Counters of requests, by route and status, with histograms of their times.  Writing and reading
 * never wait. */
#ifndef NLN_SERVE_REQUEST_METRICS_H
#define NLN_SERVE_REQUEST_METRICS_H

#include "serve/json_out.h"

enum { NLN_METRICS_BUCKETS = 16 }; /* the last one has no upper end */

typedef struct nln_request_metrics nln_request_metrics;

/* Routes 0 to n_routes - 1; NULL when memory is out. */
nln_request_metrics *nln_request_metrics_create(int n_routes);
void nln_request_metrics_free(nln_request_metrics *m);
void nln_request_metrics_add(nln_request_metrics *m, int route, int status, double seconds);

/* Of all statuses of a route, or of all routes with route -1. */
typedef struct nln_route_times {
    uint64_t requests, client_errors, server_errors; /* with a status of 4xx and 5xx */
    double seconds;                                  /* in sum */
    double p50, p90, p99; /* estimated within buckets; NAN without requests */
} nln_route_times;
nln_route_times nln_request_metrics_read(const nln_request_metrics *m, int route);

/* nln_requests_seconds as a Prometheus histogram; name(route) is the label of a route. */
void nln_request_metrics_print(nln_text *out, const nln_request_metrics *m,
                               const char *(*method)(int route), const char *(*path)(int route));

#endif
