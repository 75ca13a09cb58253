/* Files of tab-separated values, also with rows that lack cells. */
#include "show/tsv_file.h"

#include "cli_test.h"

static void rows_may_lack_cells(void **state)
{
    cli_tsv tsv;
    (void)state;

    write_file("a.tsv", "user\tvalue\tmore\nann\t0.5\tx\nbob\t\r\ncleo\t1\ty\tz");
    assert_true(cli_tsv_read(&tsv, "a.tsv"));
    assert_int_equal(tsv.n_rows, 3);
    assert_int_equal(tsv.n_columns, 3);
    assert_int_equal(cli_tsv_column(&tsv, "value"), 1);
    assert_int_equal(cli_tsv_column(&tsv, "other"), -1);
    assert_string_equal(cli_tsv_text(&tsv, 2, 2), "y");
    assert_string_equal(cli_tsv_text(&tsv, 1, 2), "");
    assert_true(cli_tsv_number(&tsv, 0, 1) == 0.5 && isnan(cli_tsv_number(&tsv, 1, 1)));
    assert_true(isnan(cli_tsv_number(&tsv, 0, -1)));
    cli_tsv_free(&tsv);
    assert_false(cli_tsv_read(&tsv, "/nowhere/at/all"));
    write_file("empty", "");
    assert_false(cli_tsv_read(&tsv, "empty"));
    cli_tsv_free(&tsv);
}

static void cells_stay_cells(void **state)
{
    FILE *out = fopen("b.tsv", "w");
    (void)state;

    cli_tsv_put_text(out, "a\tb\nc");
    cli_tsv_put_number(out, 1.0 / 3);
    cli_tsv_put_number(out, NAN);
    fclose(out);
    assert_file("b.tsv", "a b c\t0.333333\t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_may_lack_cells),
        cmocka_unit_test(cells_stay_cells),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
