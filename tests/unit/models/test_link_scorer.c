#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "family.h"
#include "models/link_scorer.h"
#include "models/table_learner.h"

/* The scores of a block are those of each question alone, for every method. */
static void blocks_change_nothing(void **state)
{
    static const char *const settings[] = {
        "task=link epochs=3 dimension=5 threads=1 premises=16",
        "task=link epochs=3 dimension=5 threads=1 premises=0",
        "task=link epochs=3 dimension=5 threads=1 model=distmult",
        "task=link epochs=3 dimension=5 threads=1 model=transe"};
    (void)state;
    nln_triples *t = family_triples(5);
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        nln_model *m = family_model(NULL, t, settings[k]);
        size_t n = nln_model_variables(m);
        nln_link_scorer *all = NULL, *one = NULL;
        nln_link_question q[NLN_LINK_BLOCK] = {{0}};
        double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b);
        assert_int_equal(nln_link_scorer_create(&all, m, NULL), NLN_OK);
        assert_int_equal(nln_link_scorer_create(&one, m, NULL), NLN_OK);
        for (int32_t i = 0; i < NLN_LINK_BLOCK; i++) {
            q[i].entity = i % (int32_t)n;
            q[i].relation = i % 6;
        }
        assert_int_equal(nln_link_scorer_read(all, q, NLN_LINK_BLOCK, NULL), NLN_OK);
        for (int32_t i = 0; i < NLN_LINK_BLOCK; i++) {
            assert_int_equal(nln_link_scorer_read(one, &q[i], 1, NULL), NLN_OK);
            nln_link_scorer_scores(a, all, i);
            nln_link_scorer_scores(b, one, 0);
            for (size_t e = 0; e < n; e++)
                assert_true(fabs(a[e] - b[e]) <= 1e-4 * (1 + fabs(b[e])));
        }
        free(a);
        free(b);
        nln_link_scorer_free(all);
        nln_link_scorer_free(one);
        nln_model_free(m);
    }
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
