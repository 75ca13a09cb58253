/* Messages through modules that compute with probabilities, beside exact belief propagation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "exact/belief_propagation.h"
#include "net/probability_law.h"
#include "tiny.h"
#include "training/variable_messages.h"

enum { VARIABLES = 120 };

typedef struct fixture {
    nln_data *data;
    nln_model *model;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f.data = tiny_data("variables=120 expressions=500 seed=3");
    f.model = tiny_model(VARIABLES, "task=logic dimension=32 members=1 seed=2");
    nln_random random = nln_random_seed(4, 1);
    nln_model_draw(f.model, &random);
    double loss;
    tiny_need(nln_probability_law_learn(&loss, f.model->net[0], 3000, 1, NULL), NULL);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    nln_model_free(f->model);
    nln_data_free(f->data);
    return 0;
}

static void solve(double *log_odds, const fixture *f, const nln_truths *truths, double noise,
                  int fit_noise, int n_threads)
{
    nln_error err = {0};
    nln_thread_pool *pool = NULL;
    nln_message_settings settings = {.sweeps = 20, .noise = noise, .fit_noise = fit_noise};
    tiny_need(nln_thread_pool_create(&pool, n_threads, &err), &err);
    tiny_need(nln_variable_messages_solve(log_odds, f->model, &f->data->split[NLN_TRAIN].exprs,
                                          truths, &settings, pool, &err),
              &err);
    nln_thread_pool_free(pool);
}

static double probability(double log_odds)
{
    return 1 / (1 + exp(-log_odds));
}

static void they_come_to_the_marginals_of_belief_propagation(void **state)
{
    const fixture *f = *state;
    const nln_labelled *train = &f->data->split[NLN_TRAIN];
    nln_truths truths = nln_labelled_truths(train);
    nln_belief_propagation_settings exactly = {
        .noise = 0.05, .damping = 0.5, .tolerance = 1e-6, .sweeps = 100};
    double wanted[VARIABLES], found[VARIABLES], sum = 0;
    int agree = 0;
    assert_int_equal(
        nln_belief_propagation_fit(wanted, &train->exprs, train->labels, VARIABLES, &exactly, NULL),
        NLN_OK);
    solve(found, f, &truths, 0.05, 0, 1);
    for (int v = 0; v < VARIABLES; v++) {
        sum += fabs(probability(found[v]) - wanted[v]);
        agree += (found[v] > 0) == (wanted[v] > 0.5);
    }
    if (!(sum / VARIABLES < 0.04 && agree >= VARIABLES - 6))
        fail_msg("mean difference %g, %d of %d on the same side", sum / VARIABLES, agree,
                 VARIABLES);
}

static void threads_do_not_change_a_bit(void **state)
{
    const fixture *f = *state;
    nln_truths truths = nln_labelled_truths(&f->data->split[NLN_TRAIN]);
    double one[VARIABLES], three[VARIABLES];
    solve(one, f, &truths, 0.02, 1, 1);
    solve(three, f, &truths, 0.02, 1, 3);
    assert_memory_equal(one, three, sizeof one);
}

/* Labels of 1/2 and expressions of weight 0 say nothing. */
static void what_says_nothing_moves_nothing(void **state)
{
    const fixture *f = *state;
    size_t n = f->data->split[NLN_TRAIN].exprs.n;
    nln_truths truths = nln_labelled_truths(&f->data->split[NLN_TRAIN]);
    float *number = calloc(n, sizeof *number);
    double log_odds[VARIABLES];
    nln_truths weightless = truths, doubtful = truths;
    weightless.weight = number;
    solve(log_odds, f, &weightless, 0.02, 0, 1);
    for (int v = 0; v < VARIABLES; v++)
        assert_true(log_odds[v] == 0);
    for (size_t i = 0; i < n; i++)
        number[i] = 0.5F;
    doubtful.soft = number;
    solve(log_odds, f, &doubtful, 0.02, 0, 1);
    for (int v = 0; v < VARIABLES; v++)
        assert_true(fabs(log_odds[v]) < 1e-9);
    free(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_come_to_the_marginals_of_belief_propagation),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(what_says_nothing_moves_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
