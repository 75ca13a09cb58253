/* A line of JSON for every request; neither keys nor bodies nor queries are part of it. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "serve/http_exchange.h"

void nln_http_log(const nln_http_exchange *e, double seconds)
{
    const nln_http_request *r = &e->request;
    const nln_serve *s = r->server;
    char address[INET6_ADDRSTRLEN] = "", when[40], ms[32];
    struct timespec now;
    struct tm parts;
    nln_text line = {0};
    if (!s->log || s->settings.log == NLN_LOG_NONE ||
        (s->settings.log == NLN_LOG_PROBLEMS && r->status < 400))
        return;
    if (e->client && e->client->address.ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&e->client->address)->sin6_addr, address,
                  sizeof address);
    else if (e->client)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)&e->client->address)->sin_addr, address,
                  sizeof address);
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t n = strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(when + n, sizeof when - n, ".%03ldZ", now.tv_nsec / 1000000);
    snprintf(ms, sizeof ms, "%.3f", 1000 * seconds);
    nln_json_out_open(&line, NULL, '{');
    nln_json_out_string(&line, "time", when);
    nln_json_out_string(&line, "event", "request");
    nln_json_out_string(&line, "method", r->method ? r->method : "");
    nln_json_out_string(&line, "path", r->route ? r->route->path : r->path ? r->path : "");
    nln_json_out_whole(&line, "status", r->status);
    nln_json_out_number(&line, "ms", strtod(ms, NULL));
    nln_json_out_count(&line, "received", r->n_body);
    nln_json_out_count(&line, "sent", e->sent);
    nln_json_out_string(&line, "address", address);
    if (r->model)
        nln_json_out_string(&line, "model", r->model->version);
    nln_json_out_close(&line, '}');
    nln_text_add(&line, "", 1);
    if (!line.failed)
        s->log(s->log_context, line.bytes);
    nln_text_free(&line);
}
