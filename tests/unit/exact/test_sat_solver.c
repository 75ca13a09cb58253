#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clauses.h"
#include "exact/sat_solver.h"

/* Every answer is that of trying all assignments, whatever the first phases. */
static void answers_are_right(void **state)
{
    (void)state;
    int kinds[2] = {0, 0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        nln_cnf *c = clauses_random(8, 40, seed);
        int possible = clauses_most(c) == c->n_clauses;
        uint8_t first[8], value[8];
        for (int v = 0; v < 8; v++)
            first[v] = seed >> (v % 5) & 1;
        kinds[possible]++;
        for (int with = 0; with < 2; with++) {
            nln_sat_run run;
            assert_int_equal(nln_sat_solver_run(&run, value, c, with ? first : NULL, 0, NULL),
                             NLN_OK);
            assert_int_equal(run.answer, possible);
            if (possible)
                assert_int_equal(nln_cnf_count(NULL, c, value), c->n_clauses);
        }
        nln_cnf_free(c);
    }
    assert_true(kinds[0] > 5 && kinds[1] > 5);
}

/* An assignment as the first phases is found without a conflict. */
static void first_phases_are_tried_first(void **state)
{
    (void)state;
    int without = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        nln_cnf *c = clauses_random(120, 460, seed);
        uint8_t value[120] = {0};
        nln_sat_run plain, phased;
        assert_int_equal(nln_sat_solver_run(&plain, value, c, NULL, 0, NULL), NLN_OK);
        if (plain.answer == 1) {
            assert_int_equal(nln_sat_solver_run(&phased, NULL, c, value, 0, NULL), NLN_OK);
            assert_int_equal(phased.answer, 1);
            assert_true(phased.conflicts <= plain.conflicts);
            without += plain.conflicts > 0 && phased.conflicts == 0;
        }
        nln_cnf_free(c);
    }
    assert_true(without >= 3);
}

static void limits_hold(void **state)
{
    (void)state;
    nln_cnf *c = clauses_random(150, 640, 3);
    nln_sat_run run;
    assert_int_equal(nln_sat_solver_run(&run, NULL, c, NULL, 1, NULL), NLN_OK);
    assert_int_equal(run.answer, -1);
    nln_cnf_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_right),
        cmocka_unit_test(first_phases_are_tried_first),
        cmocka_unit_test(limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
