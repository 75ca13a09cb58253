/* Places of liked items against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "evaluation/rank_metrics.h"
#include "evaluation/ranking_evaluation.h"
#include "likes.h"

#define TOPK "task=topk dimension=12 hidden=10 history=4 threads=1 embedding=free "

enum { USERS = 150, ITEMS = 40, KNOWN = 37 };

static nln_ratings *ratings;
static nln_symbols *items; /* of the models: unlike those of the ratings in order and number */

static int make_ratings(void **state)
{
    (void)state;
    ratings = likes_random(USERS, ITEMS, 14, 6);
    items = nln_symbols_create();
    nln_symbols_intern(items, "nobody has met it", 17);
    for (int i = ITEMS - 1; i > ITEMS - KNOWN; i--) {
        char name[16];
        int length = snprintf(name, sizeof name, "x%d", i);
        nln_symbols_intern(items, name, (size_t)length);
    }
    return nln_symbols_count(items) != KNOWN;
}

static int free_ratings(void **state)
{
    (void)state;
    nln_ratings_free(ratings);
    nln_symbols_free(items);
    return 0;
}

typedef struct result {
    nln_metrics metrics;
    nln_placing *placings;
} result;

static result judge(const nln_model *model, nln_split split, const char *settings)
{
    nln_options *o = tiny_options("ranking", settings);
    nln_error err = {0};
    result r;
    if (nln_evaluate_ranking(&r.metrics, &r.placings, model, ratings, split, o, &err))
        fail_msg("%s", err.message);
    nln_options_free(o);
    return r;
}

/* ---- brute force -------------------------------------------------------------------- */

/* The model's number of an item of the ratings, or -1. */
static int32_t known(int32_t item)
{
    const char *name = nln_symbols_name(ratings->items, item);
    return nln_symbols_find(items, name, strlen(name));
}

/* cos(OR(h, v), T), by the book; 0 for a vector of length 0. */
static double naive_cosine(const nln_net *net, const real *h, const real *v)
{
    const nln_module * or = &net->modules.of[NLN_MODULE_OR];
    double z[10], dot = 0, square = 0, truth = 0;
    for (int j = 0; j < 10; j++) {
        z[j] = (double) or->bias[j];
        for (int i = 0; i < 12; i++)
            z[j] += (double)h[i] * (double) or->in[i * 10 + j] + (double)v[i] * (double) or
                                                  ->in[(12 + i) * 10 + j];
        z[j] = fmax(z[j], 0);
    }
    for (int i = 0; i < 12; i++) {
        double e = 0, t = (double)net->truth[i];
        for (int j = 0; j < 10; j++)
            e += z[j] * (double) or->out[j * 12 + i];
        dot += e * t;
        square += e * e;
        truth += t * t;
    }
    return square > 0 ? dot / sqrt(square * truth) : 0;
}

/* The mean over orders, networks and members of alpha cos(OR(h, v), T). */
static void mean_scores(double *score, const nln_model *m, const nln_literal *window, size_t n)
{
    real vectors[6 * 12];
    int32_t members = m->config.members, all = m->n_networks * members;
    nln_exprs list = {0};
    nln_error err = {0};
    tiny_need(nln_implication_append_history(&list, m, -1, window, n, &err), &err);
    memset(score, 0, KNOWN * sizeof *score);
    for (int o = 0; o < m->config.orders; o++) {
        tiny_need(nln_model_vectors(vectors, m, &list, m->config.orders > 1 ? o : -1, &err), &err);
        for (int32_t k = 0; k < all; k++) {
            const nln_net *net = m->net[k / members];
            const real *vector = net->vector + (size_t)(k % members * KNOWN) * 12;
            for (int32_t v = 0; v < KNOWN; v++)
                score[v] += (double)net->alpha / (m->config.orders * all) *
                            naive_cosine(net, vectors + k * 12, vector + (size_t)v * 12);
        }
    }
    nln_exprs_free(&list);
}

/* The scores of all items after what the user met before interaction i. */
static void naive_scores(double *score, const nln_model *m, size_t user, size_t i)
{
    int32_t map[ITEMS];
    nln_literal window[ITEMS];
    for (int32_t item = 0; item < nln_symbols_count(ratings->items); item++)
        map[item] = known(item);
    size_t n = nln_history_window(window, ratings, ratings->start[user], i,
                                  (size_t)m->config.history, map, &m->grading);
    if (m->config.orders * m->config.members * m->n_networks == 1)
        likes_scores(score, m, window, n, 1);
    else
        mean_scores(score, m, window, n);
}

