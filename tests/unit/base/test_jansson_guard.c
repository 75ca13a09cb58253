#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/jansson_guard.h"

static nln_status load(json_error_t *why, const char *text, size_t most_values, size_t most_nested)
{
    json_t *value;
    nln_status status = nln_json_load(&value, why, text, strlen(text), most_values, most_nested);
    assert_int_equal(value != NULL, status == NLN_OK);
    json_decref(value);
    return status;
}

/* As much as is allowed is taken, and no more; what is in strings does not count. */
static void values_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t values, nested;
    } rows[] = {
        {"[]", 1, 1},
        {"[1]", 1, 1},
        {"[1, 2, 3]", 3, 1},
        {"[[], {}, []]", 6, 4},
        {"{\"a\": {\"b\": [1, 2]}}", 4, 3},
        {"[\"[{,,,\", \"\\\"[[\\\\\", \"\\\\\\\",\"]", 3, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t v = rows[i].values, n = rows[i].nested;
        json_error_t why;
        assert_int_equal(load(&why, rows[i].text, v, n), NLN_OK);
        assert_int_equal(load(&why, rows[i].text, v - 1, n), NLN_FORMAT);
        assert_non_null(strstr(why.text, "more than"));
        assert_int_equal(load(&why, rows[i].text, v, n - 1), NLN_FORMAT);
        assert_non_null(strstr(why.text, "objects and arrays"));
    }
}

static void what_is_no_json_has_a_reason(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", "'[' or '{' expected"}, {"[1", "']' expected"},       {"\"", "premature end"},
        {"[\"\\", "invalid escape"}, {"{\"a\":1,\"a\":2}", "dup"}, {"[\"\\u0000\"]", "\\u0000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_error_t why = {0};
        assert_int_equal(load(&why, rows[i][0], 100, 100), NLN_FORMAT);
        if (!strstr(why.text, rows[i][1]))
            fail_msg("%s: %s", rows[i][0], why.text);
    }
}

static void what_is_written_is_what_jansson_writes(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]",
                                        "{\"a\":[1,2.5,\"\\u00e9\"],\"b\":{\"c\":null}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *value;
        json_error_t why;
        assert_int_equal(nln_json_load(&value, &why, texts[i], strlen(texts[i]), 9, 9), NLN_OK);
        char *text = nln_json_write(value, JSON_COMPACT | JSON_ENSURE_ASCII);
        char *twin = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
        assert_string_equal(text, twin);
        nln_free(text);
        free(twin);
        json_decref(value);
    }
}

/* The limit holds for jansson too, as far as a token goes. */
static void a_text_too_large_for_the_memory_is_refused(void **state)
{
    (void)state;
    char text[1000];
    json_t *value;
    json_error_t why;
    memset(text, 'x', sizeof text);
    text[0] = '[';
    text[1] = text[sizeof text - 2] = '"';
    text[sizeof text - 1] = ']';
    nln_memory_limit(nln_memory_used() + sizeof text);
    nln_status status = nln_json_load(&value, &why, text, sizeof text, 9, 9);
    nln_memory_limit(0);
    assert_int_equal(status, NLN_MEMORY);
    assert_null(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(what_is_no_json_has_a_reason),
        cmocka_unit_test(what_is_written_is_what_jansson_writes),
        cmocka_unit_test(a_text_too_large_for_the_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
