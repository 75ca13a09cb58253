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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_health)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
