/* Bounds are never below the cosines, and a cosine has the same bits in every company. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "likes.h"
#include "net/cosine_bounds.h"

enum { ITEMS = 700 };

static void expect_bounds(int dim, int hidden, double spread, size_t most_bytes, uint64_t seed)
{
    nln_net *net = NULL;
    nln_ranker *ranker = NULL;
    nln_cosine_bounds *bounds = NULL;
    nln_random random = nln_random_seed(seed, 0);
    tiny_need(nln_net_create(&net, dim, hidden, ITEMS, NLN_EMBED_FREE, 10, NULL), NULL);
    nln_net_draw(net, (nln_init){.variables = (real)spread, .uniform_truth = 1}, &random);
    net->vector[5] *= 50; /* an outlier */
    tiny_need(nln_ranker_create_within(&ranker, net, most_bytes, NULL), NULL);
    tiny_need(nln_cosine_bounds_create(&bounds, ranker, 0, ITEMS, NULL), NULL);
    assert_non_null(bounds);
    real cosine[ITEMS], some[3], h[64],
        *scratch = malloc(nln_ranker_scratch(ranker) * sizeof(real));
    float *bound = malloc(nln_cosine_bounds_room(ITEMS) * sizeof *bound);
    void *room = malloc(nln_cosine_bounds_scratch(bounds));
    for (int round = 0; round < 5; round++) {
        const int32_t item[3] = {699, round, 128};
        for (int i = 0; i < dim; i++)
            h[i] = (real)(pow(10, round - 2) * spread * nln_random_normal(&random));
        nln_ranker_cosines(cosine, ranker, h, 0, NULL, ITEMS, scratch, NULL);
        nln_ranker_cosines(some, ranker, h, 0, item, 3, scratch, NULL);
        for (int i = 0; i < 3; i++)
            assert_true(some[i] == cosine[item[i]]);
        assert_int_equal(nln_cosine_bounds_add(bound, bounds, h, 2, 0, room), 1);
        for (int i = 0; i < ITEMS; i++)
            assert_true((double)bound[i] >= 2 * (double)cosine[i]);
        assert_int_equal(nln_cosine_bounds_add(bound, bounds, h, 1, 1, room), 1);
        for (int i = 0; i < ITEMS; i++)
            assert_true((double)bound[i] >= 3 * (double)cosine[i]);
    }
    h[0] = (real)NAN;
    assert_int_equal(nln_cosine_bounds_add(bound, bounds, h, 1, 0, room), 0);
    free(room);
    free(bound);
    free(scratch);
    nln_cosine_bounds_free(bounds);
    nln_ranker_free(ranker);
    nln_net_free(net);
}

static void bounds_are_above_the_cosines(void **state)
{
    (void)state;
    static const int sizes[][2] = {{64, 64}, {12, 7}, {3, 1}, {20, 50}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kept = 0; kept < 2; kept++) {
            expect_bounds(sizes[i][0], sizes[i][1], 0.01, kept ? NLN_RANKER_MOST_BYTES : 0, i);
            expect_bounds(sizes[i][0], sizes[i][1], 30, kept ? NLN_RANKER_MOST_BYTES : 0, i + 9);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_above_the_cosines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