/* Which items of the model the user met before interaction i, and which the user ever liked. */
static void mark_items(uint8_t *met, uint8_t *liked, size_t user, size_t i)
{
    memset(met, 0, KNOWN);
    memset(liked, 0, KNOWN);
    for (size_t at = ratings->start[user]; at < ratings->start[user + 1]; at++) {
        int32_t item = known(ratings->item[at]);
        if (item >= 0) {
            met[item] = at < i;
            liked[item] = nln_ratings_liked(ratings, at) != 0;
        }
    }
}

/* The rank of an item among the rivals; those that are too near to tell may be on either
 * side.  An item that is unknown is the last. */
static void expect_rank(double rank, const double *score, int32_t item, const uint8_t *rival)
{
    double least = 1, most = 1;
    for (int32_t v = 0; v < KNOWN; v++)
        if (rival[v] && v != item) {
            least += item < 0 || score[v] > score[item] + 1e-4;
            most += item < 0 || score[v] > score[item] - 1e-4;
        }
    if (!(rank >= least && rank <= most))
        fail_msg("rank %g is not within %g .. %g", rank, least, most);
}

/* The items of the model in the order of the ratings, then those that only the model has. */
static void order_items(int32_t order[KNOWN])
{
    int n = 0;
    uint8_t met[KNOWN] = {0};
    for (int32_t i = 0; i < nln_symbols_count(ratings->items); i++)
        if (known(i) >= 0) {
            met[known(i)] = 1;
            order[n++] = known(i);
        }
    for (int32_t v = 0; v < KNOWN; v++)
        if (!met[v])
            order[n++] = v;
    assert_int_equal(n, KNOWN);
}

static void sample_rivals(uint8_t *rival, const uint8_t *liked, size_t k, uint64_t seed,
                          size_t user, int32_t item)
{
    int32_t list[KNOWN], sample[KNOWN], order[KNOWN];
    size_t n = 0, n_sample, place = KNOWN;
    order_items(order);
    for (int32_t v = 0; v < KNOWN; v++) {
        if (liked[order[v]])
            list[n++] = v;
        if (order[v] == item)
            place = (size_t)v;
    }
    nln_rank_negatives draw = {
        .n_items = KNOWN, .liked = list, .n_liked = n, .seed = seed, .user = user, .item = place};
    assert_int_equal(nln_rank_metrics_sample(sample, &n_sample, k, &draw, NULL), NLN_OK);
    memset(rival, 0, KNOWN);
    for (size_t i = 0; i < n_sample; i++)
        rival[order[sample[i]]] = 1;
}

typedef struct terms {
    size_t negatives;
    uint64_t seed;
    int with_seen;
} terms;

static void expect_placing(const nln_placing *p, const nln_model *m, size_t user, size_t i, terms t)
{
    double score[KNOWN];
    uint8_t met[KNOWN], liked[KNOWN], rival[KNOWN];
    int32_t item = known(ratings->item[i]);
    assert_int_equal(p->user, user);
    assert_int_equal(p->item, ratings->item[i]);
    naive_scores(score, m, user, i);
    mark_items(met, liked, user, i);
    if (item < 0)
        assert_true(isnan(p->score));
    else
        assert_true(fabs(p->score - score[item]) < 1e-4);
    sample_rivals(rival, liked, t.negatives, t.seed, user, item);
    expect_rank(p->sampled, score, item, rival);
    for (int32_t v = 0; v < KNOWN; v++)
        rival[v] = t.with_seen || !(met[v] || liked[v]);
    expect_rank(p->full, score, item, rival);
}

/* The same metrics, from the placings. */
static void expect_summary(const result *r)
{
    size_t n = r->metrics.full.n, user[USERS * ITEMS];
    double sampled[USERS * ITEMS], full[USERS * ITEMS];
    nln_ranking of_sampled = r->metrics.sampled, of_full = r->metrics.full;
    for (size_t i = 0; i < n; i++) {
        user[i] = r->placings[i].user;
        sampled[i] = r->placings[i].sampled;
        full[i] = r->placings[i].full;
    }
    nln_rank_metrics_measure(&of_sampled, sampled, user, n);
    nln_rank_metrics_measure(&of_full, full, user, n);
    assert_true(likes_same_rankings(&of_sampled, &r->metrics.sampled));
    assert_true(likes_same_rankings(&of_full, &r->metrics.full));
    assert_true(of_full.mean_rank > 1 && of_full.n_users > 0);
}

