/* Lines of expressions, and whole lines. */
#include "show/input_lines.h"

#include "cli_test.h"

static void expressions_come_without_the_rest(void **state)
{
    cli_lines lines;
    (void)state;

    write_file("a", "\xef\xbb\xbf"
                    "expression\tlabel\n\n# comment\na & b  \tT\r\n  c\n");
    assert_int_equal(cli_lines_read(&lines, "a", 0), 0);
    assert_int_equal(lines.n, 2);
    assert_string_equal(lines.text[0], "a & b");
    assert_int_equal(lines.number[0], 4);
    assert_string_equal(lines.text[1], "  c");
    cli_lines_free(&lines);
    write_file("b", "sent\tlabel\n~1^2v3\t1\n");
    assert_int_equal(cli_lines_read(&lines, "b", 0), 0);
    assert_string_equal(lines.text[0], "~1&2|3");
    cli_lines_free(&lines);
}

static void tables_of_spreadsheets_are_read(void **state)
{
    cli_lines lines;
    (void)state;

    write_file("s",
               "formula,label\r\n\"likes(ann, tea)\",1\r\na & b,0\n\"\"\"wet day\"\" | a\",1\n");
    assert_int_equal(cli_lines_read(&lines, "s", 0), 0);
    assert_int_equal(lines.n, 3);
    assert_string_equal(lines.text[0], "likes(ann, tea)");
    assert_string_equal(lines.text[1], "a & b");
    assert_string_equal(lines.text[2], "\"wet day\" | a");
    cli_lines_free(&lines);
    write_file("t", "formula;label;weight\na & b;0;2\n");
    assert_int_equal(cli_lines_read(&lines, "t", 0), 0);
    assert_int_equal(lines.n, 1);
    assert_string_equal(lines.text[0], "a & b");
    cli_lines_free(&lines);
    write_file("u", "\"a b\" & p(c, d)\n"); /* no header: quotes and commas are the expression's */
    assert_int_equal(cli_lines_read(&lines, "u", 0), 0);
    assert_string_equal(lines.text[0], "\"a b\" & p(c, d)");
    cli_lines_free(&lines);
}

static void whole_lines_keep_their_tabs(void **state)
{
    cli_lines lines;
    (void)state;

    write_file("c", "# comment\nann\ttea, !jam \r\n");
    assert_int_equal(cli_lines_read(&lines, "c", 1), 0);
    assert_int_equal(lines.n, 1);
    assert_string_equal(lines.text[0], "ann\ttea, !jam ");
    cli_lines_free(&lines);
}

static void arguments_count_as_lines(void **state)
{
    static const char *const given[] = {"a & b", "", "!c"};
    cli_lines lines;
    (void)state;

    cli_lines_take(&lines, given, 3);
    assert_int_equal(lines.n, 2);
    assert_string_equal(lines.text[1], "!c");
    assert_int_equal(lines.number[1], 3);
    cli_lines_free(&lines);
}

static void other_files_are_refused(void **state)
{
    static const char *const bytes[] = {"\x1f\x8bxx", "\x28\xb5\x2f\xfd"};
    cli_lines lines;
    (void)state;

    int kept = capture(2);
    for (int i = 0; i < 2; i++) {
        write_file("packed", bytes[i]);
        assert_int_equal(cli_lines_read(&lines, "packed", 0), 1);
        cli_lines_free(&lines);
    }
    FILE *file = fopen("nul", "w");
    fwrite("a\0b\n", 1, 4, file);
    fclose(file);
    assert_int_equal(cli_lines_read(&lines, "nul", 0), 1);
    cli_lines_free(&lines);
    assert_int_equal(cli_lines_read(&lines, "nowhere", 0), 1);
    cli_lines_free(&lines);
    char *said = release(2, kept);
    assert_has(said, "compressed with gzip");
    assert_has(said, "compressed with zstd");
    assert_has(said, "nul:1: this line has a NUL byte");
    assert_has(said, "nowhere: cannot be opened");
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_come_without_the_rest),
        cmocka_unit_test(tables_of_spreadsheets_are_read),
        cmocka_unit_test(whole_lines_keep_their_tabs),
        cmocka_unit_test(arguments_count_as_lines),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
