#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/symbols.h"

static void numbers_names_in_order_of_first_sight(void **state)
{
    (void)state;
    nln_symbols *s = nln_symbols_create();
    assert_int_equal(nln_symbols_count(s), 0);
    assert_int_equal(nln_symbols_find(s, "a", 1), -1);
    assert_int_equal(nln_symbols_intern(s, "a", 1), 0);
    assert_int_equal(nln_symbols_intern(s, "ab", 2), 1);
    assert_int_equal(nln_symbols_intern(s, "abc", 1), 0);
    assert_int_equal(nln_symbols_intern(s, "", 0), 2);
    assert_int_equal(nln_symbols_find(s, "", 0), 2);
    assert_int_equal(nln_symbols_find(s, "abc", 2), 1);
    assert_int_equal(nln_symbols_find(s, "abc", 3), -1);
    assert_int_equal(nln_symbols_count(s), 3);
    assert_string_equal(nln_symbols_name(s, 1), "ab");
    assert_string_equal(nln_symbols_name(s, 2), "");
    assert_null(nln_symbols_name(s, 3));
    assert_null(nln_symbols_name(s, -1));
    nln_symbols_free(s);
}

static void keeps_every_name_while_it_grows(void **state)
{
    (void)state;
    enum { N = 300000 };
    nln_symbols *s = nln_symbols_create();
    char name[40];
    for (int32_t i = 0; i < N; i++) {
        int n = snprintf(name, sizeof name, "item:%d", (int)i * 7);
        assert_int_equal(nln_symbols_intern(s, name, (size_t)n), i);
    }
    for (int32_t i = 0; i < N; i++) {
        int n = snprintf(name, sizeof name, "item:%d", (int)i * 7);
        assert_int_equal(nln_symbols_find(s, name, (size_t)n), i);
        assert_string_equal(nln_symbols_name(s, i), name);
        n = snprintf(name, sizeof name, "item:%d", (int)i * 7 + 1);
        assert_int_equal(nln_symbols_find(s, name, (size_t)n), -1);
    }
    assert_int_equal(nln_symbols_count(s), N);
    nln_symbols_free(s);
}

/* Against a list searched from its beginning, over a few short names. */
static void agrees_with_a_plain_list(void **state)
{
    (void)state;
    enum { N = 3000, LONGEST = 4 };
    char list[N][LONGEST + 1];
    int32_t n_list = 0;
    nln_random r = nln_random_seed(1, 0);
    nln_symbols *s = nln_symbols_create();
    for (int i = 0; i < N; i++) {
        char name[LONGEST + 1] = {0};
        size_t length = nln_random_below(&r, LONGEST + 1);
        for (size_t k = 0; k < length; k++)
            name[k] = (char)("\x01"
                             "az\xff"[nln_random_below(&r, 4)]);
        int32_t id = 0;
        while (id < n_list && strcmp(list[id], name) != 0)
            id++;
        assert_int_equal(nln_symbols_find(s, name, length), id < n_list ? id : -1);
        assert_int_equal(nln_symbols_intern(s, name, length), id);
        if (id == n_list)
            strcpy(list[n_list++], name);
    }
    assert_int_equal(nln_symbols_count(s), n_list);
    nln_symbols_free(s);
}

static void finds_the_name_that_was_meant(void **state)
{
    (void)state;
    nln_symbols *s = nln_symbols_create();
    assert_null(nln_symbols_nearest(s, "apple", 5));
    nln_symbols_intern(s, "apple", 5);
    nln_symbols_intern(s, "pear", 4);
    assert_string_equal(nln_symbols_nearest(s, "aple & x", 4), "apple");
    assert_string_equal(nln_symbols_nearest(s, "peas", 4), "pear");
    assert_null(nln_symbols_nearest(s, "cherry", 6));
    char far[200];
    memset(far, 'a', sizeof far);
    assert_null(nln_symbols_nearest(s, far, sizeof far));
    nln_symbols_free(s);
}

static void frees_nothing(void **state)
{
    (void)state;
    nln_symbols_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_names_in_order_of_first_sight),
        cmocka_unit_test(keeps_every_name_while_it_grows),
        cmocka_unit_test(agrees_with_a_plain_list),
        cmocka_unit_test(finds_the_name_that_was_meant),
        cmocka_unit_test(frees_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
