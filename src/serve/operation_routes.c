/* GET /health/live, /health/ready, /metrics, /api/v1/server and /openapi.json: none of them waits
 * for a model, and of these only /api/v1/server asks the store. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "serve/http.h"
#include "serve/openapi.h"
#include "serve/routes.h"
#include "serve/server.h"

nln_handled nln_answer_live(nln_http_request *r)
{
    nln_json_out_open(&r->text, NULL, '{');
    nln_json_out_string(&r->text, "status", "live");
    nln_json_out_close(&r->text, '}');
    return NLN_ANSWERED;
}

nln_handled nln_answer_ready(nln_http_request *r)
{
    r->model = nln_model_slot_take(&r->server->slot);
    if (!r->model || atomic_load(&r->server->draining)) {
        r->retry_after = 1;
        return nln_http_request_fail(r, 503, NULL,
                                     r->model ? "the server is about to stop"
                                              : "there is no model in service yet");
    }
    nln_http_request_open(r);
    nln_json_out_string(&r->text, "status", "ready");
    nln_http_request_close(r);
    return NLN_ANSWERED;
}

nln_handled nln_answer_openapi(nln_http_request *r)
{
    nln_openapi_print(&r->text);
    return NLN_ANSWERED;
}

/* ---- numbers -------------------------------------------------------------- */

/* The memory of the process that is in RAM, in bytes; 0 where the system does not say. */
static size_t resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static const char *route_method(int i)
{
    return i < nln_routes_count() ? nln_routes[i].method : "";
}

static const char *route_path(int i)
{
    return i < nln_routes_count() ? nln_routes[i].path : "other";
}

static void number(nln_text *t, const char *name, const char *type, const char *help, double value)
{
    nln_text_format(t, "# HELP %s %s\n# TYPE %s %s\n%s %.10g\n", name, help, name, type, name,
                    value);
}

static void print_store(nln_text *t, nln_store *store)
{
    nln_store_counters c;
    nln_store_counters_read(&c, store);
    number(t, "nln_events_stored_total", "counter", "Events committed.", (double)c.stored);
    number(t, "nln_events_duplicate_total", "counter", "Events sent again.", (double)c.duplicates);
    number(t, "nln_events_refused_total", "counter", "Events refused.", (double)c.refused);
    number(t, "nln_store_commits_total", "counter", "Transactions.", (double)c.commits);
    number(t, "nln_store_failures_total", "counter", "Transactions that failed.",
           (double)c.failures);
    number(t, "nln_store_reconnects_total", "counter", "Connections made again.",
           (double)c.reconnects);
    number(t, "nln_store_seconds_total", "counter", "Time in transactions.", c.seconds);
    number(t, "nln_store_waiting", "gauge", "Events that wait for the writer.", (double)c.waiting);
    number(t, "nln_store_room", "gauge", "The most events that may wait.", (double)c.queue);
}

nln_handled nln_answer_metrics(nln_http_request *r)
{
    nln_serve *s = r->server;
    nln_text *t = &r->text;
    nln_served *served = nln_model_slot_take(&s->slot);
    nln_http_counters c = s->http ? nln_http_count(s->http) : (nln_http_counters){0};
    nln_request_metrics_print(t, s->metrics, route_method, route_path);
    number(t, "nln_requests_under_way", "gauge", "Requests being answered.", (double)c.requests);
    number(t, "nln_connections", "gauge", "Open connections.", (double)c.connections);
    number(t, "nln_streams", "gauge", "Streams being sent.", (double)c.streams);
    number(t, "nln_refused_total", "counter", "Requests over a limit.", (double)c.refused);
    number(t, "nln_late_total", "counter", "Requests that did not arrive in time.", (double)c.late);
    number(t, "nln_gone_total", "counter", "Requests whose client had gone.", (double)c.gone);
    number(t, "nln_queue_waiting", "gauge", "Requests that wait for a worker.",
           s->queue ? (double)nln_work_queue_waiting(s->queue) : 0);
    number(t, "nln_queue_room", "gauge", "The most requests that may wait.",
           (double)s->settings.queue);
    number(t, "nln_unknown_items_total", "counter",
           "Stored events of items that the model did "
           "not know.",
           (double)atomic_load(&s->unknown_items));
    number(t, "nln_model_swaps_total", "counter", "New models put in service.",
           (double)atomic_load(&s->slot.swaps));
    number(t, "nln_model_reload_failures_total", "counter", "Model files that were not sound.",
           (double)atomic_load(&s->failed_reloads));
    if (served)
        nln_text_format(t,
                        "# HELP nln_model_info The model in service.\n# TYPE nln_model_info gauge\n"
                        "nln_model_info{version=\"%s\",task=\"%s\",method=\"%s\"} 1\n",
                        served->version, served->abilities.task, served->abilities.method);
    nln_served_release(served);
    if (s->store)
        print_store(t, s->store);
    number(t, "nln_memory_bytes", "gauge", "Memory that the library has allocated.",
           (double)nln_memory_used());
    number(t, "process_resident_memory_bytes", "gauge", "Memory in RAM.", (double)resident());
    number(t, "nln_uptime_seconds", "gauge", "Since the start.", nln_clock_now() - s->started);
    r->type = "text/plain; version=0.0.4; charset=utf-8";
    return NLN_ANSWERED;
}

