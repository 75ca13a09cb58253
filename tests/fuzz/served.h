/* A server of a small model, for the fuzzers of what strangers send. */
#ifndef NLN_TESTS_FUZZ_SERVED_H
#define NLN_TESTS_FUZZ_SERVED_H

#include "fuzz.h"
#include "likes.h"
#include "serve/http.h"
#include "serve/routes.h"

/* Made once, with its model and its store in memory files; `start` makes it listen. */
static inline nln_serve *served_once(int start)
{
    static nln_serve *server;
    static char folder[64], path[128];
    nln_error err = {0};
    if (server)
        return server;
    fuzz_folder(folder);
    snprintf(path, sizeof path, "%s/model", folder);
    nln_ratings *ratings = likes_of("ann +tea -milk +cake | +jam | +nut bob +tea | -nut | +milk");
    nln_model *model = likes_train(NULL, ratings, "task=preference epochs=1 dimension=4");
    tiny_need(nln_model_save(model, path, &err), &err);
    nln_model_free(model);
    nln_ratings_free(ratings);
    tiny_need(nln_serve_create(&server, path, &err), &err);
    tiny_need(nln_serve_set(server, "listen", "127.0.0.1:0", &err), &err);
    tiny_need(nln_serve_set(server, "threads", "1", &err), &err);
    if (start) {
        tiny_need(nln_serve_set(server, "request-time", "0.1", &err), &err);
        tiny_need(nln_serve_start(server, &err), &err);
    } else {
        nln_served *served = NULL;
        tiny_need(nln_serve_settings_read(&server->settings, server->options, &err), &err);
        tiny_need(nln_served_load(&served, path, "", &err), &err);
        nln_model_slot_put(&server->slot, served);
        server->metrics = nln_request_metrics_create(nln_routes_count() + 1);
    }
    fuzz_empty(folder);
    rmdir(folder);
    return server;
}

#endif
