#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

/* Trained models depend on these numbers, so they must never change. */
static void a_seed_gives_the_same_numbers_for_ever(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0), copy;
    uint64_t first = nln_random_next(&r);
    copy = r;
    assert_true(nln_random_next(&copy) == nln_random_next(&r));
    r = nln_random_seed(1, 0);
    assert_true(nln_random_next(&r) == first);
    assert_true(nln_random_mix(0) ==
                UINT64_C(0xe220a8397b1dcdaf)); /* splitmix64's first of seed 0 */
    nln_random known = {{1, 2, 3, 4}};         /* xoshiro256++ by its authors' code */
    assert_true(nln_random_next(&known) == UINT64_C(41943041));
    assert_true(nln_random_next(&known) == UINT64_C(58720359));
}

static void streams_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++)
        for (uint64_t stream = 0; stream < 50; stream++) {
            nln_random a = nln_random_seed(seed, stream), b = nln_random_seed(seed, stream + 1);
            nln_random c = nln_random_seed(seed + 1, stream);
            uint64_t x = nln_random_next(&a);
            assert_true(x != nln_random_next(&b) && x != nln_random_next(&c));
        }
}

/* Each of k values has about the same share: within five standard deviations. */
static void bounded_numbers_are_uniform(void **state)
{
    (void)state;
    enum { N = 100000 };
    nln_random r = nln_random_seed(2, 0);
    for (uint64_t k = 1; k < 12; k++) {
        int count[12] = {0};
        for (int i = 0; i < N; i++) {
            uint64_t x = nln_random_below(&r, k);
            assert_true(x < k);
            count[x]++;
        }
        double share = 1.0 / (double)k, deviation = sqrt(N * share * (1 - share));
        for (uint64_t x = 0; x < k; x++)
            assert_true(fabs(count[x] - N * share) <= 5 * deviation);
    }
    for (int i = 0; i < 100; i++)
        assert_true(nln_random_below(&r, UINT64_MAX) < UINT64_MAX);
}

/* Mean and variance of the uniform and the normal distribution. */
static void real_numbers_have_their_moments(void **state)
{
    (void)state;
    enum { N = 200000 };
    nln_random r = nln_random_seed(3, 0);
    double sum[2] = {0}, squares[2] = {0};
    for (int i = 0; i < N; i++) {
        double u = nln_random_uniform(&r), x = nln_random_normal(&r);
        assert_true(u >= 0 && u < 1 && isfinite(x));
        sum[0] += u;
        squares[0] += u * u;
        sum[1] += x;
        squares[1] += x * x;
    }
    assert_true(fabs(sum[0] / N - 0.5) < 0.005 && fabs(squares[0] / N - 1.0 / 3) < 0.005);
    assert_true(fabs(sum[1] / N) < 0.012 && fabs(squares[1] / N - 1) < 0.02);
}

/* Every place of every item is about as frequent, and none is lost. */
static void shuffles_are_permutations(void **state)
{
    (void)state;
    enum { N = 6, TRIES = 60000 };
    nln_random r = nln_random_seed(4, 0);
    int count[N][N] = {{0}};
    for (int t = 0; t < TRIES; t++) {
        int32_t items[N], seen = 0;
        for (int32_t i = 0; i < N; i++)
            items[i] = i;
        nln_random_shuffle(&r, items, N);
        for (int i = 0; i < N; i++) {
            seen |= 1 << items[i];
            count[i][items[i]]++;
        }
        assert_int_equal(seen, (1 << N) - 1);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            assert_true(abs(count[i][k] - TRIES / N) < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_the_same_numbers_for_ever),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(bounded_numbers_are_uniform),
        cmocka_unit_test(real_numbers_have_their_moments),
        cmocka_unit_test(shuffles_are_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
