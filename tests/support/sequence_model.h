/* A small random model that reads histories as sequences, and what holds for every such model.  A
 * test defines SEQUENCE_OPTIONS first. */
#ifndef NLN_TESTS_SEQUENCE_MODEL_H
#define NLN_TESTS_SEQUENCE_MODEL_H

#include <math.h>

#include "models/method.h"
#include "models/model.h"
#include "tiny.h"

enum { USERS = 3, ITEMS = 8, CASES = 12 };

static nln_model *make(void)
{
    nln_options *o = tiny_options("train", SEQUENCE_OPTIONS);
    nln_symbols *names = trees_names(ITEMS);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_random random = nln_random_seed(3, 1);
    nln_net_tensor t;
    tiny_need(nln_model_create_for(&model, names, USERS, o, &err), &err);
    nln_model_draw(model, &random);
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] += (real)(0.3 * nln_random_normal(&random));
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

static void add(nln_queries *queries, int32_t user, const nln_literal *history, size_t n)
{
    assert_int_equal(nln_queries_append(queries, user, history, n, -1, NULL), NLN_OK);
}

/* score [n, ITEMS] of all queries, read at once. */
static void ask(double *score, const nln_model *m, const nln_queries *queries)
{
    nln_item_scorer *s = NULL;
    assert_int_equal(m->method->ask(&s, m, queries->n, NULL), NLN_OK);
    assert_int_equal(s->read(s, queries, 0, queries->n, NULL), NLN_OK);
    for (size_t i = 0; i < queries->n; i++)
        s->scores(score + i * ITEMS, s, i, NULL, 0);
    s->free(s);
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int v = 0; v < ITEMS; v++)
        most = fmax(most, fabs(a[v] - b[v]));
    return most;
}

static const real *tensor(const nln_model *m, const char *name)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        if (strcmp(t.name, name) == 0)
            return t.data;
    fail_msg("there is no tensor %s", name);
    return NULL;
}

static void order_and_likes_matter_and_the_user_does_not(void **state)
{
    (void)state;
    static const nln_literal there[] = {{1, 1, 0}, {5, 1, 0}, {2, 0, 0}},
                             back[] = {{2, 0, 0}, {5, 1, 0}, {1, 1, 0}};
    static const nln_literal disliked[] = {{1, 1, 0}, {5, 0, 0}, {2, 0, 0}};
    double score[4 * ITEMS];
    nln_model *m = make();
    nln_queries queries = {0};
    add(&queries, 0, there, 3);
    add(&queries, -1, there, 3);
    add(&queries, 0, back, 3);
    add(&queries, 0, disliked, 3);
    ask(score, m, &queries);
    assert_true(distance(score, score + ITEMS) == 0);
    assert_true(distance(score, score + 2 * ITEMS) > 1e-3);
    assert_true(distance(score, score + 3 * ITEMS) > 1e-3);
    nln_queries_free(&queries);
    nln_model_free(m);
}

/* A query has the same scores alone, among others, and from any scorer. */
static void scores_do_not_depend_on_neighbours(void **state)
{
    (void)state;
    double together[CASES * ITEMS], alone[ITEMS];
    nln_model *m = make();
    nln_queries queries = {0};
    nln_random random = nln_random_seed(4, 4);
    for (int i = 0; i < CASES; i++) {
        nln_literal history[CASES];
        for (int j = 0; j < i; j++)
            history[j] = (nln_literal){nln_random_below(&random, ITEMS),
                                       (int)nln_random_below(&random, 2), 0};
        add(&queries, i % USERS, history, (size_t)i);
    }
    ask(together, m, &queries);
    nln_item_scorer *s = NULL, *twin = NULL;
    assert_int_equal(m->method->ask(&s, m, 2, NULL), NLN_OK);
    assert_int_equal(s->clone(&twin, s, NULL), NLN_OK);
    for (size_t i = 0; i < CASES; i++) {
        nln_item_scorer *which = i % 2 ? s : twin;
        assert_int_equal(which->read(which, &queries, i, 1, NULL), NLN_OK);
        which->scores(alone, which, 0, NULL, 0);
        assert_true(distance(alone, together + i * ITEMS) < 1e-5);
    }
    twin->free(twin);
    s->free(s);
    nln_queries_free(&queries);
    nln_model_free(m);
}

#endif
