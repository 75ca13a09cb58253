/* The log of a training: a line for each epoch, and what --resume keeps of an old one. */
#include "commands/training_output.h"

#include "cli_test.h"
#include "command_line.h"

static void open_call(cli_call *call, const char *option)
{
    char name[] = "train", *names[] = {name}, data[] = "data", out[] = "--out=model";
    char text[64], log[] = "--log=log", *words[] = {data, out, log, text};
    int used;

    snprintf(text, sizeof text, "%s", option);
    assert_int_equal(cli_call_open(call, cli_command_find(&used, names, 1)), 0);
    assert_int_equal(cli_call_read(call, words, 4), 0);
}

static void log_epochs(const cli_call *call, int first, int last)
{
    cli_training_output log;
    assert_int_equal(cli_training_output_open(&log, call, CLI_LOGIC), 0);
    for (int epoch = first; epoch <= last; epoch++) {
        const nln_progress now = {.epoch = epoch,
                                  .loss = 2,
                                  .seconds = epoch,
                                  .model = (const nln_model *)&log,
                                  .valid = {.n = 1, .accuracy = 0.5, .rmse = 0.25 * epoch}};
        assert_int_equal(cli_training_output_step(&log, &now), 0);
        assert_int_equal(cli_training_output_step(&log, &now), 0); /* an epoch is written once */
    }
    assert_int_equal(cli_training_output_close(&log), 0);
}

#define HEAD "epoch\tseconds\tloss\tvalid_accuracy\tvalid_rmse\tvalid_cross_entropy\n"
#define ONE  "1\t1.000\t2.000000\t0.500000\t0.250000\t0.000000\n"
#define TWO  "2\t2.000\t2.000000\t0.500000\t0.500000\t0.000000\n"

static void every_epoch_is_a_line(void **state)
{
    cli_call call;
    (void)state;

    write_file("log", "something else");
    open_call(&call, "--quiet");
    log_epochs(&call, 1, 2);
    assert_file("log", HEAD ONE TWO);
    cli_call_close(&call);
}

static void resume_keeps_the_epochs_before(void **state)
{
    cli_call call;
    (void)state;

    write_file("log", HEAD ONE "2\t9.0\told\n3\t9.9\told\n");
    open_call(&call, "--resume");
    log_epochs(&call, 2, 2);
    assert_file("log", HEAD ONE TWO);
    write_file("log", "another head\n1\n");
    log_epochs(&call, 2, 2);
    assert_file("log", HEAD TWO);
    cli_call_close(&call);
}

static void bad_lists_are_refused(void **state)
{
    static const char *const lists[] = {"--snapshots=1,x", "--snapshots=0", "--snapshots=1;2"};
    cli_training_output log;
    cli_call call;
    (void)state;

    int kept = capture(2);
    for (int i = 0; i < 3; i++) {
        open_call(&call, lists[i]);
        assert_int_equal(cli_training_output_open(&log, &call, CLI_LOGIC), 2);
        assert_int_equal(cli_training_output_close(&log), 0);
        cli_call_close(&call);
    }
    free(release(2, kept));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_epoch_is_a_line),
        cmocka_unit_test(resume_keeps_the_epochs_before),
        cmocka_unit_test(bad_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
