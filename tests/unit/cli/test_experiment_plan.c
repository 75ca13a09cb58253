/* The runs that an experiment needs, and their results. */
#include "fake_results.h"

static const cli_run *find(const cli_runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->n; i++)
        if (strcmp(runs->all[i]->name, name) == 0)
            return runs->all[i];
    return NULL;
}

static int has_word(const cli_run *run, const char *word)
{
    for (int i = 0; i < run->n_words; i++)
        if (strcmp(run->words[i], word) == 0)
            return 1;
    return 0;
}

static void a_table_needs_data_trainings_and_evaluations(void **state)
{
    cli_plan plan;
    cli_runs runs;
    (void)state;

    open_fake(&plan, &runs, "table2");
    size_t n = runs.n;
    const cli_run *data = find(&runs, "data/1k-5k/seed-2");
    const cli_run *training = find(&runs, "1k-5k/nln/seed-2");
    const cli_run *evaluation = find(&runs, "1k-5k/nln/evaluate-seed-2");
    const cli_run *limit = find(&runs, "1k-5k/posterior/evaluate-seed-2");
    assert_true(data && training && evaluation && limit);
    assert_null(find(&runs, "1k-5k/posterior/seed-1"));
    assert_null(find(&runs, "1k-5k/bilstm/evaluate-seed-1")); /* it solves nothing */
    assert_true(data->stage < training->stage && training->stage < evaluation->stage);
    assert_true(has_word(training, "+/data/1k-5k/seed-2/set"));
    assert_true(has_word(training, "--seed=2") && has_word(training, "--out=@/model.nln"));
    assert_ptr_equal(evaluation->after, training);
    assert_true(has_word(limit, "--exact") && limit->after == training);
    cli_plan_exhibit(&plan, cli_paper_find("table2"));
    assert_int_equal(runs.n, n); /* a run is never planned twice */
    cli_runs_close(&runs);
}

static void a_smaller_size_has_its_own_name(void **state)
{
    (void)state;
    cli_runs runs = {.folder = strdup("store"), .lock = -1};
    cli_plan plan = {
        .runs = &runs, .scale = CLI_SCALE_QUICK, .n_seeds = 1, .data = "", .electronics = ""};
    cli_plan_exhibit(&plan, cli_paper_find("table2"));
    assert_non_null(find(&runs, "4k-10k/nln/seed-1"));
    assert_non_null(find(&runs, "data/4k-10k/seed-1"));
    assert_null(find(&runs, "20k-50k/nln/seed-1"));
    assert_non_null(find(&runs, "1k-5k/nln/seed-1"));
    assert_non_null(
        cli_plan_training(&plan, cli_paper_source("20k-50k"), cli_paper_method_named("nln"), 1));
    cli_runs_close(&runs);
}

static void snapshots_are_mapped(void **state)
{
    cli_plan plan;
    cli_runs runs;
    (void)state;

    open_fake(&plan, &runs, "figure-tsne-epochs");
    const cli_source *source = cli_paper_source("1k-5k");
    const cli_method *method = cli_paper_method_named("nln-paper-curves");
    const cli_run *map = cli_plan_map(&plan, source, method, 2);
    assert_non_null(map);
    assert_true(has_word(map, "+/1k-5k/nln-paper-curves/seed-1/model.nln-epoch-2"));
    assert_true(has_word(cli_plan_training(&plan, source, method, 1), "--snapshots=1,2"));
    assert_null(cli_plan_map(&plan, source, method, 5));
    cli_runs_close(&runs);
}

static void values_come_from_the_results(void **state)
{
    cli_plan plan;
    cli_runs runs;
    (void)state;

    open_fake(&plan, &runs, "table2");
    const cli_source *source = cli_paper_source("1k-5k");
    const cli_method *nln = cli_paper_method_named("nln");
    const cli_measure *accuracy = cli_paper_measure_of(source, "accuracy");
    assert_true(fabs(cli_plan_value(&plan, source, nln, accuracy, 2) - 0.822) < 1e-9);
    assert_true(isnan(cli_plan_value(&plan, source, nln, accuracy, 3)));
    cli_runs_close(&runs);
}

static void missing_data_is_named(void **state)
{
    const cli_plan plan = {.scale = CLI_SCALE_FULL, .data = "", .electronics = ""};
    const cli_source *source = cli_paper_source("ml100k-topk");
    (void)state;

    assert_false(cli_plan_has(&plan, source));
    assert_true(strlen(cli_plan_why_not(&plan, source)) > 0);
    mkdir("nlr-ml100k", 0777);
    assert_true(cli_plan_has(&(cli_plan){.data = ".", .electronics = ""}, source));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_needs_data_trainings_and_evaluations),
        cmocka_unit_test(a_smaller_size_has_its_own_name),
        cmocka_unit_test(snapshots_are_mapped),
        cmocka_unit_test(values_come_from_the_results),
        cmocka_unit_test(missing_data_is_named),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
