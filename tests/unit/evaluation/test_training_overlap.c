/* What a model has learned of the interactions it is measured on: by hand, for ratings that come in
 * the same order, in another, and from somebody else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nln_lab.h"
#include "tiny.h"

enum { USERS = 3, ITEMS = 5, ROWS = USERS * ITEMS };

/* Every user likes every item, item i at the time i, or backwards; with rows of other users and in
 * another order of the rows if asked for. */
static nln_ratings *made(const char *split, int backwards, int strangers, int stride)
{
    nln_options *o = tiny_options("ratings", split);
    nln_ratings_builder *b = NULL;
    nln_ratings *r = NULL;
    nln_error err = {0};
    tiny_need(nln_ratings_builder_create(&b, o, &err), &err);
    for (int k = 0; k < ROWS; k++) {
        int row = k * stride % ROWS;
        int64_t user = row / ITEMS + (strangers ? 100 : 0), item = row % ITEMS;
        double time = backwards ? (double)-item : (double)item;
        tiny_need(nln_ratings_builder_add_numbers(b, &user, &item, NULL, &time, 1, &err), &err);
    }
    tiny_need(nln_ratings_builder_finish(&r, NULL, b, &err), &err);
    nln_options_free(o);
    return r;
}

static size_t learned(const nln_model *m, nln_ratings *r, nln_split split)
{
    nln_error err = {0};
    size_t n = 99;
    tiny_need(nln_ratings_learned(&n, m, r, split, &err), &err);
    nln_ratings_free(r);
    return n;
}

static nln_model *trained(const char *split, const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_ratings *r = made(split, 0, 0, 1);
    nln_model *m = NULL;
    nln_error err = {0};
    tiny_need(nln_train_ratings(&m, NULL, r, o, NULL, &err), &err);
    nln_ratings_free(r);
    nln_options_free(o);
    return m;
}

/* Of five likes the last is test and the one before it valid. */
static void what_was_held_out_is_told_from_what_was_learned(void **state)
{
    (void)state;
    nln_model *m = trained("split=likes", "model=popularity task=topk");
    nln_error err = {0};
    size_t n;
    assert_int_equal(learned(m, made("split=likes", 0, 0, 1), NLN_TEST), 0);
    assert_int_equal(learned(m, made("split=likes", 0, 0, 1), NLN_VALID), 0);
    assert_int_equal(learned(m, made("split=likes", 0, 0, 1), NLN_TRAIN), 3 * USERS);
    assert_int_equal(learned(m, made("split=likes", 0, 0, 7), NLN_TEST), 0);
    assert_int_equal(learned(m, made("split=likes", 1, 0, 1), NLN_TEST), USERS);
    assert_int_equal(learned(m, made("split=none", 0, 0, 1), NLN_TRAIN), 3 * USERS);
    assert_int_equal(learned(m, made("split=likes", 1, 1, 1), NLN_TEST), 0);
    nln_ratings *r = made("split=likes", 0, 0, 1);
    assert_int_equal(nln_ratings_learned(&n, m, r, (nln_split)9, &err), NLN_INVALID);
    nln_ratings_free(r);
    nln_model_free(m);
}

/* Without its users, or split at random, a model does not know. */
static void what_cannot_be_known_is_nothing(void **state)
{
    (void)state;
    nln_model *m = trained("split=likes", "model=popularity task=topk keep-users=false");
    assert_int_equal(learned(m, made("split=likes", 1, 0, 1), NLN_TEST), 0);
    nln_model_free(m);
    m = trained("split=random", "model=popularity task=topk");
    assert_int_equal(learned(m, made("split=likes", 1, 0, 1), NLN_TEST), 0);
    nln_model_free(m);
    m = trained("split=none", "model=popularity task=topk");
    assert_int_equal(learned(m, made("split=likes", 0, 0, 1), NLN_TEST), USERS);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_held_out_is_told_from_what_was_learned),
        cmocka_unit_test(what_cannot_be_known_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
