#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/utf8.h"
#include "data/data_name.h"

static void expect(const char *path, const char *wanted)
{
    char name[NLN_DATA_NAME_ROOM];
    nln_data_name(name, path);
    assert_string_equal(name, wanted);
}

static void the_last_part_of_a_path(void **state)
{
    (void)state;
    expect("ratings.csv", "ratings.csv");
    expect("/home/ann/shop/ratings.csv", "ratings.csv");
    expect("data/ml-100k//", "ml-100k");
    expect("-", "");
    expect("", "");
    expect("/", "");
}

static void strange_characters_are_replaced(void **state)
{
    (void)state;
    expect("a\nb\x1b", "a?b?");
    expect("\xff\xc3\xa9t\xc3\xa9", "?\xc3\xa9t\xc3\xa9");
}

static void a_long_name_is_cut_between_characters(void **state)
{
    char path[400] = "", name[NLN_DATA_NAME_ROOM];
    (void)state;
    for (int i = 0; i < 90; i++)
        strcat(path, "\xe2\x82\xac");
    nln_data_name(name, path);
    assert_true(strlen(name) < NLN_DATA_NAME_ROOM && strlen(name) > NLN_DATA_NAME_ROOM - 5);
    assert_true(nln_utf8_valid(name, strlen(name)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_part_of_a_path),
        cmocka_unit_test(strange_characters_are_replaced),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
