/* Each loss against hand-worked values, and its derivatives against central differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/losses.h"

static const double scores[] = {-30, -2.5, -1e-3, 0.7, 3, 25};
enum { N_SCORES = sizeof scores / sizeof *scores };

static void expect_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-7 * (1 + fabs(wanted))))
        fail_msg("%.12g, not %.12g", got, wanted);
}

static void labels_by_hand(void **state)
{
    (void)state;
    double slope, flipped;
    expect_near(nln_losses_label(&slope, &flipped, 0, 1, 0), log(2));
    expect_near(slope, -0.5);
    expect_near(flipped, 0);
    /* p = 0.75: truth costs -log 0.75, its slope is p - 1 */
    expect_near(nln_losses_label(&slope, &flipped, log(3), 1, 0), -log(0.75));
    expect_near(slope, -0.25);
    expect_near(nln_losses_label(&slope, &flipped, log(3), 0, 0), -log(0.25));
    expect_near(slope, 0.75);
    /* noise 0.2: a true label has likelihood 0.8 * 0.75 + 0.2 * 0.25 = 0.65 */
    expect_near(nln_losses_label(&slope, &flipped, log(3), 1, 0.2), -log(0.65));
    expect_near(flipped, 0.2 * 0.25 / 0.65);
    expect_near(slope, -0.6 * 0.75 * 0.25 / 0.65);
    /* in doubt: half of each */
    expect_near(nln_losses_label(&slope, &flipped, log(3), 0.5, 0),
                -0.5 * log(0.75) - 0.5 * log(0.25));
    expect_near(slope, 0.25);
}

static void slopes_of_labels(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int i = 0; i < N_SCORES; i++)
        for (int truth = 0; truth <= 4; truth++)
            for (int noise = 0; noise < 3; noise++) {
                double slope, none, flipped, t = truth / 4.0, share = noise / 10.0;
                double above = nln_losses_label(&none, &flipped, scores[i] + h, t, share);
                double below = nln_losses_label(&none, &flipped, scores[i] - h, t, share);
                double loss = nln_losses_label(&slope, &flipped, scores[i], t, share);
                expect_near(slope, (above - below) / (2 * h));
                assert_true(isfinite(loss) && loss >= 0 && flipped >= 0 && flipped <= 1);
            }
}

static void pairs_by_hand(void **state)
{
    (void)state;
    double slope[2];
    expect_near(nln_losses_pair(slope, (double[]){log(3), 0}, NLN_LOSS_PAIRS), -log(0.75));
    expect_near(slope[0], -0.25);
    expect_near(slope[1], 0.25);
    /* probabilities 0.75 and 0.5 */
    double wrong = 1 / (1 + exp(0.25));
    expect_near(nln_losses_pair(slope, (double[]){log(3), 0}, NLN_LOSS_PROBABILITY_PAIRS),
                log(1 + exp(-0.25)));
    expect_near(slope[0], -wrong * 0.75 * 0.25);
    expect_near(slope[1], wrong * 0.25);
    /* the target is true with 0.75, the candidate false with 0.25 */
    expect_near(nln_losses_pair(slope, (double[]){log(3), log(3)}, NLN_LOSS_BINARY_PAIRS),
                -log(0.75) - log(0.25));
    expect_near(slope[0], -0.25);
    expect_near(slope[1], 0.75);
}

static void slopes_of_pairs(void **state)
{
    (void)state;
    const double h = 1e-5;
    static const nln_loss_kind kinds[] = {NLN_LOSS_PAIRS, NLN_LOSS_PROBABILITY_PAIRS,
                                          NLN_LOSS_BINARY_PAIRS};
    for (int i = 0; i < N_SCORES * N_SCORES * 3; i++) {
        nln_loss_kind kind = kinds[i % 3];
        double x[2] = {scores[i / 3 % N_SCORES], scores[i / 3 / N_SCORES]}, slope[2], none[2];
        assert_true(isfinite(nln_losses_pair(slope, x, kind)));
        for (int side = 0; side < 2; side++) {
            double up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]};
            up[side] += h;
            down[side] -= h;
            double above = nln_losses_pair(none, up, kind);
            double below = nln_losses_pair(none, down, kind);
            expect_near(slope[side], (above - below) / (2 * h));
        }
    }
}

enum { CANDIDATES = 5 };
static const uint8_t refused[CANDIDATES] = {0, 1, 0, 0, 1};

/* The loss of x[0] against the others; slope[0..CANDIDATES] unless it is NULL. */
static double softmax(double *slope, const double x[1 + CANDIDATES], double factor)
{
    real target = (real)x[0], score[CANDIDATES];
    double sum;
    for (int j = 0; j < CANDIDATES; j++)
        score[j] = (real)x[1 + j];
    double loss = nln_losses_softmax(&sum, &target, score, refused, CANDIDATES, factor, 1);
    for (int j = 0; slope && j <= CANDIDATES; j++)
        slope[j] = factor * ((double)(j ? score[j - 1] : target) / sum - (j == 0));
    return loss;
}

static void softmax_by_hand(void **state)
{
    (void)state;
    /* the target has 3 parts of 3 + 1 + 1 + 1; two candidates are refused */
    double slope[1 + CANDIDATES], x[] = {log(3), 0, 99, 0, 0, 99};
    expect_near(softmax(slope, x, 1), -log(0.5));
    expect_near(slope[0], -0.5);
    expect_near(slope[1], 1 / 6.0);
    expect_near(slope[2], 0);
    double half[] = {log(3) / 2, 0, 99, 0, 0, 99};
    expect_near(softmax(slope, half, 2), -log(0.5));
    expect_near(slope[0], -1);
}

static void slopes_of_softmax(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (int k = 0; k < 2 * N_SCORES; k++) {
        double x[1 + CANDIDATES], slope[1 + CANDIDATES], factor = k % 2 ? 10 : 1;
        for (int j = 0; j <= CANDIDATES; j++)
            x[j] = scores[(k / 2 + 2 * j) % N_SCORES] / 5;
        assert_true(isfinite(softmax(slope, x, factor)));
        for (int j = 0; j <= CANDIDATES; j++) {
            double old = x[j];
            x[j] = old + h;
            double above = softmax(NULL, x, factor);
            x[j] = old - h;
            double below = softmax(NULL, x, factor);
            x[j] = old;
            expect_near(slope[j], (above - below) / (2 * h));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_by_hand),  cmocka_unit_test(slopes_of_labels),
        cmocka_unit_test(pairs_by_hand),   cmocka_unit_test(slopes_of_pairs),
        cmocka_unit_test(softmax_by_hand), cmocka_unit_test(slopes_of_softmax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
