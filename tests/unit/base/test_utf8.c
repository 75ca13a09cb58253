#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"

static int is_surrogate(uint32_t c)
{
    return c >= 0xd800 && c <= 0xdfff;
}

static void every_character_is_written_and_valid(void **state)
{
    (void)state;
    char before[4] = "", text[4];
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        if (is_surrogate(c))
            continue;
        size_t n = nln_utf8_put(text, c);
        if (!nln_utf8_valid(text, n) || (n > 1 && nln_utf8_valid(text, n - 1)))
            fail_msg("U+%04X", (unsigned)c);
        if (c > 0) /* bytes sort as the characters do */
            assert_true(memcmp(before, text, n) < 0);
        memset(before, 0, sizeof before);
        memcpy(before, text, n);
    }
}

/* Of all sequences of two and of three bytes, as many are valid as there are characters. */
static void nothing_else_is_valid(void **state)
{
    (void)state;
    unsigned two = 0, three = 0;
    for (unsigned i = 0x80; i < 0x100; i++)
        for (unsigned j = 0; j < 0x100; j++) {
            char text[3] = {(char)i, (char)j, 0};
            two += (unsigned)nln_utf8_valid(text, 2);
            for (unsigned k = 0; k < 0x100; k++) {
                text[2] = (char)k;
                three += (unsigned)(nln_utf8_valid(text, 3) && !nln_utf8_valid(text, 2));
            }
        }
    assert_int_equal(two, 0x800 - 0x80);
    assert_int_equal(three, 0x10000 - 0x800 - 0x800);
    assert_false(nln_utf8_valid("\xf0\x8f\xbf\xbf", 4));
    assert_false(nln_utf8_valid("\xf4\x90\x80\x80", 4));
    assert_false(nln_utf8_valid("\xf5\x80\x80\x80", 4));
    assert_false(nln_utf8_valid("a\xe9", 2));
    assert_true(nln_utf8_valid("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_written_and_valid),
        cmocka_unit_test(nothing_else_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
