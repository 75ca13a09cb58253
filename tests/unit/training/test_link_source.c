#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>
#include <cmocka.h>

#include "family.h"
#include "models/link_questions.h"
#include "training/source.h"

/* An epoch asks each question once, with all its answers, from both ends of every fact. */
static void an_epoch_has_every_fact_twice(void **state)
{
    (void)state;
    nln_triples *t = family_triples(6);
    nln_source *s = NULL;
    nln_model *m = NULL;
    nln_error err = {0};
    nln_options *o = tiny_options("train", "task=link dimension=4 premises=2");
    tiny_need(nln_source_of_links(&s, t, &err), &err);
    tiny_need(nln_model_create_for(&m, s->names, s->n_users, o, &err), &err);
    tiny_need(s->open(s, m, &err), &err);
    const nln_fact_index *g = m->links->facts;
    uint8_t *seen = calloc(g->start[g->n_entities], 1);
    for (int32_t u = 0; u < (int32_t)s->n; u++) {
        nln_request r;
        tiny_need(s->draw(&r, s, &u, 1, 7, &err), &err);
        assert_int_equal(r.links->n, 1);
        const nln_link_question *q = &r.links->list[0];
        assert_true(q->n_premises <= 2);
        for (size_t k = 0; k < q->n_targets; k++) {
            size_t first, n = nln_fact_index_find(&first, g, q->entity, q->relation);
            for (size_t i = first; i < first + n; i++)
                if (g->edge[i].entity == r.links->target[q->target + k])
                    seen[i]++;
        }
    }
    for (size_t i = 0; i < g->start[g->n_entities]; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    s->free(s);
    nln_model_free(m);
    nln_options_free(o);
    nln_triples_free(t);
}

/* The answers of a batch and the drawn entities are as many as asked for, and none is drawn twice.
 */
static void as_many_entities_compete_as_asked_for(void **state)
{
    (void)state;
    enum { WANTED = 30 };
    nln_triples *t = family_triples(40);
    nln_source *s = NULL;
    nln_model *m = NULL;
    nln_error err = {0};
    nln_options *o = tiny_options("train", "task=link dimension=4 negatives=30");
    tiny_need(nln_source_of_links(&s, t, &err), &err);
    tiny_need(nln_model_create_for(&m, s->names, s->n_users, o, &err), &err);
    tiny_need(s->open(s, m, &err), &err);
    int32_t *units = calloc(s->n, sizeof *units);
    uint8_t *seen = calloc(nln_model_variables(m), 1);
    for (size_t u = 0; u < s->n; u++)
        units[u] = (int32_t)u;
    for (int32_t n = 1; n <= (int32_t)s->n; n += 16) {
        nln_request r;
        size_t answers = 0;
        tiny_need(s->draw(&r, s, units, n, (uint64_t)n, &err), &err);
        memset(seen, 0, nln_model_variables(m));
        for (size_t i = 0; i < r.links->n_targets; i++) {
            answers += !seen[r.links->target[i]];
            seen[r.links->target[i]] = 1;
        }
        assert_int_equal(r.n_candidates, answers < WANTED ? WANTED - answers : 0);
        for (int32_t i = 0; i < r.n_candidates; i++) {
            assert_false(seen[r.candidate[i]]);
            seen[r.candidate[i]] = 1;
        }
    }
    free(units);
    free(seen);
    s->free(s);
    nln_model_free(m);
    nln_options_free(o);
    nln_triples_free(t);
}

/* Uncles follow from parents and brothers, and are learned; the same bits on any number of
 * threads. */
static void links_are_learned(void **state)
{
    (void)state;
    nln_triples *t = family_triples(40);
    nln_report one, two;
    static const char *const settings[] = {
        "task=link epochs=60 dimension=32 learning-rate=0.03 threads=1",
        "task=link epochs=60 dimension=32 learning-rate=0.03 threads=3"};
    nln_model *a = family_model(&one, t, settings[0]), *b = family_model(&two, t, settings[1]);
    assert_true(one.test.links.mrr > 0.3); /* by chance: 0.03 */
    assert_true(one.test.links.mrr == two.test.links.mrr);
    assert_memory_equal(a->weights.data[0], b->weights.data[0],
                        a->weights.shape[0].rows * a->weights.shape[0].columns * sizeof(real));
    assert_int_equal(one.train.links.n, 0);
    nln_model_free(a);
    nln_model_free(b);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_epoch_has_every_fact_twice),
                                       cmocka_unit_test(as_many_entities_compete_as_asked_for),
                                       cmocka_unit_test(links_are_learned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
