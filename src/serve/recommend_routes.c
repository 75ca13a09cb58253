/* POST /api/v1/recommend and /api/v1/explain. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "serve/json_fields.h"
#include "serve/routes.h"
#include "serve/server.h"
#include "serve/user_history.h"

enum { MOST_REQUESTS = 1000, MOST_K = 10000, MOST_HISTORY = 10000, MOST_NAMES = 100000 };
/* More questions than these are answered by a worker. */
enum { QUICK_QUESTIONS = 8 };

#define QUESTION_FIELDS "user history k offset exclude only with_seen diversity reasons"

/* One question as it was sent. */
typedef struct asked {
    nln_question question;
    nln_literal *history;
    size_t *exclude, *only;
    size_t unknown; /* names of `exclude` and `only` that the model does not know */
    int reasons;
    const char *user;
    nln_recommendation *items; /* [k] */
} asked;

static void free_asked(asked *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nln_free(list[i].history);
        nln_free(list[i].exclude);
        nln_free(list[i].only);
        nln_free(list[i].items);
    }
    nln_free(list);
}

static int out_of_memory(nln_http_request *r)
{
    r->retry_after = 1;
    nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
    return 0;
}

static int too_late(nln_http_request *r)
{
    r->retry_after = 1;
    nln_http_request_fail(r, 503, NULL, "the reasons take too long; ask for fewer items");
    return 0;
}

/* ---- reading questions ---------------------------------------------------- */

/* Items by name; those that the model does not know are left out and counted. */
static int read_names(size_t **out, size_t *n, size_t *unknown, const nln_fields *f,
                      const char *name)
{
    const nln_json_value *array = NULL;
    *n = 0;
    if (!nln_fields_array(&array, f, name, MOST_NAMES, 0))
        return 0;
    if (!array)
        return 1;
    *out = nln_array_zeroed(array->n, sizeof **out);
    if (!*out)
        return out_of_memory(f->request);
    const nln_json_value *value = array + 1;
    for (size_t i = 0; i < array->n; i++, value += value->size) {
        if (value->type != NLN_JSON_TYPE_STRING) {
            char place[48];
            snprintf(place, sizeof place, "%s[%zu]", name, i);
            return nln_fields_fail(f, place, "this must be the name of an item");
        }
        if (nln_model_find(&(*out)[*n], f->request->model->model, value->string, NULL))
            (*unknown)++;
        else
            (*n)++;
    }
    return 1;
}

/* {"item", "liked"} or {"item", "rating"}. */
static int read_interaction(nln_literal *out, const nln_fields *question, size_t place,
                            const nln_json_value *value)
{
    nln_fields f;
    const char *item = NULL;
    double rating = NAN;
    int liked = -1;
    const nln_model *model = question->request->model->model;
    size_t index;
    if (!nln_fields_open_entry(&f, question, "history", place, value, "item liked rating") ||
        !nln_fields_string(&item, &f, "item", 1) || !nln_fields_flag(&liked, &f, "liked") ||
        !nln_fields_number(&rating, &f, "rating"))
        return 0;
    if (nln_model_find(&index, model, item, NULL))
        return nln_fields_fail(&f, "item", "the model does not know the item '%.80s'", item);
    if (isnan(rating) && liked < 0)
        return nln_fields_fail(&f, "liked", "give liked or rating");
    if (isnan(rating))
        *out = (nln_literal){index, liked, 0};
    else
        *out = nln_model_rated(model, index, rating);
    if (liked >= 0)
        out->liked = liked;
    return 1;
}

static int read_history(asked *a, const nln_fields *f)
{
    const nln_json_value *array = NULL;
    if (!nln_fields_array(&array, f, "history", MOST_HISTORY, 0))
        return 0;
    if (!array)
        return 1;
    a->history = nln_array_zeroed(array->n, sizeof *a->history);
    if (!a->history)
        return out_of_memory(f->request);
    const nln_json_value *value = array + 1;
    for (size_t i = 0; i < array->n; i++, value += value->size)
        if (!read_interaction(&a->history[i], f, i, value))
            return 0;
    a->question.n_history = array->n;
    return 1;
}

/* The history of a known user, where the question has none of its own. */
static int find_history(asked *a, const nln_fields *f)
{
    nln_http_request *r = f->request;
    nln_error err = {0};
    char field[160];
    int known = 0;
    nln_status status = nln_user_history(&a->history, &a->question.n_history, &known, r->model,
                                         r->server->store, a->user, &err);
    nln_fields_name(field, f, "user");
    if (status) {
        nln_http_request_fail_error(r, field, &err);
        return 0;
    }
    if (!known && !r->model->abilities.knows_users) {
        nln_http_request_fail(
            r, 404, field,
            "neither the model nor the store knows the user '%.80s'; send a history "
            "or events",
            a->user);
        return 0;
    }
    return 1;
}

