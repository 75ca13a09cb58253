/* A server of a small model, for the fuzzers of what strangers send. */
#ifndef NLN_TESTS_FUZZ_SERVED_H
#define NLN_TESTS_FUZZ_SERVED_H

#include "fuzz.h"
#include "likes.h"
#include "serve/http.h"
#include "serve/routes.h"

static char served_folder[64]; /* of the model and the store */

static inline void served_clear(void)
{
    fuzz_empty(served_folder);
    rmdir(served_folder);
}

/* Made once, with its model and its store in memory files; `start` makes it listen. */
static inline nln_serve *served_once(int start)
{
    static nln_serve *server;
    static char path[128], store[128];
    nln_error err = {0};
    if (server)
        return server;
    fuzz_folder(served_folder);
    require(!atexit(served_clear));
    snprintf(path, sizeof path, "%s/model", served_folder);
    snprintf(store, sizeof store, "%s/events", served_folder);
    nln_ratings *ratings = likes_of("ann +tea -milk +cake | +jam | +nut bob +tea | -nut | +milk");
    nln_model *model = likes_train(NULL, ratings, "task=preference epochs=1 dimension=4");
    tiny_need(nln_model_save(model, path, &err), &err);
    nln_model_free(model);
    nln_ratings_free(ratings);
    tiny_need(nln_serve_create(&server, path, &err), &err);
    tiny_need(nln_serve_set(server, "listen", "127.0.0.1:0", &err), &err);
    tiny_need(nln_serve_set(server, "threads", "1", &err), &err);
    tiny_need(nln_serve_set(server, "store", store, &err), &err);
    if (start) {
        tiny_need(nln_serve_set(server, "request-time", "0.1", &err), &err);
        tiny_need(nln_serve_start(server, &err), &err);
    } else {
        nln_served *served = NULL;
        tiny_need(nln_serve_settings_read(&server->settings, server->options, &err), &err);
        tiny_need(nln_served_load(&served, path, "", &err), &err);
        nln_model_slot_put(&server->slot, served);
        tiny_need(nln_store_open(&server->store, store, NULL, &err), &err);
        server->metrics = nln_request_metrics_create(nln_routes_count() + 1);
    }
    return server;
}

#endif
