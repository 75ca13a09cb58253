/* Files appear whole or not at all, and no file takes the place of another. */
#include "show/output_file.h"

#include "cli_test.h"

static void a_file_appears_at_the_end(void **state)
{
    cli_file file;
    (void)state;

    write_file("a", "old");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(cli_file_open(&file, "link", "--out"), 0);
    fputs("new", file.stream);
    assert_file("a", "old");
    assert_int_equal(cli_file_finish(&file), 0);
    assert_file("a", "new");
    struct stat about;
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat("a", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

static void a_trial_leaves_no_trace(void **state)
{
    (void)state;
    assert_int_equal(cli_file_try("b", "--out"), 0);
    assert_int_equal(access("b", F_OK), -1);
    assert_int_equal(cli_file_try("/dev/null", "--out"), 0);
    int kept = capture(2);
    assert_int_equal(cli_file_try("no/such/folder", "--out"), 1);
    assert_int_equal(cli_file_try(".", "--out"), 1);
    char *said = release(2, kept);
    assert_has(said, "no/such/folder: cannot write here");
    assert_has(said, ".: this is a folder; give --out the name of a file");
    free(said);
}

static void assert_apart(const char *path, const char *input, int expected)
{
    const cli_named_path paths[] = {{"--out", path, 0}, {"DATA", input, 1}};
    assert_int_equal(cli_file_apart(paths, 2), expected);
}

static void no_file_is_another(void **state)
{
    (void)state;
    mkdir("data", 0777);
    write_file("data/train.tsv", "");
    write_file("in", "");
    int kept = capture(2);
    assert_apart("other", "in", 0);
    assert_apart("./in", "in", 2);
    assert_apart("data/train.tsv", "data", 2);
    assert_apart("data/notes.txt", "data", 0);
    assert_apart("-", "in", 2);
    assert_apart("other", "-", 0);
    assert_apart("", "in", 0);
    char *said = release(2, kept);
    assert_has(said, "--out and DATA are the same file, ./in");
    assert_has(said, "--out is one of the files of DATA");
    free(said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_at_the_end),
        cmocka_unit_test(a_trial_leaves_no_trace),
        cmocka_unit_test(no_file_is_another),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
