/* The machine, as far as it is known. */
#include "runs/machine_info.h"

#include "cli_test.h"

static void the_machine_has_cores_and_a_date(void **state)
{
    json_t *machine = cli_machine_json(), *date = cli_machine_date();
    int year, month, day, hour, minute, second;
    (void)state;

    assert_true(cli_machine_cores() >= 1);
    assert_int_equal(json_integer_value(json_object_get(machine, "cores")), cli_machine_cores());
    assert_true(json_is_string(json_object_get(machine, "system")));
    assert_int_equal(json_object_size(machine), 6);
    assert_int_equal(sscanf(json_string_value(date), "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month,
                            &day, &hour, &minute, &second),
                     6);
    json_decref(machine);
    json_decref(date);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_machine_has_cores_and_a_date)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
