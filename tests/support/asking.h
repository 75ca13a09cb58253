/* A server without a network, and requests to it, for the tests of what it answers. */
#ifndef NLN_TESTS_ASKING_H
#define NLN_TESTS_ASKING_H

#include <jansson.h>
#include <unistd.h>

#include "likes.h"
#include "serve/background_training.h"
#include "serve/http.h"
#include "serve/routes.h"

static const char asking_films[] = "ann +tea -milk +cake | +jam | +nut bob +tea +cake | -nut | "
                                   "+milk cid -tea +milk | +jam | -cake";

/* A model of a few items with users, saved in a file. */
static inline void asking_save(const char *path, const char *settings)
{
    nln_ratings *ratings = likes_of(asking_films);
    nln_model *model = likes_train(NULL, ratings, settings);
    nln_error err = {0};
    tiny_need(nln_model_save(model, path, &err), &err);
    nln_model_free(model);
    nln_ratings_free(ratings);
}

static inline void asking_save_logic(const char *path, const char *settings)
{
    nln_data *data = tiny_data("variables=12 expressions=200");
    nln_model *model = tiny_train(NULL, data, settings);
    nln_error err = {0};
    tiny_need(nln_model_save(model, path, &err), &err);
    nln_model_free(model);
    nln_data_free(data);
}

/* `settings` are name=value words for nln_serve_set.  It is not started. */
static inline nln_serve *asking_server(const char *path, const char *settings)
{
    nln_serve *s = NULL;
    nln_error err = {0};
    char text[1024], *rest = NULL;
    tiny_need(nln_serve_create(&s, path, &err), &err);
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        tiny_need(nln_serve_set(s, word, value, &err), &err);
    }
    tiny_need(nln_serve_settings_read(&s->settings, s->options, &err), &err);
    return s;
}

/* The same with its model, its keys and its store. */
static inline nln_serve *asking_loaded(const char *path, const char *settings)
{
    nln_serve *s = asking_server(path, settings);
    nln_error err = {0};
    nln_served *served = NULL;
    tiny_need(nln_served_load(&served, path, s->settings.titles, &err), &err);
    nln_model_slot_put(&s->slot, served);
    if (s->settings.keys[0])
        tiny_need(nln_keys_read(&s->keys, s->settings.keys, &err), &err);
    if (s->settings.store[0])
        tiny_need(nln_store_open(&s->store, s->settings.store, NULL, &err), &err);
    s->metrics = nln_request_metrics_create(nln_routes_count() + 1);
    tiny_need(nln_trainer_service_create(&s->trainer, s, &err), &err);
    return s;
}

/* What was answered; json is NULL where it is no JSON. */
typedef struct asked_reply {
    int status;
    json_t *json;
    char text[1 << 16];
    nln_handled handled;
} asked_reply;

static pthread_mutex_t asking_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asking_done = PTHREAD_COND_INITIALIZER;
static int asking_finished;

static inline void asking_wake(nln_http_request *r)
{
    (void)r;
    pthread_mutex_lock(&asking_lock);
    asking_finished = 1;
    pthread_cond_signal(&asking_done);
    pthread_mutex_unlock(&asking_lock);
}

static inline void asking_take_reply(asked_reply *out, nln_http_request *r)
{
    size_t n = r->constant ? r->n_constant : r->text.n;
    n = n < sizeof out->text ? n : sizeof out->text - 1;
    if (n)
        memcpy(out->text, r->constant ? (const char *)r->constant : r->text.bytes, n);
    out->text[n] = '\0';
    out->status = r->status;
    json_decref(out->json);
    out->json = json_loads(out->text, JSON_REJECT_DUPLICATES, NULL);
}

/* Sends a request; `path` may have a query.  A handler that asks for a worker gets one. */
static inline void asking_send(asked_reply *out, nln_serve *s, const char *method, const char *path,
                               const char *body, const char *key)
{
    char words[1024], *rest = NULL;
    const char *question = strchr(path, '?');
    nln_http_request r = {.server = s, .method = method, .wake = asking_wake, .last_event = -1};
    r.started = nln_clock_now();
    r.path = nln_memory_copy(path);
    if (question) {
        r.path[question - path] = '\0';
        snprintf(words, sizeof words, "%s", question + 1);
        for (char *word = strtok_r(words, "&", &rest); word; word = strtok_r(NULL, "&", &rest)) {
            char *value = strchr(word, '=');
            *value++ = '\0';
            r.query[r.n_query].name = word;
            r.query[r.n_query++].value = value;
        }
    }
    if (body) {
        r.n_body = strlen(body);
        r.body = nln_memory_copy(body);
    }
    nln_http_headers headers = {.api_key = key, .host = "localhost"};
    asking_finished = 0;
    out->handled = NLN_ANSWERED;
    if (nln_dispatch_admit(&r, &headers)) {
        out->handled = nln_dispatch_run(&r);
        if (out->handled == NLN_ON_WORKER) {
            r.on_worker = 1;
            nln_dispatch_run(&r);
        } else if (out->handled == NLN_LATER) {
            r.begin(&r);
            pthread_mutex_lock(&asking_lock);
            while (!asking_finished)
                pthread_cond_wait(&asking_done, &asking_lock);
            pthread_mutex_unlock(&asking_lock);
        }
    }
    asking_take_reply(out, &r);
    nln_http_request_clear(&r);
}

/* A member of the answer by its path, such as "items.0.score"; NULL if there is none. */
static inline const json_t *asking_get(const asked_reply *reply, const char *path)
{
    char words[256], *rest = NULL;
    const json_t *value = reply->json;
    snprintf(words, sizeof words, "%s", path);
    for (char *word = strtok_r(words, ".", &rest); word && value; word = strtok_r(NULL, ".", &rest))
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(word))
                                     : json_object_get(value, word);
    return value;
}

static inline const char *asking_text(const asked_reply *reply, const char *path)
{
    const char *text = json_string_value(asking_get(reply, path));
    return text ? text : "";
}

/* The status, and the field that an error names ("" for none). */
static inline void asking_expect(nln_serve *s, const char *method, const char *path,
                                 const char *body, int status, const char *field)
{
    static asked_reply reply;
    asking_send(&reply, s, method, path, body, NULL);
    if (reply.status != status || strcmp(asking_text(&reply, "error.field"), field) != 0) {
        fprintf(stderr, "%s %s %s: %d %s\n", method, path, body ? body : "", reply.status,
                reply.text);
        abort();
    }
    if (status >= 400) {
        assert_int_equal(json_integer_value(asking_get(&reply, "error.status")), status);
        assert_true(strlen(asking_text(&reply, "error.message")) > 5);
    }
}

#endif
