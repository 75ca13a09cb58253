/* Counts of literals: against counting by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/cooccurrence.h"

enum { ITEMS = 4 };

static nln_queries three_users(void)
{
    static const nln_literal first[] = {{0, 1, 0}, {1, 1, 0}, {2, 0, 0}},
                             second[] = {{0, 1, 0}, {2, 1, 0}, {2, 0, 0}, {0, 1, 0}},
                             third[] = {{1, 0, 0}};
    nln_queries users = {0};
    assert_int_equal(nln_queries_append(&users, 0, first, 3, -1, NULL), NLN_OK);
    assert_int_equal(nln_queries_append(&users, 1, second, 4, -1, NULL), NLN_OK);
    assert_int_equal(nln_queries_append(&users, 2, third, 1, -1, NULL), NLN_OK);
    return users;
}

static double together(const nln_cooccurrence *c, size_t a, int32_t b)
{
    for (size_t k = c->start[a]; k < c->start[a + 1]; k++)
        if (c->of[k].literal == b)
            return (double)c->of[k].count;
    return 0;
}

static void likes_and_dislikes_are_counted(void **state)
{
    (void)state;
    nln_queries users = three_users();
    nln_cooccurrence *c = NULL;
    assert_int_equal(
        nln_cooccurrence_create(&c, &users, ITEMS, (nln_dislikes){.are_literals = 1}, NULL),
        NLN_OK);
    const double times[2 * ITEMS] = {2, 1, 0, 0, 0, 1, 2, 0};
    for (int i = 0; i < 2 * ITEMS; i++)
        assert_true((double)c->with_self[i] == times[i]);
    assert_true(together(c, 0, ITEMS + 2) == 2); /* the second user met item 2 last as disliked */
    assert_true(together(c, ITEMS + 2, 0) == 2);
    assert_true(together(c, 0, 1) == 1);
    assert_true(together(c, 0, ITEMS + 1) == 0);
    assert_true(together(c, 0, 0) == 2);
    assert_int_equal(c->start[3], c->start[4]); /* item 3 has no companion */
    nln_cooccurrence_free(c);
    nln_queries_free(&users);
}

static void without_dislikes_there_are_likes(void **state)
{
    (void)state;
    nln_queries users = three_users();
    nln_cooccurrence *c = NULL;
    assert_int_equal(nln_cooccurrence_create(&c, &users, ITEMS, (nln_dislikes){0}, NULL), NLN_OK);
    assert_int_equal(c->n_literals, ITEMS);
    assert_true(c->with_self[0] == 2);
    assert_true(c->with_self[2] == 1);
    assert_true(together(c, 0, 2) == 1);
    nln_cooccurrence_free(c);
    nln_queries_free(&users);
}

static void dislikes_may_be_parts_of_likes(void **state)
{
    (void)state;
    nln_queries users = three_users();
    nln_cooccurrence *c = NULL;
    assert_int_equal(nln_cooccurrence_create(&c, &users, ITEMS, (nln_dislikes){.value = 0.5}, NULL),
                     NLN_OK);
    const double with_self[ITEMS] = {2, 1.25, 0.5, 0};
    assert_int_equal(c->n_literals, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        assert_true((double)c->with_self[i] == with_self[i]);
    assert_true(together(c, 0, 2) == 1);
    assert_true(together(c, 1, 2) == 0.5);
    nln_cooccurrence_free(c);
    nln_queries_free(&users);
}

/* A dislike may speak against an item; companions that cancel out are companions still. */
static void dislikes_may_count_against(void **state)
{
    (void)state;
    static const nln_literal both[] = {{0, 1, 0}, {1, 1, 0}}, one[] = {{0, 1, 0}, {1, 0, 0}};
    nln_queries users = {0};
    nln_cooccurrence *c = NULL;
    assert_int_equal(nln_queries_append(&users, 0, both, 2, -1, NULL), NLN_OK);
    assert_int_equal(nln_queries_append(&users, 1, one, 2, -1, NULL), NLN_OK);
    assert_int_equal(nln_cooccurrence_create(&c, &users, 2, (nln_dislikes){.value = -1}, NULL),
                     NLN_OK);
    assert_true(c->with_self[1] == 2);
    assert_true(together(c, 0, 1) == 0);
    assert_int_equal(c->start[1], 2);
    nln_cooccurrence_free(c);
    nln_queries_free(&users);
}

/* Of a user with very many interactions the last ones. */
static void the_last_ones_count(void **state)
{
    (void)state;
    enum { MANY = 1200 };
    static nln_literal met[MANY];
    nln_queries users = {0};
    nln_cooccurrence *c = NULL;
    for (size_t i = 0; i < MANY; i++)
        met[i] = (nln_literal){i, 1, 0};
    assert_int_equal(nln_queries_append(&users, 0, met, MANY, -1, NULL), NLN_OK);
    assert_int_equal(
        nln_cooccurrence_create(&c, &users, MANY, (nln_dislikes){.are_literals = 1}, NULL), NLN_OK);
    assert_int_equal(c->first[1], 1000);
    assert_true(c->with_self[199] == 0);
    assert_true(c->with_self[200] == 1);
    nln_cooccurrence_free(c);
    nln_queries_free(&users);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likes_and_dislikes_are_counted),
        cmocka_unit_test(without_dislikes_there_are_likes),
        cmocka_unit_test(dislikes_may_be_parts_of_likes),
        cmocka_unit_test(dislikes_may_count_against),
        cmocka_unit_test(the_last_ones_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
