/* Messages are one line, with the place of an error where it has one. */
#include "messages.h"

#include "cli_test.h"

static void assert_error(const nln_error *err, const char *expected)
{
    int kept = capture(2);
    assert_int_equal(cli_message_error(err), CLI_FAILED);
    char *said = release(2, kept);
    assert_string_equal(said, expected);
    free(said);
}

static void an_error_says_its_place(void **state)
{
    (void)state;
    assert_error(&(nln_error){.file = "a.tsv", .line = 3, .column = 5, .message = "no"},
                 "nln: a.tsv:3:5: no\n");
    assert_error(&(nln_error){.file = "a.tsv", .message = "no"}, "nln: a.tsv: no\n");
    assert_error(&(nln_error){.file = "a.tsv", .message = "cannot open 'a.tsv'"},
                 "nln: cannot open 'a.tsv'\n");
    assert_error(&(nln_error){.message = "no"}, "nln: no\n");
    assert_error(&(nln_error){.message = "two\nlines\x7f"}, "nln: two?lines?\n");
}

static void a_sentence_may_be_long(void **state)
{
    char text[3000], expected[3010];
    (void)state;

    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    int kept = capture(2);
    assert_int_equal(cli_message_usage("%s", text), CLI_USAGE);
    char *said = release(2, kept);
    snprintf(expected, sizeof expected, "nln: %s\n", text);
    assert_string_equal(said, expected);
    free(said);
}

static void the_status_chooses_the_code(void **state)
{
    (void)state;
    int kept = capture(2);
    assert_int_equal(cli_message_misuse(&(nln_error){.status = NLN_MEMORY}), CLI_FAILED);
    assert_int_equal(cli_message_misuse(&(nln_error){.status = NLN_INVALID}), CLI_USAGE);
    assert_int_equal(cli_message_cause(&(nln_error){.status = NLN_INVALID}), CLI_USAGE);
    assert_int_equal(cli_message_cause(&(nln_error){.status = NLN_INVALID, .file = "f"}),
                     CLI_FAILED);
    assert_int_equal(cli_message_cause(&(nln_error){.status = NLN_IO}), CLI_FAILED);
    free(release(2, kept));
    assert_string_equal(cli_message_plural(1), "");
    assert_string_equal(cli_message_plural(0), "s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_says_its_place),
        cmocka_unit_test(a_sentence_may_be_long),
        cmocka_unit_test(the_status_chooses_the_code),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
