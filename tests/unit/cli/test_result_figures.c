/* The data of each kind of figure. */
#include "reproduce/result_figures.h"

#include "fake_results.h"

static void make(const char *name, int expected)
{
    cli_plan plan;
    cli_runs runs;
    int there = -1, drawn = -1;

    open_fake(&plan, &runs, name);
    int kept = capture(2);
    assert_int_equal(cli_drawing_make(&there, &drawn, &plan, cli_paper_find(name), name), 0);
    free(release(2, kept));
    assert_int_equal(there, expected);
    cli_runs_close(&runs);
}

static void a_sweep_has_means_and_errors(void **state)
{
    (void)state;
    make("figure-lambda-logic", 1);
    char *text = read_file("figure-lambda-logic.tsv");
    assert_has(text, "place\tweight\taccuracy\taccuracy_error\trmse\trmse_error\n"
                     "0\t0\t0.515\t0.005\t0.485\t0.005\n");
    free(text);
}

/* Writes a file in the folder of a run. */
static void write_of_run(const char *run, const char *name, const char *text)
{
    char line[256];
    snprintf(line, sizeof line, "mkdir -p store/1k-5k/%s", run);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "store/1k-5k/%s/%s", run, name);
    write_file(line, text);
}

static void curves_come_from_the_logs(void **state)
{
    static const char log[] = "epoch\ttrain_rmse\tvalid_rmse\ttest_rmse\n"
                              "1\t0.5\tNA\t0.4\n2\t0.4\t0.3\t0.2\n";
    (void)state;

    write_of_run("nln-curves/seed-1", "epochs.tsv", log);
    write_of_run("nln-paper-curves/seed-1", "epochs.tsv", log);
    make("figure-curves", 1);
    char *text = read_file("figure-curves.tsv");
    assert_has(text, "nln-curves\t1\t0.5\t\t0.4\n");
    assert_has(text, "nln-paper-curves\t2\t0.4\t0.3\t0.2\n");
    free(text);
}

static void maps_are_grouped_by_epoch_and_value(void **state)
{
    static const char map[] = "name\tx\ty\tvalue\tcluster\nv1\t1\t2\tT\t1\nv2\t3\t4\tF\t2\n";
    (void)state;

    make("figure-tsne", 0); /* there is no map in the store */
    assert_int_equal(access("figure-tsne.tsv", F_OK), -1);
    write_of_run("nln-paper-curves/tsne-1-seed-1", "map.tsv", map);
    write_of_run("nln-paper-curves/tsne-2-seed-1", "map.tsv", map);
    make("figure-tsne-epochs", 1);
    char *text = read_file("figure-tsne-epochs.tsv");
    assert_has(text, "2 T\tv1\t1\t2\tT\t1\n2 F\tv2\t3\t4\tF\t2\n");
    free(text);
}

/* Means over the seeds; a size that the model has too few variables for is left out, and so is a
 * kind that no run has. */
static void lengths_are_curves_of_two_recipes(void **state)
{
    (void)state;
    make("figure-lengths", 1);
    char *text = read_file("figure-lengths.tsv");
    assert_string_equal(text, "curve\tsize\tright\tright_error\n"
                              "and nln\t5\t0.8165\t0.0055\n"
                              "and nln-paper\t5\t0.515\t0.005\n"
                              "clauses nln\t10\t0.1835\t0.0055\n"
                              "clauses nln-paper\t10\t0.485\t0.005\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sweep_has_means_and_errors),
        cmocka_unit_test(curves_come_from_the_logs),
        cmocka_unit_test(maps_are_grouped_by_epoch_and_value),
        cmocka_unit_test(lengths_are_curves_of_two_recipes),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
