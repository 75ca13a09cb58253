#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/json_unescape.h"

static void characters_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* behind the backslash */
        int32_t character;
        size_t length;
    } rows[] = {
        {"n", '\n', 1},
        {"\"x", '"', 1},
        {"/", '/', 1},
        {"u00e9", 0xe9, 5},
        {"u00E9 ", 0xe9, 5},
        {"u0000", 0, 5},
        {"ud83d\\ude00", 0x1f600, 11},
        {"uDBFF\\uDFFFx", 0x10ffff, 11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = rows[i].text;
        assert_int_equal(nln_json_unescape(&at, at + strlen(at)), rows[i].character);
        assert_int_equal(at - rows[i].text, rows[i].length);
    }
}

/* Nothing behind the end is looked at: `length` is where the text ends. */
static void anything_else_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } rows[] = {
        {"n", 0},     {"x", 1},
        {"N", 1},     {"u00e9", 4},
        {"u00g9", 5}, {"ude00", 5},
        {"ud83d", 5}, {"ud83d\\ude00", 10},
        {"\0", 1},    {"ud83d\\n1234", 11},
        {"U00e9", 5}, {"ud83d\\ud83d", 11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = rows[i].text;
        assert_int_equal(nln_json_unescape(&at, at + rows[i].length), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_read),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