/* ---- for the page --------------------------------------------------------- */

static void print_times(nln_text *t, const nln_route_times *times)
{
    nln_json_out_count(t, "requests", times->requests);
    nln_json_out_count(t, "errors", times->client_errors + times->server_errors);
    nln_json_out_number(t, "p50", times->p50);
    nln_json_out_number(t, "p90", times->p90);
    nln_json_out_number(t, "p99", times->p99);
}

static void print_routes(nln_text *t, const nln_request_metrics *metrics)
{
    nln_json_out_open(t, "routes", '[');
    for (int i = 0; i < nln_routes_count(); i++) {
        nln_route_times times = nln_request_metrics_read(metrics, i);
        nln_json_out_open(t, NULL, '{');
        nln_json_out_string(t, "method", nln_routes[i].method);
        nln_json_out_string(t, "path", nln_routes[i].path);
        print_times(t, &times);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
}

static void print_totals(nln_text *t, nln_serve *s)
{
    nln_store_totals totals;
    nln_store_counters c;
    if (!s->store || nln_store_count(&totals, s->store, NULL)) {
        nln_json_out_null(t, "store");
        return;
    }
    nln_store_counters_read(&c, s->store);
    nln_json_out_open(t, "store", '{');
    nln_json_out_string(t, "engine", nln_store_engine_name(s->store));
    nln_json_out_whole(t, "events", totals.events);
    nln_json_out_whole(t, "users", totals.users);
    nln_json_out_count(t, "commits", c.commits);
    nln_json_out_count(t, "waiting", c.waiting);
    nln_json_out_close(t, '}');
}

nln_handled nln_answer_server(nln_http_request *r)
{
    nln_serve *s = r->server;
    nln_text *t = &r->text;
    if (!r->on_worker)
        return NLN_ON_WORKER;
    nln_http_counters c = s->http ? nln_http_count(s->http) : (nln_http_counters){0};
    nln_route_times all = nln_request_metrics_read(s->metrics, -1);
    nln_http_request_open(r);
    nln_json_out_string(t, "version", nln_version());
    nln_json_out_number(t, "uptime_seconds", nln_clock_now() - s->started);
    nln_json_out_count(t, "requests", all.requests);
    nln_json_out_open(t, "latency", '{');
    nln_json_out_number(t, "p50", all.p50);
    nln_json_out_number(t, "p90", all.p90);
    nln_json_out_number(t, "p99", all.p99);
    nln_json_out_close(t, '}');
    nln_json_out_count(t, "connections", c.connections);
    nln_json_out_count(t, "under_way", c.requests);
    nln_json_out_count(t, "refused", c.refused);
    nln_json_out_count(t, "model_swaps", atomic_load(&s->slot.swaps));
    nln_json_out_count(t, "memory_bytes", resident());
    print_totals(t, s);
    print_routes(t, s->metrics);
    nln_http_request_close(r);
    return NLN_ANSWERED;
}