static void check(const char *settings, nln_split split, const char *options, terms t)
{
    nln_model *m = likes_model(items, settings);
    result r = judge(m, split, options);
    size_t n = 0;
    for (size_t u = 0; u < nln_ratings_users(ratings); u++)
        for (size_t i = ratings->start[u]; i < ratings->start[u + 1]; i++)
            if (nln_ratings_split(ratings, i) == split && nln_ratings_liked(ratings, i))
                expect_placing(&r.placings[n++], m, u, i, t);
    assert_int_equal(n, nln_ratings_likes(ratings, split));
    assert_int_equal(r.metrics.full.n, n);
    assert_int_equal(r.metrics.sampled.n, n);
    expect_summary(&r);
    nln_free(r.placings);
    nln_model_free(m);
}

/* ---- the tests ---------------------------------------------------------------------- */

static void places_equal_brute_force(void **state)
{
    (void)state;
    check(TOPK, NLN_VALID, "negatives=5", (terms){5, 1, 0});
    check(TOPK, NLN_TEST, "negatives=5 negatives-seed=9 threads=2", (terms){5, 9, 0});
    check(TOPK, NLN_TRAIN, "negatives=1 with-seen=true", (terms){1, 1, 1});
    check(TOPK "alpha=3 history=100", NLN_TEST, "negatives=1000000", (terms){1000000, 1, 0});
}

static void all_networks_members_and_orders_are_averaged(void **state)
{
    (void)state;
    check(TOPK "members=3", NLN_TEST, "negatives=8", (terms){8, 1, 0});
    check(TOPK "orders=4", NLN_TEST, "negatives=8", (terms){8, 1, 0});
    check(TOPK "members=2 orders=3", NLN_TEST, "negatives=8", (terms){8, 1, 0});
    check(TOPK "networks=2", NLN_TEST, "negatives=8", (terms){8, 1, 0});
    check(TOPK "networks=3 members=2 orders=2", NLN_TEST, "negatives=8", (terms){8, 1, 0});
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    nln_model *m = likes_model(items, TOPK "networks=2 members=2 orders=2");
    result alone = judge(m, NLN_TRAIN, "threads=1");
    size_t n = alone.metrics.full.n;
    assert_true(n > 4 * 32);
    for (int threads = 2; threads <= 3; threads++) {
        char setting[16];
        snprintf(setting, sizeof setting, "threads=%d", threads);
        result r = judge(m, NLN_TRAIN, setting);
        assert_true(likes_same_metrics(&r.metrics, &alone.metrics));
        assert_memory_equal(r.placings, alone.placings, n * sizeof *r.placings);
        nln_free(r.placings);
    }
    nln_free(alone.placings);
    nln_model_free(m);
}

/* Evenly spread over the split. */
static void some_of_many_can_be_ranked(void **state)
{
    (void)state;
    nln_model *m = likes_model(items, TOPK);
    result all = judge(m, NLN_TRAIN, "negatives=9");
    static const size_t most[] = {1, 7, 100, 100000};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        char setting[48];
        size_t n = all.metrics.full.n, step = (n + most[i] - 1) / most[i];
        snprintf(setting, sizeof setting, "negatives=9 most=%zu", most[i]);
        result some = judge(m, NLN_TRAIN, setting);
        assert_int_equal(some.metrics.full.n, (n + step - 1) / step);
        assert_true(some.metrics.full.n <= most[i]);
        for (size_t j = 0; j < some.metrics.full.n; j++) {
            const nln_placing *a = &some.placings[j], *b = &all.placings[j * step];
            assert_true(a->user == b->user && a->item == b->item);
            assert_true(a->sampled == b->sampled && a->full == b->full);
        }
        nln_free(some.placings);
    }
    nln_free(all.placings);
    nln_model_free(m);
}

