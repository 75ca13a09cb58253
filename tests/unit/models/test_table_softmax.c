#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "models/table_softmax.h"

enum { ROWS = 300, DIM = 7, N = 5, TARGETS = 8 };

typedef struct numbers {
    real table[ROWS * DIM], query[N * DIM], dtable[ROWS * DIM], dquery[N * DIM];
} numbers;

static const size_t first[N + 1] = {0, 2, 2, 5, 6, TARGETS};
static const int32_t target[TARGETS] = {0, 299, 4, 150, 4, 77, 299, 1};

static double run(numbers *x, int distance, int threads)
{
    nln_thread_pool *team = NULL;
    nln_table_softmax s = {0};
    memset(x->dtable, 0, sizeof x->dtable);
    memset(x->dquery, 0, sizeof x->dquery);
    nln_table_softmax_case one = {x->table, ROWS,     DIM, x->query,  N,        first,
                                  target,   distance, 0.5, x->dtable, x->dquery};
    assert_int_equal(nln_thread_pool_create(&team, threads, NULL), NLN_OK);
    assert_int_equal(nln_table_softmax_fit(&s, ROWS, DIM, N, distance, NULL), NLN_OK);
    double loss = nln_table_softmax_run(&s, team, &one);
    nln_table_softmax_free(&s);
    nln_thread_pool_free(team);
    return loss;
}

/* The loss by the book, and its gradient by the scores. */
static double by_the_book(const numbers *x, int distance, double *dtable, double *dquery)
{
    double loss = 0;
    for (int i = 0; i < N; i++) {
        double score[ROWS], sum = 0;
        for (int r = 0; r < ROWS; r++) {
            score[r] = 0;
            for (int j = 0; j < DIM; j++) {
                double a = (double)x->table[r * DIM + j], b = (double)x->query[i * DIM + j];
                score[r] += distance ? (a - b) * (a - b) : a * b;
            }
            score[r] = distance ? -sqrt(score[r]) : score[r];
            sum += exp(score[r]);
        }
        for (size_t t = first[i]; t < first[i + 1]; t++)
            loss += 0.5 * (log(sum) - score[target[t]]);
        for (int r = 0; r < ROWS; r++) {
            double by = 0.5 * (double)(first[i + 1] - first[i]) * exp(score[r]) / sum;
            for (size_t t = first[i]; t < first[i + 1]; t++)
                by -= target[t] == r ? 0.5 : 0;
            for (int j = 0; j < DIM; j++) {
                double a = (double)x->table[r * DIM + j], b = (double)x->query[i * DIM + j];
                double to_row = distance ? (b - a) / -score[r] : b;
                double to_query = distance ? (a - b) / -score[r] : a;
                dtable[r * DIM + j] += by * to_row;
                dquery[i * DIM + j] += by * to_query;
            }
        }
    }
    return loss;
}

static void loss_and_gradient_are_by_the_book(void **state)
{
    (void)state;
    static numbers x;
    nln_random random = nln_random_seed(6, 1);
    for (int i = 0; i < ROWS * DIM; i++)
        x.table[i] = (real)nln_random_normal(&random);
    for (int i = 0; i < N * DIM; i++)
        x.query[i] = (real)nln_random_normal(&random);
    for (int distance = 0; distance < 2; distance++) {
        static double dtable[ROWS * DIM], dquery[N * DIM];
        memset(dtable, 0, sizeof dtable);
        memset(dquery, 0, sizeof dquery);
        double wanted = by_the_book(&x, distance, dtable, dquery), got = run(&x, distance, 1);
        assert_true(fabs(got - wanted) < 1e-4 * fabs(wanted));
        for (int i = 0; i < ROWS * DIM; i++)
            assert_true(fabs((double)x.dtable[i] - dtable[i]) < 1e-4);
        for (int i = 0; i < N * DIM; i++)
            assert_true(fabs((double)x.dquery[i] - dquery[i]) < 1e-4);
    }
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static numbers one, three;
    nln_random random = nln_random_seed(7, 1);
    for (int i = 0; i < ROWS * DIM; i++)
        one.table[i] = (real)nln_random_normal(&random);
    for (int i = 0; i < N * DIM; i++)
        one.query[i] = (real)nln_random_normal(&random);
    three = one;
    for (int distance = 0; distance < 2; distance++) {
        assert_true(run(&one, distance, 1) == run(&three, distance, 3));
        assert_memory_equal(&one, &three, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loss_and_gradient_are_by_the_book),
                                       cmocka_unit_test(bits_do_not_depend_on_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
