/* One description of a struct makes its JSON and its tables. */
#include "show/struct_fields.h"

#include "cli_test.h"

typedef struct record {
    const char *name, *note;
    size_t n;
    int steps, done;
    double share;
} record;

static const cli_field fields[] = {
    CLI_FIELD(record, name, TEXT, "name", "who", 0),
    CLI_FIELD(record, note, TEXT, "note", NULL, 0),
    CLI_FIELD(record, n, COUNT, "n", "n", 0),
    CLI_FIELD(record, steps, INT, "steps", "steps", 0),
    CLI_FIELD(record, done, FLAG, "done", NULL, 0),
    CLI_FIELD(record, share, NUMBER, NULL, "share", 2),
    CLI_FIELD(record, share, NUMBER, "share", NULL, 0),
};
static const record records[] = {{"ann", NULL, 3, 7, 1, 0.5}, {"bob", "x", 10, -1, 0, NAN}};

static void json_has_the_keys_in_order(void **state)
{
    json_t *array = cli_fields_array(fields, CLI_COUNT(fields), records, 2, sizeof *records);
    char *text = json_dumps(array, JSON_COMPACT);
    (void)state;

    assert_string_equal(text,
                        "[{\"name\":\"ann\",\"note\":null,\"n\":3,\"steps\":7,\"done\":true,"
                        "\"share\":0.5},{\"name\":\"bob\",\"note\":\"x\",\"n\":10,\"steps\":-1,"
                        "\"done\":false,\"share\":null}]");
    free(text);
    json_decref(array);
}

static void tables_have_the_titles(void **state)
{
    (void)state;
    int kept = capture(1);
    cli_fields_print(fields, CLI_COUNT(fields), records, 2, sizeof *records);
    char *table = release(1, kept);
    assert_string_equal(table, "who   n  steps  share\n"
                               "ann   3      7   0.50\n"
                               "bob  10     -1      -\n");
    free(table);
    kept = capture(1);
    cli_fields_print_list(fields, CLI_COUNT(fields), &records[0]);
    table = release(1, kept);
    assert_string_equal(table, "figure  value\n"
                               "who       ann\n"
                               "n           3\n"
                               "steps       7\n"
                               "share    0.50\n");
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_keys_in_order),
        cmocka_unit_test(tables_have_the_titles),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
