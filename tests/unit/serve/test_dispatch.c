#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

static void test_keys_and_roles(void **state)
{
    char settings[600];
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "keys=%s",
             scratch_text("keys", "read r-key\nadmin a-key\n"));
    nln_serve *s = asking_loaded(scratch_path("model"), settings);
    asking_send(&reply, s, "GET", "/api/v1/model", NULL, NULL);
    assert_int_equal(reply.status, 401);
    asking_send(&reply, s, "GET", "/api/v1/model", NULL, "x-key");
    assert_int_equal(reply.status, 401);
    asking_send(&reply, s, "GET", "/api/v1/model", NULL, "r-key");
    assert_int_equal(reply.status, 200);
    asking_send(&reply, s, "POST", "/api/v1/model/reload", NULL, "r-key");
    assert_int_equal(reply.status, 403);
    asking_send(&reply, s, "GET", "/health/live", NULL, NULL);
    assert_int_equal(reply.status, 200);
    nln_serve_free(s);
}

static int admit(nln_serve *s, const char *origin, const char *host)
{
    nln_http_request r = {.server = s, .method = "GET", .path = nln_memory_copy("/api/v1/model")};
    nln_http_headers headers = {.origin = origin, .host = host};
    int admitted = nln_dispatch_admit(&r, &headers);
    assert_int_equal(admitted ? 0 : r.status, admitted ? 0 : 403);
    nln_http_request_clear(&r);
    return admitted;
}

static void test_pages_and_names_of_others(void **state)
{
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    nln_serve *open = asking_loaded(scratch_path("model"), "open=true");
    assert_true(admit(s, NULL, "localhost:80"));
    assert_true(admit(s, "http://localhost:80", "localhost:80"));
    assert_false(admit(s, "http://evil.example", "localhost:80"));
    assert_false(admit(s, NULL, "evil.example"));
    assert_true(admit(open, NULL, "nln.example"));
    assert_false(admit(open, "http://evil.example", "nln.example"));
    nln_serve_free(s);
    nln_serve_free(open);
}

static void test_there_may_be_no_model_yet(void **state)
{
    (void)state;
    nln_serve *s = asking_server("nowhere", "");
    asking_expect(s, "POST", "/api/v1/predict", "{}", 503, "");
    asking_expect(s, "GET", "/health/live", NULL, 200, "");
    asking_expect(s, "GET", "/health/ready", NULL, 503, "");
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_and_roles),
        cmocka_unit_test(test_pages_and_names_of_others),
        cmocka_unit_test(test_there_may_be_no_model_yet),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
