#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "data/split_names.h"
#include "likes.h"

/* None of them is a split. */
static const int wrong[] = {-1, 3, 7, 1 << 20, INT_MAX, INT_MIN};
enum { N_WRONG = sizeof wrong / sizeof *wrong };

static void splits_have_names(void **state)
{
    (void)state;
    assert_string_equal(nln_split_name(NLN_TRAIN), "train");
    assert_string_equal(nln_split_name(NLN_VALID), "valid");
    assert_string_equal(nln_split_name(NLN_TEST), "test");
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        assert_int_equal(nln_split_check((nln_split)i, NULL), NLN_OK);
}

static void expect_refusal(nln_status status, const nln_error *err)
{
    assert_int_equal(status, NLN_INVALID);
    assert_int_equal(err->status, NLN_INVALID);
    assert_non_null(strstr(err->message, "there is no split"));
}

/* Every function of nln.h that takes a split of expressions. */
static void data_has_no_other_split(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=5 expressions=50");
    nln_model *model = tiny_train(NULL, data, "dimension=4 epochs=1 threads=1");
    for (int i = 0; i < N_WRONG; i++) {
        nln_split split = (nln_split)wrong[i];
        nln_metrics metrics = {.n = 77};
        nln_error err = {0};
        assert_int_equal(nln_data_size(data, split), 0);
        assert_int_equal(nln_data_true(data, split), 0);
        expect_refusal(nln_evaluate(&metrics, model, data, split, NULL, &err), &err);
        assert_int_equal(metrics.n, 77);
        nln_data_place(&err, split, 0);
    }
    nln_model_free(model);
    nln_data_free(data);
}

/* The same of ratings, for both tasks. */
static void ratings_have_no_other_split(void **state)
{
    static const char *const settings[] = {"task=topk epochs=1 dimension=4 threads=1",
                                           "task=preference epochs=1 dimension=4 threads=1"};
    (void)state;
    nln_ratings *r = likes_of("ann +tea -jam +rye | +oil | +fig bob +jam +oil -rye | +tea | +fig");
    for (int i = 0; i < 2 * N_WRONG; i++) {
        nln_split split = (nln_split)wrong[i / 2];
        nln_model *model = likes_train(NULL, r, settings[i % 2]);
        nln_placing *placings = NULL;
        nln_metrics metrics = {.n = 77};
        nln_error err = {0};
        assert_int_equal(nln_ratings_size(r, split), 0);
        assert_int_equal(nln_ratings_likes(r, split), 0);
        expect_refusal(nln_evaluate_ratings(&metrics, &placings, model, r, split, NULL, &err),
                       &err);
        assert_null(placings);
        assert_int_equal(metrics.n, 77);
        nln_model_free(model);
    }
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_have_names),
        cmocka_unit_test(data_has_no_other_split),
        cmocka_unit_test(ratings_have_no_other_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
