#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_items_by_words)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
