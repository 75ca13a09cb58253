/* GET /api/v1/items, /api/v1/similar and /api/v1/map. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "inference/similar_items.h"
#include "nln_lab.h"
#include "serve/routes.h"
#include "serve/server.h"

enum { MOST_ITEMS = 10000 };

static void print_item(nln_text *t, const nln_served *served, size_t item)
{
    nln_json_out_string(t, "item", nln_model_variable(served->model, item));
    nln_json_out_string(t, "title", nln_served_title(served, item));
}

static nln_handled no_memory(nln_http_request *r)
{
    r->retry_after = 1;
    return nln_http_request_fail(r, 503, NULL, "out of memory; try again later");
}

/* ---- by words ------------------------------------------------------------- */

nln_handled nln_answer_items(nln_http_request *r)
{
    const char *query = nln_http_request_query(r, "query");
    size_t k = 10;
    if (!nln_http_request_query_size(&k, r, "k", 1, MOST_ITEMS))
        return NLN_ANSWERED;
    if (!r->on_worker)
        return NLN_ON_WORKER;
    size_t *items = nln_array_zeroed(k, sizeof *items);
    if (!items)
        return no_memory(r);
    size_t found = nln_item_search_find(items, k, r->model->search, query ? query : "");
    nln_http_request_open(r);
    nln_json_out_open(&r->text, "items", '[');
    for (size_t i = 0; i < found && i < k; i++) {
        nln_json_out_open(&r->text, NULL, '{');
        print_item(&r->text, r->model, items[i]);
        nln_json_out_close(&r->text, '}');
    }
    nln_json_out_close(&r->text, ']');
    nln_json_out_count(&r->text, "found", found);
    nln_http_request_close(r);
    nln_free(items);
    return NLN_ANSWERED;
}

/* ---- similar items -------------------------------------------------------- */

