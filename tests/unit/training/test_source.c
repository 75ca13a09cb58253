/* What all sources share: sizes, scores and measures of labelled splits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "evaluation/metrics.h"
#include "likes.h"
#include "math/scalar.h"
#include "training/source.h"

enum { MOST = 64 };

static void measures_are_those_of_the_scores(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=6 expressions=40");
    nln_options *o = tiny_options("train", "task=logic dimension=6 threads=1");
    nln_source *source = NULL;
    nln_model *model = NULL;
    nln_error err = {0};
    nln_random random = nln_random_seed(1, 2);
    tiny_need(nln_source_of_expressions(&source, data, &err), &err);
    tiny_need(nln_model_create_for(&model, source->names, 0, o, &err), &err);
    tiny_need(source->open(source, model, &err), &err);
    nln_model_draw(model, &random);
    for (int split = 0; split < 3; split++) {
        double score[MOST];
        nln_metrics got = {0};
        size_t n = nln_source_size(source, (nln_split)split);
        assert_in_range(n, 1, MOST);
        tiny_need(nln_source_scores(score, source, model, (nln_split)split, &err), &err);
        tiny_need(nln_source_measure_labels(&got, source, model, (nln_split)split, 1, &err), &err);
        for (size_t i = 0; i < n; i++)
            score[i] = nln_sigmoid(score[i]);
        nln_metrics wanted = nln_metrics_binary(score, source->truths[split].label, n);
        assert_int_equal(got.n, n);
        assert_true(got.accuracy == wanted.accuracy && got.rmse == wanted.rmse);
        assert_true(got.cross_entropy == wanted.cross_entropy);
        tiny_need(nln_metrics_auc(&wanted.auc, score, source->truths[split].label, n, &err), &err);
        assert_true(got.auc == wanted.auc || (isnan(got.auc) && isnan(wanted.auc)));
    }
    source->free(source);
    nln_model_free(model);
    nln_options_free(o);
    nln_data_free(data);
}

static void expect_answers(const nln_source *s, const nln_model *m, nln_split split)
{
    double got[MOST], wanted[MOST];
    size_t n = nln_source_size(s, split);
    assert_in_range(n, 1, MOST);
    assert_int_equal(s->queries[split].n, n);
    assert_int_equal(nln_source_scores(got, s, m, split, NULL), NLN_OK);
    assert_int_equal(nln_model_answers(wanted, m, &s->queries[split], 1, NULL), NLN_OK);
    assert_memory_equal(got, wanted, n * sizeof *got);
}

/* Queries of ratings, which may be missing in a split; and none where items are ranked. */
static void sizes_and_scores_are_those_of_the_split(void **state)
{
    (void)state;
    static const char *const settings[] = {"task=preference dimension=4 threads=1",
                                           "task=preference model=popularity threads=1",
                                           "task=topk dimension=4 threads=1"};
    nln_ratings *ratings = likes_of("ann +tea -jam +rye | -oil bob +jam -rye | +tea +fig");
    for (int k = 0; k < 3; k++) {
        int ranks = k == 2;
        nln_model *model = likes_model(ratings->items, settings[k]);
        nln_source *source = NULL;
        double untouched = 77;
        nln_error err = {0};
        tiny_need(nln_source_of_ratings(&source, ratings, &err), &err);
        tiny_need(source->open(source, model, &err), &err);
        assert_int_equal(nln_source_size(source, NLN_TRAIN), ranks ? 0 : 5);
        assert_int_equal(nln_source_size(source, NLN_VALID), ranks ? 0 : 3);
        assert_int_equal(nln_source_size(source, NLN_TEST), 0);
        assert_int_equal(nln_source_scores(&untouched, source, model, NLN_TEST, NULL), NLN_OK);
        assert_true(untouched == 77);
        for (int split = NLN_TRAIN; !ranks && split <= NLN_VALID; split++)
            expect_answers(source, model, (nln_split)split);
        source->free(source);
        nln_model_free(model);
    }
    nln_ratings_free(ratings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_those_of_the_scores),
        cmocka_unit_test(sizes_and_scores_are_those_of_the_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
