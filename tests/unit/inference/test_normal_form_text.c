#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tiny.h"

static nln_model *model;

static int make_model(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=20 expressions=300");
    model = tiny_train(NULL, data, "dimension=8 epochs=2 threads=1");
    nln_data_free(data);
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    nln_model_free(model);
    return 0;
}

static void assert_text(const char *expression, int dual, const char *wanted)
{
    nln_error err = {0};
    char *text = NULL;
    tiny_need(nln_normal_form(&text, model, expression, dual, &err), &err);
    assert_string_equal(text, wanted);
    nln_free(text);
}

static void test_the_normal_form_is_that_of_predictions(void **state)
{
    (void)state;
    assert_text("v1 -> v2", 0, "!v1 | v2");
    assert_text("(v1 | v2) & v3", 0, "v1 & v3 | v2 & v3");
    assert_text("v1 & v1 & T", 0, "v1");
    assert_text("v1 & !v1", 0, "F");
}

static void test_the_dual_is_the_negation(void **state)
{
    (void)state;
    assert_text("v1 & !v2 | v3", 1, "(!v1 | v2) & !v3");
    assert_text("T", 1, "F");
}

/* The text of a normal form is its own normal form, and is predicted alike. */
static void test_the_text_is_read_as_the_same(void **state)
{
    (void)state;
    static const char *const list[] = {"v1", "v1 xor v2", "(v1 <-> v2) -> (v3 & !(v4 | v5))"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        nln_error err = {0};
        char *text = NULL;
        double p[2];
        tiny_need(nln_normal_form(&text, model, list[i], 0, &err), &err);
        assert_text(text, 0, text);
        tiny_need(nln_predict(&p[0], model, list[i], &err), &err);
        tiny_need(nln_predict(&p[1], model, text, &err), &err);
        assert_true(p[0] == p[1]);
        nln_free(text);
    }
}

static void test_what_cannot_be_read_is_refused(void **state)
{
    (void)state;
    nln_error err = {0};
    char *text = NULL;
    assert_int_equal(nln_normal_form(&text, model, "v1 & (", 0, &err), NLN_SYNTAX);
    assert_null(text);
    assert_int_equal(nln_normal_form(&text, model, "nobody", 0, &err), NLN_UNKNOWN);
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_normal_form_is_that_of_predictions),
        cmocka_unit_test(test_the_dual_is_the_negation),
        cmocka_unit_test(test_the_text_is_read_as_the_same),
        cmocka_unit_test(test_what_cannot_be_read_is_refused),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