static int check_abilities(const asked *a, const nln_fields *f)
{
    const nln_abilities *can = &f->request->model->abilities;
    if (a->reasons && !can->reads_histories)
        return nln_fields_fail(f, "reasons",
                               "a model of kind %s does not read histories, so it has no reasons",
                               can->method);
    if (!a->user && can->needs_user)
        return nln_fields_fail(f, "user",
                               "a model of kind %s answers only for the users of its training: "
                               "name one",
                               can->method);
    return 1;
}

/* Of an object that is open. */
static int read_question(asked *a, const nln_fields *f)
{
    nln_http_request *r = f->request;
    nln_question *q = &a->question;
    q->k = 10;
    if (!nln_fields_string(&a->user, f, "user", 0) || !nln_fields_size(&q->k, f, "k", 1, MOST_K) ||
        !nln_fields_size(&q->offset, f, "offset", 0, 100000000) ||
        !nln_fields_flag(&q->with_seen, f, "with_seen") ||
        !nln_fields_number(&q->diversity, f, "diversity") ||
        !nln_fields_flag(&a->reasons, f, "reasons") || !check_abilities(a, f) ||
        !read_names(&a->exclude, &q->n_exclude, &a->unknown, f, "exclude") ||
        !read_names(&a->only, &q->n_only, &a->unknown, f, "only") || !read_history(a, f))
        return 0;
    if (!(q->diversity >= 0 && q->diversity <= 1))
        return nln_fields_fail(f, "diversity", "this must be a number from 0 to 1");
    if (a->user && !a->history && !find_history(a, f))
        return 0;
    if (!a->user && !a->history)
        return nln_fields_fail(f, "user", "give a user or a history");
    size_t n_items = nln_model_variables(r->model->model);
    q->k = q->k < n_items ? q->k : n_items;
    q->user = r->model->abilities.knows_users ? a->user : NULL;
    q->history = a->history;
    q->exclude = a->exclude;
    q->only = a->only;
    a->items = nln_array_zeroed(q->k, sizeof *a->items);
    return a->items ? 1 : out_of_memory(r);
}

/* ---- writing answers ------------------------------------------------------ */

static void print_item(nln_text *t, const nln_served *served, size_t item)
{
    nln_json_out_string(t, "item", nln_model_variable(served->model, item));
    nln_json_out_string(t, "title", nln_served_title(served, item));
}

/* !(h1 & !h2) | item, of the literals that the model used. */
static void print_formula(nln_text *t, const nln_model *model, const nln_reason *reasons, size_t n,
                          size_t item)
{
    nln_text formula = {0};
    for (size_t i = 0; i < n; i++)
        nln_text_format(&formula, "%s%s%s", i ? " & " : "!(", reasons[i].literal.liked ? "" : "!",
                        nln_model_variable(model, reasons[i].literal.item));
    nln_text_format(&formula, "%s%s", n ? ") | " : "", nln_model_variable(model, item));
    nln_text_add(&formula, "", 1);
    nln_json_out_string(t, "formula", formula.failed ? "" : formula.bytes);
    nln_text_free(&formula);
}

