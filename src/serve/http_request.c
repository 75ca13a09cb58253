#include "serve/http_request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve/served_model.h"
#include "serve/server.h"

double nln_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- errors ------------------------------------------------------------- */

/* Whatever was written before is gone. */
static void reset_reply(nln_http_request *r, int status)
{
    if (r->stream.context)
        r->stream.free(r->stream.context);
    r->stream = (nln_stream){0};
    r->status = status;
    r->text.n = 0;
    r->text.failed = 0;
    r->constant = NULL;
    r->type = r->etag = r->encoding = r->download = NULL;
    r->cached = 0;
}

/* A sentence is one line, also where it quotes what a stranger sent. */
static void make_plain(char out[512], const char *message)
{
    snprintf(out, 512, "%s", message);
    for (char *c = out; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = ' ';
}

nln_handled nln_http_request_fail_at(nln_http_request *r, int status, const char *field, long line,
                                     long column, const char *message)
{
    nln_text *t = &r->text;
    char plain[512];
    make_plain(plain, message);
    reset_reply(r, status);
    nln_json_out_open(t, NULL, '{');
    nln_json_out_open(t, "error", '{');
    nln_json_out_whole(t, "status", status);
    nln_json_out_string(t, "message", plain);
    if (field)
        nln_json_out_string(t, "field", field);
    if (line > 0)
        nln_json_out_whole(t, "line", line);
    if (column > 0)
        nln_json_out_whole(t, "column", column);
    nln_json_out_close(t, '}');
    if (r->model)
        nln_json_out_string(t, "model", r->model->version);
    nln_json_out_close(t, '}');
    return NLN_ANSWERED;
}

nln_handled nln_http_request_fail(nln_http_request *r, int status, const char *field,
                                  const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return nln_http_request_fail_at(r, status, field, 0, 0, message);
}

int nln_http_request_status(nln_status status)
{
    switch (status) {
    case NLN_OK:
        return 200;
    case NLN_INVALID:
    case NLN_SYNTAX:
    case NLN_UNKNOWN:
    case NLN_FORMAT:
    case NLN_NUMERIC:
    case NLN_LIMIT:
        return 422;
    case NLN_MEMORY:
    case NLN_IO:
    case NLN_CANCELLED:
        return 503;
    }
    return 500;
}

nln_handled nln_http_request_fail_error(nln_http_request *r, const char *field,
                                        const nln_error *err)
{
    int status = nln_http_request_status(err->status);
    if (status == 503)
        r->retry_after = 1;
    return nln_http_request_fail_at(r, status, field, err->line, err->column, err->message);
}

/* ---- replies ------------------------------------------------------------ */

void nln_http_request_open(nln_http_request *r)
{
    nln_json_out_open(&r->text, NULL, '{');
    nln_json_out_string(&r->text, "model", r->model->version);
}

void nln_http_request_close(nln_http_request *r)
{
    nln_json_out_close(&r->text, '}');
}

/* ---- what was sent ------------------------------------------------------ */

const char *nln_http_request_query(const nln_http_request *r, const char *name)
{
    for (int i = 0; i < r->n_query; i++)
        if (strcmp(r->query[i].name, name) == 0)
            return r->query[i].value;
    return NULL;
}

int nln_http_request_query_size(size_t *out, nln_http_request *r, const char *name, size_t least,
                                size_t most)
{
    const char *text = nln_http_request_query(r, name);
    char *end = NULL;
    if (!text || !text[0])
        return 1;
    unsigned long long value = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || *end || value < least || value > most || strlen(text) > 19) {
        nln_http_request_fail(r, 422, name, "%s must be a whole number from %zu to %zu", name,
                              least, most);
        return 0;
    }
    *out = (size_t)value;
    return 1;
}

/* A value takes tens of bytes, but "1," has two. */
enum { MOST_VALUES = 400000 };

int nln_http_request_read_json(nln_http_request *r)
{
    nln_error err = {0};
    if (!r->n_body) {
        nln_http_request_fail(r, 400, NULL, "the request has no body; send a JSON object");
        return 0;
    }
    nln_status status = nln_json_value_read(&r->json, r->body, r->n_body, MOST_VALUES, &err);
    if (status == NLN_MEMORY) {
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    } else if (status) {
        char message[sizeof err.message + 40];
        snprintf(message, sizeof message, "the body is not JSON: %s", err.message);
        nln_http_request_fail_at(r, 400, NULL, err.line, err.column, message);
    }
    return !status;
}

int nln_http_request_wanted(const nln_http_request *r)
{
    return nln_clock_now() - r->started < r->server->settings.answer_time &&
           !(r->has_gone && r->has_gone(r));
}

void nln_http_request_finish(nln_http_request *r)
{
    if (r->text.failed) {
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    }
    r->wake(r);
}

void nln_http_request_clear(nln_http_request *r)
{
    if (r->stream.context)
        r->stream.free(r->stream.context);
    if (r->work_free)
        r->work_free(r->work);
    nln_free(r->json);
    nln_text_free(&r->text);
    nln_free(r->body);
    nln_free(r->path);
    nln_served_release(r->model);
    *r = (nln_http_request){0};
}
