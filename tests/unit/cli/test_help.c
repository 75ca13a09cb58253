/* Help comes from the tables of verbs and options. */
#include "help.h"

#include "cli_test.h"
#include "command_line.h"

static void every_verb_is_listed(void **state)
{
    const cli_command *row;
    (void)state;

    int kept = capture(1);
    cli_help_commands("");
    char *text = release(1, kept);
    for (int i = 0; (row = cli_command_row(i)); i++)
        assert_has(text, row->summary);
    free(text);
    kept = capture(1);
    cli_help_commands("generate");
    text = release(1, kept);
    assert_has(text, "generate logic --out DIR\n");
    assert_null(strstr(text, "recommend"));
    free(text);
}

static void the_tables_have_every_option(void **state)
{
    const cli_command *row;
    (void)state;

    int kept = capture(1);
    assert_int_equal(cli_help_tables(), 0);
    char *text = release(1, kept), line[128];
    for (int i = 0; (row = cli_command_row(i)); i++) {
        snprintf(line, sizeof line, "verb\t%s\t%s\t", row->name, row->operands);
        assert_has(text, line);
        for (int r = 0; r < row->n_rows; r++) {
            snprintf(line, sizeof line, "option\t%s\t", row->rows[r].name);
            assert_has(text, line);
        }
    }
    free(text);
}

/* What the help of a command with these words prints; to be freed. */
static char *help_of(const cli_command *command, char *const *words, int n_words, int wanted)
{
    cli_call call;
    assert_int_equal(cli_call_open(&call, command), 0);
    int kept = capture(1), code = cli_help_command(&call, words, n_words);
    char *text = release(1, kept);
    cli_call_close(&call);
    assert_int_equal(code, wanted);
    return text;
}

static const cli_command *train(void)
{
    char *words[] = {"train"};
    int used;
    return cli_command_find(&used, words, 1);
}

static void every_help_fits_the_width(void **state)
{
    (void)state;
    char *all[] = {"--help", "all"};
    for (int i = 0; cli_command_row(i); i++)
        for (int n = 0; n <= 2; n += 2) {
            char *text = help_of(cli_command_row(i), all, n, 0);
            assert_memory_equal(text, "usage: nln ", 11);
            for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
                if (strcspn(at, "\n") > 100)
                    fail_msg("%s: %.120s", cli_command_row(i)->name, at);
            free(text);
        }
}

static void training_shows_what_applies(void **state)
{
    (void)state;
    static const struct {
        char *words[4];
        const char *shown, *hidden;
    } cases[] = {
        {{"--help"}, "\n--law-weight           0.01 ", "\n--history"},
        {{"--task", "topk", "--help"}, "\n--history              20 ", "\n--normal-form"},
        {{"--task=preference", "--help"}, "\n--networks             4 ", "\n--negatives"},
        {{"--model", "ease", "--help"}, "\n--task                 topk ", "\n--learning-rate"},
        {{"--recipe", "paper", "--help"}, "\n--epochs               100 ", "\n--alpha"},
        {{"--help", "all"}, "\n--alpha                10 ", "unused everywhere"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = 0;
        while (n < 4 && cases[i].words[n])
            n++;
        char *text = help_of(train(), cases[i].words, n, 0);
        if (!strstr(text, cases[i].shown) || strstr(text, cases[i].hidden))
            fail_msg("%s: %s", cases[i].shown, text);
        free(text);
    }
    char *wrong[] = {"--task", "poker"};
    free(help_of(train(), wrong, 2, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_is_listed),
        cmocka_unit_test(the_tables_have_every_option),
        cmocka_unit_test(every_help_fits_the_width),
        cmocka_unit_test(training_shows_what_applies),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
