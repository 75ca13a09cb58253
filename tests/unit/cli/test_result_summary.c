/* Means over seeds, the best rows, and the tests between them. */
#include "reproduce/result_summary.h"

#include "fake_results.h"

static void cells_have_means_and_the_best_is_marked(void **state)
{
    cli_plan plan;
    cli_runs runs;
    cli_result_summary sheet;
    (void)state;

    open_fake(&plan, &runs, "table2");
    cli_result_summary_open(&sheet, &plan, cli_paper_find("table2"));
    assert_int_equal(sheet.n_parts, 2);
    const cli_part *part = &sheet.parts[0];
    int nln = cli_result_summary_row(part, "nln"), birnn = cli_result_summary_row(part, "birnn");
    const cli_cell *ours = cli_result_summary_cell(part, nln, 0);
    assert_int_equal(ours->summary.n, 2);
    assert_true(fabs(ours->summary.mean - 0.8165) < 1e-9);
    assert_true(ours->is_best && !cli_result_summary_cell(part, birnn, 0)->is_best);
    assert_true(part->baseline[0] >= 0);
    assert_true(cli_result_summary_cell(part, part->baseline[0], 0)->is_baseline);
    int bilstm = cli_result_summary_row(part, "bilstm"); /* level with the other baselines */
    assert_true(cli_result_summary_cell(part, birnn, 0)->is_baseline &&
                cli_result_summary_cell(part, bilstm, 0)->is_baseline && !ours->is_baseline);
    assert_int_equal(ours->lead.seeds.difference.n, 2);
    assert_true(fabs(ours->lead.seeds.difference.mean - 0.3015) < 1e-9);
    cli_comparison c = cli_result_summary_compare(&sheet, part, birnn, nln, 0);
    assert_true(c.seeds.difference.mean < 0 && c.users.difference.n == 0);
    assert_true(cli_result_summary_is_lawless(&sheet, part, nln));
    assert_int_equal(cli_result_summary_row(part, "no such method"), -1);
    cli_result_summary_close(&sheet);
    cli_runs_close(&runs);
}

static void lower_may_be_better(void **state)
{
    const cli_measure up = {.lower_is_better = 0}, down = {.lower_is_better = 1};
    (void)state;
    assert_true(cli_result_summary_is_better(&up, 2, 1) &&
                !cli_result_summary_is_better(&up, 1, 1));
    assert_true(cli_result_summary_is_better(&down, 1, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_means_and_the_best_is_marked),
        cmocka_unit_test(lower_may_be_better),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
