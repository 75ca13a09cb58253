#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "evaluation/rank_metrics.h"
#include "golden/ranking.h"

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-12);
}

/* To the digits of the golden file. */
static void assert_close(double a, double b)
{
    assert_true(fabs(a - b) < 1e-10);
}

/* ---- places ------------------------------------------------------------------ */

/* Both forms, among all n items; n <= 64. */
static double place(const double *score, size_t n, size_t item)
{
    int32_t all[64];
    assert_true(n <= 64);
    for (size_t i = 0; i < n; i++)
        all[i] = (int32_t)i;
    double rank = nln_rank_metrics_place(score, n, item, NULL);
    assert_true(rank == nln_rank_metrics_place_among(score, item, all, n));
    return rank;
}

static void places_by_hand(void **state)
{
    (void)state;
    const double score[] = {.5, .9, .5, .1, .5, -INFINITY};
    assert_near(place(score, 6, 1), 1);
    assert_near(place(score, 6, 0), 3);
    assert_near(place(score, 6, 4), 3);
    assert_near(place(score, 6, 3), 5);
    assert_near(place(score, 6, 5), 6);
    assert_near(place(score, 1, 0), 1);
}

static void exclusion_by_hand(void **state)
{
    (void)state;
    const double score[] = {.5, .9, .5, .1, .5};
    const uint8_t excluded[] = {0, 1, 1, 0, 0}, itself[] = {1, 0, 0, 0, 0}, all[] = {1, 1, 1, 1, 1};
    assert_near(nln_rank_metrics_place(score, 5, 0, excluded), 1.5);
    assert_near(nln_rank_metrics_place(score, 5, 3, excluded), 3);
    assert_near(nln_rank_metrics_place(score, 5, 0, itself), 3);
    assert_near(nln_rank_metrics_place(score, 5, 3, all), 1);
    const int32_t rivals[] = {4, 3, 1};
    assert_near(nln_rank_metrics_place_among(score, 0, rivals, 3), 2.5);
    assert_near(nln_rank_metrics_place_among(score, 3, rivals, 3), 3);
    assert_near(nln_rank_metrics_place_among(score, 3, rivals, 0), 1);
}

static void a_constant_model_is_in_the_middle(void **state)
{
    (void)state;
    double score[64];
    for (size_t i = 0; i < 64; i++)
        score[i] = .25;
    for (size_t n = 1; n <= 64; n++)
        for (size_t item = 0; item < n; item++)
            assert_near(place(score, n, item), ((double)n + 1) / 2);
}

static void nan_never_favours(void **state)
{
    (void)state;
    const double score[] = {.5, NAN, .9, NAN, .1};
    assert_near(place(score, 5, 0), 4);
    assert_near(place(score, 5, 2), 3);
    assert_near(place(score, 5, 1), 5);
    const double blank[] = {NAN, NAN, NAN};
    for (size_t item = 0; item < 3; item++)
        assert_near(place(blank, 3, item), 3);
}

static void draw_scores(double *score, size_t n, uint64_t n_values, nln_random *r)
{
    for (size_t i = 0; i < n; i++)
        score[i] = (double)nln_random_below(r, n_values) / 8 - 1;
}

/* Whatever the ties, the ranks of all items among all are 1 + ... + n in sum; they depend on
 * the order of the scores alone, and not on the order of the items. */
static void places_are_ranks(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (size_t round = 0; round < 100; round++) {
        double score[64], raised[64], moved[64], sum = 0;
        int32_t to[64];
        size_t n = 1 + (size_t)nln_random_below(&r, 64);
        draw_scores(score, n, 1 + round, &r);
        for (size_t i = 0; i < n; i++)
            to[i] = (int32_t)i;
        nln_random_shuffle(&r, to, (int32_t)n);
        for (size_t i = 0; i < n; i++) {
            raised[i] = atan(score[i]) * 5 + 3;
            moved[to[i]] = score[i];
        }
        for (size_t i = 0; i < n; i++) {
            double rank = place(score, n, i);
            assert_true(rank == place(raised, n, i));
            assert_true(rank == place(moved, n, (size_t)to[i]));
            sum += rank;
        }
        assert_near(sum, (double)(n * (n + 1)) / 2);
    }
}

