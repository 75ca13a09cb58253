#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "logic/atom_table.h"

static void equal_atoms_are_one(void **state)
{
    (void)state;
    nln_atoms *atoms = NULL;
    nln_random r = nln_random_seed(1, 0);
    assert_int_equal(nln_atoms_create(&atoms, NULL), NLN_OK);
    for (int i = 0; i < 20000; i++) {
        int32_t n = 1 + (int32_t)nln_random_below(&r, 3), argument[3];
        int32_t predicate = (int32_t)nln_random_below(&r, 5), before = atoms->n;
        for (int32_t k = 0; k < n; k++)
            argument[k] = (int32_t)nln_random_below(&r, 12) - 3;
        int32_t known = nln_atoms_find(atoms, predicate, argument, n);
        int32_t id = nln_atoms_intern(atoms, predicate, argument, n);
        assert_int_equal(id, known >= 0 ? known : before);
        nln_atom a = nln_atoms_get(atoms, id);
        assert_int_equal(a.predicate, predicate);
        assert_int_equal(a.n_arguments, n);
        assert_memory_equal(a.argument, argument, (size_t)n * sizeof *argument);
    }
    nln_atoms_free(atoms);
}

/* After forgetting, the table is as it was. */
static void forgets_the_last(void **state)
{
    (void)state;
    nln_atoms *atoms = NULL;
    assert_int_equal(nln_atoms_create(&atoms, NULL), NLN_OK);
    for (int32_t i = 0; i < 100; i++)
        assert_int_equal(nln_atoms_intern(atoms, 0, &i, 1), i);
    for (int round = 0; round < 5; round++) {
        for (int32_t i = 1000; i < 3000; i++)
            assert_int_equal(nln_atoms_intern(atoms, 1, &i, 1), i - 900);
        nln_atoms_truncate(atoms, 100);
        assert_int_equal(atoms->n, 100);
        for (int32_t i = 0; i < 100; i++)
            assert_int_equal(nln_atoms_find(atoms, 0, &i, 1), i);
        for (int32_t i = 1000; i < 3000; i++)
            assert_int_equal(nln_atoms_find(atoms, 1, &i, 1), -1);
    }
    nln_atoms_free(atoms);
}

static void a_predicate_has_one_arity(void **state)
{
    (void)state;
    nln_relations *r = NULL, *copy = NULL;
    assert_int_equal(nln_relations_create(&r, NULL), NLN_OK);
    assert_int_equal(nln_relations_most_arguments(r), 0);
    assert_int_equal(nln_relations_predicate(r, "likes", 5, 2), 0);
    assert_int_equal(nln_relations_predicate(r, "smokes", 6, 1), 1);
    assert_int_equal(nln_relations_predicate(r, "likes", 5, 2), 0);
    assert_int_equal(nln_relations_predicate(r, "likes", 5, 3), -2);
    assert_int_equal(nln_relations_copy(&copy, r, NULL), NLN_OK);
    assert_int_equal(nln_relations_most_arguments(copy), 2);
    assert_int_equal(nln_relations_predicate(copy, "smokes", 6, 1), 1);
    nln_relations_free(r);
    nln_relations_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_atoms_are_one),
        cmocka_unit_test(forgets_the_last),
        cmocka_unit_test(a_predicate_has_one_arity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
