/* Item-to-item counting, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"

enum { TEA, JAM, RYE, OIL, ITEMS };

static const char likes[] = "ann +tea +jam -rye bob +tea +jam +rye eve +tea +oil dan +jam +rye";

/* Tea is liked by 3, jam by 3, rye by 2 and oil by 1; tea and jam by 2 together. */
static double similarity(int both, int one, int other)
{
    return both / (sqrt((double)one * other) + 2);
}

static void scores_are_sums_of_similarities(void **state)
{
    (void)state;
    nln_ratings *r = likes_of(likes);
    nln_model *m = likes_train(NULL, r, "task=topk model=itemknn l2=2"), *read = NULL;
    nln_error err = {0};
    double score[ITEMS], again[ITEMS];
    size_t at[ITEMS];
    static const char *const names[ITEMS] = {"tea", "jam", "rye", "oil"};
    for (int i = 0; i < ITEMS; i++)
        tiny_need(nln_model_find(&at[i], m, names[i], &err), &err);
    /* what is disliked says nothing */
    nln_literal history[] = {{at[TEA], 1, 0}, {at[OIL], 0, 0}, {at[JAM], 1, 0}};
    tiny_need(nln_recommend_scores(score, m, NULL, history, 3, &err), &err);
    double tea_jam = similarity(2, 3, 3), tea_rye = similarity(1, 3, 2);
    double jam_rye = similarity(2, 3, 2), tea_oil = similarity(1, 3, 1);
    assert_true(fabs(score[at[TEA]] - tea_jam) < 2e-6);
    assert_true(fabs(score[at[JAM]] - tea_jam) < 2e-6);
    assert_true(fabs(score[at[RYE]] - tea_rye - jam_rye) < 2e-6);
    assert_true(fabs(score[at[OIL]] - tea_oil) < 2e-6);
    tiny_need(nln_model_save(m, "itemknn.safetensors", &err), &err);
    tiny_need(nln_model_load(&read, "itemknn.safetensors", &err), &err);
    tiny_need(nln_recommend_scores(again, read, NULL, history, 3, &err), &err);
    for (int i = 0; i < ITEMS; i++)
        assert_true(score[i] == again[i]);
    remove("itemknn.safetensors");
    nln_model_free(read);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* After an empty history the most liked come first. */
static void without_a_history_it_is_popularity(void **state)
{
    (void)state;
    nln_ratings *r = likes_of(likes);
    nln_model *m = likes_train(NULL, r, "task=topk model=itemknn");
    nln_error err = {0};
    double score[ITEMS];
    size_t tea, rye, oil;
    tiny_need(nln_model_find(&tea, m, "tea", &err), &err);
    tiny_need(nln_model_find(&rye, m, "rye", &err), &err);
    tiny_need(nln_model_find(&oil, m, "oil", &err), &err);
    tiny_need(nln_recommend_scores(score, m, NULL, NULL, 0, &err), &err);
    assert_true(score[tea] > score[rye] && score[rye] > score[oil]);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_sums_of_similarities),
                                       cmocka_unit_test(without_a_history_it_is_popularity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