/* The ranks that are too near to tell may differ. */
static void quickly_is_the_sampled_ranking_alone(void **state)
{
    (void)state;
    static const char *const settings[] = {TOPK, TOPK "members=3 orders=2"};
    for (size_t i = 0; i < 2; i++) {
        nln_model *m = likes_model(items, settings[i]);
        result r = judge(m, NLN_TEST, "cuts=10");
        nln_metrics quick;
        assert_int_equal(nln_evaluate_ranking_quickly(&quick, m, ratings, NLN_TEST, NULL), NLN_OK);
        assert_int_equal(quick.full.n, 0);
        assert_int_equal(quick.sampled.n, r.metrics.sampled.n);
        assert_int_equal(quick.sampled.n_users, r.metrics.sampled.n_users);
        assert_int_equal(quick.sampled.n_cuts, 1);
        assert_int_equal(quick.sampled.cut[0], 10);
        assert_true(fabs(quick.sampled.ndcg[0] - r.metrics.sampled.ndcg[0]) < 0.005);
        assert_true(fabs(quick.sampled.mean_rank - r.metrics.sampled.mean_rank) < 0.05);
        nln_free(r.placings);
        nln_model_free(m);
    }
}

/* Of n rivals half are ahead. */
static void who_cannot_tell_is_in_the_middle(void **state)
{
    (void)state;
    nln_model *m = likes_model(ratings->items, TOPK);
    memset(m->net[0]->weights, 0, nln_modules_size(12, 10) * sizeof(real));
    nln_net_transpose(m->net[0]);
    result r = judge(m, NLN_TEST, "negatives=10 with-seen=true");
    for (size_t i = 0; i < r.metrics.full.n; i++) {
        assert_true(r.placings[i].score == 0);
        assert_true(r.placings[i].sampled == 1 + 10 / 2.0);
        assert_true(r.placings[i].full == 1 + (double)(nln_ratings_items(ratings) - 1) / 2);
    }
    nln_free(r.placings);
    nln_model_free(m);
}

/* Not even with itself. */
static void who_has_no_rivals_is_first(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a +b | +c | +d -e bob -a -b -c -e | | +d");
    nln_model *m = likes_model(r->items, TOPK);
    nln_metrics metrics;
    nln_placing *placings;
    assert_int_equal(nln_evaluate_ranking(&metrics, &placings, m, r, NLN_TEST, NULL, NULL), NLN_OK);
    assert_int_equal(metrics.full.n, 2);
    assert_int_equal(metrics.full.n_users, 2);
    assert_true(placings[1].full == 1); /* all others have been met */
    assert_true(placings[0].full == 1 || placings[0].full == 2);
    assert_true(placings[0].sampled == placings[0].full); /* e alone */
    assert_true(placings[1].sampled >= 1 && placings[1].sampled <= 5);
    nln_free(placings);
    nln_model_free(m);
    nln_ratings_free(r);
}

static void there_may_be_nothing_to_rank(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a +b | -c");
    nln_model *m = likes_model(r->items, TOPK);
    nln_metrics metrics;
    nln_placing *placings;
    for (int split = NLN_VALID; split <= NLN_TEST; split++) {
        assert_int_equal(
            nln_evaluate_ranking(&metrics, &placings, m, r, (nln_split)split, NULL, NULL), NLN_OK);
        assert_int_equal(metrics.full.n + metrics.sampled.n + metrics.n, 0);
        nln_free(placings);
    }
    nln_model_free(m);
    nln_ratings_free(r);
}

static void bad_cuts_are_refused(void **state)
{
    (void)state;
    nln_model *m = likes_model(items, TOPK);
    nln_options *o = tiny_options("ranking", "cuts=0");
    nln_metrics metrics;
    nln_placing *placings = NULL;
    nln_error err = {0};
    assert_int_equal(nln_evaluate_ranking(&metrics, &placings, m, ratings, NLN_TEST, o, &err),
                     NLN_INVALID);
    assert_null(placings);
    assert_non_null(strstr(err.message, "cuts"));
    nln_options_free(o);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_equal_brute_force),
        cmocka_unit_test(all_networks_members_and_orders_are_averaged),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(some_of_many_can_be_ranked),
        cmocka_unit_test(quickly_is_the_sampled_ranking_alone),
        cmocka_unit_test(who_cannot_tell_is_in_the_middle),
        cmocka_unit_test(who_has_no_rivals_is_first),
        cmocka_unit_test(there_may_be_nothing_to_rank),
        cmocka_unit_test(bad_cuts_are_refused),
    };
    return cmocka_run_group_tests(tests, make_ratings, free_ratings);
}
