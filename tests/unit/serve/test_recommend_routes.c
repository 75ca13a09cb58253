#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "asking.h"
#include "scratch.h"

static asked_reply reply;

static nln_serve *serve_films(const char *settings)
{
    asking_save(scratch_path("model"), settings);
    return asking_loaded(scratch_path("model"), "");
}

static void ask(nln_serve *s, const char *path, const char *body)
{
    asking_send(&reply, s, "POST", path, body, NULL);
    if (reply.status != 200)
        fail_msg("%s: %s", body, reply.text);
}

/* The lists and the scores are those of the library. */
static void test_answers_are_those_of_the_scorer(void **state)
{
    (void)state;
    nln_serve *s = serve_films("task=topk epochs=2 dimension=4");
    nln_served *served = nln_model_slot_take(&s->slot);
    nln_literal history[2] = {{.item = 0, .liked = 1}, {.item = 1, .liked = 0}};
    nln_recommendation rows[3];
    size_t n = 0;
    nln_error err = {0};
    tiny_need(nln_recommend(rows, &n, 3, served->model, NULL, history, 2, 0, &err), &err);
    ask(s, "/api/v1/recommend",
        "{\"history\":[{\"item\":\"tea\",\"liked\":true},{\"item\":\"milk\",\"liked\":false}],"
        "\"k\":3}");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), n);
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(asking_get(&reply, "items"), i);
        assert_string_equal(json_string_value(json_object_get(row, "item")),
                            nln_model_variable(served->model, rows[i].item));
        double score = json_number_value(json_object_get(row, "score"));
        assert_true(fabs(score - rows[i].score) < 1e-6 * (1 + fabs(score)));
    }
    assert_string_equal(asking_text(&reply, "model"), served->version);
    nln_served_release(served);
    nln_serve_free(s);
}

static void test_filters_and_many_at_once(void **state)
{
    (void)state;
    nln_serve *s = serve_films("task=topk epochs=1 dimension=4");
    ask(s, "/api/v1/recommend", "{\"user\":\"ann\"}");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 0); /* ann has met all five */
    ask(s, "/api/v1/recommend",
        "{\"user\":\"ann\",\"with_seen\":true,\"exclude\":[\"tea\",\"?\"]}");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 4);
    assert_int_equal(json_integer_value(asking_get(&reply, "unknown_items")), 1);
    ask(s, "/api/v1/recommend", "{\"history\":[],\"only\":[\"jam\"]}");
    assert_string_equal(asking_text(&reply, "items.0.item"), "jam");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 1);
    ask(s, "/api/v1/recommend", "{\"history\":[],\"k\":2,\"offset\":4}");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 1);
    ask(s, "/api/v1/recommend", "{\"requests\":[{\"history\":[],\"k\":1},{\"user\":\"bob\"}]}");
    assert_int_equal(json_array_size(asking_get(&reply, "answers")), 2);
    assert_int_equal(json_array_size(asking_get(&reply, "answers.1.items")), 1);
    ask(s, "/api/v1/recommend", "{\"requests\":[]}");
    assert_int_equal(json_array_size(asking_get(&reply, "answers")), 0);
    nln_serve_free(s);
}

static void test_reasons_are_those_of_explain(void **state)
{
    (void)state;
    nln_serve *s = serve_films("task=preference epochs=2 dimension=4");
    const char *history = "[{\"item\":\"tea\",\"rating\":5},{\"item\":\"milk\",\"liked\":false}]";
    char body[300];
    snprintf(body, sizeof body, "{\"history\":%s,\"reasons\":true,\"k\":1}", history);
    ask(s, "/api/v1/recommend", body);
    assert_int_equal(reply.handled, NLN_ON_WORKER);
    assert_int_equal(json_array_size(asking_get(&reply, "items.0.reasons")), 2);
    double first = json_number_value(asking_get(&reply, "items.0.reasons.0.contribution"));
    char item[16], formula[80];
    snprintf(item, sizeof item, "%s", asking_text(&reply, "items.0.item"));
    snprintf(formula, sizeof formula, "!(tea & !milk) | %s", item);
    assert_string_equal(asking_text(&reply, "items.0.formula"), formula);
    snprintf(body, sizeof body, "{\"history\":%s,\"item\":\"%s\"}", history, item);
    ask(s, "/api/v1/explain", body);
    assert_true(first == json_number_value(asking_get(&reply, "reasons.0.contribution")));
    assert_string_equal(asking_text(&reply, "reasons.0.item"), "tea");
    assert_true(json_is_true(asking_get(&reply, "reasons.0.liked")));
    double sum = first + json_number_value(asking_get(&reply, "reasons.1.contribution"));
    double lead = json_number_value(asking_get(&reply, "with_history")) -
                  json_number_value(asking_get(&reply, "without_history"));
    assert_true(fabs(sum - lead) < 1e-5);
    snprintf(body, sizeof body, "{\"requests\":[{\"history\":[]},{\"history\":%s}]}", history);
    ask(s, "/api/v1/recommend", body);
    assert_int_equal(reply.handled, NLN_ANSWERED);
    ask(s, "/api/v1/recommend",
        "{\"requests\":[{\"history\":[]},{\"history\":[],\"reasons\":true}]}");
    assert_int_equal(reply.handled, NLN_ON_WORKER);
    nln_serve_free(s);
}

