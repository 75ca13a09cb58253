/* Runs are done in stages, several at a time, with a small program in place of nln. */
#include "runs/worker_pool.h"

#include "cli_test.h"
#include "main.h"

/* `say N` prints N, and fails where the file of --need=FILE is not there. */
int cli_main(char *const *words, int n_words)
{
    for (int i = 0; i < n_words; i++)
        if (strncmp(words[i], "--need=", 7) == 0 && access(words[i] + 7, F_OK))
            return 1;
    printf("{\"n\": %s}\n", words[1]);
    return fflush(stdout);
}

static void stages_follow_each_other(void **state)
{
    enum { N = 6 };
    cli_runs store = {.folder = strdup("store"), .lock = -1};
    cli_run *runs[N];
    (void)state;

    for (int i = 0; i < N; i++) {
        runs[i] = cli_runs_add(&store, "run-%d", i);
        runs[i]->stage = i >= N / 2;
        cli_runs_word(runs[i], "say");
        cli_runs_word(runs[i], "%d", i);
        if (i >= N / 2) /* made by a run of the stage before */
            cli_runs_word(runs[i], "--need=+/run-%d/result.json", i - N / 2);
    }
    int kept = capture(2);
    assert_int_equal(cli_worker_pool_work(&store, runs, N, 2, 1, 0), 0);
    char *said = release(2, kept);
    for (int i = 0; i < N; i++)
        assert_true(cli_runs_number(runs[i], "n") == i && !runs[i]->failure);
    assert_has(said, "run 6/6  run-");
    free(said);
    cli_runs_close(&store);
}

static void a_failure_does_not_stop_the_others(void **state)
{
    cli_runs store = {.folder = strdup("other"), .lock = -1};
    cli_run *runs[] = {cli_runs_add(&store, "bad"), cli_runs_add(&store, "good")};
    (void)state;

    cli_runs_words(runs[0], "say 1 --need=nothing");
    cli_runs_words(runs[1], "say 2");
    int kept = capture(2);
    assert_int_equal(cli_worker_pool_work(&store, runs, 2, 1, 1, 1), 0);
    char *said = release(2, kept);
    assert_string_equal(said, "");
    assert_true(runs[0]->failure && !runs[0]->result && runs[1]->result);
    free(said);
    cli_runs_close(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_follow_each_other),
        cmocka_unit_test(a_failure_does_not_stop_the_others),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
