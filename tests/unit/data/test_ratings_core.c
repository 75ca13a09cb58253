#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "rows_text.h"

static nln_ratings *ratings_of(const char *text)
{
    nln_ratings_rows rows;
    nln_ratings_report report;
    nln_ratings *r = NULL;
    assert_int_equal(read_text(&rows, &report, text, strlen(text), &as_it_is, NULL), NLN_OK);
    assert_int_equal(nln_ratings_from_rows(&r, &report, &rows, 0, NULL), NLN_OK);
    return r;
}

static void removals_go_on_until_all_have_enough(void **state)
{
    (void)state;
    /* d falls, then z, then c; a and b keep x and y, and their order. */
    nln_ratings *r = ratings_of("c,z,5,1\nb,y,2,9\nb,x,5,3\na,x,4,2\na,y,1,1\nc,x,3,4\nd,z,5,1\n");
    assert_int_equal(nln_ratings_core(&r, 2, NULL), NLN_OK);
    assert_int_equal(r->n, 4);
    assert_int_equal(nln_ratings_core(&r, 3, NULL), NLN_INVALID);
    assert_int_equal(r->n, 4);
    nln_ratings_free(r);
    r = ratings_of("c,z,5,1\nb,y,2,9\nb,x,5,3\na,x,4,2\na,y,1,1\n");
    assert_int_equal(nln_ratings_core(&r, 2, NULL), NLN_OK);
    assert_int_equal(r->n, 4);
    assert_int_equal(nln_ratings_users(r), 2);
    assert_int_equal(nln_ratings_items(r), 2);
    assert_string_equal(nln_ratings_user(r, 0), "b");
    assert_string_equal(nln_ratings_item(r, 0), "y");
    assert_true(r->time[r->start[0]] == 3 && r->rating[r->start[0]] == 5);
    assert_true(nln_ratings_liked(r, r->start[0]) && !nln_ratings_liked(r, r->start[0] + 1));
    nln_ratings_free(r);
}

/* Every user and item has enough, and adding any removed row back, alone, breaks that: the result
 * is the largest such set, since cores are unique. */
static void a_core_is_a_core(void **state)
{
    (void)state;
    nln_random random = nln_random_seed(7, 0);
    for (int round = 0; round < 50; round++) {
        char text[4096] = "";
        size_t length = 0, n_before;
        for (int i = 0; i < 60; i++)
            length += (size_t)snprintf(text + length, sizeof text - length, "u%u,i%u\n",
                                       (unsigned)nln_random_below(&random, 12),
                                       (unsigned)nln_random_below(&random, 9));
        nln_ratings *r = ratings_of(text);
        n_before = r->n;
        if (nln_ratings_core(&r, 4, NULL) == NLN_OK) {
            int of_item[16] = {0};
            assert_true(r->n <= n_before);
            for (size_t u = 0; u < nln_ratings_users(r); u++)
                assert_true(r->start[u + 1] - r->start[u] >= 4);
            for (size_t i = 0; i < r->n; i++)
                of_item[r->item[i]]++;
            for (size_t i = 0; i < nln_ratings_items(r); i++)
                assert_true(of_item[i] >= 4);
        }
        nln_ratings_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removals_go_on_until_all_have_enough),
        cmocka_unit_test(a_core_is_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
