/* GET /api/v1/model and /api/v1/laws, POST /api/v1/model/reload. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "nln_lab.h"

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

static void print_time(nln_text *t, const char *key, double seconds)
{
    char text[40];
    time_t when = (time_t)seconds;
    struct tm parts;
    if (isnan(seconds) || !gmtime_r(&when, &parts)) {
        nln_json_out_null(t, key);
        return;
    }
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    nln_json_out_string(t, key, text);
}

static void print_measures(nln_text *t, const char *key, const nln_record *record, int test)
{
    nln_json_out_open(t, key, '{');
    for (size_t i = 0; i < record->n_measures; i++) {
        const nln_measure *m = &record->measures[i];
        nln_json_out_number(t, m->name, test ? m->test : m->valid);
    }
    nln_json_out_close(t, '}');
}

/* When and from what it was trained, and how good it was; a file of before says nothing of it. */
static void print_record(nln_text *t, const nln_served *served)
{
    static const char *const splits[] = {"train", "valid", "test"};
    const nln_record *record = nln_model_record(served->model);
    char fingerprint[24];
    int stamped = record && !isnan(record->trained);
    print_time(t, "trained", stamped ? record->trained : served->modified);
    nln_json_out_string(t, "trained_by", stamped ? "record" : "file");
    if (!record) {
        nln_json_out_null(t, "data");
        nln_json_out_null(t, "metrics");
        return;
    }
    nln_json_out_open(t, "data", '{');
    nln_json_out_string(t, "name", record->data[0] ? record->data : NULL);
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, record->fingerprint);
    nln_json_out_string(t, "fingerprint", fingerprint);
    nln_json_out_open(t, "rows", '{');
    for (int s = 0; s < 3; s++)
        nln_json_out_count(t, splits[s], record->rows[s]);
    nln_json_out_close(t, '}');
    if (isnan(record->newest))
        nln_json_out_null(t, "newest");
    else
        nln_json_out_whole(t, "newest", (int64_t)record->newest);
    nln_json_out_close(t, '}');
    nln_json_out_open(t, "metrics", '{');
    print_measures(t, "valid", record, 0);
    print_measures(t, "test", record, 1);
    nln_json_out_close(t, '}');
    nln_json_out_whole(t, "epochs", record->epochs);
    nln_json_out_whole(t, "best_epoch", record->best_epoch);
}

nln_handled nln_answer_model(nln_http_request *r)
{
    const nln_served *served = r->model;
    nln_text *t = &r->text;
    nln_http_request_open(r);
    nln_json_out_string(t, "task", served->abilities.task);
    nln_json_out_string(t, "method", served->abilities.method);
    nln_json_out_count(t, "variables", nln_model_variables(served->model));
    nln_json_out_count(t, "items", nln_model_variables(served->model));
    nln_json_out_count(t, "users", nln_model_users(served->model));
    nln_json_out_count(t, "titles", served->titles ? nln_titles_count(served->titles) : 0);
    nln_json_out_count(t, "vector_length", nln_model_vector_length(served->model));
    print_abilities(t, &served->abilities);
    print_record(t, served);
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

/* ---- laws ----------------------------------------------------------------- */

enum { MOST_LAWS = 64, WORST = 5 };

static void print_cases(nln_text *t, const nln_model *model, const nln_law_case *cases, size_t n)
{
    nln_json_out_open(t, "worst", '[');
    for (size_t i = 0; i < n; i++) {
        nln_json_out_open(t, NULL, '{');
        nln_json_out_open(t, "variables", '[');
        for (int k = 0; k < 3 && cases[i].operand[k] != SIZE_MAX; k++)
            nln_json_out_string(t, NULL, nln_model_variable(model, cases[i].operand[k]));
        nln_json_out_close(t, ']');
        nln_json_out_number(t, "similarity", cases[i].similarity);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
}

static nln_status measure_laws(nln_text *t, const nln_model *model, nln_error *err)
{
    nln_law_score scores[MOST_LAWS];
    nln_law_case cases[MOST_LAWS * WORST];
    size_t n_cases[MOST_LAWS], n = 0;
    nln_status status = nln_inspect(scores, MOST_LAWS, &n, model, NULL, err);
    if (!status)
        status = nln_inspect_worst(cases, n_cases, WORST, n, model, err);
    if (status)
        return status;
    nln_json_out_open(t, "laws", '[');
    for (size_t i = 0; i < n; i++) {
        nln_json_out_open(t, NULL, '{');
        nln_json_out_string(t, "name", scores[i].name);
        nln_json_out_string(t, "formula", scores[i].formula);
        nln_json_out_flag(t, "far_apart", scores[i].far_apart);
        nln_json_out_count(t, "n", scores[i].n);
        nln_json_out_number(t, "mean_similarity", scores[i].mean_similarity);
        nln_json_out_number(t, "mean_cosine", scores[i].mean_cosine);
        nln_json_out_number(t, "kept", scores[i].kept);
        print_cases(t, model, cases + i * WORST, n_cases[i]);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
    return NLN_OK;
}

/* Measured once for each model; requests in the meantime wait on a worker. */
nln_handled nln_answer_laws(nln_http_request *r)
{
    nln_computed *c = &r->model->laws;
    nln_error err = {0};
    nln_status status = NLN_OK;
    if (!r->model->abilities.ranks_variables)
        return nln_http_request_fail(r, 409, NULL, "a model of kind %s has no modules for the laws",
                                     r->model->abilities.method);
    if (!r->on_worker)
        return NLN_ON_WORKER;
    pthread_mutex_lock(&c->lock);
    if (!c->text) {
        nln_text text = {0};
        status = measure_laws(&text, r->model->model, &err);
        if (!status && text.failed)
            status = nln_error_memory(&err);
        if (status)
            nln_text_free(&text);
        c->text = text.bytes;
        c->n = text.n;
    }
    if (!status) {
        nln_http_request_open(r);
        nln_text_add(&r->text, ",", 1);
        nln_text_add(&r->text, c->text, c->n);
        nln_http_request_close(r);
    }
    pthread_mutex_unlock(&c->lock);
    return status ? nln_http_request_fail_error(r, NULL, &err) : NLN_ANSWERED;
}
