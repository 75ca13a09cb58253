/* Rules found by counting: histories add what the formula says, and models keep them. */
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

static nln_item_rules *find(const nln_queries *users, size_t width, int threads)
{
    nln_item_rules *rules = NULL;
    nln_cooccurrence *counts = NULL;
    nln_thread_pool *pool = NULL;
    assert_int_equal(nln_thread_pool_create(&pool, threads, NULL), NLN_OK);
    assert_int_equal(nln_item_rules_create(&rules, ITEMS, width, NULL), NLN_OK);
    assert_int_equal(
        nln_cooccurrence_create(&counts, users, ITEMS, (nln_dislikes){.are_literals = 1}, NULL),
        NLN_OK);
    assert_int_equal(nln_rule_weights_find(rules, counts, PRIOR, pool, NULL), NLN_OK);
    rules->dislike = 0.25; /* a file may have both */
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

/* A doubled item counts once, as it was met last; age counts likes. */
static void histories_add_what_the_formula_says(void **state)
{
    (void)state;
    static const nln_literal history[] = {{3, 0, 0}, {9, 1, 0}, {4, 0, 0}, {3, 1, 0}, {7, 1, 0}};
    nln_queries users = random_users();
    nln_item_rules *r = find(&users, 8, 1);
    uint8_t seen[ITEMS] = {0};
    double score[ITEMS], size = 0, d = NLN_ITEM_RULES_DECAY;
    for (size_t v = 0; v < ITEMS; v++)
        score[v] = 1;
    nln_item_rules_add(score, r, history, 5, 2, 3, seen);
    for (size_t v = 0; v < ITEMS; v++) {
        double wanted = 1 + (2 + 3) * weight_of(r, 7, v) + (2 + 3 * d) * weight_of(r, 3, v) +
                        (2 + 3 * d * d) * (weight_of(r, 9, v) + weight_of(r, ITEMS + 4, v) +
                                           0.25 * weight_of(r, 4, v));
        assert_true(fabs(score[v] - wanted) < 1e-9);
        assert_int_equal(seen[v], 0);
        size += fabs(wanted - 1);
    }
    assert_true(size > 0.5);
    nln_item_rules_free(r);
    nln_queries_free(&users);
}

/* Scores of a model with rules are the network's and theirs, also after histories that are longer
 * than the network takes; a file brings them back. */
static void a_model_adds_them_and_keeps_them(void **state)
{
    (void)state;
    enum { LONG = 9 };
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, "task=topk dimension=6 history=3"), *read = NULL;
    nln_queries users = random_users();
    nln_literal history[LONG];
    nln_question question = {.history = history, .n_history = LONG};
    double plain[ITEMS], with[ITEMS], again[ITEMS], added[ITEMS] = {0};
    uint8_t seen[ITEMS] = {0};
    nln_error err = {0};
    for (size_t i = 0; i < LONG; i++)
        history[i] = (nln_literal){2 * i, i % 4 != 1, 0};
    for (int pass = 0; pass < 3; pass++) {
        nln_scorer *s = NULL;
        tiny_need(nln_scorer_create(&s, pass == 2 ? read : m, &err), &err);
        tiny_need(nln_scorer_scores(pass == 2 ? again
                                    : pass    ? with
                                              : plain,
                                    s, &question, 1, 1, &err),
                  &err);
        nln_scorer_free(s);
        if (pass == 0) {
            m->rules = find(&users, 4, 1);
            m->rules->network = 0.25;
            m->rules->whole = 0.5;
            m->rules->recent = 2;
        } else if (pass == 1) {
            tiny_need(nln_model_save(m, "item_rules.safetensors", &err), &err);
            tiny_need(nln_model_load(&read, "item_rules.safetensors", &err), &err);
        }
    }
    nln_item_rules_add(added, m->rules, history, LONG, 0.5, 2, seen);
    double size = 0;
    for (size_t v = 0; v < ITEMS; v++) {
        assert_true(fabs(with[v] - 0.25 * plain[v] - added[v]) < 1e-6);
        assert_true(again[v] == with[v]);
        size += fabs(added[v]);
    }
    assert_true(size > 0.5);
    remove("item_rules.safetensors");
    nln_model_free(read);
    nln_model_free(m);
    nln_symbols_free(names);
    nln_queries_free(&users);
}

/* The best of a large catalogue are the same with bounds and by scoring everything. */
static void the_best_are_those_of_a_full_ranking(void **state)
{
    (void)state;
    enum { MANY = 3000, K = 10, TRIES = 20 };
    nln_symbols *names = trees_names(MANY);
    nln_model *m = likes_model(names, "task=topk dimension=8 history=5");
    nln_random random = nln_random_seed(9, 9);
    nln_error err = {0};
    nln_scorer *s = NULL;
    tiny_need(nln_item_rules_create(&m->rules, MANY, 3, &err), &err);
    for (size_t i = 0; i < MANY * 3; i++) {
        m->rules->premise[i] = (int32_t)nln_random_below(&random, 40);
        m->rules->weight[i] = (float)nln_random_normal(&random);
    }
    m->rules->network = 0.8;
    m->rules->whole = 1;
    m->rules->recent = 0.5;
    tiny_need(nln_item_rules_index(m->rules, &err), &err);
    tiny_need(nln_scorer_create(&s, m, &err), &err);
    double *all = malloc(MANY * sizeof *all);
    for (int t = 0; t < TRIES; t++) {
        nln_literal history[8];
        nln_recommendation rows[K];
        nln_answer answer = {.items = rows};
        for (int i = 0; i < 8; i++)
            history[i] = (nln_literal){nln_random_below(&random, 40), 1, 0};
        nln_question q = {.history = history, .n_history = 8, .k = K, .with_seen = 1};
        tiny_need(nln_scorer_recommend(&answer, s, &q, 1, 1, &err), &err);
        tiny_need(nln_scorer_scores(all, s, &q, 1, 1, &err), &err);
        assert_int_equal(answer.n, K);
        for (int k = 0; k < K; k++) {
            int above = 0;
            for (int v = 0; v < MANY; v++)
                above += all[v] > rows[k].score;
            assert_true(rows[k].score == all[rows[k].item]);
            assert_true(above <= k);
        }
    }
    free(all);
    nln_scorer_free(s);
    nln_model_free(m);
    nln_symbols_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_add_what_the_formula_says),
        cmocka_unit_test(a_model_adds_them_and_keeps_them),
        cmocka_unit_test(the_best_are_those_of_a_full_ranking),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
