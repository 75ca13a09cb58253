/* Facts that hold are believed, and others are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_facts.h"
#include "training/knowledge_weights.h"

static nln_knowledge_choice learn(nln_model **out, nln_ratings *r)
{
    nln_knowledge_choice chosen;
    nln_contest contest;
    nln_error err = {0};
    facts_add(r);
    nln_item_knowledge *k = facts_knowledge(r);
    *out = likes_model(r->items, "task=topk dimension=6 rules=10");
    tiny_need(nln_contest_open(&contest, *out, r, &err), &err);
    tiny_need(nln_knowledge_weights_learn(&chosen, *out, &k, &contest, &err), &err);
    assert_true((k == NULL) == ((*out)->knowledge != NULL));
    nln_contest_close(&contest);
    nln_item_knowledge_free(k);
    return chosen;
}

static void facts_that_hold_are_believed(void **state)
{
    (void)state;
    nln_ratings *r = facts_ratings(1);
    nln_model *m = NULL;
    nln_knowledge_choice chosen = learn(&m, r);
    assert_non_null(m->knowledge);
    assert_true(chosen.without < 0.5 && chosen.with > 0.99);
    const nln_item_knowledge *k = m->knowledge;
    int complement = nln_symbols_find(k->relations, "complement", 10);
    int noise = nln_symbols_find(k->relations, "noise", 5);
    assert_true(k->weight[k->weight_of[complement]] > 2 * k->weight[k->weight_of[noise]]);
    assert_true(k->network > 0);
    nln_model_free(m);
    nln_ratings_free(r);
}

static void validation_is_never_worse(void **state)
{
    (void)state;
    nln_ratings *r = facts_ratings(0);
    nln_model *m = NULL;
    nln_knowledge_choice chosen = learn(&m, r);
    assert_true(chosen.with >= chosen.without && chosen.with < 0.6);
    nln_model_free(m);
    nln_ratings_free(r);
}

static void without_validation_there_are_none(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("u +a0 +b0 w +b1");
    nln_model *m = NULL;
    learn(&m, r);
    assert_null(m->knowledge);
    nln_model_free(m);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_that_hold_are_believed),
                                       cmocka_unit_test(validation_is_never_worse),
                                       cmocka_unit_test(without_validation_there_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
