#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "logic/facts.h"

enum { N = 500, ENTITIES = 9, PREDICATES = 4 };

static int matches(const nln_atoms *atoms, int32_t fact, int32_t predicate, int32_t position,
                   int32_t entity)
{
    nln_atom a = nln_atoms_get(atoms, fact);
    return a.predicate == predicate && position < a.n_arguments &&
           (entity < 0 || a.argument[position] == entity);
}

static void finds_what_a_scan_finds(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    nln_atoms *atoms = NULL;
    nln_facts *facts = NULL;
    int32_t list[N], n = 0;
    assert_int_equal(nln_atoms_create(&atoms, NULL), NLN_OK);
    for (int i = 0; i < N; i++) {
        int32_t predicate = (int32_t)nln_random_below(&r, PREDICATES), argument[3], before;
        for (int k = 0; k < 3; k++)
            argument[k] = (int32_t)nln_random_below(&r, ENTITIES);
        before = atoms->n;
        int32_t id = nln_atoms_intern(atoms, predicate, argument, 1 + predicate % 3);
        if (id == before && id % 3)
            list[n++] = id;
    }
    assert_int_equal(nln_facts_create(&facts, atoms, list, n, NULL), NLN_OK);
    for (int32_t predicate = 0; predicate <= PREDICATES; predicate++)
        for (int32_t position = 0; position < 1 + predicate % 3; position++)
            for (int32_t entity = -1; entity <= ENTITIES; entity++) {
                int32_t first, expected = 0;
                int32_t found = nln_facts_find(&first, facts, predicate, position, entity);
                for (int32_t i = 0; i < n; i++)
                    expected += matches(atoms, list[i], predicate, position, entity);
                assert_int_equal(found, expected);
                for (int32_t i = first; i < first + found; i++)
                    assert_true(
                        matches(atoms, facts->order[position][i], predicate, position, entity));
            }
    for (int32_t i = 0; i < atoms->n; i++) {
        int listed = 0;
        for (int32_t k = 0; k < n; k++)
            listed |= list[k] == i;
        assert_int_equal(nln_facts_has(facts, i), listed);
    }
    assert_false(nln_facts_has(facts, -1));
    nln_facts_free(facts);
    nln_atoms_free(atoms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_what_a_scan_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
