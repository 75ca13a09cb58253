#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

static void test_health(void **state)
{
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_expect(s, "GET", "/health/live", NULL, 200, "");
    asking_expect(s, "GET", "/health/ready", NULL, 200, "");
    atomic_store(&s->draining, 1);
    asking_expect(s, "GET", "/health/live", NULL, 200, "");
    asking_expect(s, "GET", "/health/ready", NULL, 503, "");
    asking_send(&reply, s, "GET", "/openapi.json", NULL, NULL);
    assert_string_equal(asking_text(&reply, "openapi"), "3.0.3");
    nln_serve_free(s);
}

static void test_numbers(void **state)
{
    char settings[600];
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "store=%s", scratch_path("events"));
    nln_serve *s = asking_loaded(scratch_path("model"), settings);
    nln_request_metrics_add(s->metrics, 0, 200, .003);
    asking_send(&reply, s, "GET", "/metrics", NULL, NULL);
    assert_non_null(strstr(reply.text, "nln_request_seconds_bucket{method=\"POST\""));
    assert_non_null(strstr(reply.text, "nln_model_info{version=\""));
    assert_non_null(strstr(reply.text, "\nnln_store_waiting 0\n"));
    asking_send(&reply, s, "GET", "/api/v1/server", NULL, NULL);
    assert_int_equal(json_integer_value(asking_get(&reply, "requests")), 1);
    assert_int_equal(json_integer_value(asking_get(&reply, "routes.0.requests")), 1);
    assert_int_equal(json_integer_value(asking_get(&reply, "store.events")), 0);
    assert_true(json_integer_value(asking_get(&reply, "memory_bytes")) > 0);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_health),
                                       cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
