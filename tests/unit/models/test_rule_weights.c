/* The weights of rules: those of EASE where only likes count, a minimum of their formula in both
 * ways of finding them, and the same on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/method.h"
#include "models/rule_weights.h"

enum { USERS = 60, ITEMS = 25, MOST = 12, PRIOR = 4 };
static const nln_dislikes apart = {.are_literals = 1}, half = {.value = 0.5};

/* Users who meet items, some of them twice; the last item is met by nobody. */
static nln_queries random_users(void)
{
    nln_queries users = {0};
    nln_random r = nln_random_seed(6, 6);
    for (int32_t u = 0; u < USERS; u++) {
        nln_literal met[MOST];
        size_t n = nln_random_below(&r, MOST + 1);
        for (size_t i = 0; i < n; i++)
            met[i] = (nln_literal){nln_random_below(&r, ITEMS - 1), nln_random_below(&r, 3) > 0, 0};
        assert_int_equal(nln_queries_append(&users, u, met, n, -1, NULL), NLN_OK);
    }
    return users;
}

static nln_item_rules *find(const nln_queries *users, size_t n_items, size_t width,
                            nln_dislikes dislikes, int threads)
{
    nln_item_rules *rules = NULL;
    nln_cooccurrence *counts = NULL;
    nln_thread_pool *pool = NULL;
    assert_int_equal(nln_thread_pool_create(&pool, threads, NULL), NLN_OK);
    assert_int_equal(nln_item_rules_create(&rules, n_items, width, NULL), NLN_OK);
    assert_int_equal(nln_cooccurrence_create(&counts, users, n_items, dislikes, NULL), NLN_OK);
    assert_true(nln_rule_weights_width(counts, 3) == 3);
    assert_int_equal(nln_rule_weights_find(rules, counts, PRIOR, pool, NULL), NLN_OK);
    nln_cooccurrence_free(counts);
    nln_thread_pool_free(pool);
    return rules;
}

static double weight_of(const nln_item_rules *r, size_t premise, size_t conclusion)
{
    double sum = 0;
    for (size_t k = r->start[premise]; k < r->start[premise + 1]; k++)
        sum += (size_t)r->conclusion[k] == conclusion ? (double)r->strength[k] : 0;
    return sum;
}

static void with_likes_alone_they_are_ease(void **state)
{
    (void)state;
    nln_queries users = random_users();
    nln_symbols *names = trees_names(ITEMS);
    nln_model *ease = likes_model(names, "model=ease task=topk threads=1 history=1000 l2=4");
    nln_item_rules *rules = find(&users, ITEMS, ITEMS, (nln_dislikes){0}, 1);
    double most = 0;
    assert_int_equal(ease->method->solve(ease, &users, NULL, NULL), NLN_OK);
    for (size_t i = 0; i < ITEMS; i++)
        for (size_t j = 0; j < ITEMS; j++) {
            double wanted = (double)ease->weights.data[0][i * ITEMS + j];
            assert_true(fabs(weight_of(rules, i, j) - wanted) < 1e-4);
            most = fmax(most, fabs(wanted));
        }
    assert_true(most > 0.05);
    nln_item_rules_free(rules);
    nln_model_free(ease);
    nln_symbols_free(names);
    nln_queries_free(&users);
}

/* The gradient of |x_v - X_S b|^2 + l2 |b|^2 is 0 along each premise, and no premise is about the
 * item itself. */
static void expect_minimum(const nln_item_rules *r, const nln_queries *users, size_t n_items,
                           nln_dislikes dislikes)
{
    size_t n_found = 0, n_dislikes = 0;
    double *X = calloc(users->n * 2 * n_items, sizeof *X);
    assert_non_null(X);
    for (size_t u = 0; u < users->n; u++)
        for (size_t i = 0; i < users->list[u].n; i++) {
            nln_literal met = users->literal[users->list[u].first + i];
            X[u * 2 * n_items + met.item] = met.liked ? 1 : dislikes.value;
            X[u * 2 * n_items + n_items + met.item] = dislikes.are_literals && !met.liked;
        }
    for (size_t v = 0; v < n_items; v++)
        for (size_t k = 0; k < r->width && r->premise[v * r->width + k] >= 0; k++) {
            size_t premise = (size_t)r->premise[v * r->width + k];
            double b = (double)r->weight[v * r->width + k];
            double gradient = (premise < n_items ? PRIOR : 2 * PRIOR) * b;
            n_found++;
            n_dislikes += premise >= n_items;
            assert_true(premise != v && premise != n_items + v && premise < 2 * n_items);
            for (size_t u = 0; u < users->n; u++) {
                const double *x = X + u * 2 * n_items;
                double rest = -x[v];
                for (size_t j = 0; j < r->width && r->premise[v * r->width + j] >= 0; j++)
                    rest += x[r->premise[v * r->width + j]] * (double)r->weight[v * r->width + j];
                gradient += x[premise] * rest;
            }
            assert_true(fabs(gradient) < 1e-3);
        }
    assert_true(n_found > 20 && (n_dislikes > 5) == dislikes.are_literals);
    free(X);
}

