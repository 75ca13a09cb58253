#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "data/ratings.h"
#include "tiny.h"

enum { USERS = 70, ITEMS = 9 };

/* Who likes (1), dislikes (-1) or does not know (0) what. */
static int opinion(int user, int item)
{
    uint64_t x = (uint64_t)user * 2654435761u + (uint64_t)item * 40503u;
    x ^= x >> 13;
    x = x * 0x9e3779b97f4a7c15u >> 40;
    if (item == 8) /* whoever likes 0 and dislikes 1 likes 8 */
        return opinion(user, 0) == 1 && opinion(user, 1) == -1 ? 1 : x % 5 == 0 ? 1 : 0;
    return x % 3 == 0 ? 0 : x % 3 == 1 ? 1 : -1;
}

static nln_ratings *made(void)
{
    nln_ratings_builder *b = NULL;
    nln_ratings *r = NULL;
    nln_error err = {0};
    nln_options *o = tiny_options("ratings", "split=none");
    tiny_need(nln_ratings_builder_create(&b, o, &err), &err);
    for (int64_t u = 0; u < USERS; u++)
        for (int64_t v = 0; v < ITEMS; v++) {
            int is = opinion((int)u, (int)v);
            double rating = is > 0 ? 5 : 1;
            if (is)
                tiny_need(nln_ratings_builder_add_numbers(b, &u, &v, &rating, NULL, 1, &err), &err);
        }
    tiny_need(nln_ratings_builder_finish(&r, NULL, b, &err), &err);
    nln_options_free(o);
    return r;
}

static int number(const nln_ratings *r, size_t item)
{
    return atoi(nln_ratings_item(r, item));
}

/* Every rule has the counts of trying all users, and none is missing. */
static void counts_are_those_of_all_users(void **state)
{
    (void)state;
    nln_ratings *r = made();
    nln_rating_rule *rules = NULL;
    size_t n = 0, expected = 0;
    nln_error err = {0};
    nln_options *o = tiny_options("rules", "support=3 confidence=0");
    tiny_need(nln_rating_rules_find(&rules, &n, r, o, &err), &err);
    for (size_t i = 0; i < n; i++) {
        int two = rules[i].disliked != NLN_NO_ITEM;
        int a = number(r, rules[i].liked), c = number(r, rules[i].likes);
        int b = two ? number(r, rules[i].disliked) : 0;
        size_t bodies = 0, support = 0, likes = 0;
        for (int u = 0; u < USERS; u++) {
            int body = opinion(u, a) == 1 && (!two || opinion(u, b) == -1);
            bodies += (size_t)body;
            support += (size_t)(body && opinion(u, c) == 1);
            likes += opinion(u, c) == 1;
        }
        assert_int_equal(rules[i].bodies, bodies);
        assert_int_equal(rules[i].support, support);
        assert_true(fabs(rules[i].confidence - (double)support / (double)bodies) < 1e-12);
        assert_true(fabs(rules[i].lift - rules[i].confidence * USERS / (double)likes) < 1e-9);
        expected += !two;
    }
    size_t single = 0;
    for (int a = 0; a < ITEMS; a++)
        for (int c = 0; c < ITEMS; c++) {
            size_t support = 0;
            for (int u = 0; u < USERS; u++)
                support += opinion(u, a) == 1 && opinion(u, c) == 1;
            single += a != c && support >= 3;
        }
    assert_int_equal(single, expected);
    nln_free(rules);
    nln_options_free(o);
    nln_ratings_free(r);
}

static void the_planted_rule_is_found(void **state)
{
    (void)state;
    nln_ratings *r = made();
    nln_rating_rule *rules = NULL;
    size_t n = 0;
    int found = 0;
    nln_error err = {0};
    tiny_need(nln_rating_rules_find(&rules, &n, r, NULL, &err), &err);
    for (size_t i = 0; i < n; i++)
        if (rules[i].disliked != NLN_NO_ITEM && number(r, rules[i].liked) == 0 &&
            number(r, rules[i].disliked) == 1 && number(r, rules[i].likes) == 8) {
            assert_true(rules[i].confidence == 1);
            found++;
        }
    assert_int_equal(found, 1);
    nln_free(rules);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_all_users),
        cmocka_unit_test(the_planted_rule_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
