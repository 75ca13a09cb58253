/* Whatever body comes to whatever route that reads one: jansson reads it as the server does, and
 * there is an answer that is JSON, with a status below 500, and an error of one sentence.  The
 * first byte chooses the route. */
#include "json_twin.h"
#include "served.h"

static void wake(nln_http_request *r)
{
    (void)r;
}

static void check_reply(const nln_http_request *r)
{
    json_t *reply = json_loadb(r->text.bytes, r->text.n, JSON_REJECT_DUPLICATES, NULL);
    const json_t *error = json_object_get(reply, "error");
    require(reply && r->status < 500);
    require(!error == (r->status < 400));
    if (error) {
        const char *message = json_string_value(json_object_get(error, "message"));
        require(message && message[0] && !strpbrk(message, "\n\r\t\x1b"));
        require(json_integer_value(json_object_get(error, "status")) == r->status);
    }
    json_decref(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static const char *const paths[] = {"/api/v1/recommend", "/api/v1/explain", "/api/v1/predict",
                                        "/api/v1/graph", "/api/v1/events"};
    nln_serve *server = served_once(0);
    if (!n_bytes)
        return 0;
    require(json_twin_agrees((const char *)bytes + 1, n_bytes - 1));
    nln_http_request r = {.server = server, .method = "POST", .wake = wake, .on_worker = 1};
    nln_http_headers headers = {.host = "localhost"};
    r.started = nln_clock_now();
    r.path = nln_memory_copy(paths[bytes[0] % (sizeof paths / sizeof *paths)]);
    r.body = nln_memory_take(n_bytes);
    r.n_body = n_bytes - 1;
    memcpy(r.body, bytes + 1, n_bytes - 1);
    require(nln_dispatch_admit(&r, &headers));
    nln_handled handled = nln_dispatch_run(&r);
    require(handled == NLN_ANSWERED || handled == NLN_LATER); /* events, which are not stored */
    if (handled == NLN_ANSWERED)
        check_reply(&r);
    nln_http_request_clear(&r);
    return 0;
}
