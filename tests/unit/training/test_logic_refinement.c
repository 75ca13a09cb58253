/* What training of labelled expressions ends with: messages, and when they are dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "tiny.h"
#include "training/source.h"

#define SMALL "task=logic dimension=16 seed=2 epochs=12 threads=1 "

static char last[1024];

static void remember(void *context, const char *message)
{
    (void)context;
    if (strstr(message, "messages"))
        snprintf(last, sizeof last, "%s", message);
}

static nln_status train(nln_model **model, nln_report *report, const nln_data *data,
                        const char *settings, nln_error *err)
{
    nln_options *o = tiny_options("train", settings);
    nln_watch watch = {.log = remember};
    last[0] = '\0';
    nln_status status = nln_train(model, report, data, o, &watch, err);
    nln_options_free(o);
    return status;
}

static void they_come_closer_to_the_truth(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=300 expressions=1500 seed=1");
    nln_report with, without;
    nln_model *model = NULL, *plain = NULL;
    nln_error err = {0};
    assert_int_equal(train(&plain, &without, data, SMALL "message-sweeps=0", &err), NLN_OK);
    assert_string_equal(last, "");
    assert_int_equal(plain->config.members, 4);
    assert_int_equal(train(&model, &with, data, SMALL, &err), NLN_OK);
    assert_non_null(strstr(last, "found by messages"));
    assert_true(with.test.rmse < without.test.rmse);
    assert_int_equal(model->config.members, 1);
    assert_string_equal(nln_options_text(model->options, "members"), "1");
    assert_int_equal(model->net[0]->n_variables, nln_model_rows(model));
    nln_model_free(plain);
    nln_model_free(model);
    nln_data_free(data);
}

/* A caller's members stay, and are equal. */
static void members_that_were_asked_for_stay(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=300 expressions=1500 seed=1");
    nln_model *model = NULL;
    nln_error err = {0};
    assert_int_equal(train(&model, NULL, data, SMALL "members=2", &err), NLN_OK);
    assert_non_null(strstr(last, "found by messages"));
    int32_t n = nln_model_rows(model);
    assert_int_equal(model->config.members, 2);
    assert_int_equal(model->net[0]->n_variables, 2 * n);
    for (int32_t v = 0; v < n; v++)
        assert_true(model->net[0]->logit[v] == model->net[0]->logit[n + v]);
    nln_model_free(model);
    nln_data_free(data);
}

/* Two steps of the law of probabilities are no good, and one label in two is flipped: what training
 * found stays, bit for bit. */
static void they_are_dropped_where_validation_loses(void **state)
{
    (void)state;
    static const char *const lines[] = {"a & b & c & d", "a | b | c", "!a & e", "e | f & !b",
                                        "f & c",         "!d",        "d & e"};
    nln_data *data = tiny_set((const char *const[]){"", "", ""});
    nln_model *model = NULL, *plain = NULL;
    nln_error err = {0};
    for (int i = 0; i < 7; i++) {
        nln_split split = i < 2 ? NLN_TRAIN : i < 6 ? NLN_VALID : NLN_TEST;
        trees_parse(&data->split[split].exprs, data->symbols, lines[i]);
        nln_labelled_add(&data->split[split], i % 2, 1, NULL);
    }
    int dropped = 0;
    for (int seed = 1; seed < 20 && !dropped; seed++) {
        char settings[128];
        snprintf(settings, sizeof settings, "task=logic dimension=8 epochs=3 seed=%d", seed);
        assert_int_equal(train(&model, NULL, data, settings, &err), NLN_OK);
        dropped = !last[0];
        if (dropped) {
            strcat(settings, " message-sweeps=0");
            assert_int_equal(train(&plain, NULL, data, settings, &err), NLN_OK);
            size_t n = (size_t)plain->net[0]->n_variables;
            assert_int_equal(model->net[0]->n_variables, n);
            assert_memory_equal(model->net[0]->logit, plain->net[0]->logit, n * sizeof(real));
            assert_memory_equal(model->net[0]->weights, plain->net[0]->weights,
                                nln_modules_size(8, 8) * sizeof(real));
            nln_model_free(plain);
        }
        nln_model_free(model);
    }
    assert_true(dropped);
    nln_data_free(data);
}

static void without_validation_nothing_is_tried(void **state)
{
    (void)state;
    nln_data *data = tiny_set((const char *const[]){"a & !b", "", ""});
    nln_model *model = NULL;
    nln_error err = {0};
    assert_int_equal(train(&model, NULL, data, "task=logic dimension=8 epochs=2", &err), NLN_OK);
    assert_string_equal(last, "");
    nln_model_free(model);
    nln_data_free(data);
}

static void variables_that_are_no_points_of_the_arc_are_refused(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=20 expressions=60 seed=1");
    nln_model *model = NULL;
    nln_error err = {0};
    assert_int_equal(train(&model, NULL, data, SMALL "embedding=line message-sweeps=4", &err),
                     NLN_INVALID);
    assert_non_null(strstr(err.message, "--embedding arc"));
    assert_int_equal(train(&model, NULL, data, SMALL "embedding=line", &err), NLN_OK);
    assert_string_equal(last, "");
    nln_model_free(model);
    nln_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_closer_to_the_truth),
        cmocka_unit_test(members_that_were_asked_for_stay),
        cmocka_unit_test(they_are_dropped_where_validation_loses),
        cmocka_unit_test(without_validation_nothing_is_tried),
        cmocka_unit_test(variables_that_are_no_points_of_the_arc_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
