/* The likes of validation, their candidates, and the quality of a ranking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "training/validation_contest.h"

static void candidates_are_what_the_user_does_not_like(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(40, 25, 12, 3);
    nln_model *m = likes_model(r->items, "task=topk dimension=6");
    nln_contest c;
    nln_error err = {0};
    tiny_need(nln_contest_open(&c, m, r, &err), &err);
    assert_int_equal(c.n, nln_ratings_likes(r, NLN_VALID));
    for (size_t i = 0; i < c.n; i++) {
        int32_t user = c.queries.list[i].user, *list = c.candidate + i * c.each;
        assert_int_equal(list[0], c.queries.list[i].target);
        for (size_t k = 1; k < c.n_candidates[i]; k++)
            for (size_t at = r->start[user]; at < r->start[user + 1]; at++)
                assert_false(nln_ratings_liked(r, at) && r->item[at] == list[k]);
    }
    nln_contest_close(&c);
    nln_model_free(m);
    nln_ratings_free(r);
}

static void quality_is_that_of_the_ranks(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(40, 25, 12, 3);
    nln_model *m = likes_model(r->items, "task=topk dimension=6");
    nln_contest c;
    nln_error err = {0};
    tiny_need(nln_contest_open(&c, m, r, &err), &err);
    double wanted = 0, flat = 0;
    for (size_t i = 0; i < c.n; i++) {
        double rank = 1;
        for (size_t k = 1; k < c.n_candidates[i]; k++)
            rank += c.score[NLN_BY_NETWORK][i * c.each + k] > c.score[NLN_BY_NETWORK][i * c.each];
        wanted += 1 / log2(1 + rank) / (double)c.n;
        flat += 1 / log2(2 + 0.5 * (double)(c.n_candidates[i] - 1)) / (double)c.n;
    }
    const double network[NLN_BY_KINDS] = {1}, none[NLN_BY_KINDS] = {0};
    assert_true(fabs(nln_contest_quality(&c, network) - wanted) < 1e-12);
    assert_true(fabs(nln_contest_quality(&c, none) - flat) < 1e-12); /* ties count half */
    assert_true(nln_contest_spread(&c, NLN_BY_NETWORK) > 0);
    assert_true(nln_contest_spread(&c, NLN_BY_WHOLE) <= 0);
    nln_contest_close(&c);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(candidates_are_what_the_user_does_not_like),
                                       cmocka_unit_test(quality_is_that_of_the_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
