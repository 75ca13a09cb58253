#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"

/* The rules of the data are held by a model that answers by them, and less by one that has hardly
 * learned; rules of names that the model does not know are not measured. */
static void rules_are_held_as_true_as_they_are_answered(void **state)
{
    (void)state;
    nln_triples *t = family_triples(30), *few = family_triples(2);
    nln_model *by_rules = family_model(NULL, t, "task=link model=rules threads=1");
    nln_model *random = family_model(
        NULL, t,
        "task=link epochs=1 dimension=4 learning-rate=0.000001 link-rules=false threads=1");
    nln_model *small = family_model(NULL, few, "task=link model=rules threads=1");
    nln_found_rule *rules = NULL;
    size_t n = 0, planted = 0;
    double held[200], low[200], none[200];
    nln_error err = {0};
    tiny_need(nln_triples_rules(&rules, &n, t, NULL, &err), &err);
    n = n < 200 ? n : 200;
    tiny_need(nln_rules_held(held, rules, n, t, by_rules, &err), &err);
    tiny_need(nln_rules_held(low, rules, n, t, random, &err), &err);
    tiny_need(nln_rules_held(none, rules, n, t, small, &err), &err);
    for (size_t i = 0; i < n; i++)
        if (strcmp(rules[i].text, "parent(x, z) & brother(z, y) -> uncle(x, y)") == 0) {
            assert_true(held[i] > 0.99 && held[i] <= 1);
            assert_true(low[i] < 0.9 && low[i] >= 0);
            planted++;
        }
    assert_int_equal(planted, 1);
    static const uint8_t values[] = {1, 0};
    nln_model *logic = tiny_logician(values, 2, TINY_LOGICIAN);
    assert_int_equal(nln_rules_held(held, rules, n, t, logic, &err), NLN_INVALID);
    nln_model_free(logic);
    nln_model_free(by_rules);
    nln_model_free(random);
    nln_model_free(small);
    nln_free(rules);
    nln_triples_free(t);
    nln_triples_free(few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_held_as_true_as_they_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
