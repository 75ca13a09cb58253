/* Measuring a model on a split of ratings: by labels or by places, of the items it knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "evaluation/metrics.h"
#include "evaluation/ranking_evaluation.h"
#include "likes.h"
#include "math/scalar.h"

enum { ITEMS = 20, TAKEN = 4 };

static int is_near(double a, double b)
{
    return fabs(a - b) < 2e-4;
}

/* ---- by hand ------------------------------------------------------------------------------- */

static const char *const drinks =
    "ann +tea -milk | -rum +gin | +rye bob -gin +rye | +tea -milk | +rum";

/* The popularity of the items of `drinks` but for the last, gin, which the model does not know. */
static nln_model *popularity(const char *task)
{
    static const char *const items[] = {"tea", "milk", "rum", "rye"};
    static const double score[] = {2, 1, 1, -3};
    char settings[64];
    nln_symbols *names = nln_symbols_create();
    nln_options *o;
    nln_model *m = NULL;
    nln_error err = {0};
    snprintf(settings, sizeof settings, "model=popularity task=%s", task);
    o = tiny_options("train", settings);
    for (int v = 0; v < 4; v++)
        nln_symbols_intern(names, items[v], strlen(items[v]));
    tiny_need(nln_model_create(&m, names, o, &err), &err);
    for (int v = 0; v < 4; v++)
        m->weights.data[0][v] = (real)score[v];
    nln_symbols_free(names);
    nln_options_free(o);
    return m;
}

/* Valid has rum (disliked, 1), tea (liked, 2) and milk (disliked, 1), and gin, which is left out.
 * Train has tea (liked, 2), milk (disliked, 1) and rye (liked, -3): of two pairs one is right. */
static void labels_are_measured_as_by_hand(void **state)
{
    (void)state;
    nln_ratings *r = likes_of(drinks);
    nln_model *m = popularity("preference");
    double p1 = 1 / (1 + exp(-1.0)), p2 = 1 / (1 + exp(-2.0));
    nln_metrics got;
    assert_int_equal(nln_evaluate_ratings(&got, NULL, m, r, NLN_VALID, NULL, NULL), NLN_OK);
    assert_int_equal(got.n, 3);
    assert_true(got.auc == 1);
    assert_true(is_near(got.accuracy, 1.0 / 3));
    assert_true(is_near(got.rmse, sqrt((2 * p1 * p1 + (1 - p2) * (1 - p2)) / 3)));
    assert_true(is_near(got.cross_entropy, -(2 * log(1 - p1) + log(p2)) / 3));
    assert_int_equal(nln_evaluate_ratings(&got, NULL, m, r, NLN_TRAIN, NULL, NULL), NLN_OK);
    assert_int_equal(got.n, 3);
    assert_true(got.auc == 0.5);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* All items are rivals.  Liked in valid are gin of ann, which is unknown and so behind all four,
 * and tea of bob, which leads; in test rye of ann, the last of four, and rum of bob, which shares
 * the second and third place with milk. */
static void places_are_those_found_by_hand(void **state)
{
    (void)state;
    nln_ratings *r = likes_of(drinks);
    nln_model *m = popularity("topk");
    nln_options *o = tiny_options("ranking", "with-seen=true threads=1");
    nln_metrics got;
    nln_placing *placings = NULL;
    assert_int_equal(nln_evaluate_ratings(&got, &placings, m, r, NLN_VALID, o, NULL), NLN_OK);
    assert_int_equal(got.full.n, 2);
    assert_string_equal(nln_ratings_user(r, placings[0].user), "ann");
    assert_string_equal(nln_ratings_item(r, placings[0].item), "gin");
    assert_true(isnan(placings[0].score) && placings[0].full == 5);
    assert_string_equal(nln_ratings_item(r, placings[1].item), "tea");
    assert_true(placings[1].score == 2 && placings[1].full == 1);
    assert_true(is_near(got.full.mean_rank, 3) && is_near(got.full.mrr, (1 + 1.0 / 5) / 2));
    nln_free(placings);
    assert_int_equal(nln_evaluate_ratings(&got, &placings, m, r, NLN_TEST, o, NULL), NLN_OK);
    assert_int_equal(got.full.n, 2);
    assert_true(placings[0].full == 4 && placings[1].full == 2.5);
    nln_free(placings);
    nln_options_free(o);
    nln_model_free(m);
    nln_ratings_free(r);
}

/* ---- against predictions one by one --------------------------------------------------------- */

/* The interactions of a split with known items, one by one. */
static size_t naive_answers(double *p, uint8_t *labels, const nln_model *m, const nln_ratings *r,
                            nln_split split)
{
    int32_t *map = NULL;
    size_t n = 0;
    nln_error err = {0};
    tiny_need(nln_model_map(&map, m, r->items, &err), &err);
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            nln_literal window[TAKEN];
            double score[ITEMS];
            if (nln_ratings_split(r, i) != split || map[r->item[i]] < 0)
                continue;
            size_t k = nln_history_window(window, r, r->start[u], i, TAKEN, map, &m->grading);
            labels[n] = nln_ratings_liked(r, i) != 0;
            likes_scores(score, m, window, k, m->config.orders);
            p[n++] = nln_sigmoid(score[map[r->item[i]]]);
        }
    free(map);
    return n;
}

