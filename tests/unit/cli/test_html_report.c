/* The report shows tables, pictures, failures and the machine. */
#include "reproduce/html_report.h"

#include "fake_results.h"

static void the_page_has_all_parts(void **state)
{
    cli_plan plan;
    cli_runs runs;
    cli_result results[] = {
        {.exhibit = cli_paper_find("table2"), .there = 1},
        {.exhibit = cli_paper_find("figure-curves"), .there = 1, .drawn = 1},
        {.exhibit = cli_paper_find("table3"), .there = 0},
    };
    (void)state;

    open_fake(&plan, &runs, "table2");
    runs.all[0]->failure = strdup("it <died>");
    cli_result_summary_open(&results[0].sheet, &plan, results[0].exhibit);
    mkdir("out", 0777);
    mkdir("out/figures", 0777);
    write_file("out/figures/figure-curves.svg", "<svg/>");
    assert_int_equal(cli_report_write("out", &plan, results, 3), 0);
    char *page = read_file("out/report.html");
    assert_has(page, "<h2 id=\"table2\">Table 2. Simulated data</h2>");
    assert_has(page, "base64,PHN2Zy8+\""); /* <svg/> */
    assert_has(page, "failed: it &lt;died&gt;");
    assert_has(page, "<th scope=row>1k-5k/nln/seed-</th><td>2 of 2</td><td>2.0</td>");
    assert_has(page, "<th scope=row>cores</th>");
    assert_has(page, "Amazon Grocery, top-k ");
    assert_null(strstr(page, "<h2 id=\"table3\">"));
    assert_null(strstr(strstr(page, "<li>Amazon Grocery") + 1, "<li>Amazon Grocery"));
    free(page);
    cli_result_summary_close(&results[0].sheet);
    cli_runs_close(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_all_parts)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
