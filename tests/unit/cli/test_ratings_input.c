/* Ratings for a command, with a note about the lines that are left out. */
#include "commands/ratings_input.h"

#include "cli_test.h"
#include "command_line.h"

static char *read_ratings(cli_ratings *ratings, int expected, const char *path, const char *option)
{
    char name[] = "split", *names[] = {name}, data[64], out[] = "--out=parts", text[64];
    char *words[] = {data, out, text};
    cli_call call;
    int used;

    snprintf(data, sizeof data, "%s", path);
    snprintf(text, sizeof text, "%s", option);
    assert_int_equal(cli_call_open(&call, cli_command_find(&used, names, 1)), 0);
    assert_int_equal(cli_call_read(&call, words, 3), 0);
    int kept = capture(2);
    assert_int_equal(cli_ratings_read(ratings, &call, path), expected);
    if (!expected)
        cli_ratings_tell_reading(ratings, path);
    cli_call_close(&call);
    return release(2, kept);
}

static void bad_lines_are_counted(void **state)
{
    cli_ratings ratings;
    (void)state;

    write_file("a", "ann\ttea\t5\t1\nann\tjam\tx\t2\nann\ttea\t4\t3\nbob\ttea\t3\t4\n");
    char *said = read_ratings(&ratings, 0, "a", "--split=random");
    assert_has(said, "nln: a: 2 of 4 lines are left out: 1 cannot be read, 1 about a pair that "
                     "comes again; the first is a:2: ");
    json_t *json = cli_ratings_reading(&ratings);
    assert_int_equal(json_integer_value(json_object_get(json, "lines")), 4);
    assert_int_equal(json_integer_value(json_object_get(json, "bad")), 1);
    assert_int_equal(json_integer_value(json_object_get(json, "duplicates")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "first"), "line")),
                     2);
    assert_true(json_is_true(json_object_get(json, "has_time")));
    json_decref(json);
    free(said);
    cli_ratings_free(&ratings);
}

static void missing_columns_are_told(void **state)
{
    cli_ratings ratings;
    (void)state;

    write_file("b", "ann\ttea\nann\tjam\nbob\ttea\n");
    char *said = read_ratings(&ratings, 0, "b", "--no-quiet");
    assert_has(said, "user, item; no ratings, so every line is a like; no times");
    free(said);
    cli_ratings_free(&ratings);
}

static void a_folder_is_split_already(void **state)
{
    cli_ratings ratings;
    (void)state;

    mkdir("parts", 0777);
    char *said = read_ratings(&ratings, 2, "parts", "--split-seed=2");
    assert_has(said, "--split-seed splits one file, and parts is a folder");
    free(said);
    cli_ratings_free(&ratings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lines_are_counted),
        cmocka_unit_test(missing_columns_are_told),
        cmocka_unit_test(a_folder_is_split_already),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
