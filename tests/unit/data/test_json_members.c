#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "data/json_members.h"
#include "json_random.h"

/* The members as key=value; with the kind in front of each value, or "!" and the place where
 * the text is not JSON. */
static const char *scan(const char *text)
{
    static char line[1024], out[1024];
    nln_json_member m;
    int more;
    strcpy(line, text);
    nln_json_members in = nln_json_members_begin(line, strlen(line));
    out[0] = '\0';
    while ((more = nln_json_members_next(&m, &in)) > 0) {
        strncat(out, m.key.text, m.key.n);
        strncat(out, &"s#-"[m.kind], 1);
        if (m.kind == NLN_JSON_STRING && !nln_json_members_unescape(&m.value))
            strcat(out, "BAD");
        else if (m.kind != NLN_JSON_OTHER)
            strncat(out, m.value.text, m.value.n);
        strcat(out, ";");
    }
    return more < 0 ? "!" : out;
}

static void members_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *line, *members;
    } cases[] = {
        {"{}", ""},
        {" { } ", ""},
        {"{\"a\": \"x\", \"b\": 5.0}", "asx;b#5.0;"},
        {"{\"a\":null,\"b\":true,\"c\":false}", "a-;b-;c-;"},
        {"{\"h\": [2, {\"asin\": \"]}\\\"\"}], \"b\":1}", "h-;b#1;"},
        {"{\"s\": {\"a\": {}, \"b\": []}, \"asin\" : \"B\"}", "s-;asinsB;"},
        {"{\"a\": \"q\\\"\\\\\", \"b\": \"\\u00e9\\ud83d\\ude00\\/\\n\"}",
         "asq\"\\;bs\xc3\xa9\xf0\x9f\x98\x80/\n;"},
        {"{\"a\": \"\\ud83d\"}", "asBAD;"},
        {"{\"a\": \"\\u00g0\"}", "asBAD;"},
        {"{\"a\": \"\\x\"}", "asBAD;"},
        {"{\"a\": \"\\u0000\"}", "asBAD;"},
        {"", "!"},
        {"{", "!"},
        {"{\"a\"}", "!"},
        {"{\"a\": }", "!"},
        {"{\"a\": 1,}", "!"},
        {"{\"a\": 1 \"b\": 2}", "!"},
        {"{\"a\": \"x}", "!"},
        {"{\"a\": nul}", "!"},
        {"{\"a\": [}]}", "!"},
        {"{\"a\": [1, 2}", "!"},
        {"{\"a\": 1} x", "!"},
        {"{'a': 1}", "!"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(scan(cases[i].line), cases[i].members);
}

static void deep_nesting_is_skipped_up_to_a_limit(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 66; depth++) {
        char line[1024] = "{\"a\":";
        for (int i = 0; i < depth; i++)
            strcat(line, i % 2 ? "[" : "{\"k\":");
        for (int i = depth; i > 0; i--)
            strcat(line, i % 2 ? "}" : "]");
        strcat(line, "}");
        assert_string_equal(scan(line), depth <= 64 ? "a-;" : "!");
    }
}

static void agrees_with_jansson(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int turn = 0; turn < 3000; turn++) {
        json_t *object = json_object();
        char key[8] = "k0";
        for (int i = 0; i < 5; i++, key[1]++)
            json_object_set_new(object, key, json_random(&r, 0));
        char *text = json_dumps(object, turn % 2 ? JSON_COMPACT | JSON_ENSURE_ASCII : 0);
        nln_json_members in = nln_json_members_begin(text, strlen(text));
        nln_json_member m;
        int n = 0, more;
        while ((more = nln_json_members_next(&m, &in)) > 0) {
            const json_t *value = json_object_getn(object, m.key.text, m.key.n);
            assert_int_equal(m.kind, json_is_string(value)   ? NLN_JSON_STRING
                                     : json_is_number(value) ? NLN_JSON_NUMBER
                                                             : NLN_JSON_OTHER);
            n++;
            if (!json_is_string(value))
                continue;
            assert_true(nln_json_members_unescape(&m.value));
            assert_int_equal(m.value.n, json_string_length(value));
            assert_memory_equal(m.value.text, json_string_value(value), m.value.n);
        }
        assert_int_equal(more, 0);
        assert_int_equal(n, 5);
        free(text);
        json_decref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_found),
        cmocka_unit_test(deep_nesting_is_skipped_up_to_a_limit),
        cmocka_unit_test(agrees_with_jansson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
