/* Memory grows, texts are copied and printed. */
#include "allocate.h"

#include "cli_test.h"

static void an_array_grows_and_keeps_its_items(void **state)
{
    size_t room = 0;
    int *items = NULL;
    (void)state;

    for (int i = 0; i < 1000; i++) {
        items = cli_memory_grow(items, (size_t)i, &room, sizeof *items);
        assert_true(room > (size_t)i);
        items[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void texts_are_copied_and_printed(void **state)
{
    char *copy = cli_memory_copy("abcdef", 3), *text = cli_memory_print("%s-%d", copy, 7);
    cli_text stream;
    (void)state;

    assert_string_equal(copy, "abc");
    assert_string_equal(text, "abc-7");
    cli_text_open(&stream);
    for (int i = 0; i < 1000; i++)
        fputs("ten bytes.", stream.stream);
    char *whole = cli_text_close(&stream);
    assert_int_equal(strlen(whole), 10000);
    assert_int_equal(stream.length, 10000);
    free(whole);
    free(text);
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(texts_are_copied_and_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
