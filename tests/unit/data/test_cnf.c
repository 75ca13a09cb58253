#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "data/cnf.h"
#include "data/logic_data.h"

static nln_status scan(nln_cnf **out, const char *text, nln_error *err)
{
    nln_input *in = NULL;
    assert_int_equal(nln_input_memory(&in, text, strlen(text), "x.cnf", NULL), NLN_OK);
    nln_status status = nln_cnf_read_input(out, in, err);
    nln_input_close(in);
    return status;
}

static void files_are_read_as_people_write_them(void **state)
{
    static const char *const texts[] = {
        "p cnf 4 3\n1 -2 0\n3 0\n-1 2 -3 0\n",
        "c one\nc\np  cnf\t4  3 \n1\n-2 0 3 0\n-1 2 -3\n0",
        "c\r\np cnf 4 3\r\n 1 -2 0 3 0\r\nc between\r\n-1 2 -3 0\r\n%\r\n0\r\n\r\nrest",
    };
    static const int32_t literals[] = {1, -2, 3, -1, 2, -3};
    static const size_t starts[] = {0, 2, 3, 6};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        nln_cnf *c = NULL;
        nln_error err = {0};
        if (scan(&c, texts[k], &err))
            fail_msg("%zu: %s", k, err.message);
        assert_int_equal(nln_cnf_variables(c), 4);
        assert_int_equal(nln_cnf_clauses(c), 3);
        assert_memory_equal(c->literal, literals, sizeof literals);
        assert_memory_equal(c->start, starts, sizeof starts);
        nln_cnf_free(c);
    }
}

static void mistakes_have_a_place(void **state)
{
    static const struct {
        const char *text, *says;
        long line, column;
    } cases[] = {
        {"", "no header", 0, 0},
        {"c only\n", "no header", 1, 0},
        {"1 2 0\n", "after the header", 1, 1},
        {"p cnf 2\n", "expected a header", 1, 1},
        {"p dnf 2 1\n", "expected a header", 1, 1},
        {"p cnf -2 1\n", "expected a header", 1, 1},
        {"p cnf 2 1 x\n", "expected a header", 1, 1},
        {"p cnf 99999999999999999999 1\n", "expected a header", 1, 1},
        {"p cnf 2 1\np cnf 2 1\n", "second header", 2, 1},
        {"p cnf 2 1\n1 3 0\n", "literal 3, but the header announces 2", 2, 3},
        {"p cnf 2 1\n1 -3 0\n", "literal -3", 2, 3},
        {"p cnf 2 1\n1 x 0\n", "expected a literal", 2, 3},
        {"p cnf 2 1\n1 2x 0\n", "expected a literal", 2, 3},
        {"p cnf 2 1\n1 - 0\n", "expected a literal", 2, 3},
        {"p cnf 2 1\n1 2\n", "does not end with 0", 2, 0},
        {"p cnf 2 2\n1 2 0\n", "1 clauses, but the header announces 2", 2, 0},
        {"p cnf 2 1\n1 0 2 0\n", "more clauses", 2, 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_cnf *c = NULL;
        nln_error err = {0};
        if (scan(&c, cases[i].text, &err) != NLN_SYNTAX || c ||
            !strstr(err.message, cases[i].says) || err.line != cases[i].line ||
            err.column != cases[i].column || strcmp(err.file, "x.cnf"))
            fail_msg("%s: %ld:%ld: %s", cases[i].text, err.line, err.column, err.message);
    }
}

/* The expressions are true under an assignment if and only if it satisfies the clauses. */
static void clauses_are_expressions(void **state)
{
    (void)state;
    nln_cnf *c = NULL;
    nln_data *d = NULL;
    nln_random random = nln_random_seed(1, 1);
    assert_int_equal(scan(&c, "p cnf 6 6\n1 -2 0 3 0 -1 2 -3 0 0 5 -5 0 -5 5 2 2 0\n", NULL),
                     NLN_OK);
    assert_int_equal(nln_cnf_data(&d, c, NULL), NLN_OK);
    assert_int_equal(nln_data_variables(d), 4); /* 4 and 6 occur nowhere */
    assert_int_equal(nln_data_size(d, NLN_TRAIN), 6);
    assert_int_equal(nln_data_true(d, NLN_TRAIN), 6);
    for (int round = 0; round < 100; round++) {
        uint8_t value[6], named[4], stack[16], holds[6];
        size_t n = 0;
        for (int v = 0; v < 6; v++)
            value[v] = (uint8_t)nln_random_below(&random, 2);
        named[0] = value[0], named[1] = value[1], named[2] = value[2], named[3] = value[4];
        size_t satisfied = nln_cnf_count(holds, c, value);
        for (size_t i = 0; i < 6; i++) {
            int is = nln_expr_evaluate(nln_exprs_get(&d->split[NLN_TRAIN].exprs, i), named, stack);
            assert_int_equal(is, holds[i]);
            n += (size_t)is;
        }
        assert_int_equal(n, satisfied);
        assert_int_equal(nln_cnf_count(NULL, c, value), satisfied);
    }
    nln_data_free(d);
    nln_cnf_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_people_write_them),
        cmocka_unit_test(mistakes_have_a_place),
        cmocka_unit_test(clauses_are_expressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