/* Computed at the first question and kept with the model. */
static nln_status shared_vectors(const float **out, nln_served *served, nln_error *err)
{
    nln_computed *c = &served->vectors;
    float *vectors = NULL;
    nln_status status = NLN_OK;
    pthread_mutex_lock(&c->lock);
    if (!c->text) {
        status = nln_similar_vectors(&vectors, served->model, err);
        c->text = (char *)vectors;
    }
    *out = (const float *)(const void *)c->text;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static nln_handled need_vectors(nln_http_request *r)
{
    return nln_http_request_fail(r, 409, NULL, "a model of kind %s has no vectors to compare",
                                 r->model->abilities.method);
}

nln_handled nln_answer_similar(nln_http_request *r)
{
    const char *name = nln_http_request_query(r, "item");
    const nln_model *model = r->model->model;
    size_t k = 10, item, n = nln_model_variables(model), dim = nln_model_vector_length(model);
    const float *vectors = NULL;
    nln_error err = {0};
    if (!nln_http_request_query_size(&k, r, "k", 1, 1000))
        return NLN_ANSWERED;
    if (!r->model->abilities.has_vectors)
        return need_vectors(r);
    if (!name)
        return nln_http_request_fail(r, 422, "item", "name an item");
    if (nln_model_find(&item, model, name, NULL))
        return nln_http_request_fail(r, 404, "item", "the model does not know the item '%.80s'",
                                     name);
    if (!r->on_worker)
        return NLN_ON_WORKER;
    nln_neighbour *list = nln_array_zeroed(k, sizeof *list);
    if (!list || shared_vectors(&vectors, r->model, &err)) {
        nln_free(list);
        return no_memory(r);
    }
    size_t found = nln_similar_nearest(list, k, vectors, n, dim, item);
    nln_http_request_open(r);
    nln_json_out_open(&r->text, "items", '[');
    for (size_t i = 0; i < found; i++) {
        nln_json_out_open(&r->text, NULL, '{');
        print_item(&r->text, r->model, list[i].item);
        nln_json_out_number(&r->text, "similarity", list[i].cosine);
        nln_json_out_close(&r->text, '}');
    }
    nln_json_out_close(&r->text, ']');
    nln_http_request_close(r);
    nln_free(list);
    return NLN_ANSWERED;
}

/* ---- map ------------------------------------------------------------------ */

/* The points of the whole map; beyond MOST_POINTS, items are skipped at regular steps. */
enum { MOST_POINTS = 20000 };

static void print_points(nln_text *t, const nln_served *served, const size_t *items,
                         const double *plane, const double *value, size_t n)
{
    nln_json_out_open(t, "points", '[');
    for (size_t i = 0; i < n; i++) {
        nln_json_out_open(t, NULL, '{');
        nln_json_out_string(t, "name", nln_model_variable(served->model, items[i]));
        nln_json_out_string(t, "title", nln_served_title(served, items[i]));
        nln_json_out_number(t, "x", plane[2 * i]);
        nln_json_out_number(t, "y", plane[2 * i + 1]);
        nln_json_out_number(t, "value", value[items[i]]);
        nln_json_out_close(t, '}');
    }
    nln_json_out_close(t, ']');
}

static int note_progress(void *context, const nln_progress *p)
{
    nln_served *served = context;
    pthread_mutex_lock(&served->map.lock);
    served->map.progress = p->n_epochs ? (double)p->epoch / (double)p->n_epochs : 0;
    pthread_mutex_unlock(&served->map.lock);
    return atomic_load(&served->references) == 1; /* nobody else wants this model any more */
}

static nln_status draw_map(nln_text *out, nln_served *served, nln_error *err)
{
    const nln_model *model = served->model;
    size_t n = nln_model_variables(model), dim = nln_model_vector_length(model);
    size_t step = n / MOST_POINTS + 1, m = (n + step - 1) / step;
    size_t *items = nln_array_zeroed(m, sizeof *items);
    float *vectors = nln_array_zeroed(n * dim, sizeof *vectors);
    double *plane = nln_array_zeroed(2 * m, sizeof *plane),
           *value = nln_array_zeroed(n, sizeof *value);
    nln_watch watch = {.context = served, .progress = note_progress};
    nln_status status = items && vectors && plane && value
                            ? nln_model_embedding(vectors, model, err)
                            : nln_error_memory(err);
    for (size_t i = 0; !status && i < m; i++) {
        items[i] = i * step;
        memmove(vectors + i * dim, vectors + items[i] * dim, dim * sizeof *vectors);
    }
    if (!status && nln_solve(value, model, NULL)) /* not every model has truth values */
        for (size_t i = 0; i < n; i++)
            value[i] = NAN;
    if (!status)
        status = nln_tsne(plane, NULL, vectors, m, dim, NULL, &watch, err);
    if (!status)
        print_points(out, served, items, plane, value, m);
    nln_free(items);
    nln_free(vectors);
    nln_free(plane);
    nln_free(value);
    return status;
}

/* The thread that draws; it holds a reference to the model. */
static void *draw(void *context)
{
    nln_served *served = context;
    nln_text text = {0};
    nln_error err = {0};
    nln_status status = draw_map(&text, served, &err);
    pthread_mutex_lock(&served->map.lock);
    if (status || text.failed) {
        memcpy(served->map.failure, status ? err.message : "out of memory",
               status ? sizeof err.message : sizeof "out of memory");
        nln_text_free(&text);
    } else {
        served->map.text = text.bytes;
        served->map.n = text.n;
    }
    pthread_mutex_unlock(&served->map.lock);
    nln_served_release(served);
    return NULL;
}

static void begin_map(nln_served *served)
{
    pthread_t thread;
    atomic_fetch_add(&served->references, 1);
    if (!pthread_create(&thread, NULL, draw, served)) {
        pthread_detach(thread);
        served->map.begun = 1;
    } else
        atomic_fetch_sub(&served->references, 1);
}

nln_handled nln_answer_map(nln_http_request *r)
{
    nln_computed *c = &r->model->map;
    if (!r->model->abilities.has_vectors)
        return need_vectors(r);
    pthread_mutex_lock(&c->lock);
    if (!c->begun)
        begin_map(r->model);
    if (c->failure[0])
        nln_http_request_fail(r, 503, NULL, "%s", c->failure);
    else {
        nln_http_request_open(r);
        nln_json_out_string(&r->text, "status", c->text ? "ready" : "computing");
        if (c->text) {
            nln_text_add(&r->text, ",", 1);
            nln_text_add(&r->text, c->text, c->n);
        } else {
            nln_json_out_number(&r->text, "progress", c->progress);
            r->status = 202;
            r->retry_after = 1;
        }
        nln_http_request_close(r);
    }
    pthread_mutex_unlock(&c->lock);
    return NLN_ANSWERED;
}
