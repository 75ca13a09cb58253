#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <time.h>

#include <sys/stat.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

/* Asks until exact reasoning has an answer. */
static void ask(nln_serve *s, const char *body)
{
    for (int i = 0; i < 1000; i++) {
        asking_send(&reply, s, "POST", "/api/v1/graph", body, NULL);
        assert_int_equal(reply.status, 200);
        if (strcmp(asking_text(&reply, "exact.status"), "computing") != 0)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("exact reasoning does not end");
}

/* a = T, b = F and c = T follow from the labels. */
static void test_what_follows_is_certain(void **state)
{
    char settings[600], folder[500];
    nln_data *data = NULL;
    nln_error err = {0};
    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch_path("data"));
    mkdir(folder, 0700);
    scratch_text("data/train.tsv", "a & !b\tT\na -> c\tT\nd | !d\tT\n");
    scratch_text("data/valid.tsv", "c\tT\n");
    scratch_text("data/test.tsv", "a xor b\tT\n");
    tiny_need(nln_data_read(&data, folder, &err), &err);
    nln_model *model = tiny_train(NULL, data, "epochs=1 dimension=4");
    tiny_need(nln_model_save(model, scratch_path("model"), &err), &err);
    nln_model_free(model);
    nln_data_free(data);
    snprintf(settings, sizeof settings, "data=%s", folder);
    nln_serve *s = asking_loaded(scratch_path("model"), settings);
    ask(s, "{\"expression\": \"a & c & !b\"}");
    assert_string_equal(asking_text(&reply, "exact.status"), "done");
    assert_true(json_number_value(asking_get(&reply, "exact.posterior")) > 0.99);
    assert_true(json_number_value(asking_get(&reply, "exact.assignment")) == 1);
    ask(s, "{\"expression\": \"b | !c\"}");
    assert_true(json_number_value(asking_get(&reply, "exact.posterior")) < 0.01);
    assert_true(json_number_value(asking_get(&reply, "exact.assignment")) == 0);
    ask(s, "{\"expression\": \"d\"}"); /* nothing follows */
    assert_true(fabs(json_number_value(asking_get(&reply, "exact.posterior")) - 0.5) < 1e-6);
    nln_serve_free(s);
}

static void test_data_that_cannot_be_read_say_so(void **state)
{
    (void)state;
    asking_save_logic(scratch_path("model"), "epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "data=/nowhere/at/all");
    ask(s, "{\"expression\": \"v1\"}");
    assert_string_equal(asking_text(&reply, "exact.status"), "failed");
    assert_true(strlen(asking_text(&reply, "exact.why")) > 5);
    nln_serve_free(s);
}

static void test_without_data_there_is_none(void **state)
{
    (void)state;
    asking_save_logic(scratch_path("model"), "epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("model"), "");
    asking_send(&reply, s, "POST", "/api/v1/graph", "{\"expression\": \"v1\"}", NULL);
    assert_null(asking_get(&reply, "exact"));
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_follows_is_certain),
        cmocka_unit_test(test_data_that_cannot_be_read_say_so),
        cmocka_unit_test(test_without_data_there_is_none),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
