#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

static nln_serve *server_with_store(const char *more)
{
    char settings[600];
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    unlink(scratch_path("events.db"));
    snprintf(settings, sizeof settings, "store=%s %s", scratch_path("events.db"), more);
    return asking_loaded(scratch_path("model"), settings);
}

static void post(nln_serve *s, const char *events)
{
    char body[4096];
    snprintf(body, sizeof body, "{\"events\": [%s]}", events);
    asking_send(&reply, s, "POST", "/api/v1/events", body, NULL);
}

/* Every kind of event, a verdict for each row, and the list of what is stored. */
static void events_are_stored_and_listed(void **state)
{
    (void)state;
    nln_serve *s = server_with_store("");
    post(s, "{\"id\": \"c1\", \"user\": \"eve\", \"item\": \"tea\", \"liked\": true, \"time\": "
            "1700000000.5},"
            "{\"user\": \"eve\", \"item\": \"milk\", \"liked\": false},"
            "{\"user\": \"eve\", \"item\": \"no such item\", \"rating\": 4.5},"
            "{\"id\": \"c1\", \"user\": \"eve\", \"item\": \"jam\", \"liked\": true},"
            "{\"user\": \"eve\", \"item\": \"tea \", \"retract\": true},"
            "{\"user\": \"eve\", \"item\": \"milk\", \"retract\": true}");
    assert_int_equal(reply.status, 200);
    static const char *const expected[] = {"stored",    "stored",  "stored",
                                           "duplicate", "refused", "stored"};
    for (int i = 0; i < 6; i++) {
        char path[40];
        snprintf(path, sizeof path, "results.%d.status", i);
        assert_string_equal(asking_text(&reply, path), expected[i]);
    }
    assert_string_equal(asking_text(&reply, "results.0.id"), "c1");
    assert_string_equal(asking_text(&reply, "results.4.field"), "item");
    assert_true(asking_text(&reply, "results.4.why")[0]);
    assert_int_equal(json_integer_value(asking_get(&reply, "unknown_items")), 1);

    asking_send(&reply, s, "GET", "/api/v1/events?user=eve&k=3", NULL, NULL);
    assert_int_equal(json_array_size(asking_get(&reply, "events")), 3);
    assert_string_equal(asking_text(&reply, "events.0.item"), "tea");
    assert_true(json_is_true(asking_get(&reply, "events.0.liked")));
    assert_true(json_is_false(asking_get(&reply, "events.1.liked")));
    assert_true(json_real_value(asking_get(&reply, "events.0.time")) == 1700000000.5);
    assert_true(json_real_value(asking_get(&reply, "events.2.rating")) == 4.5);
    char next[64];
    snprintf(next, sizeof next, "/api/v1/events?user=eve&k=3&after=%d",
             (int)json_integer_value(asking_get(&reply, "next")));
    asking_send(&reply, s, "GET", next, NULL, NULL);
    assert_int_equal(json_array_size(asking_get(&reply, "events")), 1);
    assert_true(json_is_true(asking_get(&reply, "events.0.retract")));
    assert_true(json_is_null(asking_get(&reply, "next")));
    nln_serve_free(s);
}

/* The very next answer to that user knows them. */
static void the_next_answer_knows_them(void **state)
{
    (void)state;
    nln_serve *s = server_with_store("");
    asking_expect(s, "POST", "/api/v1/recommend", "{\"user\": \"eve\"}", 404, "user");
    post(s, "{\"user\": \"eve\", \"item\": \"tea\", \"liked\": true},"
            "{\"user\": \"eve\", \"item\": \"jam\", \"liked\": false}");
    asking_send(&reply, s, "POST", "/api/v1/recommend", "{\"user\": \"eve\", \"k\": 5}", NULL);
    assert_int_equal(reply.status, 200);
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 3);
    post(s, "{\"user\": \"eve\", \"item\": \"jam\", \"retract\": true}");
    asking_send(&reply, s, "POST", "/api/v1/recommend", "{\"user\": \"eve\", \"k\": 5}", NULL);
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 4);
    asking_send(&reply, s, "DELETE", "/api/v1/users/eve", NULL, NULL);
    assert_int_equal(json_integer_value(asking_get(&reply, "removed")), 3);
    asking_expect(s, "POST", "/api/v1/recommend", "{\"user\": \"eve\"}", 404, "user");
    asking_send(&reply, s, "DELETE", "/api/v1/users/eve", NULL, NULL);
    assert_int_equal(json_integer_value(asking_get(&reply, "removed")), 0);
    nln_serve_free(s);
}

