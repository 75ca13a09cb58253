/* A question has a model, its items and histories; its answers are JSON. */
#include "commands/model_question.h"

#include "cli_asking.h"

static json_t *answer(const char *option, size_t n)
{
    char text[64], titles[] = "--titles=titles", *words[] = {text, titles, NULL};
    cli_question question;
    cli_call call;
    json_t *answers = json_array();

    snprintf(text, sizeof text, "%s", option);
    open_asking(&call, words);
    assert_int_equal(cli_question_open(&question, &call), 0);
    assert_int_equal(question.histories.n, n);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            answers, cli_question_item(&question, question.histories.list[i].literals[0].item));
    json_t *result = cli_question_answers(&question, answers);
    cli_question_close(&question);
    cli_call_close(&call);
    return result;
}

static void one_answer_stands_by_itself(void **state)
{
    json_t *result = answer("--like=tea", 1);
    (void)state;

    assert_string_equal(json_string_value(json_object_get(result, "model")), "model");
    assert_string_equal(json_string_value(json_object_get(result, "item")), "tea");
    assert_string_equal(json_string_value(json_object_get(result, "title")), "Green Tea");
    json_decref(result);
}

static void several_answers_are_a_list(void **state)
{
    (void)state;
    write_file("histories", "ann\ttea\nbob\tjam\n");
    json_t *result = answer("--histories=histories", 2);
    assert_int_equal(json_array_size(json_object_get(result, "histories")), 2);
    json_decref(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_answer_stands_by_itself),
        cmocka_unit_test(several_answers_are_a_list),
    };
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
