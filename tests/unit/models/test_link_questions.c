#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"
#include "models/link_questions.h"

/* No premise has the relation in question or the entity itself, none comes twice, and a draw is
 * the same for the same key. */
static void premises_leave_the_question_out(void **state)
{
    (void)state;
    nln_triples *t = family_triples(6);
    nln_triple loop = {0, 0, 0};
    const nln_triple *lists[] = {t->list[NLN_TRAIN], &loop};
    const size_t n[] = {t->n[NLN_TRAIN], 1};
    nln_fact_index *g = NULL;
    assert_int_equal(nln_fact_index_create(&g, nln_triples_entities(t), nln_triples_relations(t),
                                           lists, n, 2, NULL),
                     NLN_OK);
    int32_t relations = 2 * (int32_t)g->n_relations, most_seen = 0;
    for (int32_t e = 0; e < (int32_t)g->n_entities; e++)
        for (int32_t r = 0; r < relations; r++)
            for (int most = 0; most < 3; most++) {
                nln_link_questions q = {0};
                size_t wanted = 0;
                for (size_t i = g->start[e]; i < g->start[e + 1]; i++)
                    wanted += g->edge[i].relation != r && g->edge[i].entity != e;
                for (int twice = 0; twice < 2; twice++) {
                    assert_int_equal(nln_link_questions_add(&q, e, r, &e, 1, NULL), NLN_OK);
                    assert_int_equal(nln_link_questions_premises(&q, g, most, 9, NULL), NLN_OK);
                }
                const nln_link_question *one = &q.list[0], *two = &q.list[1];
                assert_int_equal(one->n_facts, wanted);
                assert_int_equal(one->n_premises,
                                 most && (size_t)most < wanted ? (size_t)most : wanted);
                assert_memory_equal(q.premise + one->premise, q.premise + two->premise,
                                    one->n_premises * sizeof *q.premise);
                for (size_t i = 0; i < one->n_premises; i++) {
                    nln_edge p = q.premise[i];
                    assert_true(p.relation != r && p.entity != e);
                    assert_true(nln_fact_index_has(g, e, p.relation, p.entity));
                    for (size_t j = 0; j < i; j++)
                        assert_memory_not_equal(&p, &q.premise[j], sizeof p);
                }
                most_seen =
                    (int32_t)one->n_premises > most_seen ? (int32_t)one->n_premises : most_seen;
                nln_link_questions_free(&q);
            }
    assert_true(most_seen > 2);
    nln_fact_index_free(g);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(premises_leave_the_question_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
