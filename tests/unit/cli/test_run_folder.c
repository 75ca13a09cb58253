/* The folder of one run: made, emptied, and read only if its words are the same. */
#include "runs/run_folder.h"

#include "cli_test.h"

static void folders_are_made_with_those_above(void **state)
{
    struct stat about;
    (void)state;

    assert_int_equal(cli_runfolder_make("a/b/c"), 0);
    assert_true(stat("a/b/c", &about) == 0 && S_ISDIR(about.st_mode));
    assert_int_equal(cli_runfolder_make("a/b/c"), 0);
    write_file("file", "");
    assert_int_equal(cli_runfolder_make("file/below"), -1);
}

static void a_run_is_read_only_with_its_own_words(void **state)
{
    cli_runs runs = {.folder = strdup("store"), .lock = -1};
    cli_run *run = cli_runs_add(&runs, "x/seed-1");
    const cli_ending ending = {.code = 0, .peak_rss = 5e6};
    (void)state;

    cli_runs_words(run, "train data --epochs 2");
    assert_int_equal(cli_runfolder_read(&runs, run), 0);
    assert_int_equal(cli_runfolder_make("store/x/seed-1"), 0);
    write_file("store/x/seed-1/old", "of a run before");
    assert_int_equal(cli_runfolder_begin(&runs, run), 0);
    assert_int_equal(access("store/x/seed-1/old", F_OK), -1);
    write_file("store/x/seed-1/output.tmp", "{\"n\": 7}");
    run->seconds = 3;
    cli_runfolder_finish(&runs, run, &ending);
    assert_non_null(run->result);
    assert_int_equal(cli_runfolder_read(&runs, run), 1);
    assert_true(cli_runs_number(run, "n") == 7 && run->seconds == 3 && run->peak_rss == 5e6);
    cli_runs_word(run, "--seed=2");
    assert_int_equal(cli_runfolder_read(&runs, run), 0);
    assert_null(run->result);
    cli_runs_close(&runs);
}

static void failures_have_a_reason(void **state)
{
    cli_runs runs = {.folder = strdup("store"), .lock = -1};
    cli_run *run = cli_runs_add(&runs, "y");
    (void)state;

    assert_int_equal(cli_runfolder_begin(&runs, run), 0);
    write_file("store/y/log.txt", "first\nnln: this is why\n\n");
    cli_runfolder_finish(&runs, run, &(cli_ending){.code = 1});
    assert_string_equal(run->failure, "this is why");
    cli_runfolder_finish(&runs, run, &(cli_ending){.code = -1, .signal = 9});
    assert_has(run->failure, "it was killed");
    write_file("store/y/output.tmp", "no JSON");
    cli_runfolder_finish(&runs, run, &(cli_ending){.code = 0});
    assert_string_equal(run->failure, "it printed no JSON object");
    assert_null(run->result);
    cli_runs_close(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_made_with_those_above),
        cmocka_unit_test(a_run_is_read_only_with_its_own_words),
        cmocka_unit_test(failures_have_a_reason),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
