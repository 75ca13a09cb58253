#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"
#include "training/liked_items.h"

static int likes(const nln_ratings *r, size_t user, int32_t item, int dislikes)
{
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++)
        if (r->item[i] == item && nln_ratings_split(r, i) == NLN_TRAIN &&
            (dislikes || nln_ratings_liked(r, i)))
            return 1;
    return 0;
}

static void finds_what_a_plain_search_finds(int dislikes)
{
    nln_ratings *r = likes_random(40, 25, 12, 8);
    nln_liked_items liked = {0};
    size_t n = 0;
    assert_int_equal(nln_liked_items_create(&liked, r, dislikes, NULL), NLN_OK);
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        for (int32_t item = 0; item < (int32_t)nln_ratings_items(r); item++) {
            int is_there = likes(r, u, item, dislikes);
            assert_int_equal(nln_liked_items_has(&liked, (int32_t)u, item), is_there);
            n += (size_t)is_there;
        }
    assert_true(n > 0);
    assert_int_equal(n,
                     dislikes ? nln_ratings_size(r, NLN_TRAIN) : nln_ratings_likes(r, NLN_TRAIN));
    nln_liked_items_free(&liked);
    nln_liked_items_free(&liked);
    nln_ratings_free(r);
}

static void likes_are_found(void **state)
{
    (void)state;
    finds_what_a_plain_search_finds(0);
}

static void all_items_that_were_met_are_found(void **state)
{
    (void)state;
    finds_what_a_plain_search_finds(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(likes_are_found),
                                       cmocka_unit_test(all_items_that_were_met_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
