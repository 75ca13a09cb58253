/* Diverse lists: a plain twin, the extremes, and the scorer's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "inference/diversity.h"

enum { N = 30, LENGTH = 4 };

static void make(nln_recommendation *list, float *vectors, uint64_t seed)
{
    nln_random r = nln_random_seed(seed, 0);
    for (size_t i = 0; i < N; i++) {
        double square = 0;
        list[i] = (nln_recommendation){i, (double)(N - i) + nln_random_uniform(&r), 0};
        for (size_t j = 0; j < LENGTH; j++) {
            vectors[i * LENGTH + j] = (float)nln_random_normal(&r);
            square += (double)vectors[i * LENGTH + j] * (double)vectors[i * LENGTH + j];
        }
        for (size_t j = 0; j < LENGTH; j++)
            vectors[i * LENGTH + j] /= (float)sqrt(square);
    }
}

static double cosine(const float *v, size_t a, size_t b)
{
    double sum = 0;
    for (size_t j = 0; j < LENGTH; j++)
        sum += (double)v[a * LENGTH + j] * (double)v[b * LENGTH + j];
    return sum;
}

/* Every value from the definition, for every place. */
static void it_equals_its_twin(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        nln_recommendation list[N], given[N];
        float vectors[N * LENGTH];
        double nearest[N], weight = (double)seed / 20;
        int taken[N] = {0};
        make(list, vectors, seed);
        make(given, vectors, seed);
        nln_diversity_choose(list, N, 8, weight, vectors, LENGTH, nearest);
        for (size_t at = 0; at < 8; at++) {
            size_t best = N;
            double highest = -INFINITY;
            for (size_t i = 0; i < N; i++) {
                double near = at ? -1 : 0;
                for (size_t j = 0; j < at; j++)
                    near = fmax(near, cosine(vectors, i, list[j].item));
                double value = (1 - weight) * (given[i].score - given[N - 1].score) /
                                   (given[0].score - given[N - 1].score) -
                               weight * near;
                if (!taken[i] && value > highest) {
                    highest = value;
                    best = i;
                }
            }
            assert_int_equal(list[at].item, best);
            taken[best] = 1;
        }
    }
}

static void without_weight_nothing_moves(void **state)
{
    (void)state;
    nln_recommendation list[N];
    float vectors[N * LENGTH];
    double nearest[N];
    make(list, vectors, 1);
    nln_diversity_choose(list, N, N, 0, vectors, LENGTH, nearest);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(list[i].item, i);
}

static void more_weight_is_more_diverse(void **state)
{
    (void)state;
    double before = 0, after = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        nln_recommendation list[N];
        float vectors[N * LENGTH];
        double nearest[N];
        make(list, vectors, seed);
        before += nln_diversity_of(list, 8, vectors, LENGTH);
        nln_diversity_choose(list, N, 8, 0.7, vectors, LENGTH, nearest);
        after += nln_diversity_of(list, 8, vectors, LENGTH);
    }
    assert_true(after > before + 1);
}

static void pools_have_their_limits(void **state)
{
    (void)state;
    float one[] = {1, 0, 0, 1};
    nln_recommendation pair[] = {{0, 1, 0}, {1, 0, 0}};
    assert_int_equal(nln_diversity_pool(10, 1000), 100);
    assert_int_equal(nln_diversity_pool(50, 1000), 250);
    assert_int_equal(nln_diversity_pool(10, 30), 30);
    assert_int_equal(nln_diversity_pool(SIZE_MAX, 30), 30);
    assert_true(isnan(nln_diversity_of(pair, 1, one, 2)));
    assert_true(nln_diversity_of(pair, 2, one, 2) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_equals_its_twin),
        cmocka_unit_test(without_weight_nothing_moves),
        cmocka_unit_test(more_weight_is_more_diverse),
        cmocka_unit_test(pools_have_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