static void bad_events_name_their_field(void **state)
{
    (void)state;
    nln_serve *s = server_with_store("");
    static const struct {
        const char *body, *field;
    } cases[] = {
        {"{}", "events"},
        {"{\"events\": 3}", "events"},
        {"{\"events\": [], \"x\": 1}", "x"},
        {"{\"events\": [3]}", "events[0]"},
        {"{\"events\": [{\"item\": \"tea\", \"liked\": true}]}", "events[0].user"},
        {"{\"events\": [{\"user\": \"u\", \"item\": 7, \"liked\": true}]}", "events[0].item"},
        {"{\"events\": [{\"user\": \"u\", \"item\": \"tea\"}]}", "events[0]"},
        {"{\"events\": [{\"user\": \"u\", \"item\": \"tea\", \"liked\": true, \"rating\": 3}]}",
         "events[0]"},
        {"{\"events\": [{\"user\": \"u\", \"item\": \"tea\", \"rating\": \"5\"}]}",
         "events[0].rating"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        asking_expect(s, "POST", "/api/v1/events", cases[i].body, 422, cases[i].field);
    asking_expect(s, "GET", "/api/v1/events", NULL, 422, "user");
    asking_expect(s, "GET", "/api/v1/events?user=u&after=x", NULL, 422, "after");
    nln_store_totals totals;
    assert_int_equal(nln_store_count(&totals, s->store, NULL), NLN_OK);
    assert_int_equal(totals.events, 0);
    post(s, "");
    assert_int_equal(reply.status, 200);
    nln_serve_free(s);
    s = asking_loaded(scratch_path("model"), "");
    asking_expect(s, "POST", "/api/v1/events", "{\"events\": []}", 409, "");
    asking_expect(s, "GET", "/api/v1/events?user=u", NULL, 409, "");
    asking_expect(s, "GET", "/api/v1/export", NULL, 409, "");
    asking_expect(s, "DELETE", "/api/v1/users/u", NULL, 409, "");
    nln_serve_free(s);
}

/* The export is a stream of lines that are made as they are sent. */
static void the_export_is_a_stream(void **state)
{
    (void)state;
    nln_serve *s = server_with_store("");
    post(s, "{\"user\": \"eve\", \"item\": \"tea\", \"liked\": true, \"time\": 5},"
            "{\"user\": \"bob\", \"item\": \"tea\", \"rating\": 2, \"time\": 6},"
            "{\"user\": \"eve\", \"item\": \"jam\", \"liked\": false, \"time\": 4}");
    nln_http_request r = {.server = s, .method = "GET", .on_worker = 1};
    r.path = nln_memory_copy("/api/v1/export");
    nln_http_headers headers = {.host = "localhost"};
    assert_true(nln_dispatch_admit(&r, &headers));
    assert_int_equal(nln_dispatch_run(&r), NLN_ANSWERED);
    char text[256];
    ptrdiff_t n, total = 0;
    while ((n = r.stream.read(r.stream.context, text + total, 7)) >= 0)
        total += n;
    assert_int_equal(n, -1);
    text[total] = '\0';
    assert_string_equal(text, "user\titem\trating\ttime\n"
                              "eve\tjam\t1\t4\neve\ttea\t5\t5\nbob\ttea\t2\t6\n");
    nln_http_request_clear(&r);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_stored_and_listed, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_next_answer_knows_them, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(bad_events_name_their_field, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_export_is_a_stream, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
