/* The script of a figure, and the files that belong to it. */
#include "show/gnuplot_figure.h"

#include "cli_test.h"

static void a_script_draws_its_series(void **state)
{
    const cli_series series[] = {
        {.title = "it's", .x = "x", .y = "y", .where = "group", .equals = "T"},
        {.drawing = CLI_DRAW_CURVE, .x = "x", .y = "y", .error = "e"}};
    const cli_panel panel = {.title = "one", .series = series, .n_series = 2, .labels = "name"};
    const cli_figure figure = {.panels = &panel, .n_panels = 1};
    int drawn = -1;
    (void)state;

    write_file("a.tsv", "x\ty\te\tgroup\tname\n0\t1\t0.1\tT\tfirst\n1\t2\t0.2\tF\tsecond\n");
    int kept = capture(2);
    assert_int_equal(cli_figure_draw(&drawn, &figure, "a"), 0);
    free(release(2, kept));
    assert_int_equal(drawn, access("a.svg", F_OK) == 0);
    char *script = read_file("a.gp");
    assert_has(script, "(strcol('group') eq 'T' ? column('x') : NaN):");
    assert_has(script, "title 'it''s'");
    assert_has(script, "using (column('x')):(column('y')):(column('e')) with yerrorbars");
    assert_has(script, ":xtic(strcol('name'))");
    assert_has(script, "set output 'a'.'.pdf'");
    free(script);
}

static void the_input_is_no_file_of_the_figure(void **state)
{
    (void)state;
    write_file("log.tsv", "epoch\n");
    int kept = capture(2);
    assert_int_equal(cli_figure_apart("log", "LOG", "log.tsv"), 2);
    assert_int_equal(cli_figure_apart("other", "LOG", "log.tsv"), 0);
    char *said = release(2, kept);
    assert_has(said, "--out and LOG are the same file");
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_script_draws_its_series),
        cmocka_unit_test(the_input_is_no_file_of_the_figure),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
