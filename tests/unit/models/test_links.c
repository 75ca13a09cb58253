#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"
#include "models/method.h"
#include "scratch.h"

/* A model keeps the relations and facts that it was trained with, also through a file. */
static void facts_stay_with_the_model(void **state)
{
    (void)state;
    nln_triples *t = family_triples(4);
    nln_model *m = family_model(NULL, t, "task=link epochs=2 dimension=4 threads=1"), *again = NULL;
    nln_error err = {0};
    tiny_need(nln_model_save(m, scratch_path("m"), &err), &err);
    tiny_need(nln_model_load(&again, scratch_path("m"), &err), &err);
    const nln_fact_index *a = m->links->facts, *b = again->links->facts;
    assert_int_equal(nln_symbols_count(again->links->relations), 3);
    assert_string_equal(nln_symbols_name(again->links->relations, 0), "parent");
    assert_int_equal(a->start[a->n_entities], 2 * t->n[NLN_TRAIN]);
    assert_memory_equal(a->start, b->start, (a->n_entities + 1) * sizeof *a->start);
    assert_memory_equal(a->edge, b->edge, a->start[a->n_entities] * sizeof *a->edge);
    nln_metrics x, y;
    tiny_need(nln_evaluate_links(&x, m, t, NLN_TEST, NULL, &err), &err);
    tiny_need(nln_evaluate_links(&y, again, t, NLN_TEST, NULL, &err), &err);
    assert_true(x.links.n > 0 && x.links.mrr == y.links.mrr);
    nln_model_free(m);
    nln_model_free(again);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(facts_stay_with_the_model)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
