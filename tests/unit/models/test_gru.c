/* GRU: what a score depends on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define SEQUENCE_OPTIONS "model=gru task=topk dimension=6 hidden=9 init-variables=0.5 threads=1"
#include "sequence_model.h"

static void without_a_history_there_are_the_biases(void **state)
{
    (void)state;
    double score[ITEMS];
    nln_model *m = make();
    nln_queries queries = {0};
    add(&queries, 1, NULL, 0);
    ask(score, m, &queries);
    const real *bias = tensor(m, "items.bias"), *mean = tensor(m, "mean");
    for (int v = 0; v < ITEMS; v++)
        assert_true(fabs(score[v] - (double)bias[v] - (double)*mean) < 1e-6);
    nln_queries_free(&queries);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_and_likes_matter_and_the_user_does_not),
        cmocka_unit_test(without_a_history_there_are_the_biases),
        cmocka_unit_test(scores_do_not_depend_on_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
