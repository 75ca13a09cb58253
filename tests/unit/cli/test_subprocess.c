/* Processes that run another command line, with a small program in place of nln. */
#include "runs/subprocess.h"

#include <signal.h>

#include "cli_test.h"
#include "main.h"

int cli_main(char *const *words, int n_words)
{
    if (strcmp(words[0], "die") == 0)
        raise(SIGUSR1);
    printf("%s %d\n", words[0], n_words);
    fflush(stdout);
    fprintf(stderr, "log\n");
    return strcmp(words[0], "fail") == 0 ? 3 : 0;
}

static cli_ending run(const char *word)
{
    char text[16], *words[] = {text};
    cli_ending ending = {0};

    snprintf(text, sizeof text, "%s", word);
    cli_child_enter();
    pid_t pid = cli_child_start(words, 1, "output", "log");
    assert_true(pid > 0);
    while (!cli_child_reap(&ending))
        assert_int_equal(cli_child_wait(5), 0);
    cli_child_leave();
    assert_int_equal(ending.pid, pid);
    return ending;
}

static void output_and_exit_code_are_kept(void **state)
{
    (void)state;
    cli_ending ending = run("say");
    assert_int_equal(ending.code, 0);
    assert_true(ending.peak_rss > 0 && ending.processor_seconds >= 0);
    assert_file("output", "say 1\n");
    assert_file("log", "log\n");
    assert_int_equal(run("fail").code, 3);
    ending = run("die");
    assert_int_equal(ending.code, -1);
    assert_int_equal(ending.signal, SIGUSR1);
    assert_int_equal(cli_child_reap(&ending), 0);
}

static void a_signal_is_waited_for(void **state)
{
    (void)state;
    cli_child_enter();
    raise(SIGTERM);
    assert_int_equal(cli_child_wait(1), SIGTERM);
    assert_int_equal(cli_child_wait(0.01), 0);
    cli_child_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_exit_code_are_kept),
        cmocka_unit_test(a_signal_is_waited_for),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
