/* SASRec: what a score depends on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SEQUENCE_OPTIONS                                     \
    "model=sasrec task=topk dimension=6 hidden=9 history=4 " \
    "layers=2 init-variables=0.5 threads=1"
#include "sequence_model.h"

static void without_a_history_the_state_is_the_last_offset(void **state)
{
    (void)state;
    double score[ITEMS];
    nln_model *m = make();
    nln_queries queries = {0};
    add(&queries, 1, NULL, 0);
    ask(score, m, &queries);
    const real *vector = tensor(m, "items.vector"), *offset = tensor(m, "norms.offset") + 4 * 6;
    for (int v = 0; v < ITEMS; v++) {
        double wanted = 0;
        for (int k = 0; k < 6; k++)
            wanted += (double)vector[v * 6 + k] * (double)offset[k];
        assert_true(fabs(score[v] - wanted) < 1e-5);
    }
    nln_queries_free(&queries);
    nln_model_free(m);
}

/* The last four items count, and no item before them. */
static void the_history_is_cut(void **state)
{
    (void)state;
    static const nln_literal longer[] = {{3, 1, 0}, {7, 1, 0}, {1, 1, 0},
                                         {5, 1, 0}, {2, 0, 0}, {6, 1, 0}};
    double score[3 * ITEMS];
    nln_model *m = make();
    nln_queries queries = {0};
    add(&queries, 0, longer, 6);
    add(&queries, 0, longer + 2, 4);
    add(&queries, 0, longer + 3, 3);
    ask(score, m, &queries);
    assert_true(distance(score, score + ITEMS) < 1e-6);
    assert_true(distance(score, score + 2 * ITEMS) > 1e-3);
    nln_queries_free(&queries);
    nln_model_free(m);
}

/* Histories that begin alike are read as one sequence, which changes no score. */
static void a_shared_start_changes_nothing(void **state)
{
    (void)state;
    static const nln_literal one[] = {{1, 1, 0}, {5, 1, 0}, {2, 0, 0}, {6, 1, 0}};
    double together[5 * ITEMS], alone[ITEMS];
    nln_model *m = make();
    nln_queries run = {0};
    const size_t length[] = {1, 3, 2, 4, 4};
    for (int i = 0; i < 5; i++)
        add(&run, 0, one, length[i]);
    ask(together, m, &run);
    for (int i = 0; i < 5; i++) {
        nln_queries single = {0};
        add(&single, 0, one, length[i]);
        ask(alone, m, &single);
        assert_true(distance(alone, together + i * ITEMS) < 1e-5);
        nln_queries_free(&single);
    }
    nln_queries_free(&run);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_likes_matter_and_the_user_does_not),
        cmocka_unit_test(without_a_history_the_state_is_the_last_offset),
        cmocka_unit_test(the_history_is_cut),
        cmocka_unit_test(a_shared_start_changes_nothing),
        cmocka_unit_test(scores_do_not_depend_on_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
