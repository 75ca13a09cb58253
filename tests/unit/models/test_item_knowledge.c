/* What facts add to scores is the formula of the header, and their steps are facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "models/item_knowledge.h"

enum { ITEMS = 14, THINGS = 4, NODES = ITEMS + THINGS, RELATIONS = 3, FACTS = 30 };

static nln_symbols *names(const char *letter, int n)
{
    nln_symbols *s = nln_symbols_create();
    for (int i = 0; i < n; i++) {
        char name[3] = {*letter, (char)('a' + i), 0};
        assert_int_equal(nln_symbols_intern(s, name, 2), i);
    }
    return s;
}

static nln_item_knowledge *random_knowledge(int8_t holds[RELATIONS][NODES][NODES])
{
    nln_symbols *relations = names("r", RELATIONS), *things = names("t", THINGS);
    nln_triple list[FACTS];
    nln_random r = nln_random_seed(8, 1);
    nln_item_knowledge *k = NULL;
    memset(holds, 0, RELATIONS * NODES * NODES);
    for (int i = 0; i < FACTS; i++) {
        list[i] = (nln_triple){(int32_t)nln_random_below(&r, ITEMS - 1),
                               (int32_t)nln_random_below(&r, RELATIONS),
                               (int32_t)nln_random_below(&r, NODES)};
        holds[list[i].relation][list[i].head][list[i].tail] = 1;
    }
    assert_int_equal(nln_item_knowledge_create(&k, ITEMS, relations, things, list, FACTS, NULL),
                     NLN_OK);
    nln_symbols_free(relations);
    nln_symbols_free(things);
    return k;
}

static int linked(int8_t holds[RELATIONS][NODES][NODES], int a, int b)
{
    int n = 0;
    for (int r = 0; r < RELATIONS; r++)
        n += holds[r][a][b] + holds[r][b][a];
    return a != b && n > 0;
}

/* What one like of item a adds to item v, by the words of the header. */
static double added(int8_t holds[RELATIONS][NODES][NODES], const nln_item_knowledge *k, int a,
                    int v, const double *weight)
{
    double degree[NODES] = {0}, one = 0, two = 0;
    for (int x = 0; x < NODES; x++)
        for (int y = 0; y < NODES; y++)
            degree[x] += linked(holds, x, y);
    if (a == v)
        return 0;
    for (int r = 0; r < RELATIONS; r++)
        one += weight[k->weight_of[r]] * (holds[r][a][v] + holds[r][v][a]);
    for (int b = 0; b < NODES; b++)
        if (linked(holds, a, b) && linked(holds, b, v))
            two += 1 / (degree[b] * sqrt(degree[a] * degree[v]));
    one = one > 0 || one < 0 ? one * pow(degree[a] * degree[v], -0.25) : 0;
    return one + weight[RELATIONS] * sqrt(two);
}

static void scores_are_the_formula(void **state)
{
    (void)state;
    int8_t holds[RELATIONS][NODES][NODES];
    nln_item_knowledge *k = random_knowledge(holds);
    const double weight[RELATIONS + 1] = {1, -0.5, 2, 3}, decay = 0.7;
    const nln_literal history[] = {{3, 1, 0}, {5, 1, 0}, {2, 0, 0}, {3, 1, 0}, {9, 1, 0}};
    nln_knowledge_walk walk = {0};
    assert_int_equal(k->n_weights, RELATIONS + 1);
    assert_int_equal(nln_knowledge_walk_open(&walk, ITEMS, NULL), NLN_OK);
    for (int again = 0; again < 2; again++) {
        double score[ITEMS] = {0};
        nln_item_knowledge_add(score, k, history, 5, weight, decay, &walk);
        for (int v = 0; v < ITEMS; v++) {
            double wanted = added(holds, k, 9, v, weight) + decay * added(holds, k, 3, v, weight) +
                            decay * decay * added(holds, k, 5, v, weight);
            assert_true(fabs(score[v] - wanted) < 1e-5);
        }
    }
    nln_knowledge_walk_close(&walk);
    nln_item_knowledge_free(k);
}

static void steps_are_facts(void **state)
{
    (void)state;
    int8_t holds[RELATIONS][NODES][NODES];
    nln_item_knowledge *k = random_knowledge(holds);
    nln_symbols *items = names("i", ITEMS);
    int found[3] = {0};
    for (int32_t a = 0; a < ITEMS; a++)
        for (int32_t v = 0; v < ITEMS; v++) {
            nln_known_step steps[2];
            int n = nln_item_knowledge_steps(steps, k, a, v), meet = 0;
            for (int b = 0; b < NODES; b++)
                meet |= linked(holds, a, b) && linked(holds, b, v);
            assert_int_equal(n, a == v ? 0 : linked(holds, a, v) ? 1 : meet ? 2 : 0);
            found[n]++;
            for (int i = 0; i < n; i++) {
                nln_known_step s = steps[i];
                int turned = s.relation >= RELATIONS;
                assert_int_equal(s.from, i ? steps[0].to : a);
                assert_true(turned ? holds[s.relation - RELATIONS][s.to][s.from]
                                   : holds[s.relation][s.from][s.to]);
                nln_item_fact f = nln_item_knowledge_fact(k, items, s);
                int32_t head = turned ? s.to : s.from;
                assert_string_equal(f.head, head < ITEMS
                                                ? nln_symbols_name(items, head)
                                                : nln_symbols_name(k->things, head - ITEMS));
                assert_int_equal(f.relation[1] - 'a', s.relation % RELATIONS);
            }
            assert_true(n < 2 || steps[1].to == v);
        }
    assert_true(found[1] > 0 && found[2] > 0);
    nln_symbols_free(items);
    nln_item_knowledge_free(k);
}

/* Of very many relations the rarer ones share a weight. */
static void many_relations_share_the_last_weight(void **state)
{
    (void)state;
    enum { MANY = 25 };
    nln_symbols *relations = names("x", MANY), *things = names("t", 1);
    for (int i = 0; i < MANY; i++) {
        char name[3] = {'y', (char)('a' + i), 0};
        nln_symbols_intern(relations, name, 2);
    }
    nln_triple list[2 * MANY + 1];
    for (int32_t i = 0; i < 2 * MANY; i++)
        list[i] = (nln_triple){0, i, 1};
    list[2 * MANY] = (nln_triple){1, 2 * MANY - 1, 2}; /* the most frequent */
    nln_item_knowledge *k = NULL;
    assert_int_equal(nln_item_knowledge_create(&k, 3, relations, things, list, 2 * MANY + 1, NULL),
                     NLN_OK);
    assert_int_equal(k->n_weights, NLN_KNOWLEDGE_WEIGHTS);
    assert_int_equal(k->weight_of[2 * MANY - 1], 0);
    assert_int_equal(k->weight_of[0], 1);
    for (int i = 2 * MANY - 5; i < 2 * MANY - 1; i++)
        assert_int_equal(k->weight_of[i], NLN_KNOWLEDGE_WEIGHTS - 2);
    nln_symbols_free(relations);
    nln_symbols_free(things);
    nln_item_knowledge_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scores_are_the_formula),
                                       cmocka_unit_test(steps_are_facts),
                                       cmocka_unit_test(many_relations_share_the_last_weight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
