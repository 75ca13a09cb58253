#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "base/memory.h"
#include "serve/server.h"

static void give_body(nln_http_request *r, const char *body)
{
    *r = (nln_http_request){.status = 200};
    r->body = nln_memory_copy(body);
    r->n_body = strlen(body);
}

static void expect_error(const nln_http_request *r, int status, const char *key, int value)
{
    json_t *reply = json_loadb(r->text.bytes, r->text.n, 0, NULL);
    const json_t *error = json_object_get(reply, "error");
    assert_int_equal(r->status, status);
    assert_int_equal(json_integer_value(json_object_get(error, "status")), status);
    assert_int_equal(json_integer_value(json_object_get(error, key)), value);
    json_decref(reply);
}

static void test_bodies_are_read_or_refused_with_a_place(void **state)
{
    nln_http_request r;
    (void)state;
    give_body(&r, "{\"a\": [1, 2]}");
    assert_true(nln_http_request_read_json(&r));
    assert_int_equal(nln_json_value_member(r.json, "a")->n, 2);
    nln_http_request_clear(&r);
    give_body(&r, "{\"a\":\n NaN}");
    assert_false(nln_http_request_read_json(&r));
    expect_error(&r, 400, "line", 2);
    nln_http_request_clear(&r);
    give_body(&r, "");
    assert_false(nln_http_request_read_json(&r));
    expect_error(&r, 400, "status", 400);
    nln_http_request_clear(&r);
}

static void test_deep_and_broad_bodies_are_refused(void **state)
{
    enum { DEEP = 100000 };
    char *text = nln_memory_zeroed(1, 2 * DEEP + 1);
    nln_http_request r;
    (void)state;
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    give_body(&r, text);
    assert_false(nln_http_request_read_json(&r));
    expect_error(&r, 400, "status", 400);
    nln_http_request_clear(&r);
    nln_free(text);
}

static void test_an_error_replaces_the_reply(void **state)
{
    nln_http_request r = {.status = 200};
    nln_error err = {.status = NLN_SYNTAX, .column = 4, .message = "a name was expected"};
    (void)state;
    nln_json_out_open(&r.text, NULL, '{');
    nln_json_out_string(&r.text, "items", "half of an answer");
    assert_int_equal(nln_http_request_fail_error(&r, "expression", &err), NLN_ANSWERED);
    expect_error(&r, 422, "column", 4);
    nln_http_request_clear(&r);
}

/* Nothing that a client can send is a fault of the server. */
static void test_statuses_of_the_library(void **state)
{
    (void)state;
    assert_int_equal(nln_http_request_status(NLN_OK), 200);
    for (int s = NLN_INVALID; s <= NLN_CANCELLED; s++) {
        int status = nln_http_request_status((nln_status)s);
        assert_true(status == 422 || status == 503);
    }
    assert_int_equal(nln_http_request_status(NLN_MEMORY), 503);
    assert_int_equal(nln_http_request_status(NLN_SYNTAX), 422);
}

static void test_numbers_of_a_query(void **state)
{
    static const char *const bad[] = {"0", "11", "-1", "1.5", "x", "1x", "99999999999999999999999"};
    nln_http_request r = {.status = 200, .n_query = 1};
    size_t k = 5;
    (void)state;
    r.query[0].name = "k";
    r.query[0].value = "7";
    assert_true(nln_http_request_query_size(&k, &r, "k", 1, 10) && k == 7);
    assert_true(nln_http_request_query_size(&k, &r, "other", 1, 10) && k == 7);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        r.query[0].value = bad[i];
        assert_false(nln_http_request_query_size(&k, &r, "k", 1, 10));
        expect_error(&r, 422, "status", 422);
    }
    nln_http_request_clear(&r);
}

static int gone(const nln_http_request *r)
{
    (void)r;
    return 1;
}

static void test_an_answer_is_wanted_until_it_is_late_or_the_client_has_gone(void **state)
{
    nln_serve server = {.settings = {.answer_time = 5}};
    nln_http_request r = {.server = &server, .started = nln_clock_now()};
    (void)state;
    assert_true(nln_http_request_wanted(&r));
    r.has_gone = gone;
    assert_false(nln_http_request_wanted(&r));
    r.has_gone = NULL;
    r.started -= 6;
    assert_false(nln_http_request_wanted(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_are_read_or_refused_with_a_place),
        cmocka_unit_test(test_deep_and_broad_bodies_are_refused),
        cmocka_unit_test(test_an_error_replaces_the_reply),
        cmocka_unit_test(test_statuses_of_the_library),
        cmocka_unit_test(test_numbers_of_a_query),
        cmocka_unit_test(test_an_answer_is_wanted_until_it_is_late_or_the_client_has_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
