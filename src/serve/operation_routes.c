/* GET /health/live, /health/ready and /openapi.json. */
#include "serve/openapi.h"
#include "serve/routes.h"
#include "serve/server.h"

nln_handled nln_answer_live(nln_http_request *r)
{
    nln_json_out_open(&r->text, NULL, '{');
    nln_json_out_string(&r->text, "status", "live");
    nln_json_out_close(&r->text, '}');
    return NLN_ANSWERED;
}

nln_handled nln_answer_ready(nln_http_request *r)
{
    r->model = nln_model_slot_take(&r->server->slot);
    if (!r->model || atomic_load(&r->server->draining)) {
        r->retry_after = 1;
        return nln_http_request_fail(r, 503, NULL,
                                     r->model ? "the server is about to stop"
                                              : "there is no model in service yet");
    }
    nln_http_request_open(r);
    nln_json_out_string(&r->text, "status", "ready");
    nln_http_request_close(r);
    return NLN_ANSWERED;
}

nln_handled nln_answer_openapi(nln_http_request *r)
{
    nln_openapi_print(&r->text);
    return NLN_ANSWERED;
}
