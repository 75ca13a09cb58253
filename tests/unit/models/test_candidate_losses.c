#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "models/candidate_losses.h"

enum { N = 7, NEGATIVES = 4, ITEMS = 20 };

typedef struct fixture {
    nln_request request;
    nln_queries queries;
    real truth[N];
    uint8_t refused[N * NEGATIVES];
    int32_t candidate[N * NEGATIVES];
    nln_candidate_losses scores;
    double own[N * (1 + NEGATIVES)], shared[N * NEGATIVES]; /* the scores */
} fixture;

static int is_paired(nln_loss_kind loss_kind)
{
    return loss_kind == NLN_LOSS_PAIRS || loss_kind == NLN_LOSS_PROBABILITY_PAIRS ||
           loss_kind == NLN_LOSS_BINARY_PAIRS;
}

static void set_up(fixture *f, nln_loss_kind loss_kind)
{
    nln_random r = nln_random_seed(3, (uint64_t)loss_kind);
    memset(f, 0, sizeof *f);
    for (int i = 0; i < N; i++) {
        int32_t target = (int32_t)nln_random_below(&r, ITEMS);
        assert_int_equal(nln_queries_append(&f->queries, i, NULL, 0, target, NULL), NLN_OK);
        f->truth[i] = (real)nln_random_below(&r, 5) / 4; /* some are in doubt */
    }
    for (int i = 0; i < N * NEGATIVES; i++) {
        f->candidate[i] = (int32_t)nln_random_below(&r, ITEMS);
        f->refused[i] =
            i / NEGATIVES == 2 || nln_random_below(&r, 4) == 0; /* unit 2: all of them */
        f->shared[i] = 2 * nln_random_normal(&r);
    }
    for (int i = 0; i < N * (1 + NEGATIVES); i++)
        f->own[i] = 2 * nln_random_normal(&r);
    f->request = (nln_request){.loss_kind = loss_kind,
                               .n = N,
                               .queries = &f->queries,
                               .truth = f->truth,
                               .n_candidates = loss_kind == NLN_LOSS_LABELS ? 0 : NEGATIVES,
                               .candidate = f->candidate,
                               .refused = f->refused};
    assert_int_equal(nln_candidate_losses_fit(&f->scores, &f->request, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_candidate_losses_free(&f->scores);
    nln_candidate_losses_free(&f->scores);
    nln_queries_free(&f->queries);
}

/* The loss of the scores, whose gradient is then in the scores. */
static nln_loss loss_of(fixture *f, int mean, double noise)
{
    nln_learner learner = {.noise = noise, .per_unit = mean ? 1.0 / N : 1};
    for (int i = 0; i < N * f->scores.n_own; i++)
        f->scores.own[i] = (real)f->own[i];
    for (int i = 0; i < N * f->scores.n_shared; i++)
        f->scores.shared[i] = (real)f->shared[i];
    return nln_candidate_losses_loss(&f->scores, &f->request, &learner);
}

/* The loss of unit i, by the book. */
static double naive(const fixture *f, int i, double noise)
{
    const double *own = f->own + i * f->scores.n_own, *shared = f->shared + i * NEGATIVES;
    double p = 1 / (1 + exp(-own[0])), sum = 0, all = exp(own[0]);
    if (f->request.loss_kind == NLN_LOSS_LABELS) {
        double truth = (double)f->truth[i];
        return -truth * log((1 - noise) * p + noise * (1 - p)) -
               (1 - truth) * log((1 - noise) * (1 - p) + noise * p);
    }
    for (int j = 0; j < NEGATIVES; j++) {
        double z = own[0] - own[1 + j];
        if (f->request.loss_kind == NLN_LOSS_PROBABILITY_PAIRS)
            z = p - 1 / (1 + exp(-own[1 + j]));
        if (f->request.loss_kind == NLN_LOSS_SOFTMAX)
            all += f->refused[i * NEGATIVES + j] ? 0 : exp(shared[j]);
        else if (f->request.loss_kind == NLN_LOSS_BINARY_PAIRS)
            sum -= log(p) + log(1 - 1 / (1 + exp(-own[1 + j])));
        else
            sum -= log(1 / (1 + exp(-z)));
    }
    return f->request.loss_kind == NLN_LOSS_SOFTMAX ? -log(exp(own[0]) / all) : sum;
}

static double naive_sum(const fixture *f, double noise, int mean)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += naive(f, i, noise);
    return mean ? sum / N : sum;
}

/* The gradient in double, of the naive loss. */
static double slope(fixture *f, double *x, double noise, int mean)
{
    double old = *x, above, below;
    *x = old + 1e-5;
    above = naive_sum(f, noise, mean);
    *x = old - 1e-5;
    below = naive_sum(f, noise, mean);
    *x = old;
    return (above - below) / 2e-5;
}

static void losses_and_gradients_are_those_of_the_book(void **state)
{
    (void)state;
    for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++)
        for (int k = 0; k < 4; k++) {
            fixture f;
            int mean = k % 2;
            double noise = k / 2 * 0.1;
            set_up(&f, (nln_loss_kind)loss_kind);
            assert_int_equal(f.scores.n_own,
                             is_paired((nln_loss_kind)loss_kind) ? 1 + NEGATIVES : 1);
            assert_int_equal(f.scores.n_shared, loss_kind == NLN_LOSS_SOFTMAX ? NEGATIVES : 0);
            nln_loss loss = loss_of(&f, mean, noise);
            assert_true(fabs(loss.data - naive_sum(&f, noise, mean)) < 1e-5);
            for (int i = 0; i < N * f.scores.n_own; i++)
                assert_true(fabs((double)f.scores.own[i] - slope(&f, &f.own[i], noise, mean)) <
                            1e-5);
            for (int i = 0; i < N * f.scores.n_shared; i++)
                assert_true(
                    fabs((double)f.scores.shared[i] - slope(&f, &f.shared[i], noise, mean)) < 1e-5);
            tear_down(&f);
        }
}

