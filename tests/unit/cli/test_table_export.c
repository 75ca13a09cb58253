/* One table in every format. */
#include "reproduce/table_export.h"

#include "fake_results.h"

static char *write_text(const cli_result_summary *sheet, cli_format format)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cli_table_export_write(out, sheet, format);
    fclose(out);
    return text;
}

static void every_format_has_the_numbers(void **state)
{
    static const char *const endings[] = {".txt", ".md", ".tex", ".csv", ".html"};
    static const char *const parts[CLI_N_FORMATS][3] = {
        {"Table 2. Simulated data\n", "NLN, laws off", "0.8165 ± 0.0055 ★"},
        {"\n|  | accuracy | RMSE |", "|---|---:|", "| NLN, laws off | **0.8165 ± 0.0055**"},
        {"\\caption{\\label{tab:table2}Simulated data. ", "\\midrule\nNLN",
         "\\textbf{0.8165 $\\pm$ 0.0055}"},
        {"source,method,title,measure,n,mean", "1k-5k,nln,\"NLN\",accuracy,2,0.8165,0.0055,,,1,0",
         "1k-5k,birnn,\"Bi-RNN\",rmse,2,0.485,0.005,,,0"},
        {"<thead><tr><th></th><th>accuracy</th>", "<tr class=group><th scope=row>",
         "<td><b>0.8165 <small>± 0.0055</small></b>"}};
    cli_plan plan;
    cli_runs runs;
    cli_result_summary sheet;
    (void)state;

    open_fake(&plan, &runs, "table2");
    cli_result_summary_open(&sheet, &plan, cli_paper_find("table2"));
    for (int f = 0; f < CLI_N_FORMATS; f++) {
        char *text = write_text(&sheet, (cli_format)f);
        assert_string_equal(cli_table_export_ending((cli_format)f), endings[f]);
        for (int i = 0; i < 3; i++)
            assert_has(text, parts[f][i]);
        free(text);
    }
    json_t *json = cli_table_export_json(&sheet);
    const json_t *rows = json_object_get(json_object_get(json, "1k-5k"), "rows");
    const json_t *cell = json_object_get(json_object_get(rows, "nln"), "accuracy");
    assert_true(fabs(json_real_value(json_object_get(cell, "mean")) - 0.8165) < 1e-9);
    assert_true(json_is_true(json_object_get(cell, "best")));
    assert_int_equal(json_array_size(json_object_get(cell, "values")), 2);
    json_decref(json);
    cli_result_summary_close(&sheet);
    cli_runs_close(&runs);
}

static void missing_numbers_are_gaps(void **state)
{
    cli_plan plan;
    cli_runs runs;
    cli_result_summary sheet;
    (void)state;

    open_fake(&plan, &runs, "table2");
    for (size_t i = 0; i < runs.n; i++)
        if (strstr(runs.all[i]->name, "1k-5k/birnn/")) {
            json_decref(runs.all[i]->result);
            runs.all[i]->result = NULL;
        }
    cli_result_summary_open(&sheet, &plan, cli_paper_find("table2"));
    char *text = write_text(&sheet, CLI_FORMAT_MARKDOWN);
    assert_has(text, "| Bi-RNN | missing | missing |");
    free(text);
    cli_result_summary_close(&sheet);
    cli_runs_close(&runs);
}

static void html_is_escaped(void **state)
{
    FILE *out = fopen("escaped", "w");
    (void)state;
    cli_table_export_escape(out, "a<b & \"c\">");
    fclose(out);
    assert_file("escaped", "a&lt;b &amp; &quot;c&quot;&gt;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_numbers),
        cmocka_unit_test(missing_numbers_are_gaps),
        cmocka_unit_test(html_is_escaped),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