/* A mask and the list of the items that it leaves are the same. */
static void mask_equals_list(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    for (size_t round = 0; round < 100; round++) {
        double score[64];
        uint8_t excluded[64];
        int32_t rivals[64];
        size_t n_rivals = 0;
        draw_scores(score, 64, 20, &r);
        for (int32_t i = 0; i < 64; i++) {
            excluded[i] = (uint8_t)nln_random_below(&r, 3);
            if (!excluded[i])
                rivals[n_rivals++] = i;
        }
        for (size_t item = 0; item < 64; item++)
            assert_true(nln_rank_metrics_place(score, 64, item, excluded) ==
                        nln_rank_metrics_place_among(score, item, rivals, n_rivals));
    }
}

/* ---- cuts -------------------------------------------------------------------- */

static void cuts_are_read(void **state)
{
    (void)state;
    const int sorted[] = {1, 5, 10, 20}, eight[] = {1, 2, 3, 4, 5, 6, 7, 2147483647};
    nln_ranking r = {0};
    assert_int_equal(nln_rank_metrics_cuts(&r, "1,5,10,20", NULL), NLN_OK);
    assert_int_equal(r.n_cuts, 4);
    assert_memory_equal(r.cut, sorted, sizeof sorted);
    assert_int_equal(nln_rank_metrics_cuts(&r, "20,1,010,5", NULL), NLN_OK);
    assert_int_equal(r.n_cuts, 4);
    assert_memory_equal(r.cut, sorted, sizeof sorted);
    assert_int_equal(nln_rank_metrics_cuts(&r, "7,6,5,4,3,2,1,2147483647", NULL), NLN_OK);
    assert_int_equal(r.n_cuts, 8);
    assert_memory_equal(r.cut, eight, sizeof eight);
    assert_int_equal(nln_rank_metrics_cuts(&r, "10", NULL), NLN_OK);
    assert_int_equal(r.n_cuts, 1);
    assert_int_equal(r.cut[0], 10);
}

/* An error that names the option and says what is wrong; the cuts stay. */
static void assert_refused(const char *text, const char *says)
{
    nln_ranking r = {.n_cuts = 1, .cut = {3}};
    nln_error err = {0};
    assert_int_equal(nln_rank_metrics_cuts(&r, text, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "--cuts"));
    assert_non_null(strstr(err.message, says));
    assert_true(r.n_cuts == 1 && r.cut[0] == 3);
}

