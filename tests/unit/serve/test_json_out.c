#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "nln.h"
#include "serve/json_out.h"

static void test_values_are_written_in_order(void **state)
{
    nln_text t = {0};
    (void)state;
    nln_json_out_open(&t, NULL, '{');
    nln_json_out_string(&t, "a", "x\"\\\n\x01");
    nln_json_out_open(&t, "b", '[');
    nln_json_out_number(&t, NULL, 0.1);
    nln_json_out_count(&t, NULL, UINT64_MAX);
    nln_json_out_whole(&t, NULL, -3);
    nln_json_out_flag(&t, NULL, 1);
    nln_json_out_null(&t, NULL);
    nln_json_out_close(&t, ']');
    nln_json_out_open(&t, "c", '{');
    nln_json_out_close(&t, '}');
    nln_json_out_string(&t, "d", NULL);
    nln_json_out_close(&t, '}');
    nln_text_add(&t, "", 1);
    assert_string_equal(t.bytes,
                        "{\"a\":\"x\\\"\\\\\\n\\u0001\",\"b\":[0.1,18446744073709551615,-3,true,"
                        "null],\"c\":{},\"d\":null}");
    nln_text_free(&t);
}

/* Whatever bytes a name has, the text is JSON, and valid names come back as they were. */
static void test_any_bytes_make_json(void **state)
{
    (void)state;
    for (int first = 1; first < 256; first++)
        for (int second = 1; second < 256; second++) {
            char name[3] = {(char)first, (char)second, 0};
            nln_text t = {0};
            nln_json_out_open(&t, NULL, '[');
            nln_json_out_string(&t, NULL, name);
            nln_json_out_close(&t, ']');
            json_t *json = json_loadb(t.bytes, t.n, 0, NULL);
            assert_non_null(json);
            if (first < 128 && second < 128)
                assert_string_equal(json_string_value(json_array_get(json, 0)), name);
            json_decref(json);
            nln_text_free(&t);
        }
}

static void test_numbers_that_are_none_are_null(void **state)
{
    nln_text t = {0};
    (void)state;
    nln_json_out_open(&t, NULL, '[');
    nln_json_out_number(&t, NULL, NAN);
    nln_json_out_number(&t, NULL, INFINITY);
    nln_json_out_number(&t, NULL, -1.5e-300);
    nln_json_out_number(&t, NULL, 1e300);
    nln_json_out_close(&t, ']');
    nln_text_add(&t, "", 1);
    assert_string_equal(t.bytes, "[null,null,-1.5e-300,1e+300]");
    nln_text_free(&t);
}

static void test_memory_that_runs_out_is_kept_in_mind(void **state)
{
    nln_text t = {0};
    (void)state;
    nln_memory_limit(1);
    nln_json_out_string(&t, NULL, "tea");
    nln_memory_limit(0);
    nln_json_out_string(&t, NULL, "milk");
    assert_true(t.failed);
    nln_text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_written_in_order),
        cmocka_unit_test(test_any_bytes_make_json),
        cmocka_unit_test(test_numbers_that_are_none_are_null),
        cmocka_unit_test(test_memory_that_runs_out_is_kept_in_mind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
