#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static asked_reply reply;

static void test_what_can_be_asked_of_a_training(void **state)
{
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "GET", "/api/v1/train", NULL, NULL);
    assert_string_equal(asking_text(&reply, "state"), "idle");
    asking_send(&reply, s, "GET", "/api/v1/train/stream", NULL, NULL);
    assert_int_equal(reply.status, 204);
    asking_expect(s, "DELETE", "/api/v1/train", NULL, 409, "");
    asking_expect(s, "POST", "/api/v1/train", NULL, 409, ""); /* there is no store */
    asking_expect(s, "POST", "/api/v1/train", "{\"epochs\":0}", 422, "epochs");
    asking_expect(s, "POST", "/api/v1/train", "{\"data\":5}", 422, "data");
    asking_expect(s, "POST", "/api/v1/train", "{\"data\":\"x\",\"task\":\"chess\"}", 422, "task");
    asking_expect(s, "POST", "/api/v1/train", "{\"task\":\"topk\"}", 422, "task");
    asking_send(&reply, s, "POST", "/api/v1/train",
                "{\"data\":\"a & b\\tT\\n!a\\tF\\nb\\tT\\n\",\"task\":\"logic\",\"epochs\":1}",
                NULL);
    assert_int_equal(reply.status, 202);
    for (int i = 0; i < 3000 && strcmp(asking_text(&reply, "state"), "running") == 0; i++) {
        client_sleep(10);
        asking_send(&reply, s, "GET", "/api/v1/train", NULL, NULL);
    }
    assert_string_not_equal(asking_text(&reply, "state"), "running");
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_can_be_asked_of_a_training)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