static void bad_cuts_are_refused(void **state)
{
    (void)state;
    static const char *const malformed[] = {
        "",    ",",   "0",    "-1",         "+1",
        "1,",  ",1",  "1,,2", "1, 2",       "1;2",
        "1.5", "ten", "5x",   "2147483648", "99999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        assert_refused(malformed[i], "whole numbers");
    assert_refused("5,1,5", "5 twice");
    assert_refused("1,01", "1 twice");
    assert_refused("1,2,3,4,5,6,7,8,9", "at most 8");
}

/* ---- measures ---------------------------------------------------------------- */

static nln_ranking measure(const char *cuts, const double *ranks, const size_t *users, size_t n)
{
    nln_ranking r;
    memset(&r, 0x5a, sizeof r); /* what is there already must not matter */
    assert_int_equal(nln_rank_metrics_cuts(&r, cuts, NULL), NLN_OK);
    nln_rank_metrics_measure(&r, ranks, users, n);
    return r;
}

static void measures_by_hand(void **state)
{
    (void)state;
    const double ranks[] = {1, 3, 12, 2, 10.5, 4};
    const size_t users[] = {7, 7, 7, 9, 2, 2};
    nln_ranking r = measure("1,3,10", ranks, users, 6);
    assert_int_equal(r.n, 6);
    assert_int_equal(r.n_users, 3);
    assert_near(r.hit[0], 1. / 6);
    assert_near(r.hit[1], 3. / 6);
    assert_near(r.hit[2], 4. / 6);
    assert_near(r.ndcg[0], 1. / 6);
    assert_near(r.ndcg[1], (1 + 1 / log2(3) + .5) / 6);
    assert_near(r.ndcg[2], (1 + 1 / log2(3) + .5 + 1 / log2(5)) / 6);
    assert_near(r.recall[0], (1. / 3) / 3);
    assert_near(r.recall[1], (2. / 3 + 1) / 3);
    assert_near(r.recall[2], (2. / 3 + 1 + .5) / 3);
    assert_near(r.mrr, (1 + 1. / 3 + 1. / 12 + 1. / 2 + 1 / 10.5 + 1. / 4) / 6);
    assert_near(r.mean_rank, 32.5 / 6);
}

/* A rank between two places is within a cut only when it is not above it. */
static void half_ranks(void **state)
{
    (void)state;
    const double rank = 1.5;
    const size_t user = 0;
    nln_ranking r = measure("1,2", &rank, &user, 1);
    assert_near(r.hit[0], 0);
    assert_near(r.ndcg[0], 0);
    assert_near(r.recall[0], 0);
    assert_near(r.hit[1], 1);
    assert_near(r.ndcg[1], 1 / log2(2.5));
    assert_near(r.recall[1], 1);
    assert_near(r.mrr, 1 / 1.5);
}

static void nothing_measured(void **state)
{
    (void)state;
    nln_ranking r = measure("5,10", NULL, NULL, 0);
    assert_true(r.n_cuts == 2 && r.cut[0] == 5 && r.cut[1] == 10);
    assert_int_equal(r.n + r.n_users, 0);
    for (int c = 0; c < NLN_MOST_CUTS; c++)
        assert_true(r.hit[c] == 0 && r.ndcg[c] == 0 && r.recall[c] == 0);
    assert_true(r.mrr == 0 && r.mean_rank == 0);
}

/* The order of the users does not matter, nor that of a user's items; and more cut is never
 * less. */
static void measures_know_no_order(void **state)
{
    (void)state;
    enum { N = 60 };
    double ranks[N], back[N];
    size_t users[N], users_back[N];
    nln_random r = nln_random_seed(3, 0);
    for (size_t i = 0; i < N; i++) {
        ranks[i] = 1 + (double)nln_random_below(&r, 60) / 2;
        users[i] = i ? users[i - 1] + nln_random_below(&r, 2) : 4;
    }
    for (size_t i = 0; i < N; i++) {
        back[i] = ranks[N - 1 - i];
        users_back[i] = users[N - 1 - i];
    }
    nln_ranking a = measure("1,5,10,20", ranks, users, N);
    nln_ranking b = measure("1,5,10,20", back, users_back, N);
    assert_int_equal(a.n_users, users[N - 1] - 3);
    assert_int_equal(a.n_users, b.n_users);
    for (int c = 0; c < 4; c++) {
        assert_near(a.hit[c], b.hit[c]);
        assert_near(a.ndcg[c], b.ndcg[c]);
        assert_near(a.recall[c], b.recall[c]);
        assert_true(a.ndcg[c] <= a.hit[c]);
        assert_true(c == 0 || (a.hit[c] >= a.hit[c - 1] && a.ndcg[c] >= a.ndcg[c - 1] &&
                               a.recall[c] >= a.recall[c - 1]));
    }
    assert_near(a.mrr, b.mrr);
    assert_near(a.mean_rank, b.mean_rank);
}

/* ---- golden ------------------------------------------------------------------ */

static void as_scikit_learn(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_ranking / sizeof *golden_ranking; i++) {
        double ranks[GOLDEN_USERS];
        size_t users[GOLDEN_USERS];
        for (size_t u = 0; u < GOLDEN_USERS; u++) {
            users[u] = u;
            ranks[u] = place(golden_ranking[i].score + u * GOLDEN_ITEMS, GOLDEN_ITEMS,
                             (size_t)golden_ranking[i].relevant[u]);
            assert_close(ranks[u], golden_ranking[i].rank[u]);
        }
        nln_ranking r = measure(GOLDEN_CUTS, ranks, users, GOLDEN_USERS);
        for (int c = 0; c < r.n_cuts; c++) {
            assert_close(r.ndcg[c], golden_ranking[i].ndcg[c]);
            assert_close(r.hit[c], golden_ranking[i].hit[c]);
            assert_close(r.recall[c], golden_ranking[i].hit[c]);
        }
        assert_close(r.mrr, golden_ranking[i].mrr);
        assert_close(r.mean_rank, golden_ranking[i].mean_rank);
    }
}

