#include "serve/routes.h"

#include <string.h>

/* clang-format off */
const nln_route nln_routes[] = {
    {.method = "POST", .path = "/api/v1/recommend", .role = NLN_ROLE_READ, .reads_json = 1,
     .answer = nln_answer_recommend,
     .summary = "The best items for a known user, for anyone with a history, or for many at once.",
     .fields = {"user:string", "history:history", "k:size", "offset:size", "exclude:names",
                "only:names", "with_seen:flag", "diversity:number", "reasons:flag",
                "requests:objects"},
     .answers = {"model:string", "items:recommendations", "answers:objects"}},
    {.method = "POST", .path = "/api/v1/explain", .role = NLN_ROLE_READ, .reads_json = 1,
     .answer = nln_answer_explain,
     .summary = "What each like and dislike of a history adds to the score of an item.",
     .fields = {"item:string!", "user:string", "history:history"},
     .answers = {"model:string", "item:string", "title:string", "score:number",
                 "formula:string", "reasons:objects", "with_history:number",
                 "without_history:number"}},
    {.method = "POST", .path = "/api/v1/predict", .role = NLN_ROLE_READ, .reads_json = 1,
     .answer = nln_answer_predict,
     .summary = "How probable it is that expressions are true.",
     .fields = {"expressions:names!"},
     .answers = {"model:string", "probabilities:numbers"}},
    {.method = "POST", .path = "/api/v1/graph", .role = NLN_ROLE_READ, .reads_json = 1,
     .answer = nln_answer_graph,
     .summary = "An expression as a network, as written and in normal form, with Sim(., T) of "
                "every node.",
     .fields = {"expression:string!"},
     .answers = {"model:string", "expression:string", "probability:number", "nodes:objects",
                 "normal_form:object", "exact:object"}},
    {.method = "GET", .path = "/api/v1/model", .role = NLN_ROLE_READ,
     .answer = nln_answer_model,
     .summary = "The card of the model: what it is, what it can do, how it was trained.",
     .answers = {"model:string", "task:string", "method:string", "items:size", "users:size",
                 "variables:size", "abilities:object", "options:object", "trained:string",
                 "trained_by:string", "data:object", "metrics:object", "epochs:size",
                 "best_epoch:size"}},
    {.method = "POST", .path = "/api/v1/model/reload", .role = NLN_ROLE_ADMIN,
     .answer = nln_answer_reload,
     .summary = "Loads the model file again and puts it in service, if it is sound.",
     .answers = {"model:string", "before:string"}},
    {.method = "GET", .path = "/api/v1/items", .role = NLN_ROLE_READ,
     .answer = nln_answer_items,
     .summary = "Items, or variables, by the words of their titles and ids.",
     .fields = {"query:string", "k:size"},
     .answers = {"model:string", "items:objects", "found:size"}},
    {.method = "POST", .path = "/api/v1/events", .role = NLN_ROLE_WRITE, .reads_json = 1,
     .answer = nln_answer_events,
     .summary = "Stores likes, dislikes, ratings and retractions; answered after the commit.",
     .fields = {"events:events!"},
     .answers = {"model:string", "results:objects", "unknown_items:size"}},
    {.method = "GET", .path = "/api/v1/events", .role = NLN_ROLE_READ,
     .answer = nln_answer_event_list,
     .summary = "The events of a user, in the order in which they were stored.",
     .fields = {"user:string!", "after:size", "k:size"},
     .answers = {"model:string", "events:events", "next:size"}},
    {.method = "GET", .path = "/api/v1/export", .role = NLN_ROLE_ADMIN,
     .answer = nln_answer_export,
     .summary = "What all users like, dislike and have rated, as a file that nln train reads.",
     .answers = {"text/tab-separated-values"}},
    {.method = "DELETE", .path = "/api/v1/users/", .role = NLN_ROLE_ADMIN,
     .answer = nln_answer_forget,
     .summary = "Forgets a user: removes every event.",
     .answers = {"model:string", "removed:size"}},
    {.method = "GET", .path = "/api/v1/similar", .role = NLN_ROLE_READ,
     .answer = nln_answer_similar,
     .summary = "The items, or variables, whose vectors are most similar to that of an item.",
     .fields = {"item:string!", "k:size"},
     .answers = {"model:string", "items:objects"}},
    {.method = "GET", .path = "/api/v1/laws", .role = NLN_ROLE_READ,
     .answer = nln_answer_laws,
     .summary = "How well the model keeps the laws of logic, with its worst cases.",
     .answers = {"model:string", "laws:objects"}},
    {.method = "GET", .path = "/api/v1/map", .role = NLN_ROLE_READ,
     .answer = nln_answer_map,
     .summary = "The vectors on a plane (t-SNE): 202 and status computing until they are ready.",
     .answers = {"model:string", "status:string", "progress:number", "points:objects"}},
    {.method = "GET", .path = "/api/v1/server", .role = NLN_ROLE_READ,
     .answer = nln_answer_server,
     .summary = "Requests, latencies, events, connections and memory of this server.",
     .answers = {"model:string", "requests:size", "latency:object", "uptime_seconds:number",
                 "memory_bytes:size", "connections:size", "store:object", "routes:objects"}},
    {.method = "POST", .path = "/api/v1/train", .role = NLN_ROLE_ADMIN, .reads_json = 2,
     .is_upload = 1, .answer = nln_answer_train,
     .summary = "Trains in the background: from the store, or on data to be looked at.",
     .fields = {"epochs:size", "data:string", "name:string", "task:string"},
     .answers = {"model:string", "state:string"}},
    {.method = "GET", .path = "/api/v1/train", .role = NLN_ROLE_READ,
     .answer = nln_answer_train_state,
     .summary = "How the training goes, or how the last one ended.",
     .answers = {"model:string", "state:string", "message:string", "epoch:size", "n_epochs:size",
                 "done:size", "total:size", "loss:number", "seconds:number",
                 "seconds_left:number", "epochs:objects", "log:objects"}},
    {.method = "DELETE", .path = "/api/v1/train", .role = NLN_ROLE_ADMIN,
     .answer = nln_answer_train_stop,
     .summary = "Stops the training.",
     .answers = {"model:string", "state:string"}},
    {.method = "GET", .path = "/api/v1/train/stream", .role = NLN_ROLE_READ,
     .answer = nln_answer_train_stream,
     .summary = "The same as a stream of events, from Last-Event-ID on; 204 if there are none.",
     .answers = {"text/event-stream"}},
    {.method = "GET", .path = "/metrics", .role = NLN_ROLE_READ, .never_waits = 1,
     .answer = nln_answer_metrics,
     .summary = "The same for Prometheus, with histograms by route and status.",
     .answers = {"text/plain"}},
    {.method = "GET", .path = "/health/live", .never_waits = 1, .answer = nln_answer_live,
     .summary = "Whether the process answers.",
     .answers = {"status:string"}},
    {.method = "GET", .path = "/health/ready", .never_waits = 1, .answer = nln_answer_ready,
     .summary = "Whether it has a model and is not about to stop.",
     .answers = {"status:string", "model:string"}},
    {.method = "GET", .path = "/openapi.json", .never_waits = 1, .answer = nln_answer_openapi,
     .summary = "This description.",
     .answers = {"openapi:string", "paths:object"}},
    {.method = "GET", .path = "/", .never_waits = 1, .answer = nln_answer_page,
     .summary = "The page.",
     .answers = {"text/html"}},
};
/* clang-format on */

