/* Ranking all variables at once equals predicting `e | v` one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "likes.h"

static nln_model *train(const char *embedding, const char *members, const char *networks)
{
    nln_options *generate = NULL, *options = NULL;
    nln_data *data = NULL;
    nln_model *model = NULL;
    assert_int_equal(nln_options_create(&generate, "generate logic", NULL), NLN_OK);
    assert_int_equal(nln_options_set(generate, "variables", "300", NULL), NLN_OK);
    assert_int_equal(nln_options_set(generate, "expressions", "300", NULL), NLN_OK);
    assert_int_equal(nln_options_create(&options, "train", NULL), NLN_OK);
    const char *values[][2] = {
        {"embedding", embedding}, {"members", members}, {"networks", networks}, {"epochs", "2"},
        {"dimension", "12"},      {"orders", "1"},      {"threads", "1"},       {"duals", "false"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(nln_options_set(options, values[i][0], values[i][1], NULL), NLN_OK);
    assert_int_equal(nln_data_generate(&data, generate, NULL), NLN_OK);
    assert_int_equal(nln_train(&model, NULL, data, options, NULL, NULL), NLN_OK);
    nln_data_free(data);
    nln_options_free(generate);
    nln_options_free(options);
    return model;
}

/* Whether the expression has this variable. */
static int has(const char *expression, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = strstr(expression, name); at; at = strstr(at + 1, name))
        if (at[n] < '0' || at[n] > '9')
            return 1;
    return 0;
}

/* Any number of variables, up to MOST.  A prediction simplifies what a variable of the expression
 * says again; a ranking does not. */
static void compare(const nln_model *model, const char *expression)
{
    enum { MOST = 300 };
    double rank[MOST];
    size_t n = nln_model_variables(model);
    assert_in_range(n, 1, MOST);
    assert_int_equal(nln_rank(rank, model, expression, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++) {
        char text[128];
        double p;
        if (has(expression, nln_model_variable(model, i)))
            continue;
        snprintf(text, sizeof text, "%s | %s", expression, nln_model_variable(model, i));
        assert_int_equal(nln_predict(&p, model, text, NULL), NLN_OK);
        assert_true(fabs(p - rank[i]) < 1e-4);
    }
}

static void check(const char *embedding, const char *members, const char *networks,
                  const char *expression)
{
    nln_model *model = train(embedding, members, networks);
    assert_int_equal(nln_model_variables(model), 300);
    compare(model, expression);
    nln_model_free(model);
}

/* Whose networks are averaged in another way. */
static void test_equals_prediction_of_a_model_of_ratings(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(10, 30, 14, 3);
    nln_model *model = likes_model(r->items, "task=preference dimension=8 networks=3");
    compare(model, "!(x1 & !x2)");
    nln_model_free(model);
    nln_ratings_free(r);
}

static void test_equals_prediction(void **state)
{
    (void)state;
    check("free", "1", "1", "v1");
    check("free", "1", "2", "(v3 & !v7 & v9)");
    check("arc", "3", "1", "!v5");
    check("line", "2", "3", "(v2 & v4)");
}

static void test_members_and_errors(void **state)
{
    (void)state;
    nln_model *model = train("arc", "3", "2");
    nln_error err = {0};
    double rank[300];
    assert_int_equal(nln_rank(rank, model, "v1 & !v2", &err), NLN_OK);
    for (int i = 0; i < 300; i++)
        assert_true(rank[i] >= 0 && rank[i] <= 1);
    assert_int_equal(nln_rank(rank, model, "v1 & nobody", &err), NLN_UNKNOWN);
    assert_int_equal(err.column, 6);
    assert_int_equal(nln_rank(rank, model, "v1 &", &err), NLN_SYNTAX);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_prediction),
        cmocka_unit_test(test_equals_prediction_of_a_model_of_ratings),
        cmocka_unit_test(test_members_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
