#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"
#include "rules/mine.h"

enum { PARENT, BROTHER, UNCLE };

/* By trying everything: for how many pairs does the body hold, and for how many the head too? */
static void count(const nln_fact_index *g, const nln_rule *r, int32_t *support, int32_t *n_body)
{
    *support = *n_body = 0;
    for (int32_t x = 0; x < (int32_t)g->n_entities; x++)
        for (int32_t y = 0; y < (int32_t)g->n_entities; y++) {
            int body = 0;
            if (nln_rule_has_constants(r))
                body = y == r->answer && nln_fact_index_has(g, x, r->body[0], r->constant[0]);
            else if (r->body[1] == NLN_RULE_NONE)
                body = nln_fact_index_has(g, x, r->body[0], y);
            for (int32_t z = 0; !nln_rule_has_constants(r) && r->body[1] != NLN_RULE_NONE &&
                                z < (int32_t)g->n_entities;
                 z++)
                body |= x != y && z != x && z != y && nln_fact_index_has(g, x, r->body[0], z) &&
                        nln_fact_index_has(g, z, r->body[1], y);
            *n_body += body;
            *support += body && nln_fact_index_has(g, x, r->head, y);
        }
}

static void rules_are_counted_right(void **state)
{
    (void)state;
    nln_triples *t = family_triples(12);
    const nln_mine_settings settings = {
        .least_support = 2, .least_confidence = 0.05, .most_paths = 50, .most_constants = 5};
    nln_fact_index *g = NULL;
    nln_rules *rules = NULL;
    int planted = 0;
    assert_int_equal(nln_fact_index_create(&g, nln_triples_entities(t), nln_triples_relations(t),
                                           (const nln_triple *const *)t->list, t->n, 1, NULL),
                     NLN_OK);
    assert_int_equal(nln_rules_mine(&rules, g, &settings, NULL), NLN_OK);
    assert_true(rules->n > 2);
    for (size_t i = 0; i < rules->n; i++) {
        const nln_rule *r = &rules->list[i];
        int32_t support, n_body;
        count(g, r, &support, &n_body);
        assert_int_equal(r->support, support);
        assert_int_equal(r->n_body, n_body);
        planted += r->head == UNCLE && r->body[0] == PARENT && r->body[1] == BROTHER;
    }
    assert_int_equal(planted, 1);
    nln_rules_free(rules);
    nln_fact_index_free(g);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_are_counted_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
