#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "data/ratings_columns.h"

static int role_of(const nln_column_choice *choice, const char *name)
{
    int fallback;
    return nln_ratings_column_role(&fallback, choice, name, strlen(name));
}

static void known_names_have_roles_in_any_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int role, fallback;
    } cases[] = {{"user", NLN_ROLE_USER, 0},      {"User_ID:token", NLN_ROLE_USER, 0},
                 {"asin", NLN_ROLE_ITEM, 0},      {"rate", NLN_ROLE_RATING, 1},
                 {"ts", NLN_ROLE_TIME, 1},        {"Time", NLN_ROLE_TIME, 0},
                 {"user names", -1, 0},           {"", -1, 0},
                 {"averyveryverylongname", -1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fallback = -1, n = (int)strlen(cases[i].name);
        assert_int_equal(nln_ratings_column_role(&fallback, NULL, cases[i].name, (size_t)n),
                         cases[i].role);
        assert_int_equal(fallback, cases[i].fallback);
    }
    assert_string_equal(nln_ratings_column_word(NLN_ROLE_TIME), "time");
    assert_string_equal(nln_ratings_column_known(NLN_ROLE_ITEM, 1), "itemid");
    assert_true(nln_ratings_column_called((nln_field){"Movie_Id", 8, 0}, "movieid"));
    assert_false(nln_ratings_column_called((nln_field){"Movie_Ids", 9, 0}, "movieid"));
}

/* A chosen name goes before the known ones, and a chosen role is not guessed. */
static void a_choice_goes_before_known_names(void **state)
{
    (void)state;
    nln_column_choice choice;
    assert_int_equal(nln_column_choice_parse(&choice, "", NULL), NLN_OK);
    assert_false(nln_column_choice_any(&choice));
    assert_int_equal(nln_column_choice_parse(&choice, "user=item,rating=4,time=none", NULL),
                     NLN_OK);
    assert_true(nln_column_choice_any(&choice));
    assert_true(nln_column_choice_by_name(&choice));
    assert_int_equal(role_of(&choice, "item"), NLN_ROLE_USER);
    assert_int_equal(role_of(&choice, "user"), -1);
    assert_int_equal(role_of(&choice, "Item"), NLN_ROLE_ITEM);
    assert_int_equal(role_of(&choice, "rating"), -1);
    assert_int_equal(role_of(&choice, "time"), -1);
    assert_int_equal(choice.number[NLN_ROLE_RATING], 4);
    assert_int_equal(choice.number[NLN_ROLE_TIME], NLN_COLUMN_NONE);
    assert_int_equal(nln_column_choice_parse(&choice, "user=1,item=2", NULL), NLN_OK);
    assert_true(nln_column_choice_any(&choice));
    assert_false(nln_column_choice_by_name(&choice));
}

static void bad_choices_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"user",          "user=",         "people=a",  "=a",
                                      "user=a,user=b", "user=a,item=a", "user=0",    "user=65",
                                      "user=1.5",      "user=1,item=1", "user=a,,x", "userr=a"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_column_choice choice;
        nln_error err = {0};
        if (nln_column_choice_parse(&choice, bad[i], &err) != NLN_INVALID)
            fail_msg("%s is taken", bad[i]);
        assert_non_null(strstr(err.message, "--columns"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_names_have_roles_in_any_spelling),
        cmocka_unit_test(a_choice_goes_before_known_names),
        cmocka_unit_test(bad_choices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
