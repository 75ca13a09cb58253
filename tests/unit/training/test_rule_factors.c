/* Validation decides how much rules are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"
#include "training/rule_factors.h"

enum { PAIRS = 12, USERS = 240 };

/* Who likes one item of a pair likes the other; the second one is in validation for one user in
 * four, or, if not `planted`, another random item. */
static nln_ratings *pairs(int planted)
{
    nln_ratings_rows rows = likes_rows();
    nln_random r = nln_random_seed(3, 3);
    for (int u = 0; u < USERS; u++) {
        int pair = (int)nln_random_below(&r, PAIRS), other = (int)nln_random_below(&r, PAIRS - 1);
        char user[16], item[16];
        snprintf(user, sizeof user, "u%d", u);
        other += other >= pair;
        for (int k = 0; k < 2; k++) {
            int is_random = k && !planted;
            snprintf(item, sizeof item, "x%d", 2 * (is_random ? other : pair) + (k ^ (u & 1)));
            likes_add(&rows, user, item, 1, k && u % 4 == 0 ? NLN_VALID : NLN_TRAIN);
        }
    }
    return likes_finish(&rows);
}

static nln_queries histories(const nln_ratings *r)
{
    nln_queries users = {0};
    for (size_t u = 0; u < nln_ratings_users(r); u++) {
        nln_literal met[4];
        size_t n = 0;
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == NLN_TRAIN)
                met[n++] = (nln_literal){(size_t)r->item[i], nln_ratings_liked(r, i), 0};
        assert_int_equal(nln_queries_append(&users, (int32_t)u, met, n, -1, NULL), NLN_OK);
    }
    return users;
}

static nln_rule_choice choose(nln_model **out, const nln_ratings *r)
{
    nln_rule_choice chosen;
    nln_contest contest;
    nln_queries users = histories(r);
    nln_thread_pool *pool = NULL;
    nln_error err = {0};
    *out = likes_model(r->items, "task=topk dimension=6 rules=10");
    tiny_need(nln_thread_pool_create(&pool, 2, &err), &err);
    tiny_need(nln_contest_open(&contest, *out, r, &err), &err);
    tiny_need(nln_rule_factors_choose(&chosen, *out, &contest, &users, pool, &err), &err);
    nln_contest_close(&contest);
    nln_thread_pool_free(pool);
    nln_queries_free(&users);
    return chosen;
}

static void rules_that_hold_are_believed(void **state)
{
    (void)state;
    nln_ratings *r = pairs(1);
    nln_model *m = NULL;
    nln_rule_choice chosen = choose(&m, r);
    assert_int_equal(chosen.n_likes, USERS / 4);
    assert_non_null(m->rules);
    assert_true(m->rules->whole + m->rules->recent > 0);
    assert_true(chosen.with > 0.99 && chosen.without < 0.6);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* Rules never make the likes that they were weighed by worse. */
static void validation_is_never_worse(void **state)
{
    (void)state;
    nln_ratings *r = pairs(0);
    nln_model *m = NULL;
    nln_rule_choice chosen = choose(&m, r);
    assert_true(chosen.with >= chosen.without);
    assert_true((m->rules != NULL) == (chosen.with > chosen.without));
    nln_model_free(m);
    nln_ratings_free(r);
}

static void without_validation_there_are_none(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("a +x0 +x1 b +x1 -x2 +x3");
    nln_model *m = NULL;
    nln_rule_choice chosen = choose(&m, r);
    assert_int_equal(chosen.n_likes, 0);
    assert_null(m->rules);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* Who meets one item of a pair meets the other, but likes it only in validation, so that likes
 * alone say nothing of it. */
static nln_ratings *met_pairs(void)
{
    nln_ratings_rows rows = likes_rows();
    nln_random r = nln_random_seed(4, 4);
    for (int u = 0; u < USERS; u++) {
        int pair = (int)nln_random_below(&r, PAIRS), is_valid = u % 4 == 0;
        char user[16], item[16];
        snprintf(user, sizeof user, "u%d", u);
        snprintf(item, sizeof item, "x%d", 2 * pair);
        likes_add(&rows, user, item, 1, NLN_TRAIN);
        snprintf(item, sizeof item, "x%d", 2 * pair + 1);
        likes_add(&rows, user, item, is_valid, is_valid ? NLN_VALID : NLN_TRAIN);
    }
    return likes_finish(&rows);
}

static int try_dislikes(nln_ratings *r)
{
    int better = -1;
    nln_model *m = likes_model(r->items, "task=topk dimension=6 rules=10");
    nln_queries users = histories(r);
    nln_thread_pool *pool = NULL;
    nln_error err = {0};
    tiny_need(nln_thread_pool_create(&pool, 2, &err), &err);
    tiny_need(nln_rule_factors_try_dislikes(&better, m, r, &users, pool, &err), &err);
    nln_thread_pool_free(pool);
    nln_queries_free(&users);
    nln_model_free(m);
    nln_ratings_free(r);
    return better;
}

static void dislikes_count_where_validation_says_so(void **state)
{
    (void)state;
    assert_int_equal(try_dislikes(met_pairs()), 1);
    assert_int_equal(try_dislikes(pairs(1)), 0); /* there are none */
    assert_int_equal(try_dislikes(likes_of("a +x0 +x1 b +x1 -x2 +x3")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_that_hold_are_believed),
                                       cmocka_unit_test(validation_is_never_worse),
                                       cmocka_unit_test(without_validation_there_are_none),
                                       cmocka_unit_test(dislikes_count_where_validation_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
