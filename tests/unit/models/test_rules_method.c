#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"
#include "scratch.h"

/* Rules alone find the uncles of the test split, and say the same from a file. */
static void rules_answer(void **state)
{
    (void)state;
    nln_triples *t = family_triples(40);
    nln_report report;
    nln_model *m = family_model(&report, t, "task=link model=rules threads=1"), *again = NULL;
    nln_metrics got;
    nln_error err = {0};
    assert_true(report.test.links.hits[2] > 0.8);
    tiny_need(nln_model_save(m, scratch_path("m"), &err), &err);
    tiny_need(nln_model_load(&again, scratch_path("m"), &err), &err);
    tiny_need(nln_evaluate_links(&got, again, t, NLN_TEST, NULL, &err), &err);
    assert_true(got.links.mrr == report.test.links.mrr);
    nln_model_free(m);
    nln_model_free(again);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules_answer)};
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
