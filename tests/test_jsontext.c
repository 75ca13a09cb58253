#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/jsontext.h"

static json_t *read_text(const char *text)
{
    json_t *value;
    json_error_t why;
    nln_error err = {0};
    assert_int_equal(nln_jsontext_read(&value, &why, text, strlen(text), 0, &err), NLN_OK);
    return value;
}

static void what_is_written_is_what_jansson_writes(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]",
                                        "{\"a\":[1,2.5,\"\\u00e9\"],\"b\":{\"c\":null}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *value = read_text(texts[i]);
        char *text = nln_jsontext_write(value, JSON_COMPACT | JSON_ENSURE_ASCII);
        char *twin = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
        assert_string_equal(text, twin);
        nln_free(text);
        free(twin);
        json_decref(value);
    }
}

static void what_is_no_json_is_no_error_here(void **state)
{
    (void)state;
    json_t *value;
    json_error_t why;
    nln_error err = {0};
    assert_int_equal(nln_jsontext_read(&value, &why, "{\"a\"", 4, 0, &err), NLN_OK);
    assert_null(value);
    assert_true(why.text[0] != '\0');
}

/* The limit holds for jansson too, as far as a token goes. */
static void a_text_too_large_for_the_memory_is_refused(void **state)
{
    (void)state;
    char text[1000];
    json_t *value;
    json_error_t why;
    nln_error err = {0};
    memset(text, 'x', sizeof text);
    text[0] = text[sizeof text - 1] = '"';
    nln_memory_limit(nln_memory_used() + sizeof text);
    nln_status status = nln_jsontext_read(&value, &why, text, sizeof text, JSON_DECODE_ANY, &err);
    nln_memory_limit(0);
    assert_int_equal(status, NLN_MEMORY);
    assert_null(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_what_jansson_writes),
        cmocka_unit_test(what_is_no_json_is_no_error_here),
        cmocka_unit_test(a_text_too_large_for_the_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
