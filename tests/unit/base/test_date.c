#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/date.h"

static void dates_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } cases[] = {
        {"1970-01-01", 0},
        {"1969-12-31", -86400},
        {"2024-02-29", 1709164800},
        {"2020-01-01T00:00:00Z", 1577836800},
        {"2020-01-01 00:00:01", 1577836801},
        {"2020-01-01 00:01", 1577836860},
        {"2020-01-01T00:00:00.25", 1577836800.25},
        {"2020-01-01T02:00:00+02:00", 1577836800},
        {"2019-12-31 19:30:00.5 -0430", 1577836800.5},
        {"2020-01-01 00:00:00 UTC", 1577836800},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double seconds;
        if (!nln_date_read(&seconds, cases[i].text, strlen(cases[i].text)))
            fail_msg("%s is not read", cases[i].text);
        if (fabs(seconds - cases[i].seconds) > 1e-6)
            fail_msg("%s is read as %f", cases[i].text, seconds);
    }
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",           "2020",         "2020-01",           "2020-1-1",           "2020-13-01",
        "2020-00-01", "2020-01-00",   "2020-02-30",        "2023-02-29",         "1900-02-29",
        "0000-01-01", "01 5, 2014",   "2020-01-01x",       "2020-01-01T",        "2020-01-01 25:00",
        "x",          "2020-01-01 1", "2020-01-01 10:00:", "2020-01-01 10:00 +", "2020-01-01 10:60",
        "2020/01/01", "2020-01-01 Z", "2020-01-01 10:00.", "2020-01-01 10:00ZZ", "20200101",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double seconds = 5;
        if (nln_date_read(&seconds, texts[i], strlen(texts[i])) || seconds != 5)
            fail_msg("%s is read", texts[i]);
    }
}

/* Every day of eight centuries, as the C library counts them. */
static void days_follow_each_other(void **state)
{
    (void)state;
    for (long day = -146097; day < 146097; day++) {
        time_t wanted = (time_t)day * 86400;
        struct tm parts;
        char text[32];
        double seconds;
        assert_non_null(gmtime_r(&wanted, &parts));
        strftime(text, sizeof text, "%Y-%m-%d", &parts);
        assert_true(nln_date_read(&seconds, text, strlen(text)));
        assert_true(seconds == (double)wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(days_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
