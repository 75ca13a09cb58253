#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

static void test_the_card(void **state)
{
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "GET", "/api/v1/model", NULL, NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(asking_text(&reply, "task"), "topk");
    assert_string_equal(asking_text(&reply, "method"), "nln");
    assert_int_equal(json_integer_value(asking_get(&reply, "items")), 5);
    assert_int_equal(json_integer_value(asking_get(&reply, "users")), 3);
    assert_int_equal(json_number_value(asking_get(&reply, "options.dimension")), 4);
    assert_true(json_is_true(asking_get(&reply, "abilities.recommends")));
    nln_serve_free(s);
}

static void test_a_new_file_is_put_in_service_and_a_bad_one_is_not(void **state)
{
    char before[32];
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4 seed=1");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "GET", "/health/ready", NULL, NULL);
    snprintf(before, sizeof before, "%s", asking_text(&reply, "model"));
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4 seed=2");
    asking_send(&reply, s, "POST", "/api/v1/model/reload", NULL, NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(asking_text(&reply, "before"), before);
    assert_string_not_equal(asking_text(&reply, "model"), before);
    snprintf(before, sizeof before, "%s", asking_text(&reply, "model"));
    scratch_text("model", "no model");
    asking_expect(s, "POST", "/api/v1/model/reload", NULL, 409, "");
    asking_send(&reply, s, "GET", "/health/ready", NULL, NULL);
    assert_string_equal(asking_text(&reply, "model"), before);
    nln_serve_free(s);
}

static void test_laws_have_their_worst_cases(void **state)
{
    (void)state;
    asking_save_logic(scratch_path("logic"), "epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("logic"), "");
    for (int i = 0; i < 2; i++) { /* measured, and kept */
        asking_send(&reply, s, "GET", "/api/v1/laws", NULL, NULL);
        assert_int_equal(reply.status, 200);
        assert_true(json_array_size(asking_get(&reply, "laws")) >= 10);
        assert_true(json_is_number(asking_get(&reply, "laws.0.kept")));
        assert_true(json_array_size(asking_get(&reply, "laws.0.worst")) > 0);
        assert_true(strlen(asking_text(&reply, "laws.0.worst.0.variables.0")) > 0);
    }
    nln_serve_free(s);
    asking_save(scratch_path("ease"), "task=topk model=ease");
    s = asking_loaded(scratch_path("ease"), "");
    asking_expect(s, "GET", "/api/v1/laws", NULL, 409, "");
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_have_their_worst_cases),
        cmocka_unit_test(test_the_card),
        cmocka_unit_test(test_a_new_file_is_put_in_service_and_a_bad_one_is_not),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
