#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clauses.h"
#include "nln_lab.h"
#include "tiny.h"

/* The network never claims more than it satisfies, and finds what can be found easily. */
static void small_problems_are_solved(void **state)
{
    (void)state;
    nln_options *o = tiny_options("sat", "trainings=20 cadical=false");
    int solved = 0, possible = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        nln_cnf *c = clauses_random(12, 44, seed);
        uint8_t value[12], again[12];
        nln_sat_report r, same;
        size_t most = clauses_most(c);
        assert_int_equal(nln_cnf_solve(value, &r, c, o, NULL, NULL), NLN_OK);
        assert_int_equal(nln_cnf_count(NULL, c, value), r.satisfied);
        assert_true(r.satisfied <= most && r.rounded <= r.satisfied);
        assert_int_equal(r.answer, r.satisfied == c->n_clauses ? 1 : -1);
        possible += most == c->n_clauses;
        solved += r.answer == 1;
        assert_int_equal(nln_cnf_solve(again, &same, c, o, NULL, NULL), NLN_OK);
        assert_memory_equal(again, value, sizeof value);
        nln_cnf_free(c);
    }
    assert_true(solved >= possible - 1 && possible > 5);
    nln_options_free(o);
}

static void contradictions_are_proved(void **state)
{
    (void)state;
    nln_cnf *c = clauses_read("p cnf 3 4\n1 2 0 -1 2 0 1 -2 0 -1 -2 0\n");
    uint8_t value[3];
    nln_sat_report r;
    assert_int_equal(nln_cnf_solve(value, &r, c, NULL, NULL, NULL), NLN_OK);
    assert_int_equal(r.answer, 0);
    assert_int_equal(r.satisfied, 3);
    assert_int_equal(r.plain.answer, 0);
    assert_int_equal(r.phased.answer, 0);
    nln_cnf_free(c);
}

/* No clause, an empty clause, and variables that occur nowhere. */
static void edges(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int answer;
        size_t satisfied;
    } cases[] = {{"p cnf 2 0\n", 1, 0},
                 {"p cnf 0 0\n", 1, 0},
                 {"p cnf 2 1\n0\n", 0, 0},
                 {"p cnf 5 2\n-2 0 -2 4 0\n", 1, 2},
                 {"p cnf 2 2\n0 1 0\n", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_cnf *c = clauses_read(cases[i].text);
        uint8_t value[5] = {0};
        nln_sat_report r;
        nln_error err = {0};
        if (nln_cnf_solve(value, &r, c, NULL, NULL, &err))
            fail_msg("%s: %s", cases[i].text, err.message);
        assert_int_equal(r.answer, cases[i].answer);
        assert_int_equal(r.satisfied, cases[i].satisfied);
        nln_cnf_free(c);
    }
}

static int stop(void *context, const nln_progress *p)
{
    (void)p;
    return ++*(int *)context > 3;
}

static void callers_can_stop_it(void **state)
{
    (void)state;
    nln_cnf *c = clauses_random(60, 400, 1);
    uint8_t value[60];
    int calls = 0;
    nln_sat_report r;
    nln_watch watch = {.context = &calls, .progress = stop};
    assert_int_equal(nln_cnf_solve(value, &r, c, NULL, &watch, NULL), NLN_CANCELLED);
    assert_int_equal(calls, 4);
    nln_cnf_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_are_solved),
        cmocka_unit_test(contradictions_are_proved),
        cmocka_unit_test(edges),
        cmocka_unit_test(callers_can_stop_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
