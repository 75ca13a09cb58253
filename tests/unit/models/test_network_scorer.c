/* The network as a recommender: scores of items are those of the implications, and candidates
 * are those of a full ranking. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "math/scalar.h"
#include "models/network_learner.h"

enum { ITEMS = 25, QUERIES = 4, LONGEST = 6 };

static const nln_literal history[] = {{3, 1, 0}, {7, 0, 0}, {0, 1, 0}};
static const char *const premise[QUERIES] = {"F", "!x3", "!(x3 & !x7)", "!(x3 & !x7 & x0)"};

static nln_model *drawn_model(int n_items, const char *settings)
{
    nln_symbols *names = trees_names(n_items);
    nln_model *m = likes_model(names, settings);
    m->config.duals = 0;
    nln_symbols_free(names);
    return m;
}

/* Query i has the first i literals of the history. */
static nln_queries make_queries(int32_t target)
{
    nln_queries queries = {0};
    for (size_t i = 0; i < QUERIES; i++)
        assert_int_equal(nln_queries_append(&queries, -1, history, i, target, NULL), NLN_OK);
    return queries;
}

static nln_item_scorer *scorer_of(const nln_model *m)
{
    nln_item_scorer *s = NULL;
    nln_error err = {0};
    tiny_need(nln_network_ask(&s, m, QUERIES, &err), &err);
    return s;
}

/* The scores of `premise | v` for every item v, computed as expressions. */
static void implications(double score[ITEMS], nln_model *m, const char *text)
{
    nln_exprs list = {0};
    nln_error err = {0};
    for (int v = 0; v < ITEMS; v++) {
        char whole[64];
        snprintf(whole, sizeof whole, "(%s) | x%d", text, v);
        trees_parse(&list, m->symbols, whole);
    }
    tiny_need(nln_network_scores(score, m, &list, m->config.orders, 1, &err), &err);
    nln_exprs_free(&list);
}

static void expect_near(const double *got, const double *wanted)
{
    for (int v = 0; v < ITEMS; v++)
        if (!(fabs(got[v] - wanted[v]) < 1e-4))
            fail_msg("item %d: %.9g, not %.9g", v, got[v], wanted[v]);
}

/* ---- scores --------------------------------------------------------------------------------- */

static const char *const settings[] = {
    "task=preference dimension=6 grades=0 orders=1 members=1",
    "task=topk dimension=12 hidden=9 orders=1 members=2 networks=3",
    "task=topk dimension=6 embedding=arc orders=1 members=3"};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Also of a clone, whichever queries are read with it. */
static void scores_are_those_of_the_implications(void **state)
{
    (void)state;
    for (int k = 0; k < SETTINGS; k++) {
        nln_model *m = drawn_model(ITEMS, settings[k]);
        nln_queries queries = make_queries(-1);
        nln_item_scorer *s = scorer_of(m), *clone = NULL;
        double got[ITEMS], of_clone[ITEMS], wanted[ITEMS];
        assert_int_equal(s->clone(&clone, s, NULL), NLN_OK);
        assert_int_equal(s->read(s, &queries, 0, QUERIES, NULL), NLN_OK);
        for (size_t i = 0; i < QUERIES; i++) {
            implications(wanted, m, premise[i]);
            s->scores(got, s, i, NULL, 0);
            expect_near(got, wanted);
            assert_int_equal(clone->read(clone, &queries, i, 1, NULL), NLN_OK);
            clone->scores(of_clone, clone, 0, NULL, 0);
            expect_near(of_clone, wanted);
        }
        clone->free(clone);
        s->free(s);
        nln_queries_free(&queries);
        nln_model_free(m);
    }
}

static void other_items_keep_their_scores(void **state)
{
    (void)state;
    static const int32_t only[] = {24, 2, 9};
    nln_model *m = drawn_model(ITEMS, settings[1]);
    nln_queries queries = make_queries(-1);
    nln_item_scorer *s = scorer_of(m);
    double all[ITEMS], some[ITEMS];
    for (int v = 0; v < ITEMS; v++)
        some[v] = 77;
    assert_int_equal(s->read(s, &queries, 2, 2, NULL), NLN_OK);
    s->scores(all, s, 1, NULL, 0);
    s->scores(some, s, 1, only, 3);
    for (int v = 0; v < ITEMS; v++)
        assert_true(some[v] == (v == 24 || v == 2 || v == 9 ? all[v] : 77));
    s->free(s);
    nln_queries_free(&queries);
    nln_model_free(m);
}

/* Of random orders too. */
static void answers_are_scores_of_the_implications(void **state)
{
    (void)state;
    nln_model *m =
        drawn_model(ITEMS, "task=preference dimension=6 grades=0 networks=2 members=2 orders=3");
    nln_queries queries = make_queries(11);
    double got[QUERIES], wanted[ITEMS];
    assert_int_equal(nln_network_answer(got, m, &queries, 2, NULL), NLN_OK);
    for (size_t i = 0; i < QUERIES; i++) {
        implications(wanted, m, premise[i]);
        assert_true(fabs(got[i] - wanted[11]) < 1e-4);
    }
    nln_queries_free(&queries);
    nln_model_free(m);
}

