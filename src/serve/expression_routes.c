/* POST /api/v1/predict and /api/v1/graph. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "serve/exact_answer.h"
#include "serve/json_fields.h"
#include "serve/routes.h"
#include "serve/server.h"

enum { MOST_EXPRESSIONS = 10000, QUICK_BYTES = 4096 };

static int need_expressions(nln_http_request *r)
{
    if (r->model->abilities.reads_expressions)
        return 1;
    nln_http_request_fail(r, 409, NULL,
                          "a model of kind %s reads histories of users, not expressions; use "
                          "/api/v1/recommend",
                          r->model->abilities.method);
    return 0;
}

/* An error of the parser knows the column in the whole text, which may have lines. */
static void answer_error(nln_http_request *r, const char *field, const char *text,
                         const nln_error *err)
{
    long line = 1, column = 0;
    if (!err->column) {
        nln_error plain = *err;
        plain.line = 0;
        nln_http_request_fail_error(r, field, &plain);
        return;
    }
    for (long i = 1; *text && i < err->column; text++) {
        if (((unsigned char)text[1] & 0xc0) == 0x80)
            continue; /* a character of several bytes counts once */
        i++;
        column = *text == '\n' ? 0 : column + 1;
        line += *text == '\n';
    }
    nln_http_request_fail_at(r, nln_http_request_status(err->status), field, line, column + 1,
                             err->message);
}

/* ---- predict -------------------------------------------------------------- */

/* The texts of the array belong to it; 0 after a failure, which is answered. */
static int read_texts(const char **out, nln_http_request *r, const nln_json_value *array)
{
    const nln_json_value *value = array + 1;
    for (size_t i = 0; i < array->n; i++, value += value->size) {
        if (value->type != NLN_JSON_TYPE_STRING) {
            char field[48];
            snprintf(field, sizeof field, "expressions[%zu]", i);
            nln_http_request_fail(r, 422, field, "this must be an expression, as a string");
            return 0;
        }
        out[i] = value->string;
    }
    return 1;
}

static void predict(nln_http_request *r, const char *const *texts, size_t n, double *p)
{
    nln_error err = {0};
    if (n && nln_predict_many(p, r->model->model, texts, n, NULL, &err)) {
        char field[48] = "expressions";
        size_t i = err.line > 0 ? (size_t)err.line - 1 : 0;
        if (err.line > 0)
            snprintf(field, sizeof field, "expressions[%zu]", i);
        answer_error(r, field, texts[i], &err);
        return;
    }
    nln_http_request_open(r);
    nln_json_out_open(&r->text, "probabilities", '[');
    for (size_t i = 0; i < n; i++)
        nln_json_out_number(&r->text, NULL, p[i]);
    nln_json_out_close(&r->text, ']');
    nln_http_request_close(r);
}

nln_handled nln_answer_predict(nln_http_request *r)
{
    nln_fields f;
    const nln_json_value *array = NULL;
    if (!need_expressions(r))
        return NLN_ANSWERED;
    if (!r->on_worker && r->n_body > QUICK_BYTES)
        return NLN_ON_WORKER;
    if (!nln_fields_open(&f, r, "expressions") ||
        !nln_fields_array(&array, &f, "expressions", MOST_EXPRESSIONS, 1))
        return NLN_ANSWERED;
    size_t n = array->n;
    double *p = nln_array_zeroed(n, sizeof *p);
    const char **texts = nln_array_zeroed(n, sizeof *texts);
    if (!p || !texts) {
        r->retry_after = 1;
        nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    } else if (read_texts(texts, r, array))
        predict(r, texts, n, p);
    nln_free(p);
    nln_free(texts);
    return NLN_ANSWERED;
}

/* ---- graph ---------------------------------------------------------------- */

static void print_nodes(nln_text *t, const nln_graph *graph)
{
    nln_json_out_open(t, "nodes", '[');
    for (size_t i = 0; i < graph->n_nodes; i++) {
        const nln_graph_node *node = &graph->nodes[i];
        nln_json_out_open(t, NULL, '{');
        nln_json_out_count(t, "node", i);
        nln_json_out_string(t, "operation", node->operation);
        nln_json_out_open(t, "operands", '[');
        for (size_t k = 0; k < node->n_operands; k++)
            nln_json_out_count(t, NULL, node->operands[k]);
        nln_json_out_close(t, ']');
        if (node->name)
            nln_json_out_string(t, "name", node->name);
        nln_json_out_number(t, "truth", node->truth);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
}

static void print_graphs(nln_http_request *r, double p, const nln_graph *written,
                         const nln_graph *normal)
{
    nln_text *t = &r->text;
    nln_http_request_open(r);
    nln_json_out_string(t, "expression", written->text);
    nln_json_out_number(t, "probability", p);
    print_nodes(t, written);
    nln_json_out_open(t, "normal_form", '{');
    nln_json_out_string(t, "expression", normal->text);
    print_nodes(t, normal);
    nln_json_out_close(t, '}');
    if (r->server->settings.data[0])
        nln_exact_answer_print(t, r->model, r->server->settings.data, written->text);
    nln_http_request_close(r);
}

nln_handled nln_answer_graph(nln_http_request *r)
{
    nln_fields f;
    nln_error err = {0};
    const char *text = NULL;
    nln_graph *written = NULL, *normal = NULL;
    double p = 0;
    const nln_model *model = r->model->model;
    if (!need_expressions(r))
        return NLN_ANSWERED;
    if (!r->on_worker && r->n_body > QUICK_BYTES / 4)
        return NLN_ON_WORKER;
    if (!nln_fields_open(&f, r, "expression") || !nln_fields_string(&text, &f, "expression", 1))
        return NLN_ANSWERED;
    if (nln_graph_create(&written, model, text, 0, &err) ||
        nln_graph_create(&normal, model, text, 1, &err) || nln_predict(&p, model, text, &err))
        answer_error(r, "expression", text, &err);
    else
        print_graphs(r, p, written, normal);
    nln_graph_free(written);
    nln_graph_free(normal);
    return NLN_ANSWERED;
}
