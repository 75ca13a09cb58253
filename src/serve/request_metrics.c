#include "serve/request_metrics.h"

#include <math.h>
#include <stdatomic.h>

#include "base/array.h"
#include "base/memory.h"

static const double bounds[NLN_METRICS_BUCKETS - 1] = {
    .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10};
static const int statuses[] = {200, 202, 204, 304, 400, 401, 403, 404, 405, 408,
                               409, 413, 422, 429, 431, 499, 500, 503, 0 /* any other */};
enum { N_STATUSES = sizeof statuses / sizeof *statuses };

typedef struct cell {
    atomic_ullong bucket[NLN_METRICS_BUCKETS];
    atomic_ullong nanoseconds;
} cell;

struct nln_request_metrics {
    int n_routes;
    cell (*cells)[N_STATUSES];
};

nln_request_metrics *nln_request_metrics_create(int n_routes)
{
    nln_request_metrics *m = nln_array_zeroed(1, sizeof *m);
    if (m)
        m->cells = nln_array_zeroed((size_t)n_routes, sizeof *m->cells);
    if (m && m->cells) {
        m->n_routes = n_routes;
        return m;
    }
    nln_free(m);
    return NULL;
}

void nln_request_metrics_free(nln_request_metrics *m)
{
    if (m)
        nln_free(m->cells);
    nln_free(m);
}

void nln_request_metrics_add(nln_request_metrics *m, int route, int status, double seconds)
{
    int s = 0, b = 0;
    while (statuses[s] && statuses[s] != status)
        s++;
    while (b < NLN_METRICS_BUCKETS - 1 && seconds > bounds[b])
        b++;
    cell *c = &m->cells[route][s];
    atomic_fetch_add_explicit(&c->bucket[b], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->nanoseconds, (unsigned long long)(1e9 * seconds),
                              memory_order_relaxed);
}

/* The time below which the share q of n requests lies: linear within its bucket. */
static double quantile(const uint64_t *bucket, uint64_t n, double q)
{
    double before = 0, wanted = q * (double)n;
    for (int b = 0; b < NLN_METRICS_BUCKETS; b++) {
        double from = b ? bounds[b - 1] : 0, to = b < NLN_METRICS_BUCKETS - 1 ? bounds[b] : from;
        if (bucket[b] && before + (double)bucket[b] >= wanted)
            return from + (to - from) * (wanted - before) / (double)bucket[b];
        before += (double)bucket[b];
    }
    return NAN;
}

nln_route_times nln_request_metrics_read(const nln_request_metrics *m, int route)
{
    nln_route_times out = {0};
    uint64_t bucket[NLN_METRICS_BUCKETS] = {0};
    int first = route < 0 ? 0 : route, last = route < 0 ? m->n_routes : route + 1;
    for (int i = first; i < last; i++)
        for (int s = 0; s < N_STATUSES; s++) {
            cell *c = &m->cells[i][s];
            uint64_t n = 0;
            for (int b = 0; b < NLN_METRICS_BUCKETS; b++) {
                uint64_t here = atomic_load_explicit(&c->bucket[b], memory_order_relaxed);
                bucket[b] += here;
                n += here;
            }
            out.requests += n;
            out.client_errors += statuses[s] >= 400 && statuses[s] < 500 ? n : 0;
            out.server_errors += statuses[s] >= 500 ? n : 0;
            out.seconds +=
                1e-9 * (double)atomic_load_explicit(&c->nanoseconds, memory_order_relaxed);
        }
    out.p50 = quantile(bucket, out.requests, .5);
    out.p90 = quantile(bucket, out.requests, .9);
    out.p99 = quantile(bucket, out.requests, .99);
    return out;
}

static void print_cell(nln_text *out, cell *c, int status, const char *method, const char *path)
{
    uint64_t bucket[NLN_METRICS_BUCKETS], n = 0;
    char labels[160];
    nln_text line = {0};
    for (int b = 0; b < NLN_METRICS_BUCKETS; b++)
        n += bucket[b] = atomic_load_explicit(&c->bucket[b], memory_order_relaxed);
    if (!n)
        return;
    nln_text_format(&line, "method=\"%s\",route=\"%s\",status=\"%d\"", method, path, status);
    size_t length = line.n < sizeof labels ? line.n : sizeof labels - 1;
    for (size_t i = 0; i < length; i++)
        labels[i] = line.bytes[i];
    labels[length] = '\0';
    nln_text_free(&line);
    uint64_t below = 0;
    for (int b = 0; b < NLN_METRICS_BUCKETS; b++) {
        below += bucket[b];
        nln_text_format(out, "nln_request_seconds_bucket{%s,le=\"", labels);
        if (b < NLN_METRICS_BUCKETS - 1)
            nln_text_format(out, "%g", bounds[b]);
        else
            nln_text_format(out, "+Inf");
        nln_text_format(out, "\"} %llu\n", (unsigned long long)below);
    }
    nln_text_format(out, "nln_request_seconds_sum{%s} %.9f\nnln_request_seconds_count{%s} %llu\n",
                    labels,
                    1e-9 * (double)atomic_load_explicit(&c->nanoseconds, memory_order_relaxed),
                    labels, (unsigned long long)n);
}

void nln_request_metrics_print(nln_text *out, const nln_request_metrics *m,
                               const char *(*method)(int route), const char *(*path)(int route))
{
    nln_text_format(out, "# HELP nln_request_seconds Time from the headers of a request to the end "
                         "of its reply.\n# TYPE nln_request_seconds histogram\n");
    for (int i = 0; i < m->n_routes; i++)
        for (int s = 0; s < N_STATUSES; s++)
            print_cell(out, &m->cells[i][s], statuses[s], method(i), path(i));
}
