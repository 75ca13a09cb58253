/* The table of routes: every method and path that the server answers, who may ask, and what is sent
 * and answered.  Dispatch, /openapi.json, the metrics and the header Allow all come from it. */
#ifndef NLN_SERVE_ROUTES_H
#define NLN_SERVE_ROUTES_H

#include "serve/http_request.h"

/* A field of a body or a parameter of a query: "name:type", where type is one of the schemas of
 * openapi.c; a ! after it: needed. */
enum { NLN_ROUTE_FIELDS = 14 };

typedef struct nln_route {
    const char *method, *path; /* a path that ends in / has a name after it */
    nln_role role;             /* the least that may ask, where there are keys */
    int reads_json;            /* the body is JSON; 2: or there is none */
    int never_waits;           /* for a model: it is answered before there is one */
    int is_upload;             /* the larger limit of bodies holds */
    nln_handled (*answer)(nln_http_request *r);
    const char *summary;
    const char *fields[NLN_ROUTE_FIELDS];  /* of the body or the query */
    const char *answers[NLN_ROUTE_FIELDS]; /* of the reply; a single "text/..." is its type */
} nln_route;

extern const nln_route nln_routes[];
int nln_routes_count(void);

/* The route of a request.  NULL: *allow is NULL, and there is no such path; or it has the other
 * methods of the path.  *rest is what follows the path of a route that ends in /. */
const nln_route *nln_route_find(const char **allow, const char **rest, const char *method,
                                const char *path);

nln_handled nln_answer_recommend(nln_http_request *r);
nln_handled nln_answer_explain(nln_http_request *r);
nln_handled nln_answer_predict(nln_http_request *r);
nln_handled nln_answer_graph(nln_http_request *r);
nln_handled nln_answer_model(nln_http_request *r);
nln_handled nln_answer_items(nln_http_request *r);
nln_handled nln_answer_similar(nln_http_request *r);
nln_handled nln_answer_laws(nln_http_request *r);
nln_handled nln_answer_map(nln_http_request *r);
nln_handled nln_answer_reload(nln_http_request *r);
nln_handled nln_answer_server(nln_http_request *r);
nln_handled nln_answer_events(nln_http_request *r);
nln_handled nln_answer_event_list(nln_http_request *r);
nln_handled nln_answer_export(nln_http_request *r);
nln_handled nln_answer_forget(nln_http_request *r);
nln_handled nln_answer_train(nln_http_request *r);
nln_handled nln_answer_train_state(nln_http_request *r);
nln_handled nln_answer_train_stop(nln_http_request *r);
nln_handled nln_answer_train_stream(nln_http_request *r);
nln_handled nln_answer_live(nln_http_request *r);
nln_handled nln_answer_ready(nln_http_request *r);
nln_handled nln_answer_metrics(nln_http_request *r);
nln_handled nln_answer_openapi(nln_http_request *r);
nln_handled nln_answer_page(nln_http_request *r);

#endif