static void print_reasons(nln_text *t, const nln_served *served, const nln_reason *reasons,
                          size_t n)
{
    nln_json_out_open(t, "reasons", '[');
    for (size_t i = 0; i < n; i++) {
        nln_json_out_open(t, NULL, '{');
        print_item(t, served, reasons[i].literal.item);
        nln_json_out_flag(t, "liked", reasons[i].literal.liked);
        if (reasons[i].literal.grade)
            nln_json_out_whole(t, "grade", reasons[i].literal.grade);
        nln_json_out_number(t, "contribution", reasons[i].contribution);
        nln_json_out_number(t, "removed", reasons[i].removed);
        nln_json_out_number(t, "negated", reasons[i].negated);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
}

/* Reasons for several items in one pass. */
typedef struct explained {
    nln_explanation *rows; /* [n] */
    nln_reason *reasons;   /* [n, n_history] */
    size_t *items;         /* [n] */
} explained;

static void free_explained(explained *x)
{
    nln_free(x->rows);
    nln_free(x->reasons);
    nln_free(x->items);
}

/* For the items of x, which the caller has set; 0 after a failure, which is answered. */
static int explain(explained *x, nln_http_request *r, const nln_question *q, size_t n)
{
    nln_error err = {0};
    x->rows = nln_array_zeroed(n, sizeof *x->rows);
    x->reasons = nln_array_zeroed(n * q->n_history, sizeof *x->reasons);
    if (!x->rows || !x->reasons)
        return out_of_memory(r);
    for (size_t i = 0; i < n; i++)
        x->rows[i].reasons = x->reasons + i * q->n_history;
    if (!n || !nln_scorer_explain(x->rows, r->model->scorer, q, x->items, n, &err))
        return 1;
    err.line = 0;
    nln_http_request_fail_error(r, "history", &err);
    return 0;
}

/* The contributions add up to the score with the history less that without. */
static void print_explanation(nln_http_request *r, const nln_explanation *x, size_t item)
{
    print_formula(&r->text, r->model->model, x->reasons, x->n, item);
    print_reasons(&r->text, r->model, x->reasons, x->n);
    nln_json_out_number(&r->text, "with_history", x->with_history);
    nln_json_out_number(&r->text, "without_history", x->without_history);
}

/* The scores of a topk model are no log-odds. */
static void print_score(nln_http_request *r, double score)
{
    nln_json_out_number(&r->text, "score", score);
    if (strcmp(r->model->abilities.task, "preference") == 0)
        nln_json_out_number(&r->text, "probability", 1 / (1 + exp(-score)));
}

static int print_answer(nln_http_request *r, const asked *a, const nln_answer *answer)
{
    nln_text *t = &r->text;
    explained x = {0};
    int ok = 1;
    if (a->reasons) {
        x.items = nln_array_zeroed(answer->n, sizeof *x.items);
        for (size_t i = 0; x.items && i < answer->n; i++)
            x.items[i] = answer->items[i].item;
        ok = !x.items                     ? out_of_memory(r)
             : nln_http_request_wanted(r) ? explain(&x, r, &a->question, answer->n)
                                          : too_late(r);
    }
    if (ok)
        nln_json_out_open(t, "items", '[');
    for (size_t i = 0; ok && i < answer->n; i++) {
        nln_json_out_open(t, NULL, '{');
        print_item(t, r->model, answer->items[i].item);
        print_score(r, answer->items[i].score);
        if (a->reasons)
            print_explanation(r, &x.rows[i], answer->items[i].item);
        nln_json_out_close(t, '}');
    }
    free_explained(&x);
    if (!ok)
        return 0;
    nln_json_out_close(t, ']');
    nln_json_out_count(t, "history", a->question.n_history);
    if (a->unknown)
        nln_json_out_count(t, "unknown_items", a->unknown);
    return 1;
}

/* ---- recommend ------------------------------------------------------------ */

static int need_recommender(nln_http_request *r)
{
    if (r->model->scorer)
        return 1;
    if (r->model->abilities.reads_expressions)
        nln_http_request_fail(r, 409, NULL,
                              "the model in service learned from expressions, so it recommends "
                              "nothing; use /api/v1/predict");
    else
        nln_http_request_fail(r, 409, NULL,
                              "the model in service has the task %s, so it recommends nothing",
                              r->model->abilities.task);
    return 0;
}

static nln_status ask(nln_answer *answers, nln_http_request *r, const asked *list, size_t n,
                      nln_error *err)
{
    nln_question one = {0}, *questions = n == 1 ? &one : nln_array_zeroed(n, sizeof *questions);
    if (!questions)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        questions[i] = list[i].question;
        answers[i] = (nln_answer){.items = list[i].items};
    }
    nln_status status = nln_scorer_recommend(answers, r->model->scorer, questions, n, 1, err);
    if (n != 1)
        nln_free(questions);
    return status;
}

/* The field that an error of the scorer speaks of. */
static void answer_error(nln_http_request *r, const asked *list, const char *path, nln_error *err)
{
    char field[160];
    size_t i = err->line > 0 ? (size_t)err->line - 1 : 0;
    int diverse = err->status == NLN_INVALID && list[i].question.diversity > 0;
    const char *name = diverse ? "diversity" : list[i].user ? "user" : "history";
    if (path)
        snprintf(field, sizeof field, "requests[%zu].%s", i, name);
    else
        snprintf(field, sizeof field, "%s", name);
    err->line = 0;
    if (err->status == NLN_UNKNOWN)
        nln_http_request_fail(r, 404, field, "%s", err->message);
    else
        nln_http_request_fail_error(r, field, err);
}

