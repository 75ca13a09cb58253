#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

static void expect_message(const char *quoted, const char *message)
{
    nln_error err = {0};
    assert_int_equal(nln_error_set(&err, NLN_SYNTAX, "'%s'", quoted), NLN_SYNTAX);
    assert_int_equal(err.status, NLN_SYNTAX);
    assert_string_equal(err.message, message);
}

static void messages_are_a_line_of_text(void **state)
{
    (void)state;
    expect_message("tea", "'tea'");
    expect_message("th\xc3\xa9 \xf0\x9f\x98\x80", "'th\xc3\xa9 \xf0\x9f\x98\x80'");
    expect_message("a\nb\tc\r\x1b[2J\x7f", "'a?b?c??[2J?'");
    expect_message("\xffz\xc3z\xed\xa0\x80z\xc0\x80", "'?z?z???z?"
                                                      "?'");
}

/* Wherever the room of the message ends, no half of a character is left there. */
static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    char text[2 * sizeof((nln_error *)0)->message];
    for (size_t shift = 0; shift < 4; shift++) {
        nln_error err = {0};
        memset(text, 'x', sizeof text);
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        text[sizeof text - 1] = '\0';
        nln_error_at(&err, NLN_FORMAT, "file", 3, 4, "%s", text);
        assert_true(nln_utf8_valid(err.message, strlen(err.message)));
        assert_int_equal(strlen(err.message), sizeof err.message - 1);
        assert_string_equal(err.file, "file");
    }
}

static void nobody_need_listen(void **state)
{
    (void)state;
    assert_int_equal(nln_error_set(NULL, NLN_IO, "x"), NLN_IO);
    assert_int_equal(nln_error_memory(NULL), NLN_MEMORY);
    nln_error_place(NULL, "file", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_a_line_of_text),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(nobody_need_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