static void ties_as_scipy(void **state)
{
    (void)state;
    for (size_t u = 0; u < GOLDEN_USERS; u++)
        assert_close(place(golden_tied.score + u * GOLDEN_ITEMS, GOLDEN_ITEMS,
                           (size_t)golden_tied.relevant[u]),
                     golden_tied.rank[u]);
}

/* ---- negatives --------------------------------------------------------------- */

static size_t sample(int32_t *out, size_t k, const nln_rank_negatives *draw)
{
    size_t n = 0;
    nln_error err = {0};
    if (nln_rank_metrics_sample(out, &n, k, draw, &err))
        fail_msg("%s", err.message);
    return n;
}

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Of n_items items the liked are those with a random number below share in 256. */
static void draw_liked(nln_rank_negatives *draw, int32_t *liked, size_t n_items, uint64_t share,
                       nln_random *r)
{
    *draw = (nln_rank_negatives){.n_items = n_items, .liked = liked, .seed = nln_random_next(r)};
    for (size_t i = 0; i < n_items; i++)
        if (nln_random_below(r, 256) < share)
            liked[draw->n_liked++] = (int32_t)i;
}

static void negatives_are_distinct_and_unliked(void **state)
{
    (void)state;
    static const uint64_t shares[] = {0, 3, 128, 250, 256};
    int32_t liked[300], out[300];
    nln_random r = nln_random_seed(4, 0);
    for (size_t round = 0; round < 500; round++) {
        nln_rank_negatives draw;
        size_t n_items = (size_t)nln_random_below(&r, 300);
        size_t k = (size_t)nln_random_below(&r, 300);
        draw_liked(&draw, liked, n_items, shares[round % 5], &r);
        size_t unliked = n_items - draw.n_liked;
        assert_int_equal(sample(out, k, &draw), k < unliked ? k : unliked);
        size_t n = k < unliked ? k : unliked;
        qsort(out, n, sizeof *out, ascending);
        for (size_t i = 0; i < n; i++) {
            assert_true(out[i] >= 0 && (size_t)out[i] < n_items);
            assert_true(i == 0 || out[i] > out[i - 1]);
            assert_null(bsearch(out + i, liked, draw.n_liked, sizeof *liked, ascending));
        }
    }
}

/* The same draw gives the same items; another seed, user or item gives others. */
static void negatives_follow_the_seed(void **state)
{
    (void)state;
    const int32_t liked[] = {3, 500, 1681};
    const nln_rank_negatives draw = {1682, liked, 3, 1, 10, 500};
    nln_rank_negatives other[] = {draw, draw, draw, draw};
    int32_t wanted[100], out[100];
    other[1].seed++;
    other[2].user++;
    other[3].item++;
    assert_int_equal(sample(wanted, 100, &draw), 100);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(sample(out, 100, &other[i]), 100);
        assert_int_equal(memcmp(out, wanted, sizeof out) == 0, i == 0);
    }
}

