/* The verbs of the table are found by their words. */
#include "command_table.h"

#include "cli_test.h"

static void every_verb_is_found_by_its_name(void **state)
{
    const cli_command *row;
    (void)state;

    for (int i = 0; (row = cli_command_row(i)); i++) {
        char text[64], extra[] = "more", *words[3], *rest = NULL;
        int n = 0, used = 0;
        snprintf(text, sizeof text, "%s", row->name);
        for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
            words[n++] = word;
        words[n] = extra;
        assert_ptr_equal(cli_command_find(&used, words, n + 1), row);
        assert_int_equal(used, n);
        assert_true(row->run && row->summary[0] && row->least_operands <= row->most_operands);
        for (int r = 0; r < row->n_rows; r++)
            assert_true(row->rows[r].name[0] && row->rows[r].help[0]);
    }
    assert_null(cli_command_row(-1));
}

static void near_words_mean_a_verb(void **state)
{
    char a[] = "trian", b[] = "plot", c[] = "tsen", *one[] = {a}, *two[] = {b, c};
    (void)state;

    assert_string_equal(cli_command_near(one, 1), "train");
    assert_string_equal(cli_command_near(two, 2), "plot tsne");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verb_is_found_by_its_name),
        cmocka_unit_test(near_words_mean_a_verb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