/* OR(expression, v) as a probability, with the temperature. */
static void ranks_are_probabilities_of_the_disjunction(void **state)
{
    (void)state;
    static const char *const of[] = {"dimension=6 members=1", "dimension=6 members=2 networks=3",
                                     "task=topk dimension=6 members=2 networks=3"};
    for (int k = 0; k < 3; k++) {
        nln_model *m = drawn_model(ITEMS, of[k]);
        nln_item_scorer *s = scorer_of(m);
        nln_exprs list = {0};
        double p[ITEMS], wanted[ITEMS];
        m->config.orders = 1;
        m->temperature = 0.6;
        trees_parse(&list, m->symbols, "x4 & !x9");
        assert_int_equal(s->rank(p, s, &list, NULL), NLN_OK);
        implications(wanted, m, "x4 & !x9");
        for (int v = 0; v < ITEMS; v++)
            wanted[v] = nln_sigmoid(0.6 * wanted[v]);
        expect_near(p, wanted);
        nln_exprs_free(&list);
        s->free(s);
        nln_model_free(m);
    }
}

/* ---- several networks ----------------------------------------------------------------------- */

/* The mean of log-odds where items are ranked, which is the order of the answers if there is but
 * one network. */
static void scores_of_items_are_the_mean_of_the_networks(void **state)
{
    (void)state;
    enum { NETWORKS = 3 };
    nln_model *m = drawn_model(ITEMS, "task=preference dimension=6 networks=3 grades=0");
    nln_literal longer[LONGEST];
    double got[ITEMS], mean[ITEMS] = {0}, each[NETWORKS][ITEMS], answers[ITEMS];
    for (size_t i = 0; i < LONGEST; i++)
        longer[i] = (nln_literal){3 * i, i % 2, 0};
    assert_int_equal(nln_recommend_scores(got, m, NULL, longer, LONGEST, NULL), NLN_OK);
    for (int k = 0; k < NETWORKS; k++) {
        nln_model *one = tiny_alone(m, k);
        assert_int_equal(nln_recommend_scores(each[k], one, NULL, longer, LONGEST, NULL), NLN_OK);
        likes_scores(answers, one, longer, LONGEST, 1);
        expect_near(answers, each[k]);
        for (int v = 0; v < ITEMS; v++)
            mean[v] += each[k][v] / NETWORKS;
        nln_model_free(one);
    }
    for (int v = 0; v < ITEMS; v++)
        assert_true(fabs(got[v] - mean[v]) < 1e-9);
    assert_memory_not_equal(each[0], each[1], sizeof each[0]);
    nln_model_free(m);
}

/* ---- candidates ----------------------------------------------------------------------------- */

enum { MANY = 1500, NEED = 10 };

/* Among the candidates is every item that `skip` leaves and that is as good as the NEED-th best. */
static void expect_candidates(const int32_t *list, int32_t n, const double *score,
                              const double *full, const uint8_t *skipped, double tie)
{
    uint8_t listed[MANY] = {0};
    for (int32_t i = 0; i < n; i++) {
        assert_in_range(list[i], 0, MANY - 1);
        assert_false(listed[list[i]] || skipped[list[i]]);
        listed[list[i]] = 1;
        assert_true(score[list[i]] == full[list[i]]);
    }
    for (int v = 0; v < MANY; v++) {
        int better = 0; /* than v by more than the tie */
        for (int w = 0; w < MANY; w++)
            better += !skipped[w] && full[w] > full[v] + tie;
        assert_true(listed[v] || skipped[v] || better >= NEED);
    }
}

/* How much worse the item at place `from` is than that at place `to`, counted from 0. */
static double gap(const double *full, size_t to, size_t from)
{
    double sorted[MANY];
    memcpy(sorted, full, sizeof sorted);
    for (size_t i = 0; i <= from; i++)
        for (size_t j = i + 1; j < MANY; j++)
            if (sorted[j] > sorted[i]) {
                double larger = sorted[j];
                sorted[j] = sorted[i];
                sorted[i] = larger;
            }
    return sorted[to] - sorted[from];
}

/* Skips the best NEED items. */
static void skip_best(int32_t skip[NEED], uint8_t *skipped, const double *full)
{
    for (int n = 0; n < NEED; n++) {
        int32_t best = -1;
        for (int32_t v = 0; v < MANY; v++)
            if (!skipped[v] && (best < 0 || full[v] > full[best]))
                best = v;
        skip[n] = best;
        skipped[best] = 1;
    }
}

/* With the best items skipped, and with a tie that takes in many more than are needed.  And they
 * are few: a bound that excludes nothing would pass everything else. */
