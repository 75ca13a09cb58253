/* What everybody likes, as a model and as an option of ranking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"

static nln_metrics measure(nln_placing **placings, const nln_model *model,
                           const nln_ratings *ratings, const char *settings)
{
    nln_options *o = tiny_options("ranking", settings);
    nln_metrics metrics = {0};
    nln_error err = {0};
    tiny_need(nln_evaluate_ratings(&metrics, placings, model, ratings, NLN_TEST, o, &err), &err);
    nln_options_free(o);
    return metrics;
}

/* Whatever the model that is asked to step aside. */
static void the_option_ranks_like_the_model(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(80, 25, 12, 3);
    nln_model *popular = likes_train(NULL, r, "task=topk model=popularity");
    nln_model *network = likes_train(NULL, r, "task=topk epochs=1 dimension=6 threads=2");
    nln_placing *of_model = NULL, *of_option = NULL;
    nln_metrics a = measure(&of_model, popular, r, "threads=2");
    nln_metrics b = measure(&of_option, network, r, "popularity=true threads=2");
    nln_metrics c = measure(NULL, network, r, "threads=2");
    assert_true(a.full.n > 20);
    assert_true(likes_same_rankings(&a.full, &b.full));
    assert_true(likes_same_rankings(&a.sampled, &b.sampled));
    assert_false(likes_same_rankings(&a.full, &c.full));
    for (size_t i = 0; i < a.full.n; i++)
        assert_true(of_model[i].item == of_option[i].item && of_model[i].full == of_option[i].full);
    nln_free(of_model);
    nln_free(of_option);
    nln_model_free(popular);
    nln_model_free(network);
    nln_ratings_free(r);
}

/* Likes in training alone, of anybody. */
static void likes_are_counted(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +tea +jam -rye | +fig | +oil bob +tea -jam | +oil | +rye "
                              "eve +tea | +oil | +jam");
    nln_model *m = likes_train(NULL, r, "task=topk model=popularity");
    static const struct {
        const char *item;
        double likes;
    } wanted[] = {{"tea", 3}, {"jam", 1}, {"rye", 0}, {"oil", 0}, {"fig", 0}};
    nln_error err = {0};
    double score[5];
    tiny_need(nln_recommend_scores(score, m, NULL, NULL, 0, &err), &err);
    for (size_t i = 0; i < 5; i++) {
        size_t at;
        tiny_need(nln_model_find(&at, m, wanted[i].item, &err), &err);
        assert_true(score[at] == wanted[i].likes);
    }
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_option_ranks_like_the_model),
        cmocka_unit_test(likes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
