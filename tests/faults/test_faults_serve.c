/* Faults under a server's answers: whatever fails, a request is answered, with 503 if it cannot be
 * answered better, and the next one finds the server as it was. */
#include "trials.h"

#include <string.h>

#include "asking.h"
#include "scratch.h"

static nln_serve *server;

/* Sends a request, "METHOD PATH BODY", as the network does. */
static nln_status answer(const char *settings, nln_error *err)
{
    nln_http_request r = {.server = server, .wake = asking_wake, .last_event = -1, .on_worker = 1};
    const nln_http_headers headers = {.host = "localhost"};
    char method[8] = "", path[64] = "";
    int at = 0;
    assert_int_equal(sscanf(settings, "%7s %63s %n", method, path, &at), 2);
    char *query = strchr(path, '?');
    if (query) { /* one parameter */
        *query++ = '\0';
        char *value = strchr(query, '=');
        *value++ = '\0';
        r.query[r.n_query].name = query;
        r.query[r.n_query++].value = value;
    }
    r.method = method;
    r.started = nln_clock_now();
    r.path = nln_memory_copy(path);
    r.n_body = strlen(settings + at);
    r.body = nln_memory_copy(settings + at);
    if (!r.path || !r.body) { /* there is not even a request */
        nln_http_request_clear(&r);
        return nln_error_memory(err);
    }
    asking_finished = 0;
    if (nln_dispatch_admit(&r, &headers) && nln_dispatch_run(&r) == NLN_LATER) {
        r.begin(&r);
        pthread_mutex_lock(&asking_lock);
        while (!asking_finished)
            pthread_cond_wait(&asking_done, &asking_lock);
        pthread_mutex_unlock(&asking_lock);
    } else
        nln_http_request_finish(&r);
    int status = r.status;
    assert_true(r.text.failed || r.text.n || r.constant);
    nln_http_request_clear(&r);
    if (status == 503)
        return nln_error_memory(err);
    return status == 200 ? NLN_OK : nln_error_set(err, NLN_INVALID, "status %d", status);
}

static void requests_without_memory(void **state)
{
    static const char *const requests[] = {
        "POST /api/v1/recommend {\"history\":[{\"item\":\"tea\",\"liked\":true}],\"k\":2}",
        "POST /api/v1/recommend {\"user\":\"ann\",\"exclude\":[\"jam\"],\"reasons\":true}",
        "POST /api/v1/recommend {\"requests\":[{\"user\":\"bob\"},{\"history\":[]}]}",
        "POST /api/v1/explain {\"item\":\"jam\",\"user\":\"ann\"}",
        "POST /api/v1/predict {\"expressions\":[\"tea & !milk\",\"jam -> tea\"]}",
        "POST /api/v1/graph {\"expression\":\"tea -> jam\"}",
        "POST /api/v1/events {\"events\":[{\"user\":\"e\",\"item\":\"tea\",\"rating\":5}]}",
        "GET /api/v1/events?user=e",
        "GET /api/v1/items?query=tea",
        "GET /api/v1/similar?item=tea",
        "GET /api/v1/model",
        "GET /api/v1/server",
        "GET /metrics",
        "GET /openapi.json",
    };
    enum { N = sizeof requests / sizeof *requests };
    (void)state;
    for (int round = 0; round < 2; round++) /* what is kept from then on is there after the first */
        for (size_t i = 0; i < N; i++) {
            const trial t = {"answer", answer, requests[i]};
            nln_error err = {0};
            tiny_need(answer(requests[i], &err), &err);
            if (round)
                trials_each(&t, FAULTS_MEMORY, NLN_MEMORY, 1, NULL);
        }
}

static int start(void **state)
{
    char settings[300];
    int code = scratch_setup(state);
    asking_save(scratch_path("model"), "task=preference epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "store=%s", scratch_path("events"));
    server = asking_loaded(scratch_path("model"), settings);
    return code;
}

static int stop(void **state)
{
    nln_serve_free(server);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(requests_without_memory, start, stop),
    };
    trials_fail_jansson(0);
    return trials_tell(cmocka_run_group_tests(tests, NULL, NULL));
}