/* Each label was flipped with the probability that noise and score leave it. */
static void flips_are_expected_ones(void **state)
{
    (void)state;
    fixture f;
    double wanted = 0;
    set_up(&f, NLN_LOSS_LABELS);
    for (int i = 0; i < N; i++) {
        double p = 1 / (1 + exp(-f.own[i])), truth = (double)f.truth[i];
        wanted += truth * 0.2 * (1 - p) / (0.8 * p + 0.2 * (1 - p)) +
                  (1 - truth) * 0.2 * p / (0.8 * (1 - p) + 0.2 * p);
    }
    assert_true(fabs(loss_of(&f, 0, 0.2).flips - wanted) < 1e-5);
    tear_down(&f);
}

static void extreme_scores_stay_finite(void **state)
{
    (void)state;
    for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++)
        for (int sign = -1; sign <= 1; sign += 2) {
            fixture f;
            set_up(&f, (nln_loss_kind)loss_kind);
            for (int i = 0; i < N * f.scores.n_own; i++)
                f.own[i] = sign * 1e4 * (i % f.scores.n_own ? -1 : 1);
            nln_loss loss = loss_of(&f, 0, sign > 0 ? 0 : 0.01);
            assert_true(isfinite(loss.data) && isfinite(loss.flips));
            for (int i = 0; i < N * f.scores.n_own; i++)
                assert_true(isfinite((double)f.scores.own[i]));
            for (int i = 0; i < N * f.scores.n_shared; i++)
                assert_true(isfinite((double)f.scores.shared[i]));
            tear_down(&f);
        }
}

static void the_target_comes_first(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, NLN_LOSS_PAIRS);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j <= NEGATIVES; j++)
            assert_int_equal(nln_candidate_losses_item(&f.scores, &f.request, i, j),
                             j ? f.candidate[i * NEGATIVES + j - 1] : f.queries.list[i].target);
    tear_down(&f);
}

/* The labels of expressions are found through the index. */
static void expressions_are_indexed(void **state)
{
    (void)state;
    static const int32_t index[N] = {6, 5, 4, 3, 2, 1, 0};
    static const nln_exprs none = {0};
    fixture f, g;
    set_up(&f, NLN_LOSS_LABELS);
    set_up(&g, NLN_LOSS_LABELS);
    g.request.exprs = &none;
    g.request.index = index;
    for (int i = 0; i < N; i++)
        g.truth[index[i]] = f.truth[i];
    assert_true(loss_of(&f, 0, 0).data == loss_of(&g, 0, 0).data);
    tear_down(&f);
    tear_down(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_are_those_of_the_book),
        cmocka_unit_test(flips_are_expected_ones),
        cmocka_unit_test(extreme_scores_stay_finite),
        cmocka_unit_test(the_target_comes_first),
        cmocka_unit_test(expressions_are_indexed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
