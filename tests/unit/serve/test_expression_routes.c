#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "asking.h"
#include "scratch.h"

static nln_serve *server;
static asked_reply reply;

static int open_server(void **state)
{
    if (scratch_setup(state))
        return -1;
    asking_save_logic(scratch_path("model"), "epochs=1 dimension=4");
    server = asking_loaded(scratch_path("model"), "");
    return 0;
}

static int close_server(void **state)
{
    nln_serve_free(server);
    return scratch_teardown(state);
}

static void test_predictions_are_those_of_the_library(void **state)
{
    static const char *const texts[] = {"v1 & !v2", "v3 -> (v4 | v5)"};
    double p[2];
    nln_error err = {0};
    nln_served *served = nln_model_slot_take(&server->slot);
    (void)state;
    tiny_need(nln_predict_many(p, served->model, texts, 2, NULL, &err), &err);
    asking_send(&reply, server, "POST", "/api/v1/predict",
                "{\"expressions\":[\"v1 & !v2\",\"v3 -> (v4 | v5)\"]}", NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(asking_text(&reply, "model"), served->version);
    for (size_t i = 0; i < 2; i++)
        assert_true(fabs(json_number_value(json_array_get(asking_get(&reply, "probabilities"), i)) -
                         p[i]) < 1e-8);
    nln_served_release(served);
}

static void test_errors_have_a_place(void **state)
{
    (void)state;
    asking_send(&reply, server, "POST", "/api/v1/predict",
                "{\"expressions\":[\"v1\",\"v1 &\\n & v2\"]}", NULL);
    assert_int_equal(reply.status, 422);
    assert_string_equal(asking_text(&reply, "error.field"), "expressions[1]");
    assert_int_equal(json_integer_value(asking_get(&reply, "error.line")), 2);
    assert_int_equal(json_integer_value(asking_get(&reply, "error.column")), 2);
    asking_send(&reply, server, "POST", "/api/v1/graph", "{\"expression\":\"v1 | nobody\"}", NULL);
    assert_int_equal(reply.status, 422);
    assert_int_equal(json_integer_value(asking_get(&reply, "error.line")), 1);
    assert_int_equal(json_integer_value(asking_get(&reply, "error.column")), 6);
    asking_expect(server, "POST", "/api/v1/predict", "{\"expressions\":[3]}", 422,
                  "expressions[0]");
    asking_expect(server, "POST", "/api/v1/predict", "{\"expressions\":\"v1\"}", 422,
                  "expressions");
    asking_expect(server, "POST", "/api/v1/predict", "{}", 422, "expressions");
    asking_expect(server, "POST", "/api/v1/graph", "{\"expression\":\"\"}", 422, "expression");
}

static void test_graphs_have_both_forms(void **state)
{
    (void)state;
    asking_send(&reply, server, "POST", "/api/v1/graph", "{\"expression\":\"v1 -> v2\"}", NULL);
    assert_int_equal(reply.status, 200);
    assert_string_equal(asking_text(&reply, "nodes.2.operation"), "implies");
    assert_int_equal(json_integer_value(asking_get(&reply, "nodes.2.operands.1")), 1);
    assert_string_equal(asking_text(&reply, "nodes.0.name"), "v1");
    assert_string_equal(asking_text(&reply, "normal_form.expression"), "!v1 | v2");
    assert_string_equal(asking_text(&reply, "normal_form.nodes.1.operation"), "not");
    double truth = json_number_value(asking_get(&reply, "nodes.2.truth"));
    assert_true(truth > 0 && truth < 1);
}

static void test_models_of_users_have_no_expressions(void **state)
{
    (void)state;
    asking_save(scratch_path("ease"), "task=topk model=ease");
    nln_serve *s = asking_loaded(scratch_path("ease"), "");
    asking_expect(s, "POST", "/api/v1/predict", "{\"expressions\":[\"tea\"]}", 409, "");
    asking_expect(s, "POST", "/api/v1/graph", "{\"expression\":\"tea\"}", 409, "");
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions_are_those_of_the_library),
        cmocka_unit_test(test_errors_have_a_place),
        cmocka_unit_test(test_graphs_have_both_forms),
        cmocka_unit_test(test_models_of_users_have_no_expressions),
    };
    return cmocka_run_group_tests(tests, open_server, close_server);
}
