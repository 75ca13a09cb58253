/* nln_serve.h: the life of a server. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/options.h"
#include "serve/background_training.h"
#include "serve/http.h"
#include "serve/routes.h"

nln_status nln_serve_create(nln_serve **out, const char *model, nln_error *err)
{
    int n_rows;
    const nln_option *rows = nln_serve_options(&n_rows);
    nln_serve *s = *out = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    pthread_mutex_init(&s->slot.lock, NULL);
    pthread_mutex_init(&s->reloading, NULL);
    s->model_path = nln_memory_copy(model);
    nln_status status = s->model_path ? nln_options_create_from(&s->options, rows, n_rows, err)
                                      : nln_error_memory(err);
    if (status) {
        nln_serve_free(s);
        *out = NULL;
    }
    return status;
}

nln_status nln_serve_set(nln_serve *server, const char *name, const char *value, nln_error *err)
{
    return nln_options_set(server->options, name, value, err);
}

void nln_serve_log(nln_serve *server, void (*log)(void *context, const char *line), void *context)
{
    server->log = log;
    server->log_context = context;
}

void nln_serve_note(nln_serve *s, const char *event, const char *message)
{
    nln_text line = {0};
    char when[40];
    time_t now = time(NULL);
    struct tm parts;
    if (!s->log || s->settings.log == NLN_LOG_NONE)
        return;
    gmtime_r(&now, &parts);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &parts);
    nln_json_out_open(&line, NULL, '{');
    nln_json_out_string(&line, "time", when);
    nln_json_out_string(&line, "event", event);
    nln_json_out_string(&line, "message", message);
    nln_json_out_close(&line, '}');
    nln_text_add(&line, "", 1);
    if (!line.failed)
        s->log(s->log_context, line.bytes);
    nln_text_free(&line);
}

static nln_status load(nln_serve *s, nln_error *err)
{
    nln_served *served = NULL;
    nln_status status = nln_served_load(&served, s->model_path, s->settings.titles, err);
    if (!status)
        nln_model_slot_put(&s->slot, served);
    return status;
}

nln_status nln_serve_start(nln_serve *s, nln_error *err)
{
    if (s->http)
        return nln_error_set(err, NLN_INVALID, "the server has been started already");
    nln_status status = nln_serve_settings_read(&s->settings, s->options, err);
    s->started = nln_clock_now();
    if (!status && s->settings.keys[0])
        status = nln_keys_read(&s->keys, s->settings.keys, err);
    if (!status && !(s->metrics = nln_request_metrics_create(nln_routes_count() + 1)))
        status = nln_error_memory(err);
    if (!status)
        status = load(s, err);
    if (!status && s->settings.store[0])
        status = nln_store_open(&s->store, s->settings.store, NULL, err);
    if (!status)
        status = nln_trainer_service_create(&s->trainer, s, err);
    if (!status)
        status = nln_http_start(&s->http, s, err);
    if (status)
        nln_serve_stop(s);
    else
        nln_serve_note(s, "start", "the server answers");
    return status;
}

int nln_serve_port(const nln_serve *server)
{
    return server->http ? nln_http_port(server->http) : 0;
}

nln_status nln_serve_reload(nln_serve *s, nln_error *err)
{
    nln_error own = {0};
    char message[900];
    pthread_mutex_lock(&s->reloading);
    nln_status status = load(s, &own);
    pthread_mutex_unlock(&s->reloading);
    if (status) {
        atomic_fetch_add(&s->failed_reloads, 1);
        snprintf(message, sizeof message, "%s%s%s; the old model stays in service", own.file,
                 own.file[0] ? ": " : "", own.message);
        nln_serve_note(s, "reload failed", message);
        if (err)
            *err = own;
        return status;
    }
    nln_serve_note(s, "reload", "a new model is in service");
    return NLN_OK;
}

void nln_serve_stop(nln_serve *s)
{
    if (s->http) {
        atomic_store(&s->draining, 1);
        nln_http_quiesce(s->http);
        nln_http_drain(s->http, s->settings.drain);
    }
    if (s->trainer)
        nln_trainer_service_stop(s->trainer);
    nln_http_finish_work(s->http); /* what waits for a worker or for the writer is answered */
    nln_http_free(s->http);
    s->http = NULL;
    nln_trainer_service_free(s->trainer); /* after the streams that follow it */
    s->trainer = NULL;
    nln_store_close(s->store);
    s->store = NULL;
    nln_model_slot_put(&s->slot, NULL);
    nln_keys_free(&s->keys);
    nln_request_metrics_free(s->metrics);
    s->metrics = NULL;
    atomic_store(&s->draining, 0);
}

void nln_serve_free(nln_serve *server)
{
    if (!server)
        return;
    nln_serve_stop(server);
    pthread_mutex_destroy(&server->slot.lock);
    pthread_mutex_destroy(&server->reloading);
    nln_options_free(server->options);
    nln_free(server->model_path);
    nln_free(server);
}