static void candidates_are_those_of_the_full_scores(void **state)
{
    (void)state;
    static const char *const of[] = {"task=topk dimension=16 members=1 orders=1",
                                     "task=topk dimension=8 members=2 networks=2 orders=2"};
    static int32_t list[MANY];
    static double score[MANY], full[MANY];
    for (int k = 0; k < 2; k++) {
        nln_model *m = drawn_model(MANY, of[k]);
        nln_queries queries = make_queries(-1);
        nln_item_scorer *original, *s = NULL;
        int n_lists = 0;
        for (int j = 0; j < m->n_networks; j++)
            for (size_t i = 0; i < (size_t)m->net[j]->n_variables * (size_t)m->net[j]->dim; i++)
                m->net[j]->vector[i] *= 100; /* so that items differ */
        original = scorer_of(m);
        assert_int_equal(original->prepare(original, NULL), NLN_OK);
        assert_int_equal(original->clone(&s, original, NULL), NLN_OK);
        assert_int_equal(s->read(s, &queries, 0, QUERIES, NULL), NLN_OK);
        for (size_t i = 1; i < QUERIES; i++)
            for (int kind = 0; kind < 3; kind++) {
                int32_t skip[NEED];
                uint8_t skipped[MANY] = {0};
                s->scores(full, s, i, NULL, 0);
                double tie = kind == 1 ? gap(full, NEED - 1, 80) : 0;
                if (kind == 2)
                    skip_best(skip, skipped, full);
                int32_t n = s->candidates(list, score, s, i, NEED, skip, kind == 2 ? NEED : 0, tie);
                if (n < 0 && m->n_networks > 1)
                    continue; /* bounds of a mean are wide: all items are to be scored */
                n_lists++;
                assert_in_range(n, kind == 1 ? 81 : NEED, MANY / 2);
                expect_candidates(list, n, score, full, skipped, tie);
            }
        assert_true(n_lists > 0);
        s->free(s);
        original->free(original);
        nln_queries_free(&queries);
        nln_model_free(m);
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* In a large catalogue. */
static void candidates_of_a_large_catalogue_are_those_of_the_full_scores(void **state)
{
    (void)state;
    enum { LARGE = 20000 };
    static const char *const of[] = {"task=topk dimension=16 members=1 orders=1",
                                     "task=topk dimension=8 members=2 networks=1 orders=1"};
    static int32_t list[LARGE];
    static double score[LARGE], full[LARGE], sorted[LARGE];
    for (int k = 0; k < 2; k++) {
        nln_model *m = drawn_model(LARGE, of[k]);
        nln_queries queries = make_queries(-1);
        nln_item_scorer *original, *s = NULL;
        for (size_t i = 0; i < (size_t)m->net[0]->n_variables * (size_t)m->net[0]->dim; i++)
            m->net[0]->vector[i] *= 100; /* so that items differ */
        original = scorer_of(m);
        assert_int_equal(original->prepare(original, NULL), NLN_OK);
        assert_int_equal(original->clone(&s, original, NULL), NLN_OK);
        assert_int_equal(s->read(s, &queries, 0, QUERIES, NULL), NLN_OK);
        for (size_t i = 1; i < QUERIES; i++) {
            static uint8_t listed[LARGE];
            const int32_t skip[] = {5, 19999};
            memset(listed, 0, sizeof listed);
            s->scores(full, s, i, NULL, 0);
            int32_t n = s->candidates(list, score, s, i, NEED, skip, 2, 0);
            assert_in_range(n, NEED, LARGE / 4);
            for (int32_t j = 0; j < n; j++) {
                assert_false(listed[list[j]]);
                assert_true(score[list[j]] == full[list[j]]);
                listed[list[j]] = 1;
            }
            full[skip[0]] = full[skip[1]] = -INFINITY;
            memcpy(sorted, full, sizeof sorted);
            qsort(sorted, LARGE, sizeof *sorted, descending);
            for (int v = 0; v < LARGE; v++)
                assert_true(listed[v] || full[v] < sorted[NEED - 1]);
        }
        s->free(s);
        original->free(original);
        nln_queries_free(&queries);
        nln_model_free(m);
    }
}

/* Where most items are wanted, or there are few, all are scored. */
static void all_items_are_scored_where_that_is_as_well(void **state)
{
    (void)state;
    static int32_t list[MANY];
    static double score[MANY];
    for (int k = 0; k < 2; k++) {
        nln_model *m = drawn_model(k ? MANY : ITEMS, "task=topk dimension=16");
        nln_queries queries = make_queries(-1);
        nln_item_scorer *original = scorer_of(m), *s = NULL;
        assert_int_equal(original->prepare(original, NULL), NLN_OK);
        assert_int_equal(original->clone(&s, original, NULL), NLN_OK);
        assert_int_equal(s->read(s, &queries, 1, 1, NULL), NLN_OK);
        assert_int_equal(s->candidates(list, score, s, 0, k ? MANY / 2 : 1, NULL, 0, 0), -1);
        s->free(s);
        original->free(original);
        nln_queries_free(&queries);
        nln_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_implications),
        cmocka_unit_test(other_items_keep_their_scores),
        cmocka_unit_test(answers_are_scores_of_the_implications),
        cmocka_unit_test(ranks_are_probabilities_of_the_disjunction),
        cmocka_unit_test(scores_of_items_are_the_mean_of_the_networks),
        cmocka_unit_test(candidates_are_those_of_the_full_scores),
        cmocka_unit_test(candidates_of_a_large_catalogue_are_those_of_the_full_scores),
        cmocka_unit_test(all_items_are_scored_where_that_is_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
