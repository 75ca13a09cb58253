/* The choice of an epoch: which of two is better, and what a task may choose by. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "training/selection.h"

static int better(int select, nln_metrics a, nln_metrics b)
{
    a.n = b.n = 1;
    return nln_selection_better(select, &a, &b);
}

static void the_first_epoch_is_the_best(void **state)
{
    (void)state;
    nln_metrics none = {0}, bad = {.n = 3, .rmse = 9};
    for (int select = NLN_SELECT_ACCURACY; select <= NLN_SELECT_MRR; select++)
        assert_true(nln_selection_better(select, &bad, &none));
}

static void metrics_of_labels_choose(void **state)
{
    (void)state;
    nln_metrics low = {.accuracy = 0.5, .rmse = 0.4, .cross_entropy = 0.6, .auc = 0.7};
    nln_metrics high = {.accuracy = 0.6, .rmse = 0.5, .cross_entropy = 0.7, .auc = 0.8};
    assert_true(better(NLN_SELECT_ACCURACY, high, low));
    assert_false(better(NLN_SELECT_ACCURACY, low, high));
    assert_true(better(NLN_SELECT_RMSE, low, high));
    assert_false(better(NLN_SELECT_RMSE, high, low));
    assert_true(better(NLN_SELECT_CROSS_ENTROPY, low, high));
    assert_false(better(NLN_SELECT_CROSS_ENTROPY, high, low));
    assert_true(better(NLN_SELECT_AUC, high, low));
    assert_false(better(NLN_SELECT_AUC, low, high));
    high.accuracy = low.accuracy; /* a tie: by RMSE */
    assert_true(better(NLN_SELECT_ACCURACY, low, high));
    assert_false(better(NLN_SELECT_ACCURACY, high, low));
    low.auc = high.auc = (double)NAN; /* unknown: by cross-entropy */
    assert_true(better(NLN_SELECT_AUC, low, high));
    assert_false(better(NLN_SELECT_AUC, high, low));
}

static void ndcg_is_taken_at_the_cut_nearest_to_10(void **state)
{
    (void)state;
    nln_metrics a = {.sampled = {.n_cuts = 3, .cut = {1, 9, 20}, .ndcg = {0.1, 0.5, 0.2}}};
    nln_metrics b = {.sampled = {.n_cuts = 3, .cut = {1, 9, 20}, .ndcg = {0.9, 0.4, 0.9}}};
    assert_true(better(NLN_SELECT_NDCG, a, b));
    assert_false(better(NLN_SELECT_NDCG, b, a));
    assert_true(better(NLN_SELECT_LAST, b, a));
}

static void a_task_has_its_own_metrics(void **state)
{
    (void)state;
    for (int task = 0; task < nln_task_count(); task++)
        for (int select = NLN_SELECT_ACCURACY; select <= NLN_SELECT_MRR; select++) {
            nln_model m = {.task = nln_task_get(task), .config = {.task = task, .select = select}};
            nln_measures of = select == NLN_SELECT_NDCG  ? NLN_MEASURE_RANKS
                              : select == NLN_SELECT_MRR ? NLN_MEASURE_LINKS
                                                         : NLN_MEASURE_LABELS;
            int fits = select == NLN_SELECT_LAST || of == m.task->measures;
            nln_error err = {0};
            assert_int_equal(nln_selection_check(&m, &err), fits ? NLN_OK : NLN_INVALID);
            assert_true(fits || strstr(err.message, "--select"));
        }
    nln_model m = {.task = nln_task_get(0), .config = {.select = NLN_SELECT_LAST, .patience = 1}};
    assert_int_equal(nln_selection_check(&m, NULL), NLN_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_epoch_is_the_best),
        cmocka_unit_test(metrics_of_labels_choose),
        cmocka_unit_test(ndcg_is_taken_at_the_cut_nearest_to_10),
        cmocka_unit_test(a_task_has_its_own_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
