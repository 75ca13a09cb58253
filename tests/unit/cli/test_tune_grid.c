/* Values become trials: every combination, or drawn ones. */
#include "commands/tune_grid.h"

#include "cli_test.h"
#include "command_line.h"

static cli_call tuned;

static int open_call(void **state)
{
    char name[] = "train", *words[] = {name};
    int used;
    return cli_call_open(&tuned, cli_command_find(&used, words, 1)) || enter_folder(state);
}

static int close_call(void **state)
{
    cli_call_close(&tuned);
    return leave_folder(state);
}

static void a_product_has_every_combination(void **state)
{
    cli_grid grid = {0};
    (void)state;

    assert_int_equal(cli_grid_add(&grid, "dimension=8,16", &tuned), 0);
    assert_int_equal(cli_grid_add(&grid, "--learning_rate=0.1;0.2", &tuned), 0);
    assert_int_equal(cli_grid_product(&grid), 0);
    assert_int_equal(grid.n_trials, 4);
    assert_string_equal(cli_grid_text(&grid, 1, 0), "8");
    assert_string_equal(cli_grid_text(&grid, 1, 1), "0.2");
    assert_string_equal(cli_grid_text(&grid, 2, 0), "16");
    assert_string_equal(cli_grid_text(&grid, 2, 1), "0.1");
    assert_non_null(cli_grid_axis(&grid, "learning-rate"));
    assert_null(cli_grid_axis(&grid, "epochs"));
    cli_grid_free(&grid);
}

static void draws_stay_in_the_range(void **state)
{
    cli_grid few = {0}, many = {0};
    (void)state;

    assert_int_equal(cli_grid_add(&few, "learning-rate=0.0001..0.1", &tuned), 0);
    assert_int_equal(cli_grid_add(&many, "learning-rate=0.0001..0.1", &tuned), 0);
    cli_grid_draw(&few, 5, 3);
    cli_grid_draw(&many, 200, 3);
    assert_int_equal(few.n_trials, 5);
    assert_int_equal(many.n_trials, 200);
    int below = 0;
    for (size_t i = 0; i < many.n_trials; i++) {
        double x = strtod(cli_grid_text(&many, i, 0), NULL);
        assert_true(x >= 0.0001 && x <= 0.1);
        below += x < 0.00316; /* half, since the logarithm is uniform */
    }
    assert_true(below > 70 && below < 130);
    for (size_t i = 0; i < few.n_trials; i++)
        assert_string_equal(cli_grid_text(&few, i, 0), cli_grid_text(&many, i, 0));
    cli_grid_free(&few);
    cli_grid_free(&many);
}

static void few_values_are_drawn_once_each(void **state)
{
    cli_grid grid = {0};
    (void)state;

    assert_int_equal(cli_grid_add(&grid, "dimension=1,2,3", &tuned), 0);
    cli_grid_draw(&grid, 50, 1);
    assert_int_equal(grid.n_trials, 3);
    cli_grid_free(&grid);
}

static void bad_axes_are_refused(void **state)
{
    static const char *const bad[] = {"dimension",        "=3",          "dimension=0",
                                      "no-such-option=1", "seed=1,2",    "dimension=8,8",
                                      "dimension=16..8",  "like-from=3", "task=topk"};
    (void)state;

    int kept = capture(2);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cli_grid grid = {0};
        assert_int_equal(cli_grid_add(&grid, bad[i], &tuned), 2);
        cli_grid_free(&grid);
    }
    cli_grid grid = {0};
    assert_int_equal(cli_grid_add(&grid, "dimension=8..16", &tuned), 0);
    assert_int_equal(cli_grid_product(&grid), 2);
    cli_grid_free(&grid);
    free(release(2, kept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_has_every_combination),
        cmocka_unit_test(draws_stay_in_the_range),
        cmocka_unit_test(few_values_are_drawn_once_each),
        cmocka_unit_test(bad_axes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_call, close_call);
}
