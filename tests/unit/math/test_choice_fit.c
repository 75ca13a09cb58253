/* The conditional logit: its derivatives, and planted weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "math/choice_fit.h"

enum { CASES = 4000, EACH = 6, WIDTH = 3 };
static float feature[CASES * EACH * WIDTH];
static size_t n_of[CASES];

/* Choices that follow the weights; some cases have fewer candidates. */
static nln_choices plant(const double *weight, size_t n)
{
    nln_random r = nln_random_seed(4, 2);
    for (size_t at = 0; at < n; at++) {
        double best = -INFINITY;
        size_t chosen = 0;
        n_of[at] = EACH - at % 3;
        float *x = feature + at * EACH * WIDTH;
        for (size_t i = 0; i < n_of[at]; i++) {
            double score = -log(-log(nln_random_uniform(&r) * 0.999999 + 5e-7)); /* Gumbel */
            for (int j = 0; j < WIDTH; j++) {
                x[i * WIDTH + (size_t)j] = (float)nln_random_normal(&r);
                score += weight[j] * (double)x[i * WIDTH + (size_t)j];
            }
            if (score > best) {
                best = score;
                chosen = i;
            }
        }
        for (int j = 0; j < WIDTH; j++) {
            float other = x[j];
            x[j] = x[chosen * WIDTH + (size_t)j];
            x[chosen * WIDTH + (size_t)j] = other;
        }
    }
    return (nln_choices){n, EACH, n_of, WIDTH, feature};
}

static void derivatives_are_central_differences(void **state)
{
    (void)state;
    const double planted[WIDTH] = {1, -2, 0.5}, l2 = 0.1, h = 1e-5;
    nln_choices c = plant(planted, 20);
    double w[WIDTH] = {0.3, -0.4, 1.2}, g[WIDTH], H[WIDTH * WIDTH], up[WIDTH], down[WIDTH];
    nln_choice_loss(g, H, &c, w, l2);
    for (int j = 0; j < WIDTH; j++) {
        double at = w[j];
        w[j] = at + h;
        double above = nln_choice_loss(up, NULL, &c, w, l2);
        w[j] = at - h;
        double below = nln_choice_loss(down, NULL, &c, w, l2);
        w[j] = at;
        assert_true(fabs((above - below) / (2 * h) - g[j]) < 1e-7);
        for (int k = 0; k < WIDTH; k++)
            assert_true(fabs((up[k] - down[k]) / (2 * h) - H[j * WIDTH + k]) < 1e-7);
    }
}

static void planted_weights_are_found(void **state)
{
    (void)state;
    const double planted[WIDTH] = {1, -2, 0};
    nln_choices c = plant(planted, CASES);
    double w[WIDTH] = {0}, g[WIDTH];
    nln_choice_fit(w, &c, 0);
    for (int j = 0; j < WIDTH; j++)
        assert_true(fabs(w[j] - planted[j]) < 0.15);
    nln_choice_loss(g, NULL, &c, w, 0);
    for (int j = 0; j < WIDTH; j++)
        assert_true(fabs(g[j]) < 1e-4);
}

/* A feature that is the same for all candidates gets no weight, and separable choices stay finite.
 */
static void what_says_nothing_has_no_weight(void **state)
{
    (void)state;
    const double planted[WIDTH] = {50, 0, 0};
    nln_choices c = plant(planted, 50);
    for (size_t i = 0; i < 50 * EACH; i++)
        feature[i * WIDTH + 2] = 3;
    double w[WIDTH] = {0};
    nln_choice_fit(w, &c, 1e-4);
    assert_true(fabs(w[2]) < 1e-9);
    assert_true(isfinite(w[0]) && w[0] > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_are_central_differences),
                                       cmocka_unit_test(planted_weights_are_found),
                                       cmocka_unit_test(what_says_nothing_has_no_weight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
