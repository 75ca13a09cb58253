#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "likes.h"
#include "serve/model_comparison.h"

static const char films[] = "ann +tea -milk +cake | +jam | +nut bob +tea +cake | -nut | "
                            "+milk cid -tea +milk | +jam | -cake";

static void values_by_task(void **state)
{
    nln_metrics m = {.n = 4, .accuracy = .5, .auc = .75};
    (void)state;
    assert_string_equal(nln_model_comparison_name("topk"), "nDCG@10");
    assert_true(nln_model_comparison_value("logic", &m) == .5);
    assert_true(nln_model_comparison_value("preference", &m) == .75);
    assert_true(isnan(nln_model_comparison_value("topk", &m)));
    m.full = (nln_ranking){.n = 1, .n_cuts = 2, .cut = {5, 10}, .ndcg = {.1, .2}};
    assert_true(nln_model_comparison_value("topk", &m) == .2);
    m.n = 0;
    assert_true(isnan(nln_model_comparison_value("preference", &m)));
}

static void the_better_one_is_found(void **state)
{
    nln_ratings *ratings = likes_of(films);
    nln_model *one = likes_train(NULL, ratings, "task=topk epochs=1 dimension=4 threads=1");
    nln_model *other = likes_train(NULL, ratings, "task=topk epochs=40 dimension=8 threads=1");
    nln_model *labels = likes_train(NULL, ratings, "task=preference epochs=1 dimension=4");
    nln_model_comparison a, b, c;
    (void)state;
    nln_model_comparison_make(&a, one, other, ratings);
    nln_model_comparison_make(&b, other, one, ratings);
    assert_true(a.now == b.before && a.before == b.now);
    assert_int_equal(a.worse, a.now < a.before);
    assert_false(a.worse && b.worse);
    assert_non_null(strstr(a.verdict, "on the 3 newest events, which neither has learned"));
    nln_model_comparison_make(&c, one, one, ratings);
    assert_false(c.worse);
    nln_model_comparison_make(&c, one, labels, ratings); /* of another task */
    assert_true(isnan(c.before) && !c.worse);
    assert_non_null(strstr(c.verdict, "cannot be compared"));
    nln_model_free(one);
    nln_model_free(other);
    nln_model_free(labels);
    nln_ratings_free(ratings);
}

/* What a model does not know is a miss, and not left out. */
static void items_that_one_does_not_know_are_misses(void **state)
{
    nln_ratings *all = likes_of(films);
    nln_ratings *few = likes_of("ann +tea -milk | +jam | +cake bob +tea | -jam | +milk "
                                "cid -tea +milk | +jam | -cake");
    nln_model *knows = likes_train(NULL, all, "task=topk epochs=1 dimension=4 threads=1");
    nln_model *lacks = likes_train(NULL, few, "task=topk epochs=1 dimension=4 threads=1");
    nln_model_comparison a, b;
    (void)state;
    nln_model_comparison_make(&a, knows, lacks, all); /* the likes to find are nut and milk */
    nln_model_comparison_make(&b, lacks, knows, all);
    assert_int_equal(a.metrics.full.n, 2);
    assert_int_equal(b.metrics.full.n, 2);
    assert_true(a.before == b.now);
    nln_model_free(knows);
    nln_model_free(lacks);
    nln_ratings_free(all);
    nln_ratings_free(few);
}

static void nothing_to_measure_keeps_the_old_one(void **state)
{
    nln_ratings *ratings = likes_of(films), *strange = likes_of("dan +oil | +gas | +coal");
    nln_model *model = likes_train(NULL, ratings, "task=topk epochs=1 dimension=4 threads=1");
    nln_model_comparison c;
    (void)state;
    nln_model_comparison_make(&c, model, model, strange);
    assert_true(c.worse && isnan(c.now));
    assert_non_null(strstr(c.verdict, "cannot be measured"));
    nln_model_free(model);
    nln_ratings_free(ratings);
    nln_ratings_free(strange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_task),
        cmocka_unit_test(the_better_one_is_found),
        cmocka_unit_test(items_that_one_does_not_know_are_misses),
        cmocka_unit_test(nothing_to_measure_keeps_the_old_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