static void answer_all(nln_http_request *r, const asked *list, size_t n, int many)
{
    nln_error err = {0};
    nln_answer one = {0}, *answers = n == 1 ? &one : nln_array_zeroed(n, sizeof *answers);
    if (!answers) {
        out_of_memory(r);
        return;
    }
    int ok = 1;
    if (ask(answers, r, list, n, &err))
        answer_error(r, list, many ? "requests" : NULL, &err);
    else {
        nln_http_request_open(r);
        if (many)
            nln_json_out_open(&r->text, "answers", '[');
        for (size_t i = 0; ok && i < n; i++) {
            if (many)
                nln_json_out_open(&r->text, NULL, '{');
            ok = print_answer(r, &list[i], &answers[i]);
            if (ok && many)
                nln_json_out_close(&r->text, '}');
        }
        if (ok && many)
            nln_json_out_close(&r->text, ']');
        if (ok)
            nln_http_request_close(r);
    }
    if (n != 1)
        nln_free(answers);
}

/* Long work, and a store that is reached over a network, are for the workers. */
static int belongs_to_worker(const nln_http_request *r, const nln_json_value *questions, size_t n)
{
    int is_far = r->server->store && strcmp(nln_store_engine_name(r->server->store), "sqlite") != 0;
    int takes_long = n > QUICK_QUESTIONS;
    for (size_t i = 0; !takes_long && i < n; i++, questions += questions->size) {
        const nln_json_value *reasons = nln_json_value_member(questions, "reasons");
        takes_long = (reasons && reasons->type == NLN_JSON_TYPE_TRUE) ||
                     (is_far && nln_json_value_member(questions, "user"));
    }
    return !r->on_worker && takes_long;
}

nln_handled nln_answer_recommend(nln_http_request *r)
{
    nln_fields f;
    const nln_json_value *requests = NULL;
    int many = nln_json_value_member(r->json, "requests") != NULL;
    if (!need_recommender(r) || !nln_fields_open(&f, r, many ? "requests" : QUESTION_FIELDS) ||
        !nln_fields_array(&requests, &f, "requests", MOST_REQUESTS, many))
        return NLN_ANSWERED;
    const nln_json_value *question = many ? requests + 1 : r->json;
    size_t n = many ? requests->n : 1;
    if (belongs_to_worker(r, question, n))
        return NLN_ON_WORKER;
    asked *list = nln_array_zeroed(n, sizeof *list);
    if (!list)
        return out_of_memory(r), NLN_ANSWERED;
    int ok = 1;
    for (size_t i = 0; ok && i < n; i++, question += question->size) {
        nln_fields entry;
        ok = !many || nln_fields_open_entry(&entry, &f, "requests", i, question, QUESTION_FIELDS);
        ok = ok && read_question(&list[i], many ? &entry : &f);
    }
    if (ok)
        answer_all(r, list, n, many);
    free_asked(list, n);
    return NLN_ANSWERED;
}

/* ---- explain -------------------------------------------------------------- */

static void answer_item(nln_http_request *r, const asked *a, size_t item)
{
    explained x = {.items = nln_array_zeroed(1, sizeof item)};
    if (x.items)
        x.items[0] = item;
    if (x.items ? explain(&x, r, &a->question, 1) : out_of_memory(r)) {
        nln_http_request_open(r);
        print_item(&r->text, r->model, item);
        print_score(r, x.rows[0].score);
        print_explanation(r, &x.rows[0], item);
        nln_http_request_close(r);
    }
    free_explained(&x);
}

nln_handled nln_answer_explain(nln_http_request *r)
{
    nln_fields f;
    const char *name = NULL;
    size_t item;
    asked *a;
    if (!need_recommender(r))
        return NLN_ANSWERED;
    if (!r->model->abilities.reads_histories)
        return nln_http_request_fail(
            r, 409, NULL, "a model of kind %s does not read histories, so it has no reasons",
            r->model->abilities.method);
    if (!r->on_worker)
        return NLN_ON_WORKER;
    if (!nln_fields_open(&f, r, "item user history") || !nln_fields_string(&name, &f, "item", 1))
        return NLN_ANSWERED;
    if (nln_model_find(&item, r->model->model, name, NULL))
        return nln_http_request_fail(r, 404, "item", "the model does not know the item '%.80s'",
                                     name);
    a = nln_array_zeroed(1, sizeof *a);
    if (!a)
        return out_of_memory(r), NLN_ANSWERED;
    if (read_question(a, &f))
        answer_item(r, a, item);
    free_asked(a, 1);
    return NLN_ANSWERED;
}
