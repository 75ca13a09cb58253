#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/edit_distance.h"
#include "base/random.h"

/* The definition, by recursion. */
static int plain(const char *a, const char *b)
{
    if (!*a || !*b)
        return (int)(strlen(a) + strlen(b));
    int change = plain(a + 1, b + 1) + (*a != *b);
    int less = plain(a + 1, b) + 1, more = plain(a, b + 1) + 1;
    int least = less < more ? less : more;
    return change < least ? change : least;
}

static void distances_are_those_of_the_definition(void **state)
{
    (void)state;
    nln_random random = nln_random_seed(1, 1);
    for (int round = 0; round < 300; round++) {
        char a[7] = "", b[7] = "";
        size_t n = nln_random_below(&random, 7), m = nln_random_below(&random, 7);
        for (size_t i = 0; i < n; i++)
            a[i] = (char)('a' + (int)nln_random_below(&random, 3));
        for (size_t i = 0; i < m; i++)
            b[i] = (char)('a' + (int)nln_random_below(&random, 3));
        assert_int_equal(nln_edit_distance(a, b), plain(a, b));
    }
    assert_int_equal(nln_edit_distance("law_sample", "law-sample"), 0);
    assert_true(nln_edit_distance_begins("law-sample", "law_"));
    assert_false(nln_edit_distance_begins("law-sample", "law-sampled"));
    char longer[100];
    memset(longer, 'a', sizeof longer - 1);
    longer[99] = '\0';
    assert_int_equal(nln_edit_distance(longer, longer), NLN_EDIT_DISTANCE_FAR);
}

static void only_near_names_are_suggested(void **state)
{
    (void)state;
    int least = NLN_EDIT_DISTANCE_FAR;
    assert_true(nln_edit_distance_nearer(&least, "uncel", "uncle"));
    assert_int_equal(least, 2);
    assert_false(nln_edit_distance_nearer(&least, "uncel", "unzelx"));
    assert_true(nln_edit_distance_nearer(&least, "uncel", "uncel2")); /* its beginning */
    assert_int_equal(least, 1);
    least = NLN_EDIT_DISTANCE_FAR;
    assert_false(nln_edit_distance_nearer(&least, "ab", "cd"));
    assert_false(nln_edit_distance_nearer(&least, "", "a"));
    assert_false(nln_edit_distance_nearer(&least, "parent", "brother"));
    assert_int_equal(least, NLN_EDIT_DISTANCE_FAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_definition),
        cmocka_unit_test(only_near_names_are_suggested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