enum { N_ROUTES = sizeof nln_routes / sizeof *nln_routes };

int nln_routes_count(void)
{
    return N_ROUTES;
}

/* The path itself, or for one that ends in / anything that has a name after it. */
static int matches(const nln_route *route, const char *path, const char **rest)
{
    size_t n = strlen(route->path);
    if (n > 1 && route->path[n - 1] == '/' && strncmp(path, route->path, n) == 0 && path[n]) {
        *rest = path + n;
        return 1;
    }
    return strcmp(path, route->path) == 0 && (n == 1 || route->path[n - 1] != '/');
}

const nln_route *nln_route_find(const char **allow, const char **rest, const char *method,
                                const char *path)
{
    static const char *const methods[] = {
        "GET", "POST", "GET, POST", "DELETE", "GET, DELETE", "POST, DELETE", "GET, POST, DELETE"};
    int set = 0;
    *allow = NULL;
    for (int i = 0; i < N_ROUTES; i++) {
        const nln_route *route = &nln_routes[i];
        if (!matches(route, path, rest))
            continue;
        if (strcmp(route->method, method) == 0)
            return route;
        set |= route->method[0] == 'G' ? 1 : route->method[0] == 'P' ? 2 : 4;
    }
    if (set)
        *allow = methods[set - 1];
    else if (strncmp(path, "/api/", 5) != 0 && strncmp(path, "/health/", 8) != 0 &&
             strcmp(method, "GET") == 0) { /* a file of the page, or not found there */
        *rest = path;
        return &nln_routes[N_ROUTES - 1];
    }
    return NULL;
}
