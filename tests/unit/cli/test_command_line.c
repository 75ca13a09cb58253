/* Words become options and operands; wrong ones are refused with one line. */
#include "command_line.h"

#include "cli_test.h"

/* Reads a command line; the words are separated by spaces, the first is the verb. */
static int read_call(cli_call *call, const char *line)
{
    static char text[256]; /* the call borrows its words */
    char *words[16], *rest = NULL;
    int n = 0, used = 0;

    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    int code = cli_call_open(call, cli_command_find(&used, words, n));
    return code ? code : cli_call_read(call, words + used, n - used);
}

static void options_are_read_in_every_spelling(void **state)
{
    static const char *const lines[] = {"solve --truth t --json m", "solve m --truth=t --json=true",
                                        "solve --no-json --json --truth t -- m"};
    (void)state;

    for (int i = 0; i < 3; i++) {
        cli_call call;
        assert_int_equal(read_call(&call, lines[i]), 0);
        assert_int_equal(call.n_operands, 1);
        assert_string_equal(call.operands[0], "m");
        assert_string_equal(cli_call_text(&call, "truth"), "t");
        assert_true(cli_call_flag(&call, "json") && !cli_call_flag(&call, "quiet"));
        assert_true(cli_call_has(&call, "truth") && !cli_call_has(&call, "seed"));
        cli_call_close(&call);
    }
}

static void a_config_file_is_below_the_command_line(void **state)
{
    cli_call call;
    (void)state;

    write_file("config", "epochs = 7 # few\ndimension = 4\n");
    assert_int_equal(read_call(&call, "train data --out m --config config --epochs 3"), 0);
    const nln_options *options = cli_call_library(&call, "train");
    assert_true(nln_options_number(options, "epochs") == 3);
    assert_true(nln_options_number(options, "dimension") == 4);
    assert_true(cli_call_has(&call, "dimension"));
    cli_call_close(&call);
}

static void wrong_lines_are_refused(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {{"solve m --trth t", "truth"},
                 {"solve", "solve"},
                 {"solve a b", "solve"},
                 {"train data", "--out is missing"},
                 {"train data --out m --epochs many", "epochs"},
                 {"solve m --json=perhaps", "json"}};
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cli_call call;
        int kept = capture(2);
        assert_int_equal(read_call(&call, cases[i].line), 2);
        char *said = release(2, kept);
        assert_has(said, cases[i].message);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
        free(said);
        cli_call_close(&call);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_read_in_every_spelling),
        cmocka_unit_test(a_config_file_is_below_the_command_line),
        cmocka_unit_test(wrong_lines_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
