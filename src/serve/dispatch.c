/* From a request to its handler. */
#include <string.h>

#include "serve/routes.h"
#include "serve/server.h"

static int check_origin(nln_http_request *r, const nln_http_headers *h)
{
    const nln_serve *s = r->server;
    if (!nln_access_origin(h->origin, h->host, s->settings.origins)) {
        nln_http_request_fail(r, 403, NULL, "pages of this origin may not ask; see allow-origin");
        return 0;
    }
    if (!s->keys.n && !s->settings.open && !nln_access_local_name(h->host)) {
        nln_http_request_fail(
            r, 403, NULL,
            "without keys this server answers to localhost only; give it keys, or "
            "start it with open");
        return 0;
    }
    return 1;
}

static int check_key(nln_http_request *r, const nln_http_headers *h)
{
    const nln_keys *keys = &r->server->keys;
    const char *given = nln_keys_given(h->authorization, h->api_key);
    if (!keys->n || r->route->role == NLN_ROLE_NONE)
        return 1;
    nln_role role = given ? nln_keys_role(keys, given) : NLN_ROLE_NONE;
    if (!role)
        nln_http_request_fail(r, 401, NULL,
                              given ? "this key is not known"
                                    : "a key is needed: send the header Authorization: Bearer KEY");
    else if (role < r->route->role)
        nln_http_request_fail(r, 403, NULL, "the role of this key does not allow this");
    return role >= r->route->role;
}

int nln_dispatch_admit(nln_http_request *r, const nln_http_headers *headers)
{
    const char *method = strcmp(r->method, "HEAD") == 0 ? "GET" : r->method;
    r->route = nln_route_find(&r->allow, &r->rest, method, r->path);
    if (!check_origin(r, headers))
        return 0;
    if (!r->route && r->allow)
        nln_http_request_fail(r, 405, NULL, "this path does not take %.16s; it takes %s", r->method,
                              r->allow);
    else if (!r->route)
        nln_http_request_fail(r, 404, NULL, "there is no such path; /openapi.json lists all");
    return r->route && check_key(r, headers);
}

nln_handled nln_dispatch_run(nln_http_request *r)
{
    r->status = 200;
    if (!r->model && !r->route->never_waits) {
        r->model = nln_model_slot_take(&r->server->slot);
        if (!r->model) {
            r->retry_after = 1;
            return nln_http_request_fail(r, 503, NULL, "there is no model in service yet");
        }
    }
    int is_bare = r->route->reads_json == 2 && !r->n_body;
    if (r->route->reads_json && !is_bare && !r->json && !nln_http_request_read_json(r))
        return NLN_ANSWERED;
    return r->route->answer(r);
}