static void test_bad_questions_name_their_field(void **state)
{
    static const struct {
        const char *path, *body;
        int status;
        const char *field;
    } bad[] = {
        {"recommend", "{}", 422, "user"},
        {"recommend", "[]", 422, ""},
        {"recommend", "{", 400, ""},
        {"recommend", "{\"user\":7}", 422, "user"},
        {"recommend", "{\"user\":\"nobody\"}", 404, "user"},
        {"recommend", "{\"user\":\"ann\",\"k\":0}", 422, "k"},
        {"recommend", "{\"user\":\"ann\",\"k\":\"3\"}", 422, "k"},
        {"recommend", "{\"user\":\"ann\",\"top\":3}", 422, "top"},
        {"recommend", "{\"user\":\"ann\",\"user\":\"bob\"}", 422, "user"},
        {"recommend", "{\"history\":{}}", 422, "history"},
        {"recommend", "{\"history\":[3]}", 422, "history[0]"},
        {"recommend", "{\"history\":[{\"liked\":true}]}", 422, "history[0].item"},
        {"recommend", "{\"history\":[{\"item\":\"tea\"}]}", 422, "history[0].liked"},
        {"recommend", "{\"history\":[{\"item\":\"tea\",\"liked\":1}]}", 422, "history[0].liked"},
        {"recommend", "{\"history\":[{\"item\":\"rum\",\"liked\":true}]}", 422, "history[0].item"},
        {"recommend", "{\"history\":[],\"exclude\":[4]}", 422, "exclude[0]"},
        {"recommend", "{\"requests\":[{\"history\":[]},{\"k\":-1}]}", 422, "requests[1].k"},
        {"recommend", "{\"requests\":[{\"history\":[]}],\"k\":1}", 422, "k"},
        {"explain", "{\"user\":\"ann\"}", 422, "item"},
        {"explain", "{\"user\":\"ann\",\"item\":\"rum\"}", 404, "item"},
        {"explain", "{\"user\":\"nobody\",\"item\":\"tea\"}", 404, "user"},
    };
    (void)state;
    nln_serve *s = serve_films("task=topk epochs=1 dimension=4");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[40];
        snprintf(path, sizeof path, "/api/v1/%s", bad[i].path);
        asking_expect(s, "POST", path, bad[i].body, bad[i].status, bad[i].field);
    }
    nln_serve_free(s);
}

static void test_diversity(void **state)
{
    (void)state;
    nln_serve *s = serve_films("task=topk epochs=1 dimension=4");
    ask(s, "/api/v1/recommend", "{\"history\":[],\"diversity\":0.9,\"k\":3}");
    assert_int_equal(json_array_size(asking_get(&reply, "items")), 3);
    asking_send(&reply, s, "POST", "/api/v1/recommend",
                "{\"requests\":[{\"history\":[],\"diversity\":1.5}]}", NULL);
    assert_int_equal(reply.status, 422);
    assert_string_equal(asking_text(&reply, "error.field"), "requests[0].diversity");
    nln_serve_free(s);
    s = serve_films("task=topk model=popularity");
    asking_send(&reply, s, "POST", "/api/v1/recommend",
                "{\"history\":[],\"diversity\":0.5,\"k\":2}", NULL);
    assert_int_equal(reply.status, 422);
    assert_string_equal(asking_text(&reply, "error.field"), "diversity");
    nln_serve_free(s);
}

/* What a model cannot do is said, whatever its method. */
static void test_models_of_every_method(void **state)
{
    static const char *const methods[] = {"nln", "popularity", "biasedmf", "svdpp",
                                          "ncf", "ease",       "gru",      "sasrec"};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char settings[100];
        snprintf(settings, sizeof settings, "task=topk model=%s", methods[i]);
        nln_serve *s = serve_films(settings);
        ask(s, "/api/v1/recommend", "{\"user\":\"bob\",\"k\":2,\"with_seen\":true}");
        assert_int_equal(json_array_size(asking_get(&reply, "items")), 2);
        static const char *const others[] = {
            "{\"history\":[{\"item\":\"tea\",\"liked\":true}]}",
            "{\"user\":\"nobody\"}",
            "{\"user\":\"bob\",\"reasons\":true}",
        };
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            asking_send(&reply, s, "POST", "/api/v1/recommend", others[k], NULL);
            if (reply.status >= 500)
                fail_msg("%s %s: %s", methods[i], others[k], reply.text);
        }
        asking_send(&reply, s, "POST", "/api/v1/predict", "{\"expressions\":[\"tea\"]}", NULL);
        assert_true(reply.status < 500);
        nln_serve_free(s);
    }
    asking_save_logic(scratch_path("logic"), "epochs=1 dimension=4");
    nln_serve *s = asking_loaded(scratch_path("logic"), "");
    asking_expect(s, "POST", "/api/v1/recommend", "{\"history\":[]}", 409, "");
    asking_expect(s, "POST", "/api/v1/explain", "{\"history\":[]}", 409, "");
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_those_of_the_scorer),
        cmocka_unit_test(test_filters_and_many_at_once),
        cmocka_unit_test(test_reasons_are_those_of_explain),
        cmocka_unit_test(test_bad_questions_name_their_field),
        cmocka_unit_test(test_diversity),
        cmocka_unit_test(test_models_of_every_method),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
