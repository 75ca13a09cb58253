/* The sentences about a table say what its numbers say. */
#include "reproduce/significance_text.h"

#include "fake_results.h"

static void sentences_follow_the_numbers(void **state)
{
    cli_plan plan;
    cli_runs runs;
    cli_result_summary sheet;
    char all[8192] = "", *sentence;
    (void)state;

    open_fake(&plan, &runs, "table2");
    cli_result_summary_open(&sheet, &plan, cli_paper_find("table2"));
    for (int i = 0; (sentence = cli_significance_sentence(&sheet, &sheet.parts[0], i)); i++) {
        strncat(all, sentence, sizeof all - strlen(all) - 2);
        strcat(all, "\n");
        free(sentence);
    }
    assert_has(all, "30 variables, 300 expressions, accuracy: NLN, laws off (0.8165) is "
                    "significantly ahead of the best baseline");
    assert_has(all, "over 2 seeds");
    assert_has(all, "the recipe of NLN has the laws switched off here");
    assert_has(all, "not tuned, but run with default options: ");
    cli_result_summary_close(&sheet);
    cli_runs_close(&runs);
}

/* Premises, users and facts are compared with the network without them. */
static void variations_are_compared(void **state)
{
    cli_plan plan;
    cli_runs runs;
    cli_result_summary sheet;
    char *sentence;
    int found = 0;
    (void)state;

    open_fake(&plan, &runs, "table-links");
    cli_result_summary_open(&sheet, &plan, cli_paper_find("table-links"));
    for (int i = 0; (sentence = cli_significance_sentence(&sheet, &sheet.parts[0], i)); i++) {
        found += strstr(sentence, "MRR: with premises NLN, 16 premises (0.5150) is significantly "
                                  "behind NLN (0.8165); p = ") != NULL;
        free(sentence);
    }
    assert_int_equal(found, 1);
    cli_result_summary_close(&sheet);
    cli_runs_close(&runs);
}

static void chance_is_no_lead(void **state)
{
    const cli_measure up = {.lower_is_better = 0};
    cli_comparison c = {.seeds = {.difference = {.n = 5, .mean = 0.1}, .p = 0.01}};
    (void)state;

    assert_true(cli_significance_won(&up, &c.seeds));
    assert_false(cli_significance_won(&up, &c.users));
    c.seeds.p = 0.06;
    assert_false(cli_significance_won(&up, &c.seeds));
    c.seeds = (nln_paired){.difference = {.n = 5, .mean = -0.1}, .p = 0.01};
    assert_false(cli_significance_won(&up, &c.seeds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_follow_the_numbers),
        cmocka_unit_test(variations_are_compared),
        cmocka_unit_test(chance_is_no_lead),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
