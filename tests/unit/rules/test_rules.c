#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "rules/rules.h"

enum { ENTITIES = 9, RELATIONS = 2, FACTS = 26 };

static nln_fact_index *random_graph(uint64_t seed)
{
    nln_triple list[FACTS];
    const nln_triple *lists[] = {list};
    const size_t n[] = {FACTS};
    nln_random random = nln_random_seed(seed, 1);
    for (int i = 0; i < FACTS; i++)
        list[i] = (nln_triple){(int32_t)nln_random_below(&random, ENTITIES),
                               (int32_t)nln_random_below(&random, RELATIONS),
                               (int32_t)nln_random_below(&random, ENTITIES)};
    nln_fact_index *g = NULL;
    assert_int_equal(nln_fact_index_create(&g, ENTITIES, RELATIONS, lists, n, 1, NULL), NLN_OK);
    return g;
}

/* Whether a rule concludes head(x, y), by trying everything. */
static int concludes(const nln_fact_index *g, const nln_rule *r, int32_t x, int32_t y)
{
    if (nln_rule_has_constants(r))
        return y == r->answer && nln_fact_index_has(g, x, r->body[0], r->constant[0]) &&
               (r->body[1] < 0 || nln_fact_index_has(g, x, r->body[1], r->constant[1]));
    if (r->body[1] < 0)
        return nln_fact_index_has(g, x, r->body[0], y);
    for (int32_t z = 0; z < ENTITIES; z++)
        if (z != x && z != y && nln_fact_index_has(g, x, r->body[0], z) &&
            nln_fact_index_has(g, z, r->body[1], y))
            return 1;
    return 0;
}

static nln_rule random_rule(nln_random *random)
{
    enum { n = 2 * RELATIONS };
    nln_rule r = {.head = (int32_t)nln_random_below(random, n),
                  .body = {(int32_t)nln_random_below(random, n), NLN_RULE_NONE},
                  .constant = {NLN_RULE_NONE, NLN_RULE_NONE},
                  .answer = NLN_RULE_NONE,
                  .n_body = 10};
    r.support = 1 + (int32_t)nln_random_below(random, 9);
    int two = nln_random_below(random, 2) == 0, constants = nln_random_below(random, 2) == 0;
    if (two)
        r.body[1] = (int32_t)nln_random_below(random, n);
    if (constants) {
        r.constant[0] = (int32_t)nln_random_below(random, ENTITIES);
        r.constant[1] = two ? (int32_t)nln_random_below(random, ENTITIES) : NLN_RULE_NONE;
        r.answer = (int32_t)nln_random_below(random, ENTITIES);
    }
    return r;
}

/* Scores of both questions about each relation, against rules tried one by one. */
static void answers_are_those_of_the_rules(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        nln_fact_index *g = random_graph(seed);
        nln_rules *rules = NULL;
        nln_random random = nln_random_seed(seed, 2);
        int64_t stamp[ENTITIES] = {0}, clock = 0;
        assert_int_equal(nln_rules_create(&rules, NULL), NLN_OK);
        for (int i = 0; i < 60; i++) {
            nln_rule r = random_rule(&random);
            assert_int_equal(nln_rules_add(rules, &r, NULL), NLN_OK);
            nln_rule m = nln_rule_mirror(&r, g), back = nln_rule_mirror(&m, g);
            if (nln_rule_has_constants(&r))
                continue; /* their other end is found by the index */
            assert_memory_equal(&back, &r, sizeof r);
            assert_int_equal(nln_rules_add(rules, &m, NULL), NLN_OK);
        }
        assert_int_equal(nln_rules_index(rules, NULL), NLN_OK);
        for (int32_t x = 0; x < ENTITIES; x++)
            for (int32_t r = 0; r < 2 * RELATIONS; r++) {
                double got[ENTITIES] = {0}, wanted[ENTITIES] = {0};
                nln_rules_scores(got, rules, g, x, r, stamp, &clock);
                for (size_t i = 0; i < rules->n; i++)
                    for (int32_t y = 0; y < ENTITIES; y++) {
                        const nln_rule *rule = &rules->list[i];
                        double by = -log(1 - rule->support / 15.0);
                        if (rule->head == r && concludes(g, rule, x, y))
                            wanted[y] += by;
                        if (nln_rule_has_constants(rule) &&
                            nln_fact_index_inverse(g, rule->head) == r && concludes(g, rule, y, x))
                            wanted[y] += by;
                    }
                for (int y = 0; y < ENTITIES; y++)
                    assert_true(fabs(got[y] - wanted[y]) < 1e-9);
            }
        nln_rules_free(rules);
        nln_fact_index_free(g);
    }
}

static void few_cases_are_believed_less(void **state)
{
    (void)state;
    nln_rule few = {.support = 2, .n_body = 2}, many = {.support = 190, .n_body = 200};
    assert_true(nln_rule_confidence(&few) > nln_rule_confidence(&many));
    assert_true(nln_rule_belief(&few) < nln_rule_belief(&many));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_the_rules),
                                       cmocka_unit_test(few_cases_are_believed_less)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
