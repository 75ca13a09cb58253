#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "family.h"
#include "inference/link_reasons.h"

static int32_t entity(const nln_model *m, const char *name)
{
    return nln_symbols_find(m->symbols, name, strlen(name));
}

static int32_t relation(const nln_model *m, const char *name)
{
    return nln_symbols_find(m->links->relations, name, strlen(name));
}

static double score_of(const nln_model *m, int32_t e, int32_t r, int32_t answer, double *rules)
{
    nln_link_scorer *s = NULL;
    nln_link_question q = {.entity = e, .relation = r};
    double *score = calloc(nln_model_variables(m), sizeof *score), got;
    assert_int_equal(nln_link_scorer_create(&s, m, NULL), NLN_OK);
    assert_int_equal(nln_link_scorer_read(s, &q, 1, NULL), NLN_OK);
    nln_link_scorer_rules(score, s, 0);
    *rules = score[answer] * m->links->by_rules;
    nln_link_scorer_scores(score, s, 0);
    got = score[answer];
    nln_link_scorer_free(s);
    free(score);
    return got;
}

/* What the rules add is the sum over the rules told, from both ends, and their instances are facts
 * of the training. */
static void rules_add_up(void **state)
{
    (void)state;
    nln_triples *t = family_triples(40);
    nln_model *m = family_model(NULL, t, "task=link model=rules threads=1");
    int32_t child = entity(m, "c3"), uncle = entity(m, "b3"), r = relation(m, "uncle");
    for (int side = 0; side < 2; side++) {
        int32_t known = side ? uncle : child, answer = side ? child : uncle;
        int32_t asked = side ? nln_fact_index_inverse(m->links->facts, r) : r;
        nln_link_reasons found = {0};
        double rules, sum = 0;
        int planted = 0;
        assert_int_equal(nln_link_reasons_find(&found, m, known, asked, answer, NULL), NLN_OK);
        assert_true(found.n > 0);
        for (size_t i = 0; i < found.n; i++) {
            assert_string_equal(found.list[i].kind, "rule");
            assert_true(i == 0 || found.list[i].contribution <= found.list[i - 1].contribution);
            assert_non_null(strstr(found.list[i].text, "-> uncle(c3, b3)"));
            planted += strstr(found.list[i].text, "parent(c3, a3)") != NULL &&
                       strstr(found.list[i].text, "brother(a3, b3)") != NULL;
            sum += found.list[i].contribution;
        }
        score_of(m, known, asked, answer, &rules);
        assert_true(fabs(sum - rules) < 1e-9);
        assert_int_equal(planted, 1);
        nln_free(found.list);
    }
    nln_model_free(m);
    nln_triples_free(t);
}

/* The score without a premise is that of a model whose facts lack it. */
static void premises_are_what_is_lost(void **state)
{
    (void)state;
    nln_triples *t = family_triples(10);
    nln_model *m = family_model(
        NULL, t, "task=link epochs=20 dimension=8 premises=16 link-rules=false threads=1");
    int32_t child = entity(m, "c3"), uncle = entity(m, "b3"), r = relation(m, "uncle");
    nln_link_reasons found = {0};
    double none, whole = score_of(m, child, r, uncle, &none);
    assert_int_equal(nln_link_reasons_find(&found, m, child, r, uncle, NULL), NLN_OK);
    assert_int_equal(found.n, 1); /* parent(c3, a3) */
    assert_string_equal(found.list[0].kind, "premise");
    assert_string_equal(found.list[0].text, "parent(c3, a3)");
    nln_fact_index *g = m->links->facts;
    size_t first, n = nln_fact_index_find(&first, g, child, relation(m, "parent"));
    assert_int_equal(n, 1);
    g->edge[first].entity = child; /* a fact about itself is no premise */
    double part = score_of(m, child, r, uncle, &none);
    assert_true(fabs(found.list[0].contribution - (whole - part)) < 1e-4);
    nln_free(found.list);
    nln_model_free(m);
    nln_triples_free(t);
}

/* Facts are those about the known end, without the one in question; a cosine. */
static void facts_speak_for_an_answer(void **state)
{
    static const char *const settings[] = {
        "task=link epochs=20 dimension=8 threads=1 link-rules=false",
        "task=link epochs=20 dimension=8 threads=1 model=distmult",
        "task=link epochs=20 dimension=8 threads=1 model=transe"};
    (void)state;
    nln_triples *t = family_triples(12);
    for (size_t k = 0; k < 3; k++) {
        nln_model *m = family_model(NULL, t, settings[k]);
        nln_link_reasons found = {0};
        int32_t r = relation(m, "uncle");
        assert_int_equal(
            nln_link_reasons_find(&found, m, entity(m, "c0"), r, entity(m, "b0"), NULL), NLN_OK);
        assert_int_equal(found.n, 1); /* uncle(c0, b0) is known, but no reason for itself */
        assert_string_equal(found.list[0].kind, "fact");
        assert_string_equal(found.list[0].text, "parent(c0, a0)");
        assert_true(fabs(found.list[0].contribution) <= 1 + 1e-6);
        assert_true(isnan(found.list[0].confidence));
        nln_free(found.list);
        nln_model_free(m);
    }
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_add_up),
        cmocka_unit_test(premises_are_what_is_lost),
        cmocka_unit_test(facts_speak_for_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
