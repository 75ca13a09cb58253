/* The metrics of each task, by hand-made numbers. */
#include "show/metrics_table.h"

#include "cli_test.h"

static const nln_ranking ranking = {.n = 4,
                                    .n_users = 2,
                                    .n_cuts = 2,
                                    .cut = {5, 10},
                                    .hit = {0.25, 0.5},
                                    .ndcg = {0.125, 0.375},
                                    .recall = {0.1, 0.2},
                                    .mrr = 0.75,
                                    .mean_rank = 3};

static void metrics_are_at_cut_ten(void **state)
{
    const nln_metrics m = {.sampled = ranking};
    (void)state;

    assert_true(cli_metrics_value(&m, cli_metrics_row(CLI_TOPK, 0)) == 0.375);
    assert_true(cli_metrics_value(&m, cli_metrics_row(CLI_TOPK, 1)) == 0.5);
    assert_true(cli_metrics_value(&m, cli_metrics_row(CLI_TOPK, 2)) == 0.75);
    assert_true(isnan(cli_metrics_value(&m, cli_metrics_row(CLI_TOPK, 3)))); /* full */
    assert_null(cli_metrics_row(CLI_TOPK, 6));
    nln_metrics other = m;
    other.sampled.cut[1] = 20;
    assert_true(isnan(cli_metrics_value(&other, cli_metrics_main(CLI_TOPK))));
    assert_true(cli_metrics_known(&m) && !cli_metrics_known(&(nln_metrics){0}));
}

static void a_task_has_its_own_metrics(void **state)
{
    const nln_metrics m = {.n = 8, .accuracy = 0.5, .rmse = 0.25, .cross_entropy = 1, .auc = 0.75};
    json_t *logic = cli_metrics_json(&m, CLI_LOGIC, CLI_SHOW_BOTH);
    json_t *preference = cli_metrics_json(&m, CLI_PREFERENCE, CLI_SHOW_BOTH);
    (void)state;

    assert_null(json_object_get(logic, "auc"));
    assert_true(json_real_value(json_object_get(preference, "auc")) == 0.75);
    assert_string_equal(cli_metrics_main(CLI_LOGIC)->key, "accuracy");
    assert_string_equal(cli_metrics_main(CLI_PREFERENCE)->key, "auc");
    assert_true(isnan(cli_metrics_value(&(nln_metrics){0}, cli_metrics_main(CLI_LOGIC))));
    json_decref(logic);
    json_decref(preference);
}

static void rankings_are_shown_as_asked(void **state)
{
    const nln_metrics m = {.sampled = ranking, .full = ranking};
    const cli_measured row = {"test", &m};
    json_t *full = cli_metrics_json(&m, CLI_TOPK, CLI_SHOW_FULL);
    (void)state;

    assert_null(json_object_get(full, "mrr"));
    assert_true(json_real_value(json_object_get(json_object_get(full, "full"), "ndcg@5")) == 0.125);
    json_decref(full);
    int kept = capture(1);
    cli_metrics_print(&row, 1, CLI_TOPK);
    cli_metrics_print_cuts(&m, CLI_SHOW_SAMPLED);
    char *text = release(1, kept);
    assert_has(text, "test              4   0.3750  0.5000  0.7500");
    assert_has(text, " k  nDCG@k    HR@k  recall@k\n 5  0.1250  0.2500    0.1000\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_at_cut_ten),
        cmocka_unit_test(a_task_has_its_own_metrics),
        cmocka_unit_test(rankings_are_shown_as_asked),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
