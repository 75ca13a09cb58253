#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"

/* The planted rule is told in words, the most believed come first, and options select. */
static void planted_rules_are_told(void **state)
{
    (void)state;
    nln_triples *t = family_triples(30);
    nln_found_rule *rules = NULL;
    size_t n = 0;
    int planted = 0;
    nln_error err = {0};
    nln_options *o = tiny_options("rules", "relation=uncle confidence=0.3");
    tiny_need(nln_triples_rules(&rules, &n, t, o, &err), &err);
    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        assert_true(rules[i].confidence > 0.3 && rules[i].confidence <= 1);
        assert_non_null(strstr(rules[i].text, "-> uncle("));
        planted += !strcmp(rules[i].text, "parent(x, z) & brother(z, y) -> uncle(x, y)");
    }
    assert_int_equal(planted, 1);
    nln_free(rules);
    nln_options_free(o);
    o = tiny_options("rules", "relation=aunt");
    assert_int_equal(nln_triples_rules(&rules, &n, t, o, &err), NLN_UNKNOWN);
    assert_null(rules);
    nln_options_free(o);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_rules_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
