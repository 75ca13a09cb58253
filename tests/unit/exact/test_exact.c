#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "data/logic_data.h"
#include "logic/parse.h"
#include "nln_lab.h"
#include "tiny.h"

static nln_data *create_data(void)
{
    nln_data *data = calloc(1, sizeof *data);
    assert_non_null(data);
    data->symbols = nln_symbols_create();
    assert_non_null(data->symbols);
    return data;
}

static void add(nln_data *data, nln_split split, const char *text, int label)
{
    nln_labelled *set = &data->split[split];
    assert_int_equal(nln_parse(&set->exprs, &(nln_vocabulary){.variables = data->symbols}, 1, text,
                               strlen(text), NLN_DIALECT_TEXT, NULL),
                     NLN_OK);
    assert_int_equal(nln_labelled_add(set, label, 1, NULL), NLN_OK);
}

/* The value of each variable in the order of first sight: T, F or ? */
static void set_truth(nln_data *data, const char *truth)
{
    size_t n = nln_data_variables(data);
    assert_int_equal(strlen(truth), n);
    data->truth = malloc(n);
    assert_non_null(data->truth);
    for (size_t v = 0; v < n; v++)
        data->truth[v] = truth[v] == '?' ? -1 : truth[v] == 'T';
}

static nln_options *set_noise(const char *noise)
{
    nln_options *options = NULL;
    nln_error err = {0};
    assert_int_equal(nln_options_create(&options, "exact", &err), NLN_OK);
    assert_int_equal(nln_options_set(options, "noise", noise, &err), NLN_OK);
    return options;
}

static void assert_near(double a, double b, double tolerance)
{
    assert_true(fabs(a - b) < tolerance);
}

/* a = T, b = F and c = T follow; d is in no training expression, and e is not known. */
static void solves_by_hand(void **state)
{
    (void)state;
    nln_data *data = create_data();
    nln_exact_report report;
    add(data, NLN_TRAIN, "a & !b", 1);
    add(data, NLN_TRAIN, "a -> c", 1);
    add(data, NLN_VALID, "c", 1);
    add(data, NLN_TEST, "a xor b", 1);
    add(data, NLN_TEST, "b | !c", 1);
    add(data, NLN_TEST, "(d | !d) & e", 0);
    set_truth(data, "TFTT?");
    assert_int_equal(nln_exact(&report, data, NULL, NULL), NLN_OK);
    assert_int_equal(report.consistent, 1);
    assert_int_equal(report.sat.n, 3);
    assert_near(report.sat.accuracy, 2. / 3, 1e-12);
    assert_near(report.sat.rmse, sqrt(1. / 3), 1e-12);
    assert_near(report.sat_recovered, .75, 1e-12);
    assert_int_equal(report.posterior.n, 3);
    assert_near(report.posterior.accuracy, 2. / 3, 1e-12);
    assert_near(report.posterior.rmse, sqrt((1 + .25) / 3), 1e-4);
    assert_near(report.posterior_recovered, .75, 1e-12);
    assert_true(report.noise == 0);
    assert_true(report.sat_seconds >= 0 && report.posterior_seconds > 0);
    nln_data_free(data);
}

static void contradiction_has_no_assignment(void **state)
{
    (void)state;
    nln_data *data = create_data();
    nln_options *options = set_noise("0.1");
    nln_exact_report report;
    nln_error err = {0};
    add(data, NLN_TRAIN, "a", 1);
    add(data, NLN_TRAIN, "a", 1);
    add(data, NLN_TRAIN, "a", 0);
    add(data, NLN_TEST, "a", 1);
    assert_int_equal(nln_exact(&report, data, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "validation"));
    assert_int_equal(nln_exact(&report, data, options, NULL), NLN_OK);
    assert_int_equal(report.consistent, 0);
    assert_int_equal(report.sat.n, 0);
    assert_true(report.sat_recovered == -1 && report.posterior_recovered == -1);
    assert_near(report.posterior.rmse, .1, 1e-3);
    assert_true(report.noise == .1);
    nln_options_free(options);
    nln_data_free(data);
}

static void bad_noise_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "much", "0.6", "-0.1", "0.1x", "nan"};
    nln_data *data = create_data();
    add(data, NLN_TRAIN, "a", 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_options *options = set_noise(bad[i]);
        nln_exact_report report;
        nln_error err = {0};
        assert_int_equal(nln_exact(&report, data, options, &err), NLN_INVALID);
        assert_non_null(strstr(err.message, "noise"));
        nln_options_free(options);
    }
    nln_data_free(data);
}

/* ---- the task of the paper ---------------------------------------------- */

/* The share `noise` of the labels is flipped, those of the test set excepted. */
static nln_data *simulate(size_t n_variables, size_t n, double noise, uint64_t seed)
{
    char settings[128];
    snprintf(settings, sizeof settings, "variables=%zu expressions=%zu noise=%g seed=%d",
             n_variables, n, noise, (int)seed);
    return tiny_data(settings);
}

static void reaches_the_limit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        nln_data *data = simulate(1000, 5000, 0, seed);
        nln_exact_report report;
        assert_int_equal(nln_exact(&report, data, NULL, NULL), NLN_OK);
        assert_int_equal(report.consistent, 1);
        assert_true(report.sat.accuracy >= .98 && report.sat_recovered >= .99);
        assert_true(report.posterior.accuracy >= .99 && report.posterior.rmse <= .07);
        assert_true(report.posterior_recovered >= .99);
        assert_true(report.noise == 0);
        nln_data_free(data);
    }
}

static void finds_the_noise_rate(void **state)
{
    (void)state;
    nln_data *data = simulate(1000, 5000, .05, 1);
    nln_exact_report report;
    assert_int_equal(nln_exact(&report, data, NULL, NULL), NLN_OK);
    assert_int_equal(report.consistent, 0);
    assert_true(report.noise >= .02 && report.noise <= .1);
    assert_true(report.posterior.accuracy >= .97 && report.posterior.rmse <= .13);
    nln_data_free(data);
}

/* As much as `generate logic` flips, up to what tells nothing any more. */
static void finds_much_noise_too(void **state)
{
    static const double rates[] = {.3, .4};
    (void)state;
    for (int i = 0; i < 2; i++) {
        nln_data *data = simulate(200, 5000, rates[i], 1);
        nln_exact_report report;
        assert_int_equal(nln_exact(&report, data, NULL, NULL), NLN_OK);
        assert_near(report.noise, rates[i], .051);
        nln_data_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_by_hand),       cmocka_unit_test(contradiction_has_no_assignment),
        cmocka_unit_test(bad_noise_is_refused), cmocka_unit_test(reaches_the_limit),
        cmocka_unit_test(finds_the_noise_rate), cmocka_unit_test(finds_much_noise_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
