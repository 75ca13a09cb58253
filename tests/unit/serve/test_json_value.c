#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/memory.h"
#include "json_random.h"
#include "json_twin.h"

static void test_values_follow_one_another(void **state)
{
    static const char text[] =
        "{\"a\": [1, -2.5e1, \"\\u00e9\\n\"], \"b\": {\"c\": null}, \"\": []}";
    nln_json_value *v;
    nln_error err = {0};
    (void)state;
    assert_int_equal(nln_json_value_read(&v, text, sizeof text - 1, 100, &err), NLN_OK);
    assert_int_equal(v->n, 3);
    assert_int_equal(v->size, 8);
    const nln_json_value *a = nln_json_value_member(v, "a"), *b = nln_json_value_member(v, "b");
    assert_true(a == v + 1 && a->n == 3 && a->size == 4);
    assert_int_equal(a[1].whole, 1);
    assert_true(a[2].real == -25);
    assert_string_equal(a[3].string, "\xc3\xa9\n");
    assert_true(b == a + a->size && b->n == 1);
    assert_int_equal(nln_json_value_member(b, "c")->type, NLN_JSON_TYPE_NULL);
    assert_int_equal(nln_json_value_member(v, "")->n, 0);
    assert_null(nln_json_value_member(v, "c"));
    assert_null(nln_json_value_member(a, "a"));
    nln_free(v);
}