static void preference_is_measured_by_labels(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(60, 30, 14, 2); /* x20, x21, ... are unknown to the model */
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, "task=preference dimension=12 hidden=9 history=4 members=2 "
                                      "orders=2 threads=1");
    double p[1000], auc;
    uint8_t labels[1000];
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++) {
        nln_metrics got, wanted;
        nln_placing *placings = (nln_placing *)&got;
        nln_error err = {0};
        if (nln_evaluate_ratings(&got, &placings, m, r, (nln_split)split, NULL, &err))
            fail_msg("%s", err.message);
        size_t n = naive_answers(p, labels, m, r, (nln_split)split);
        assert_true(n > 10 && n < nln_ratings_size(r, (nln_split)split));
        wanted = nln_metrics_binary(p, labels, n);
        assert_int_equal(nln_metrics_auc(&auc, p, labels, n, NULL), NLN_OK);
        assert_null(placings);
        assert_int_equal(got.n, n);
        assert_true(is_near(got.accuracy, wanted.accuracy) && is_near(got.rmse, wanted.rmse) &&
                    is_near(got.cross_entropy, wanted.cross_entropy) && is_near(got.auc, auc));
    }
    nln_model_free(m);
    nln_symbols_free(names);
    nln_ratings_free(r);
}

static void topk_is_measured_by_places(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(30, 30, 14, 2);
    nln_symbols *names = trees_names(ITEMS);
    nln_model *model = likes_model(names, "task=topk dimension=12 hidden=9 history=4 threads=1");
    nln_metrics got, wanted;
    nln_placing *of_got, *of_wanted;
    assert_int_equal(nln_evaluate_ratings(&got, &of_got, model, r, NLN_TEST, NULL, NULL), NLN_OK);
    assert_int_equal(nln_evaluate_ranking(&wanted, &of_wanted, model, r, NLN_TEST, NULL, NULL),
                     NLN_OK);
    assert_true(likes_same_metrics(&got, &wanted));
    assert_memory_equal(of_got, of_wanted, got.full.n * sizeof *of_got);
    assert_int_equal(nln_evaluate_ratings(&got, NULL, model, r, NLN_TEST, NULL, NULL), NLN_OK);
    assert_true(likes_same_metrics(&got, &wanted));
    nln_free(of_got);
    nln_free(of_wanted);
    nln_model_free(model);
    nln_symbols_free(names);
    nln_ratings_free(r);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void expect_refusal(const nln_model *m, const char *text, nln_status wanted,
                           const char *sentence)
{
    nln_ratings *r = likes_of(text);
    nln_metrics got = {.n = 77};
    nln_placing *placings = (nln_placing *)&got;
    nln_error err = {0};
    assert_int_equal(nln_evaluate_ratings(&got, &placings, m, r, NLN_TRAIN, NULL, &err), wanted);
    assert_int_equal(err.status, wanted);
    if (!strstr(err.message, sentence))
        fail_msg("'%s' is not in '%s'", sentence, err.message);
    assert_null(placings);
    assert_int_equal(got.n, 77);
    nln_ratings_free(r);
}

/* One known item is enough. */
static void ratings_of_other_items_are_refused(void **state)
{
    (void)state;
    static const char *const tasks[] = {"preference", "topk"};
    for (int k = 0; k < 2; k++) {
        nln_model *m = popularity(tasks[k]);
        expect_refusal(m, "ann +coffee -juice +gin", NLN_UNKNOWN, "none of the 3 items");
        nln_ratings *r = likes_of("ann +coffee -juice +tea");
        nln_metrics got;
        assert_int_equal(nln_evaluate_ratings(&got, NULL, m, r, NLN_TRAIN, NULL, NULL), NLN_OK);
        nln_ratings_free(r);
        nln_model_free(m);
    }
}

/* Of a model that has learned about each user; any other does not ask who it is. */
static void ratings_of_other_users_are_refused(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +tea -jam +rye | +oil | +fig bob +jam +oil -rye | +tea | +fig");
    nln_ratings *others = likes_of("eve +tea -jam joe +rye");
    nln_model *m = likes_train(NULL, r, "task=topk model=biasedmf epochs=1 dimension=4");
    nln_model *any = likes_train(NULL, r, "task=topk model=popularity");
    nln_metrics got;
    expect_refusal(m, "eve +tea -jam joe +rye", NLN_UNKNOWN, "none of the 2 users");
    assert_int_equal(nln_evaluate_ratings(&got, NULL, m, r, NLN_TEST, NULL, NULL), NLN_OK);
    assert_int_equal(nln_evaluate_ratings(&got, NULL, any, others, NLN_TRAIN, NULL, NULL), NLN_OK);
    nln_model_free(any);
    nln_model_free(m);
    nln_ratings_free(others);
    nln_ratings_free(r);
}

static void a_model_of_expressions_is_refused(void **state)
{
    (void)state;
    nln_model *logic = tiny_model(ITEMS, "dimension=4");
    expect_refusal(logic, "ann +x1", NLN_INVALID, "expressions");
    nln_model_free(logic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_measured_as_by_hand),
        cmocka_unit_test(places_are_those_found_by_hand),
        cmocka_unit_test(preference_is_measured_by_labels),
        cmocka_unit_test(topk_is_measured_by_places),
        cmocka_unit_test(ratings_of_other_items_are_refused),
        cmocka_unit_test(ratings_of_other_users_are_refused),
        cmocka_unit_test(a_model_of_expressions_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
