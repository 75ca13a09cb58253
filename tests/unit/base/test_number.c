#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/random.h"

static double value(const char *text)
{
    double x = NAN;
    if (!nln_number_read(&x, text, strlen(text)))
        fail_msg("'%s' is not read", text);
    return x;
}

/* Up to 15 digits without exponent, the nearest number, as strtod finds it. */
static void plain_decimals_are_exact(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        int digits = (int)nln_random_below(&r, 14);
        double whole = (double)nln_random_below(&r, (uint64_t)pow(10, 14 - digits));
        snprintf(text, sizeof text, "%s%.*f", i % 3 ? "" : "-", digits,
                 whole + nln_random_uniform(&r));
        if (value(text) != strtod(text, NULL))
            fail_msg("%s is read as %.17g", text, value(text));
    }
}

static void other_decimals_are_close(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        double x =
            (nln_random_uniform(&r) - 0.5) * pow(10, (double)nln_random_below(&r, 600) - 300);
        snprintf(text, sizeof text, "%.*e", (int)nln_random_below(&r, 25), x);
        double wanted = strtod(text, NULL);
        if (!(fabs(value(text) - wanted) <= 1e-14 * fabs(wanted)))
            fail_msg("%s is read as %.17g", text, value(text));
    }
}

static void examples_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"+5", 5},
        {"5.", 5},
        {".5", 0.5},
        {"4.0", 4},
        {"1e3", 1000},
        {"25E-1", 2.5},
        {"0e99999999999", 0},
        {"1e-99999", 0},
        {"000012", 12},
        {"1260759144", 1260759144},
        {"1404172800000", 1404172800000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(value(cases[i].text) == cases[i].value);
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",    "-",  ".",  "+.",  "e5", "1e", "1e+",   "1.2.3",  "1,5",  "0x10",         "inf",
        "nan", " 1", "1 ", "--1", "1f", "5*", "1e999", "-1e400", "five", "1e99999999999"};
    double x;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (nln_number_read(&x, cases[i], strlen(cases[i])))
            fail_msg("'%s' is read as %g", cases[i], x);
    assert_true(nln_number_read(&x, "123", 2) && x == 12);
}

/* Also under a locale whose decimal point is a comma, where the machine has one. */
static void numbers_come_back_in_any_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    nln_random r = nln_random_seed(2, 0);
    for (size_t l = 0; l < sizeof locales / sizeof *locales; l++) {
        if (!setlocale(LC_ALL, locales[l]))
            continue;
        for (int i = 0; i < 1000; i++) {
            char text[NLN_NUMBER_ROOM], *end;
            double x = ldexp(nln_random_uniform(&r) - 0.5, (int)nln_random_below(&r, 200) - 100);
            nln_number_print(text, x);
            assert_null(strchr(text, ','));
            assert_true(nln_number_parse(text, &end) == x);
            assert_int_equal(*end, '\0');
        }
        assert_string_equal(setlocale(LC_ALL, NULL), locales[l]);
    }
    setlocale(LC_ALL, "C");
}

static void expect_as_printf(double x, int digits)
{
    char text[NLN_NUMBER_ROOM], wanted[NLN_NUMBER_ROOM];
    nln_number_round(text, x, digits);
    snprintf(wanted, sizeof wanted, "%.*g", digits, x);
    assert_string_equal(text, wanted);
}

/* Many are printed without printf, with the same characters. */
static void rounding_is_that_of_printf(void **state)
{
    static const double special[] = {0,
                                     -0.,
                                     .1,
                                     1,
                                     -1,
                                     .5,
                                     1e-4,
                                     9.9e-5,
                                     999999.5,
                                     1e9,
                                     1e8,
                                     .125,
                                     2.5,
                                     99999999.95,
                                     .099999999999999,
                                     999999999.9,
                                     1e-4 * (1 - 1e-16),
                                     1e300,
                                     0.30000000000000004,
                                     123456789.5,
                                     12345678.25,
                                     1e-300};
    nln_random r = nln_random_seed(3, 0);
    (void)state;
    for (int digits = 1; digits <= 17; digits++) {
        for (size_t i = 0; i < sizeof special / sizeof *special; i++)
            expect_as_printf(special[i], digits);
        for (int i = 0; i < 20000; i++) {
            double x = ldexp(nln_random_uniform(&r) - 0.5, (int)nln_random_below(&r, 60) - 20);
            expect_as_printf(x, digits);
            expect_as_printf((double)(float)x, digits);
            expect_as_printf(round(x * 16) / 16, digits); /* halves between two numbers */
        }
    }
    expect_as_printf(NAN, 9);
    expect_as_printf(-INFINITY, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_decimals_are_exact),
        cmocka_unit_test(other_decimals_are_close),
        cmocka_unit_test(examples_are_read),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(numbers_come_back_in_any_locale),
        cmocka_unit_test(rounding_is_that_of_printf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