static void test_a_refusal_has_its_place(void **state)
{
    static const struct {
        const char *text, *why;
        long line, column;
    } rows[] = {
        {"", "ends too early", 1, 1},
        {"[1", "ends too early", 1, 3},
        {"{\"a\"", "ends too early", 1, 5},
        {"\"a", "ends too early", 1, 3},
        {"[1,\n  NaN]", "value", 2, 3},
        {"[\"\xc3\xa9\", x]", "value", 1, 7},
        {"[1 2]", "comma", 1, 4},
        {"{\"a\" 1}", "colon", 1, 6},
        {"{a: 1}", "string", 1, 2},
        {"{\"a\": 1,}", "string", 1, 9},
        {"[1,]", "value", 1, 4},
        {"[\"\\x\"]", "escape", 1, 3},
        {"[\"\\u0000\"]", "escape", 1, 3},
        {"[\"\\ud800\\u0041\"]", "escape", 1, 3},
        {"[\"\n\"]", "control", 1, 3},
        {"[\"\xff\"]", "UTF-8", 1, 3},
        {"[1.]", "digit", 1, 4},
        {"[1e+]", "digit", 1, 5},
        {"[01]", "comma", 1, 3},
        {"[1e999]", "large", 1, 7},
        {"[9223372036854775808]", "large", 1, 21},
        {"{} {}", "more", 1, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nln_json_value *v;
        nln_error err = {0};
        assert_int_equal(nln_json_value_read(&v, rows[i].text, strlen(rows[i].text), 100, &err),
                         NLN_FORMAT);
        assert_null(v);
        if (!strstr(err.message, rows[i].why) || err.line != rows[i].line ||
            err.column != rows[i].column)
            fail_msg("%s: %ld:%ld %s", rows[i].text, err.line, err.column, err.message);
    }
}

static void test_whole_numbers_reach_as_far_as_they_fit(void **state)
{
    static const char text[] = "[9223372036854775807, -9223372036854775808, -0]";
    nln_json_value *v;
    (void)state;
    assert_int_equal(nln_json_value_read(&v, text, sizeof text - 1, 100, NULL), NLN_OK);
    assert_true(v[1].whole == INT64_MAX && v[2].whole == INT64_MIN && v[3].whole == 0);
    nln_free(v);
    assert_int_equal(nln_json_value_read(&v, "-9223372036854775809", 20, 100, NULL), NLN_FORMAT);
}

/* As much as is allowed is taken, and no more; what is in strings does not count. */
static void test_values_are_counted_before_memory_is_taken(void **state)
{
    static const struct {
        const char *text;
        size_t values;
    } rows[] = {
        {"7", 1},
        {"[1]", 2},
        {"[1, 2, 3]", 4},
        {"{\"a\": {\"b\": [1, 2]}}", 5},
        {"[\"[{,,,\", \"\\\"[[\\\\\", \"\\\\\\\",\"]", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nln_json_value *v;
        nln_error err = {0};
        size_t n = strlen(rows[i].text);
        assert_int_equal(nln_json_value_read(&v, rows[i].text, n, rows[i].values, &err), NLN_OK);
        nln_free(v);
        assert_int_equal(nln_json_value_read(&v, rows[i].text, n, rows[i].values - 1, &err),
                         NLN_FORMAT);
        assert_non_null(strstr(err.message, "more than"));
    }
    nln_json_value *v;
    nln_memory_limit(nln_memory_used() + 100);
    nln_status status = nln_json_value_read(&v, "[1, 2, 3]", 9, 100, NULL);
    nln_memory_limit(0);
    assert_int_equal(status, NLN_MEMORY);
    assert_null(v);
}

static void test_nesting_has_a_limit(void **state)
{
    char text[2 * NLN_JSON_DEPTH + 2];
    (void)state;
    for (size_t depth = NLN_JSON_DEPTH; depth <= NLN_JSON_DEPTH + 1; depth++) {
        nln_json_value *v;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(nln_json_value_read(&v, text, 2 * depth, 1000, NULL),
                         depth <= NLN_JSON_DEPTH ? NLN_OK : NLN_FORMAT);
        nln_free(v);
    }
}

/* One byte is replaced, dropped or doubled. */
static size_t spoil(char *text, size_t n, nln_random *r)
{
    static const char bytes[] = "{}[]\",:\\u0tfn-+.eE19 \n\t\x7f\x01\xc3\xa9\xff";
    size_t at = (size_t)nln_random_below(r, n);
    switch (nln_random_below(r, 3)) {
    case 0:
        text[at] = bytes[nln_random_below(r, sizeof bytes)];
        return n;
    case 1:
        memmove(text + at, text + at + 1, n - at - 1);
        return n - 1;
    default:
        memmove(text + at + 1, text + at, n - at);
        return n + 1;
    }
}

static void test_jansson_reads_the_same(void **state)
{
    enum { ROOM = 4096, SPOILT = 8 };
    nln_random r = nln_random_seed(1, 0);
    size_t n_read = 0, n_refused = 0;
    (void)state;
    for (int turn = 0; turn < 5000; turn++) {
        char text[ROOM];
        json_t *value = json_random(&r, 0);
        size_t flags = (turn % 2 ? JSON_COMPACT | JSON_ENSURE_ASCII : JSON_INDENT(2));
        size_t n = json_dumpb(value, text, ROOM - SPOILT, flags | JSON_ENCODE_ANY);
        json_decref(value);
        if (n > ROOM - SPOILT)
            continue;
        for (int i = 0; n && i < SPOILT; i++) {
            char *block = malloc(n); /* ends where the text ends, for the sanitizers */
            memcpy(block, text, n);
            if (!json_twin_agrees(block, n))
                fail_msg("%.*s", (int)n, text);
            nln_json_value *v;
            nln_status status = nln_json_value_read(&v, block, n, n + 1, NULL);
            n_read += !status;
            n_refused += status != 0;
            nln_free(v);
            free(block);
            n = spoil(text, n, &r);
        }
    }
    assert_true(n_read > 5000 && n_refused > 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_follow_one_another),
        cmocka_unit_test(test_a_refusal_has_its_place),
        cmocka_unit_test(test_whole_numbers_reach_as_far_as_they_fit),
        cmocka_unit_test(test_values_are_counted_before_memory_is_taken),
        cmocka_unit_test(test_nesting_has_a_limit),
        cmocka_unit_test(test_jansson_reads_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