/* The negatives are part of a protocol: these were worked out apart from this library. */
static void negatives_stay_the_same(void **state)
{
    (void)state;
    const int32_t liked[] = {3, 500, 1681}, wanted[] = {653, 1195, 1007, 1115, 718};
    const nln_rank_negatives draw = {1682, liked, 3, 1, 10, 500};
    int32_t out[5];
    assert_int_equal(sample(out, 5, &draw), 5);
    assert_memory_equal(out, wanted, sizeof out);
}

/* Pearson's statistic of counts that should all be `expected`. */
static double chi_square(const double *counts, size_t n, double expected)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return sum;
}

/* Every set of 2 among the 6 unliked of 8 items is as probable as any other: over the 15
 * sets the statistic has 14 degrees of freedom and is above 36 once in a thousand times. */
static void sets_are_uniform(void **state)
{
    (void)state;
    const int32_t liked[] = {0, 4};
    double counts[64] = {0}, sets[15];
    size_t n_sets = 0;
    for (size_t user = 0; user < 15000; user++) {
        const nln_rank_negatives draw = {8, liked, 2, 5, user, 4};
        int32_t out[2];
        assert_int_equal(sample(out, 2, &draw), 2);
        counts[out[0] < out[1] ? out[0] * 8 + out[1] : out[1] * 8 + out[0]]++;
    }
    for (size_t i = 0; i < 64; i++) {
        if (counts[i] == 0)
            continue;
        assert_true(n_sets < 15);
        sets[n_sets++] = counts[i];
    }
    assert_int_equal(n_sets, 15);
    assert_true(chi_square(sets, 15, 1000) < 36);
}

/* Every item is drawn as often as any other, over many items of one user.  The statistic of a
 * sample without replacement is (1 - k / n) times that of one with; its mean is 899 * 2 / 3
 * and its deviation sqrt(2 * 899) * 2 / 3. */
static void items_are_uniform(void **state)
{
    (void)state;
    enum { N = 1000, UNLIKED = 900, K = 300, DRAWS = 3000 };
    int32_t liked[N - UNLIKED], out[K];
    double counts[N] = {0}, unliked[UNLIKED];
    size_t n = 0;
    for (int32_t i = 0; i < N - UNLIKED; i++)
        liked[i] = i * 10 + 7;
    for (size_t item = 0; item < DRAWS; item++) {
        const nln_rank_negatives draw = {N, liked, N - UNLIKED, 6, 1, item};
        assert_int_equal(sample(out, K, &draw), K);
        for (size_t i = 0; i < K; i++)
            counts[out[i]]++;
    }
    for (size_t i = 0; i < N; i++)
        if (i % 10 != 7)
            unliked[n++] = counts[i];
    double share = 1 - (double)K / UNLIKED, sigma = sqrt(2 * (UNLIKED - 1.)) * share;
    double found = chi_square(unliked, UNLIKED, (double)K * DRAWS / UNLIKED);
    assert_true(fabs(found - (UNLIKED - 1) * share) < 4 * sigma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_by_hand),
        cmocka_unit_test(exclusion_by_hand),
        cmocka_unit_test(a_constant_model_is_in_the_middle),
        cmocka_unit_test(nan_never_favours),
        cmocka_unit_test(places_are_ranks),
        cmocka_unit_test(mask_equals_list),
        cmocka_unit_test(cuts_are_read),
        cmocka_unit_test(bad_cuts_are_refused),
        cmocka_unit_test(measures_by_hand),
        cmocka_unit_test(half_ranks),
        cmocka_unit_test(nothing_measured),
        cmocka_unit_test(measures_know_no_order),
        cmocka_unit_test(as_scikit_learn),
        cmocka_unit_test(ties_as_scipy),
        cmocka_unit_test(negatives_are_distinct_and_unliked),
        cmocka_unit_test(negatives_follow_the_seed),
        cmocka_unit_test(negatives_stay_the_same),
        cmocka_unit_test(sets_are_uniform),
        cmocka_unit_test(items_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
