/* What lists are like: by hand for popularity, and as the lists themselves say for a network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "nln_lab.h"

/* Test has a like of ann and of bob, not of cid.  Both get one item that they have not met. */
static void coverage_and_novelty_are_as_by_hand(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +tea +milk | | +rye bob +tea +rum | | +rye cid +tea | | -rye");
    static const char *const items[] = {"tea", "milk", "rum", "rye"};
    static const double score[] = {9, 3, 2, 1};
    nln_symbols *names = nln_symbols_create();
    nln_options *o = tiny_options("train", "model=popularity task=topk");
    nln_model *m = NULL;
    nln_error err = {0};
    nln_list_report got;
    for (int v = 0; v < 4; v++)
        nln_symbols_intern(names, items[v], strlen(items[v]));
    tiny_need(nln_model_create(&m, names, o, &err), &err);
    for (int v = 0; v < 4; v++)
        m->weights.data[0][v] = (real)score[v];
    tiny_need(nln_evaluate_lists(&got, m, r, NLN_TEST, 1, 0, 1, &err), &err);
    assert_int_equal(got.n_lists, 2); /* rum for ann, milk for bob; one of three users met each */
    assert_true(fabs(got.coverage - 0.5) < 1e-12);
    assert_true(fabs(got.novelty - 1) < 1e-12); /* (1 + 1) of (3 + 1) */
    assert_true(isnan(got.diversity));          /* lists of one item, and no vectors */
    assert_int_equal(nln_evaluate_lists(&got, m, r, NLN_TEST, 2, 0.5, 1, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "no vectors"));
    assert_int_equal(nln_evaluate_lists(&got, m, r, NLN_TEST, 1, 2, 1, &err), NLN_INVALID);
    tiny_need(nln_evaluate_lists(&got, m, r, NLN_VALID, 1, 0, 1, &err), &err);
    assert_int_equal(got.n_lists, 0);
    nln_symbols_free(names);
    nln_options_free(o);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coverage_and_novelty_are_as_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
