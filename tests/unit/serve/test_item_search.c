#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"
#include "serve/item_search.h"
#include "tiny.h"

static nln_item_search *search_of(const char *titles_text)
{
    nln_model *model = tiny_model(6, "dimension=4");
    nln_titles *titles = NULL;
    nln_item_search *s = NULL;
    nln_error err = {0};
    if (titles_text)
        tiny_need(nln_titles_read(&titles, scratch_text("titles", titles_text), &err), &err);
    tiny_need(nln_item_search_create(&s, model, titles, &err), &err);
    nln_titles_free(titles);
    nln_model_free(model);
    return s;
}

static void expect(const nln_item_search *s, const char *query, const char *wanted)
{
    size_t items[10] = {0};
    size_t n = nln_item_search_find(items, 10, s, query);
    char text[40] = "";
    for (size_t i = 0; i < n && i < 10; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%zu ", items[i]);
    assert_string_equal(text, wanted);
}

static void test_words_and_their_order(void **state)
{
    nln_item_search *s = search_of("x0\tThe Green Mile\nx1\tMile High\nx2\tSmile of the Green\n"
                                   "x3\tSeven\nx4\tSeven Samurai\n");
    (void)state;
    expect(s, "mile", "1 0 2 ");
    expect(s, "MILE green", "0 2 ");
    expect(s, "green mile", "0 2 ");
    expect(s, "seven", "3 4 ");
    expect(s, "x4", "4 ");
    expect(s, "  samurai  ", "4 ");
    expect(s, "nothing", "");
    expect(s, "", "0 1 2 3 4 5 ");
    nln_item_search_free(s);
}

static void test_more_than_asked_for_are_counted(void **state)
{
    nln_item_search *s = search_of(NULL);
    size_t items[2];
    (void)state;
    assert_int_equal(nln_item_search_find(items, 2, s, "x"), 6);
    assert_true(items[0] == 0 && items[1] == 1);
    char long_query[2000];
    memset(long_query, 'y', sizeof long_query - 1);
    long_query[sizeof long_query - 1] = '\0';
    assert_int_equal(nln_item_search_find(items, 2, s, long_query), 0);
    nln_item_search_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_and_their_order),
        cmocka_unit_test(test_more_than_asked_for_are_counted),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
