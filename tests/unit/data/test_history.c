#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"

static const nln_rating_grades none;

/* Literals as likes_of has them, by the names of the ratings or, with a map, of the model. */
static void expect_literals(const nln_literal *got, size_t n, const nln_symbols *names,
                            const char *wanted)
{
    char text[256] = "";
    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%c%s", i ? " " : "",
                 got[i].liked ? '+' : '-', nln_symbols_name(names, (int32_t)got[i].item));
    }
    assert_string_equal(text, wanted);
}

static void windows_are_what_came_before_in_order(void **state)
{
    (void)state;
    static const struct {
        size_t at, most;
        const char *wanted;
    } cases[] = {
        {0, 3, ""},         {1, 3, "+a"},
        {2, 3, "+a -b"},    {3, 3, "+a -b +c"},
        {4, 3, "-b +c -d"}, {5, 3, "+c -d +e"},
        {5, 1, "+e"},       {5, 5, "+a -b +c -d +e"},
        {5, 0, ""},         {5, 99, "+a -b +c -d +e"},
    };
    nln_ratings *r = likes_of("before +z -y ann +a -b +c | -d | +e -f after +q");
    size_t start = r->start[1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_literal window[6];
        size_t n =
            nln_history_window(window, r, start, start + cases[i].at, cases[i].most, NULL, &none);
        expect_literals(window, n, r->items, cases[i].wanted);
    }
    nln_ratings_free(r);
}

/* What is left out makes room for what is older. */
static void a_map_renames_and_leaves_out(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c -d +e");
    nln_symbols *names = trees_names(9);
    int32_t map[] = {8, 0, -1, 3, -1};
    nln_literal window[5];
    size_t n = nln_history_window(window, r, 0, 5, 2, map, &none);
    expect_literals(window, n, names, "-x0 -x3");
    n = nln_history_window(window, r, 0, 5, 3, map, &none);
    expect_literals(window, n, names, "+x8 -x0 -x3");
    n = nln_history_window(window, r, 0, 5, 5, map, &none);
    expect_literals(window, n, names, "+x8 -x0 -x3");
    n = nln_history_window(window, r, 0, 5, 5, (const int32_t[]){-1, -1, -1, -1, -1}, &none);
    assert_int_equal(n, 0);
    nln_symbols_free(names);
    nln_ratings_free(r);
}

static int same(nln_literal a, nln_literal b)
{
    return a.item == b.item && a.liked == b.liked;
}

/* Every window of random ratings is the end of the longest one. */
static void a_shorter_window_is_the_end_of_a_longer_one(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(20, 30, 20, 4);
    nln_literal all[32], some[32];
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i <= r->start[u + 1]; i++) {
            size_t n = nln_history_window(all, r, r->start[u], i, 32, NULL, &none);
            assert_int_equal(n, i - r->start[u]);
            for (size_t j = 0; j < n; j++) {
                assert_int_equal(all[j].item, r->item[r->start[u] + j]);
                assert_int_equal(all[j].liked, nln_ratings_liked(r, r->start[u] + j));
            }
            for (size_t most = 0; most < n; most++) {
                assert_int_equal(nln_history_window(some, r, r->start[u], i, most, NULL, &none),
                                 most);
                for (size_t j = 0; j < most; j++)
                    assert_true(same(some[j], all[n - most + j]));
            }
        }
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_what_came_before_in_order),
        cmocka_unit_test(a_map_renames_and_leaves_out),
        cmocka_unit_test(a_shorter_window_is_the_end_of_a_longer_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
