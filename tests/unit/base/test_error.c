#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"

enum { N_STATUSES = NLN_CANCELLED + 1 };

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

static void long_messages_keep_both_ends(void **state)
{
    (void)state;
    enum { ROOM = sizeof((nln_error *)0)->message };
    char path[10 * ROOM];
    for (size_t n = ROOM - 40; n < sizeof path; n += n < ROOM ? 1 : 997) {
        static const char head[] = "cannot open 'x", tail[] = "x': no such file";
        nln_error err = {0};
        memset(path, 'x', n);
        path[n] = '\0';
        nln_error_set(&err, NLN_IO, "cannot open '%s': no such file", path);
        size_t length = strlen(err.message), whole = n + sizeof head + sizeof tail - 4;
        assert_int_equal(length, whole < ROOM ? whole : ROOM - 1);
        assert_memory_equal(err.message, head, sizeof head - 1);
        assert_string_equal(err.message + length + 1 - sizeof tail, tail);
        assert_int_equal(strstr(err.message, "...") != NULL, whole >= ROOM);
    }
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

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < N_STATUSES; i++) {
        assert_true(strlen(nln_status_text((nln_status)i)) > 0);
        for (int j = 0; j <= N_STATUSES; j++)
            assert_int_equal(
                strcmp(nln_status_text((nln_status)i), nln_status_text((nln_status)j)) == 0,
                i == j);
    }
    assert_string_equal(nln_status_text((nln_status)-1), nln_status_text((nln_status)N_STATUSES));
}

static void the_version_is_that_of_the_build(void **state)
{
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", NLN_VERSION_MAJOR, NLN_VERSION_MINOR,
             NLN_VERSION_PATCH);
    assert_string_equal(nln_version(), version);
}

static void a_failure_leaves_nothing_of_the_one_before(void **state)
{
    (void)state;
    nln_error err;
    memset(&err, 'x', sizeof err);
    assert_int_equal(nln_error_at(&err, NLN_SYNTAX, "file", 3, 4, "%d is wrong", 5), NLN_SYNTAX);
    assert_string_equal(err.file, "file");
    assert_int_equal(err.line * 10 + err.column, 34);
    assert_int_equal(nln_error_memory(&err), NLN_MEMORY);
    assert_int_equal(err.status, NLN_MEMORY);
    assert_int_equal(err.line + err.column, 0);
    assert_string_equal(err.file, "");
}

static void a_place_is_given_once(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_error_at(&err, NLN_SYNTAX, NULL, 0, 7, "wrong");
    nln_error_place(&err, "inner", 2);
    nln_error_place(&err, "outer", 9);
    assert_string_equal(err.file, "inner");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_a_line_of_text),
        cmocka_unit_test(long_messages_keep_both_ends),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(the_version_is_that_of_the_build),
        cmocka_unit_test(a_failure_leaves_nothing_of_the_one_before),
        cmocka_unit_test(a_place_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