static void expect_same(const nln_item_rules *a, const nln_item_rules *b)
{
    for (size_t i = 0; i < a->n_items * a->width; i++) {
        assert_int_equal(a->premise[i], b->premise[i]);
        assert_true(a->weight[i] == b->weight[i]);
    }
}

/* All literals but the two of the item itself are premises where all are kept. */
static void all_premises_are_a_minimum(void **state)
{
    (void)state;
    nln_queries users = random_users();
    nln_item_rules *r = find(&users, ITEMS, 2 * ITEMS, apart, 1);
    nln_item_rules *same = find(&users, ITEMS, 2 * ITEMS, apart, 3);
    expect_minimum(r, &users, ITEMS, apart);
    expect_same(r, same);
    nln_item_rules_free(r);
    nln_item_rules_free(same);
    nln_queries_free(&users);
}

static void dislikes_may_be_parts_of_likes(void **state)
{
    (void)state;
    nln_queries users = random_users();
    nln_item_rules *r = find(&users, ITEMS, ITEMS, half, 2);
    expect_minimum(r, &users, ITEMS, half);
    nln_item_rules_free(r);
    nln_queries_free(&users);
}

/* Of these, the strongest are kept with the weights that they have among all. */
static void the_strongest_are_kept(void **state)
{
    (void)state;
    enum { WIDTH = 6 };
    nln_queries users = random_users();
    nln_item_rules *all = find(&users, ITEMS, 2 * ITEMS, apart, 1);
    nln_item_rules *few = find(&users, ITEMS, WIDTH, apart, 2);
    for (size_t v = 0; v < ITEMS - 1; v++)
        for (size_t k = 0; k < WIDTH; k++) {
            int32_t premise = few->premise[v * WIDTH + k];
            assert_true(premise >= 0);
            assert_true(fabs(weight_of(all, (size_t)premise, v) -
                             (double)few->weight[v * WIDTH + k]) < 1e-7);
        }
    nln_item_rules_free(all);
    nln_item_rules_free(few);
    nln_queries_free(&users);
}

/* A catalogue with more literals than one system holds: every item has a small one. */
static void small_systems_are_a_minimum(void **state)
{
    (void)state;
    enum { MANY = NLN_MOST_DENSE, WIDTH = 5 };
    nln_queries users = random_users(), all = {0};
    for (size_t u = 0; u < users.n; u++) {
        const nln_query *q = &users.list[u];
        assert_int_equal(nln_queries_append(&all, 0, users.literal + q->first, q->n, -1, NULL),
                         NLN_OK);
    }
    for (size_t i = ITEMS; i < MANY; i++) { /* each liked, and the last disliked, by somebody */
        nln_literal met[] = {{i, 1, 0}, {i - 1, 0, 0}};
        assert_int_equal(nln_queries_append(&all, 0, met, 2, -1, NULL), NLN_OK);
    }
    nln_item_rules *r = find(&all, MANY, WIDTH, apart, 1);
    nln_item_rules *same = find(&all, MANY, WIDTH, apart, 2);
    nln_item_rules *beginning = NULL;
    assert_int_equal(nln_item_rules_create(&beginning, ITEMS - 1, WIDTH, NULL), NLN_OK);
    expect_same(r, same);
    /* Those of the first items, in the numbers of a catalogue without the others. */
    for (size_t i = 0; i < (ITEMS - 1) * WIDTH; i++) {
        int32_t premise = r->premise[i];
        beginning->premise[i] = premise < MANY ? premise : premise - MANY + ITEMS - 1;
        beginning->weight[i] = r->weight[i];
    }
    expect_minimum(beginning, &users, ITEMS - 1, apart);
    nln_item_rules_free(beginning);
    nln_item_rules_free(r);
    nln_item_rules_free(same);
    nln_queries_free(&users);
    nln_queries_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_likes_alone_they_are_ease),
        cmocka_unit_test(all_premises_are_a_minimum),
        cmocka_unit_test(dislikes_may_be_parts_of_likes),
        cmocka_unit_test(the_strongest_are_kept),
        cmocka_unit_test(small_systems_are_a_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
