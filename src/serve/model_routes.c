/* GET /api/v1/model, POST /api/v1/model/reload. */
#include <string.h>

#include "serve/routes.h"
#include "serve/server.h"

static void print_abilities(nln_text *t, const nln_abilities *a)
{
    nln_json_out_open(t, "abilities", '{');
    nln_json_out_flag(t, "recommends", a->recommends);
    nln_json_out_flag(t, "knows_users", a->knows_users);
    nln_json_out_flag(t, "needs_user", a->needs_user);
    nln_json_out_flag(t, "keeps_histories", a->keeps_histories);
    nln_json_out_flag(t, "reads_histories", a->reads_histories);
    nln_json_out_flag(t, "reads_grades", a->reads_grades);
    nln_json_out_flag(t, "reads_expressions", a->reads_expressions);
    nln_json_out_flag(t, "ranks_variables", a->ranks_variables);
    nln_json_out_flag(t, "has_vectors", a->has_vectors);
    nln_json_out_close(t, '}');
}

static void print_options(nln_text *t, const nln_options *options)
{
    int n_rows;
    const nln_option *rows = nln_options_table(&n_rows, options);
    nln_json_out_open(t, "options", '{');
    for (int i = 0; i < n_rows; i++) {
        nln_option_use use;
        nln_options_use(&use, options, rows[i].name);
        if (!use.applies || strcmp(rows[i].name, "threads") == 0)
            continue;
        if (rows[i].type == NLN_OPTION_FLAG)
            nln_json_out_flag(t, rows[i].name, nln_options_number(options, rows[i].name) != 0);
        else if (rows[i].type == NLN_OPTION_INT || rows[i].type == NLN_OPTION_REAL)
            nln_json_out_number(t, rows[i].name, nln_options_number(options, rows[i].name));
        else
            nln_json_out_string(t, rows[i].name, nln_options_text(options, rows[i].name));
    }
    nln_json_out_close(t, '}');
}

nln_handled nln_answer_model(nln_http_request *r)
{
    const nln_served *served = r->model;
    nln_text *t = &r->text;
    nln_http_request_open(r);
    nln_json_out_string(t, "task", served->abilities.task);
    nln_json_out_string(t, "method", served->abilities.method);
    nln_json_out_count(t, "items", nln_model_variables(served->model));
    nln_json_out_count(t, "users", nln_model_users(served->model));
    nln_json_out_count(t, "titles", served->titles ? nln_titles_count(served->titles) : 0);
    nln_json_out_count(t, "vector_length", nln_model_vector_length(served->model));
    print_abilities(t, &served->abilities);
    nln_json_out_open(t, "trained", '{');
    nln_json_out_whole(t, "time", (int64_t)served->modified);
    nln_json_out_close(t, '}');
    print_options(t, nln_model_options(served->model));
    nln_http_request_close(r);
    return NLN_ANSWERED;
}

nln_handled nln_answer_reload(nln_http_request *r)
{
    nln_error err = {0};
    if (!r->on_worker)
        return NLN_ON_WORKER;
    char before[sizeof r->model->version];
    memcpy(before, r->model->version, sizeof before);
    if (nln_serve_reload(r->server, &err))
        return nln_http_request_fail(r, 409, NULL, "%s; the old model stays in service",
                                     err.message);
    nln_served_release(r->model);
    r->model = nln_model_slot_take(&r->server->slot);
    nln_http_request_open(r);
    nln_json_out_string(&r->text, "before", before);
    nln_http_request_close(r);
    return NLN_ANSWERED;
}
