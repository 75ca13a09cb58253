#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <string.h>

#include "serve/json_fields.h"

#define NAMES "name size flag number list"

/* Opens `text` as the body; the caller clears the request. */
static int open_body(nln_fields *f, nln_http_request *r, const char *text)
{
    *r = (nln_http_request){.status = 200};
    assert_int_equal(nln_json_value_read(&r->json, text, strlen(text), 100, NULL), NLN_OK);
    return nln_fields_open(f, r, NAMES);
}

/* Opens `text` as requests[1].events[3]. */
static int open_entry(nln_fields *f, nln_http_request *r, const char *text)
{
    static nln_fields body, request;
    *r = (nln_http_request){.status = 200};
    assert_int_equal(nln_json_value_read(&r->json, text, strlen(text), 100, NULL), NLN_OK);
    body = (nln_fields){.request = r};
    request = (nln_fields){.request = r, .parent = &body, .array = "requests", .place = 1};
    return nln_fields_open_entry(f, &request, "events", 3, r->json, NAMES);
}

static void expect_field(nln_http_request *r, const char *field)
{
    json_t *reply = json_loadb(r->text.bytes, r->text.n, 0, NULL);
    const json_t *error = json_object_get(reply, "error");
    assert_int_equal(r->status, 422);
    assert_string_equal(json_string_value(json_object_get(error, "field")), field);
    json_decref(reply);
}

static void test_members_are_read(void **state)
{
    nln_fields f;
    nln_http_request r;
    const char *name = NULL;
    size_t size = 7;
    int flag = 0;
    double number = 0;
    const nln_json_value *list = NULL;
    (void)state;
    assert_true(
        open_body(&f, &r, "{\"name\":\"tea\",\"flag\":true,\"number\":2.5,\"list\":[1,2]}"));
    assert_true(nln_fields_string(&name, &f, "name", 1));
    assert_true(nln_fields_size(&size, &f, "size", 1, 10));
    assert_true(nln_fields_flag(&flag, &f, "flag"));
    assert_true(nln_fields_number(&number, &f, "number"));
    assert_true(nln_fields_array(&list, &f, "list", 2, 1));
    assert_string_equal(name, "tea");
    assert_int_equal(size, 7);
    assert_true(flag && number == 2.5 && list->n == 2);
    nln_http_request_clear(&r);
}

/* The empty name is in every list of names, if one only looks for it. */
static void test_an_empty_name_is_refused(void **state)
{
    nln_fields f;
    nln_http_request r;
    (void)state;
    assert_false(open_entry(&f, &r, "{\"\":1}"));
    expect_field(&r, "requests[1].events[3]");
    nln_http_request_clear(&r);
}

/* What is no object is told which fields one would have. */
static void test_an_entry_must_be_an_object(void **state)
{
    nln_fields f;
    nln_http_request r;
    (void)state;
    assert_false(open_entry(&f, &r, "\"tea\""));
    expect_field(&r, "requests[1].events[3]");
    json_t *reply = json_loadb(r.text.bytes, r.text.n, 0, NULL);
    const json_t *error = json_object_get(reply, "error");
    assert_non_null(strstr(json_string_value(json_object_get(error, "message")), ": " NAMES));
    json_decref(reply);
    nln_http_request_clear(&r);
}

static void test_a_field_that_is_there_twice_is_refused(void **state)
{
    nln_fields f;
    nln_http_request r;
    (void)state;
    assert_false(open_entry(&f, &r, "{\"size\":1,\"flag\":true,\"size\":2}"));
    expect_field(&r, "requests[1].events[3].size");
    nln_http_request_clear(&r);
}

static void test_wrong_types_name_the_field(void **state)
{
    static const char *const texts[] = {
        "{\"name\":1}",       "{\"size\":0}",         "{\"size\":11}",
        "{\"size\":1.5}",     "{\"size\":\"3\"}",     "{\"flag\":1}",
        "{\"number\":\"1\"}", "{\"list\":{\"a\":1}}", "{\"list\":[1,2,3]}"};
    static const char *const fields[] = {"name", "size",   "size", "size", "size",
                                         "flag", "number", "list", "list"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nln_fields f;
        nln_http_request r;
        const char *name;
        size_t size;
        int flag;
        double number;
        const nln_json_value *list;
        char wanted[40] = "requests[1].events[3].";
        assert_true(open_entry(&f, &r, texts[i]));
        assert_false(
            nln_fields_string(&name, &f, "name", 0) && nln_fields_size(&size, &f, "size", 1, 10) &&
            nln_fields_flag(&flag, &f, "flag") && nln_fields_number(&number, &f, "number") &&
            nln_fields_array(&list, &f, "list", 2, 0));
        expect_field(&r, strcat(wanted, fields[i]));
        nln_http_request_clear(&r);
    }
}

static void test_missing_and_unknown_fields_are_told(void **state)
{
    nln_fields f;
    nln_http_request r;
    const char *name;
    (void)state;
    assert_true(open_body(&f, &r, "{\"name\":null}"));
    assert_false(nln_fields_string(&name, &f, "name", 1));
    expect_field(&r, "name");
    nln_http_request_clear(&r);
    assert_false(open_body(&f, &r, "{\"siz\":1}"));
    expect_field(&r, "siz");
    nln_http_request_clear(&r);
    assert_false(open_entry(&f, &r, "[1]"));
    expect_field(&r, "requests[1].events[3]");
    nln_http_request_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_read),
        cmocka_unit_test(test_an_empty_name_is_refused),
        cmocka_unit_test(test_an_entry_must_be_an_object),
        cmocka_unit_test(test_a_field_that_is_there_twice_is_refused),
        cmocka_unit_test(test_wrong_types_name_the_field),
        cmocka_unit_test(test_missing_and_unknown_fields_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
