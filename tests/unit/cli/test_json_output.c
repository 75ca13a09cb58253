/* Values as JSON, whatever they hold. */
#include "show/json_output.h"

#include "cli_test.h"

static void assert_json(json_t *value, const char *expected)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, expected);
    free(text);
    json_decref(value);
}

static void odd_values_are_still_json(void **state)
{
    (void)state;
    assert_json(cli_json_number(NAN), "null");
    assert_json(cli_json_number(INFINITY), "null");
    assert_json(cli_json_count(12), "12");
    assert_json(cli_json_text(NULL), "null");
    assert_json(cli_json_text("a\xff"), "\"a?\"");
}

static void options_have_the_type_of_their_row(void **state)
{
    const nln_option row[] = {{"a", NLN_OPTION_INT, "", 0, 0, NULL, ""},
                              {"b", NLN_OPTION_REAL, "", 0, 0, NULL, ""},
                              {"c", NLN_OPTION_FLAG, "", 0, 0, NULL, ""},
                              {"d", NLN_OPTION_TEXT, "", 0, 0, NULL, ""}};
    (void)state;

    assert_json(cli_json_option(&row[0], "9007199254740993"), "9007199254740993");
    assert_json(cli_json_option(&row[1], "0.25"), "0.25");
    assert_json(cli_json_option(&row[2], "true"), "true");
    assert_json(cli_json_option(&row[2], "false"), "false");
    assert_json(cli_json_option(&row[3], "7"), "\"7\"");
}

static void a_result_begins_with_the_version(void **state)
{
    json_t *result = cli_json_result("model", "m.nln");
    FILE *out = fopen("result", "w");
    (void)state;

    assert_string_equal(json_string_value(json_object_get(result, "version")), nln_version());
    json_object_del(result, "version");
    cli_json_put(result, "tenth", cli_json_number(0.1));
    cli_json_write(out, result);
    fclose(out);
    assert_file("result", "{\n  \"model\": \"m.nln\",\n  \"tenth\": 0.1\n}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_values_are_still_json),
        cmocka_unit_test(options_have_the_type_of_their_row),
        cmocka_unit_test(a_result_begins_with_the_version),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
