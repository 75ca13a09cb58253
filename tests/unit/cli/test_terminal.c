/* Times as people read them, and a clock that only goes forward. */
#include "show/terminal.h"

#include <time.h>

#include "cli_test.h"

static void assert_time(long seconds, const char *expected)
{
    char text[32];
    cli_terminal_time(text, sizeof text, seconds);
    assert_string_equal(text, expected);
}

static void times_have_minutes_and_hours(void **state)
{
    (void)state;
    assert_time(0, "0:00");
    assert_time(65, "1:05");
    assert_time(3599, "59:59");
    assert_time(7259, "2:00:59");
}

static void a_file_is_no_terminal(void **state)
{
    (void)state;
    int kept = capture(2);
    assert_false(cli_terminal_is_live());
    assert_int_equal(cli_terminal_columns(), 80);
    free(release(2, kept));
}

static void the_clock_goes_forward(void **state)
{
    double before = cli_terminal_clock();
    (void)state;
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    double passed = cli_terminal_clock() - before;
    assert_true(passed >= 0.002 && passed < 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_minutes_and_hours),
        cmocka_unit_test(a_file_is_no_terminal),
        cmocka_unit_test(the_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
