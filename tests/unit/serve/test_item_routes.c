#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static asked_reply reply;

static void test_items_by_words(void **state)
{
    char settings[600];
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "titles=%s",
             scratch_text("titles", "tea\tGreen tea\nmilk\tOat milk\n"));
    nln_serve *s = asking_loaded(scratch_path("model"), settings);
    asking_send(&reply, s, "GET", "/api/v1/items?query=green", NULL, NULL);
    assert_int_equal(json_integer_value(asking_get(&reply, "found")), 1);
    assert_string_equal(asking_text(&reply, "items.0.item"), "tea");
    assert_string_equal(asking_text(&reply, "items.0.title"), "Green tea");
    asking_send(&reply, s, "GET", "/api/v1/items?k=3", NULL, NULL);
    assert_int_equal(json_integer_value(asking_get(&reply, "found")), 5);
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 3);
    asking_expect(s, "GET", "/api/v1/items?k=0", NULL, 422, "k");
    nln_serve_free(s);
}

/* The most similar vectors, best first, without the item itself. */
static void test_similar_items(void **state)
{
    double last = 2;
    (void)state;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "GET", "/api/v1/similar?item=tea&k=9", NULL, NULL);
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *row = json_array_get(asking_get(&reply, "items"), i);
        double cosine = json_number_value(json_object_get(row, "similarity"));
        assert_true(cosine <= last && cosine >= -1.000001);
        assert_string_not_equal(json_string_value(json_object_get(row, "item")), "tea");
        last = cosine;
    }
    asking_expect(s, "GET", "/api/v1/similar", NULL, 422, "item");
    asking_expect(s, "GET", "/api/v1/similar?item=rum", NULL, 404, "item");
    nln_serve_free(s);
    asking_save(scratch_path("model"), "task=topk model=popularity");
    s = asking_loaded(scratch_path("model"), "");
    asking_expect(s, "GET", "/api/v1/similar?item=tea", NULL, 409, "");
    asking_expect(s, "GET", "/api/v1/map", NULL, 409, "");
    nln_serve_free(s);
}

static void test_the_map_is_drawn_once(void **state)
{
    (void)state;
    asking_save_logic(scratch_path("model"), "epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "GET", "/api/v1/map", NULL, NULL);
    for (int i = 0; i < 2000 && reply.status == 202; i++) {
        assert_string_equal(asking_text(&reply, "status"), "computing");
        client_sleep(10);
        asking_send(&reply, s, "GET", "/api/v1/map", NULL, NULL);
    }
    assert_int_equal(reply.status, 200);
    assert_int_equal(json_array_size(asking_get(&reply, "points")), 12);
    assert_true(json_is_number(asking_get(&reply, "points.11.x")));
    assert_true(json_is_number(asking_get(&reply, "points.11.value")));
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_by_words),
        cmocka_unit_test(test_similar_items),
        cmocka_unit_test(test_the_map_is_drawn_once),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
