/* Trials are scored by their runs and sorted. */
#include "commands/tune_ranking.h"

#include "cli_test.h"

static const nln_option row = {"dimension", NLN_OPTION_INT, "8", 1, 100, NULL, ""};

static void open_trials(cli_trials *trials, cli_grid *grid, cli_runs *runs, const double values[3])
{
    static char texts[3][4] = {"4", "8", "16"};
    static char *list[] = {texts[0], texts[1], texts[2]};
    static cli_axis axis = {.row = &row};

    *grid = (cli_grid){.axes = &axis, .n_axes = 1, .texts = list, .n_trials = 3};
    *runs = (cli_runs){.folder = strdup("store"), .lock = -1};
    cli_trials_open(trials, grid, 2);
    for (size_t i = 0; i < 3; i++)
        for (int s = 0; s < 2; s++) {
            cli_run *run = cli_runs_add(runs, "trial-%zu/seed-%d", i, s);
            if (i < 2 || s == 0) /* the last trial lacks a seed */
                run->result = json_pack("{s:{s:f,s:f},s:i,s:{s:s}}", "valid", "rmse",
                                        values[i] + 0.02 * s, "accuracy", 1 - values[i],
                                        "best_epoch", 4, "options", "select", "rmse");
            trials->all[i].runs[s] = run;
        }
}

static void the_best_trial_comes_first(void **state)
{
    static const double values[] = {0.3, 0.2, 0.1};
    const cli_tune_goal goal = {.metric = "auto", .verb = "train", .task = CLI_LOGIC};
    cli_trials trials;
    cli_grid grid;
    cli_runs runs;
    (void)state;

    open_trials(&trials, &grid, &runs, values);
    cli_trials_score(&trials, &goal);
    assert_string_equal(trials.criterion.path, "valid.rmse");
    assert_true(trials.criterion.lower);
    const cli_trial *best = cli_trials_best(&trials);
    assert_non_null(best);
    assert_int_equal(best->index, 1);
    assert_true(fabs(best->score.mean - 0.21) < 1e-9);
    assert_int_equal(trials.all[2].index, 2); /* good, but one seed is missing */
    assert_int_equal(cli_trials_write(&trials, "trials.tsv"), 0);
    assert_file("trials.tsv", "dimension\tvalid.rmse\tstandard_error\tseeds\tbest_epoch\tseconds\n"
                              "8\t0.21\t0.01\t2\t4\t\n4\t0.31\t0.01\t2\t4\t\n"
                              "16\t0.1\t\t1\t4\t\n");
    json_t *json = cli_trials_json(&trials);
    assert_int_equal(json_array_size(json), 3);
    const json_t *first = json_array_get(json, 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(first, "options"), "dimension")), 8);
    assert_int_equal(json_integer_value(json_object_get(first, "seeds")), 2);
    json_decref(json);
    int kept = capture(1);
    cli_trials_print(&trials);
    char *table = release(1, kept);
    assert_has(table, "dimension  valid RMSE    s.e.  seeds  best epoch  seconds\n");
    free(table);
    cli_trials_close(&trials);
    cli_runs_close(&runs);
}

static void other_numbers_go_by_their_path(void **state)
{
    static const double values[] = {0.3, 0.2, 0.1};
    const cli_tune_goal goal = {.metric = "valid.accuracy", .verb = "solve"};
    cli_trials trials;
    cli_grid grid;
    cli_runs runs;
    (void)state;

    open_trials(&trials, &grid, &runs, values);
    cli_trials_score(&trials, &goal);
    assert_int_equal(cli_trials_best(&trials)->index, 1);
    cli_trials_close(&trials);
    cli_runs_close(&runs);
}

static void goals_are_checked(void **state)
{
    static const struct {
        cli_tune_goal goal;
        int code;
    } cases[] = {{{"auto", "train", CLI_TOPK, 0}, 0},     {{"ndcg", "train", CLI_TOPK, 0}, 0},
                 {{"ndcg", "train", CLI_LOGIC, 0}, 2},    {{"nothing", "train", CLI_LOGIC, 0}, 2},
                 {{"rmse", "train", CLI_LOGIC, 1}, 2},    {{"auto", "solve", CLI_LOGIC, 0}, 2},
                 {{"anything", "solve", CLI_LOGIC, 1}, 0}};
    (void)state;

    int kept = capture(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(cli_trials_check(&cases[i].goal), cases[i].code);
    free(release(2, kept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_trial_comes_first),
        cmocka_unit_test(other_numbers_go_by_their_path),
        cmocka_unit_test(goals_are_checked),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
