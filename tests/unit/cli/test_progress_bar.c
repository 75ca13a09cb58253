/* A line for each epoch where there is no terminal. */
#include "show/progress_bar.h"

#include <signal.h>

#include "cli_test.h"

static char *show(int quiet, int with_valid)
{
    cli_progress progress;
    int kept = capture(2);

    cli_progress_open(&progress, CLI_LOGIC, quiet);
    for (int epoch = 1; epoch <= 2; epoch++)
        for (size_t done = 50; done <= 100; done += 50) {
            nln_progress now = {.epoch = epoch,
                                .n_epochs = 4,
                                .done = done,
                                .total = 100,
                                .loss = 2,
                                .seconds = epoch,
                                .best_epoch = 1};
            if (with_valid && done == 100)
                now.valid = now.best = (nln_metrics){.n = 1, .accuracy = 0.5};
            assert_int_equal(cli_progress_step(&progress, &now), 0);
        }
    cli_progress_say(&progress, "done");
    cli_progress_close(&progress);
    return release(2, kept);
}

static void every_epoch_has_its_line(void **state)
{
    (void)state;
    for (int with_valid = 0; with_valid < 2; with_valid++) {
        char *text = show(0, with_valid);
        size_t n = 0;
        for (const char *at = text; (at = strstr(at, "epoch ")); at++)
            n += strncmp(at, "epoch 1/4", 9) == 0 || strncmp(at, "epoch 2/4", 9) == 0;
        assert_int_equal(n, 2);
        assert_has(text, with_valid ? "valid accuracy 0.5000  best 0.5000 (epoch 1)"
                                    : "valid accuracy -  best - (epoch 1)");
        assert_has(text, "100 expressions/s  0:02 left");
        assert_has(text, "done\n");
        free(text);
    }
}

static void quiet_says_nothing(void **state)
{
    char *text = show(1, 1);
    (void)state;
    assert_string_equal(text, "");
    free(text);
}

static void a_signal_stops_the_training(void **state)
{
    cli_progress progress;
    const nln_progress now = {.epoch = 1, .n_epochs = 1};
    (void)state;

    cli_progress_open(&progress, CLI_LOGIC, 1);
    raise(SIGTERM);
    assert_int_not_equal(cli_progress_step(&progress, &now), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_epoch_has_its_line),
        cmocka_unit_test(quiet_says_nothing),
        cmocka_unit_test(a_signal_stops_the_training),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
