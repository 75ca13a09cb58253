#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/symbols.h"
#include "logic/multiply_out.h"
#include "logic/parse.h"

static nln_expr parsed(nln_exprs *list, nln_symbols *symbols, const char *text)
{
    assert_int_equal(nln_parse(list, &(nln_vocabulary){.variables = symbols}, 1, text, strlen(text),
                               NLN_DIALECT_TEXT, NULL),
                     NLN_OK);
    return nln_exprs_get(list, list->n - 1);
}

static void counts_stay_at_their_limit(void **state)
{
    (void)state;
    assert_true(nln_count_add(2, 3) == 5 && nln_count_multiply(2, 3) == 6);
    assert_true(nln_count_multiply(0, NLN_COUNT_MOST) == 0);
    assert_true(nln_count_add(NLN_COUNT_MOST, 1) == NLN_COUNT_MOST);
    assert_true(nln_count_multiply(NLN_COUNT_MOST / 2, 3) == NLN_COUNT_MOST);
    assert_true(nln_count_multiply((uint64_t)1 << 40, (uint64_t)1 << 40) == NLN_COUNT_MOST);
}

static void clauses_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int dnf, cnf;
    } cases[] = {
        {"a", 1, 1},           {"!a", 1, 1},          {"T", 1, 1},
        {"a & !b", 1, 1},      {"a | !b | c", 1, 1},  {"a & b | c & !d", 1, 0},
        {"(a | b) & c", 0, 1}, {"a & (b & c)", 0, 0}, {"!(a & b)", 0, 0},
        {"!!a", 0, 0},         {"a -> b", 0, 0},      {"a & (b | c & d)", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_exprs list = {0};
        nln_symbols *symbols = nln_symbols_create();
        nln_expr e = parsed(&list, symbols, cases[i].text);
        assert_int_equal(nln_clauses_are(e, NLN_OP_OR, NLN_OP_AND), cases[i].dnf);
        assert_int_equal(nln_clauses_are(e, NLN_OP_AND, NLN_OP_OR), cases[i].cnf);
        nln_exprs_free(&list);
        nln_symbols_free(symbols);
    }
}

static void expressions_are_multiplied_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *dnf, *cnf;
    } cases[] = {
        {"(a | b) & (c | d)", "a & c | a & d | b & c | b & d", "(a | b) & (c | d)"},
        {"a & b | c", "a & b | c", "(a | c) & (b | c)"},
        {"(a | b) & (!a | b)", "a & b | b & !a | b", "(a | b) & (!a | b)"},
        {"a & !a", "F", "a & !a"},
        {"a | !a", "a | !a", "T"},
        {"a & a", "a", "a & a"},
        {"(a | b) & a", "a | b & a", "(a | b) & a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int cnf = 0; cnf < 2; cnf++) {
            nln_exprs list = {0}, out = {0};
            nln_symbols *symbols = nln_symbols_create();
            nln_op sum = cnf ? NLN_OP_AND : NLN_OP_OR, product = cnf ? NLN_OP_OR : NLN_OP_AND;
            nln_expr e = parsed(&list, symbols, cases[i].text);
            char *text;
            assert_int_equal(nln_clauses_build(&out, e, sum, product, 100, 1000, NULL), NLN_OK);
            assert_int_equal(nln_print(&text, nln_exprs_get(&out, 0),
                                       &(nln_vocabulary){.variables = symbols}, NULL),
                             NLN_OK);
            assert_string_equal(text, cnf ? cases[i].cnf : cases[i].dnf);
            nln_free(text);
            nln_exprs_free(&list);
            nln_exprs_free(&out);
            nln_symbols_free(symbols);
        }
}

/* Limits are checked by counting: the exact numbers pass, one less does not. */
static void limits_are_told(void **state)
{
    (void)state;
    nln_exprs list = {0}, out = {0};
    nln_symbols *symbols = nln_symbols_create();
    nln_expr e = parsed(&list, symbols, "(a | b) & (c | d) & (e | f)"); /* 8 clauses of 3 */
    nln_error err = {0};
    assert_int_equal(nln_clauses_build(&out, e, NLN_OP_OR, NLN_OP_AND, 8, 57, &err), NLN_OK);
    assert_int_equal(nln_clauses_build(&out, e, NLN_OP_OR, NLN_OP_AND, 7, 57, &err), NLN_LIMIT);
    assert_string_equal(err.message,
                        "the disjunctive normal form has 8 clauses, over the limit of 7: split the "
                        "expression, or train with a larger clause-limit or with normal-form nnf");
    assert_int_equal(nln_clauses_build(&out, e, NLN_OP_OR, NLN_OP_AND, 8, 56, &err), NLN_LIMIT);
    assert_string_equal(err.message,
                        "the disjunctive normal form has 24 literals, over the limit of about 28: "
                        "split the expression, or train with a larger clause-limit or with "
                        "normal-form nnf");
    assert_int_equal(out.n, 1);
    nln_exprs_free(&list);
    nln_exprs_free(&out);
    nln_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_stay_at_their_limit),
        cmocka_unit_test(clauses_are_recognised),
        cmocka_unit_test(expressions_are_multiplied_out),
        cmocka_unit_test(limits_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
