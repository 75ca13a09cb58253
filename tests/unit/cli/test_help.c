/* Help comes from the tables of verbs and options. */
#include "help.h"

#include "cli_test.h"

static void every_verb_is_listed(void **state)
{
    const cli_command *row;
    (void)state;

    int kept = capture(1);
    cli_usage_verbs("");
    char *text = release(1, kept);
    for (int i = 0; (row = cli_command_row(i)); i++)
        assert_has(text, row->summary);
    free(text);
    kept = capture(1);
    cli_usage_verbs("generate");
    text = release(1, kept);
    assert_has(text, "generate logic ");
    assert_null(strstr(text, "recommend"));
    free(text);
}

static void the_tables_have_every_option(void **state)
{
    const cli_command *row;
    (void)state;

    int kept = capture(1);
    assert_int_equal(cli_usage_tables(), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_is_listed),
        cmocka_unit_test(the_tables_have_every_option),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
