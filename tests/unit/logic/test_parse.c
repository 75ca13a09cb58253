#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "first_order.h"
#include "same_expr.h"
#include "trees.h"

static int same(nln_exprs *list, nln_symbols *s, const char *a, const char *b)
{
    size_t i = list->n;
    trees_parse(list, s, a);
    trees_parse(list, s, b);
    return same_expr(nln_exprs_get(list, i), nln_exprs_get(list, i + 1));
}

static void assert_same(const char *const pairs[][2], size_t n)
{
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    for (size_t i = 0; i < n; i++)
        if (!same(&list, s, pairs[i][0], pairs[i][1]))
            fail_msg("%s is not read as %s", pairs[i][0], pairs[i][1]);
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

static void binds_as_written_down(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a | b & c", "a | (b & c)"},
        {"a & b | c", "(a & b) | c"},
        {"!a & b", "(!a) & b"},
        {"!a | b", "(!a) | b"},
        {"!!a", "!(!a)"},
        {"a xor b | c", "a xor (b | c)"},
        {"a | b xor c", "(a | b) xor c"},
        {"a xor b xor c", "(a xor b) xor c"},
        {"a -> b xor c", "a -> (b xor c)"},
        {"a xor b -> c", "(a xor b) -> c"},
        {"a -> b -> c", "a -> (b -> c)"},
        {"a -> b -> c -> d", "a -> (b -> (c -> d))"},
        {"a <-> b -> c", "a <-> (b -> c)"},
        {"a -> b <-> c", "(a -> b) <-> c"},
        {"a <-> b <-> c", "(a <-> b) <-> c"},
        {"a & b -> c | d", "(a & b) -> (c | d)"},
        {"!a & !b | !c xor d -> e <-> f", "(((((!a) & (!b)) | (!c)) xor d) -> e) <-> f"},
        {"f <-> e -> d xor c | b & a", "f <-> (e -> (d xor (c | (b & a))))"},
        {"a & b | c & d | e", "(a & b) | (c & d) | e"},
        {"(((a)))", "a"},
        {"((a & b))", "a & b"},
        {"a&b|!c", " a  &\tb\r\n| ! c "},
        {"!(a & b) & c", "(!(a & b)) & c"},
        {"a & !b -> !c & d", "(a & (!b)) -> ((!c) & d)"},
    };
    assert_same(pairs, sizeof pairs / sizeof *pairs);
}

static void knows_every_spelling(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"~a", "!a"},
        {"¬a", "!a"},
        {"not a", "!a"},
        {"NOT a", "!a"},
        {"a && b", "a & b"},
        {"a ∧ b", "a & b"},
        {"a and b", "a & b"},
        {"a AND b", "a & b"},
        {"a || b", "a | b"},
        {"a ∨ b", "a | b"},
        {"a or b", "a | b"},
        {"a OR b", "a | b"},
        {"a⊕b", "a xor b"},
        {"a XOR b", "a xor b"},
        {"a→b", "a -> b"},
        {"a↔b", "a <-> b"},
        {"true", "T"},
        {"TRUE", "T"},
        {"false", "F"},
        {"FALSE", "F"},
        {"¬a∧b∨c", "!a&b|c"},
        {"not(a)or(b)", "!a|b"},
        {"a&&b&c", "a and b ∧ c"},
    };
    assert_same(pairs, sizeof pairs / sizeof *pairs);
}

static void keeps_groups_and_counts_operands(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t n_nodes, root, arg;
    } cases[] = {
        {"a & b & c", 4, NLN_OP_AND, 3},   {"a & (b & c)", 5, NLN_OP_AND, 2},
        {"(a & b) & c", 5, NLN_OP_AND, 2}, {"a | b | c | d", 5, NLN_OP_OR, 4},
        {"T", 1, NLN_OP_TRUE, 0},          {"F", 1, NLN_OP_FALSE, 0},
        {"t", 1, NLN_OP_VAR, 0},           {"a xor b xor c", 5, NLN_OP_XOR, 0},
    };
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_symbols *s = nln_symbols_create();
        nln_expr e = trees_parse(&list, s, cases[i].text);
        assert_int_equal(e.n_nodes, cases[i].n_nodes);
        assert_int_equal(e.nodes[e.n_nodes - 1].op, cases[i].root);
        assert_int_equal(e.nodes[e.n_nodes - 1].arg, cases[i].arg);
        nln_symbols_free(s);
    }
    nln_exprs_free(&list);
}

static void takes_many_kinds_of_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a",     "x1",    "593",  "_",  ".",    "a.b:c", "user:17",
                                        "And",   "True",  "t",    "f",  "TT",   "nota",  "v",
                                        "größe", "Ωмега", "变量", "x₁", "xor1", "andor"};
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        nln_symbols *s = nln_symbols_create();
        nln_expr e = trees_parse(&list, s, names[i]);
        assert_int_equal(e.n_nodes, 1);
        assert_int_equal(e.nodes[0].op, NLN_OP_VAR);
        assert_string_equal(nln_symbols_name(s, 0), names[i]);
        nln_symbols_free(s);
    }
    nln_exprs_free(&list);
}

#define OPERAND "expected a variable, T, F, '!' or '(' but found "

static void says_where_and_why(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long column;
        const char *message; /* how it begins */
    } cases[] = {
        {"", 1, "the expression is empty"},
        {" \t ", 1, "the expression is empty"},
        {")", 1, OPERAND "')'"},
        {"()", 2, OPERAND "')'"},
        {"a &", 4, OPERAND "the end"},
        {"a & ", 5, OPERAND "the end"},
        {"!", 2, OPERAND "the end"},
        {"& a", 1, OPERAND "'&'"},
        {"a & | b", 5, OPERAND "'|'"},
        {"a and and b", 7, OPERAND "'and'"},
        {"(a | b", 1, "this '(' is never closed"},
        {"(a & (b | c)", 1, "this '(' is never closed"},
        {"(a) & (b | (c & d)", 7, "this '(' is never closed"},
        {"a)", 2, "this ')' closes nothing"},
        {"(a))", 4, "this ')' closes nothing"},
        {"a b", 3, "expected an operator such as '&' or '|', or the end but found 'b'"},
        {"(a b)", 4, "expected an operator such as '&' or '|', or ')' but found 'b'"},
        {"a T", 3, "expected an operator such as '&' or '|', or the end but found 'T'"},
        {"a !b", 3, "expected an operator such as '&' or '|', or the end but found '!'"},
        {"a (b)", 3, "expected an operator such as '&' or '|', or the end but found '('"},
        {"a And b", 3, "expected an operator such as '&' or '|', or the end but found 'And'"},
        {"a ^ b", 3, "expected an operator such as '&' or '|', or the end but found '^'"},
        {"a - b", 3, "expected an operator such as '&' or '|', or the end but found '-'"},
        {"¬ä ∧ ∨", 6, OPERAND "'∨'"},
        {"变量 ∧ € b", 6, OPERAND "'€'"},
        {"a & \xff", 5, OPERAND "the byte 0xff, which is not UTF-8"},
        {"a & \xe2\x88", 5, OPERAND "the byte 0xe2, which is not UTF-8"},
        {"a & \xc0\xaf", 5, OPERAND "the byte 0xc0, which is not UTF-8"},
        {"a & \xed\xa0\x80", 5, OPERAND "the byte 0xed, which is not UTF-8"},
        {"a\xc2\xa0& b", 2,
         "expected an operator such as '&' or '|', or the end but found the "
         "character U+00A0"},
        {"a aaaaaaaaaabbbbbbbbbbccccccccccdddddddddde", 3,
         "expected an operator such as '&' or '|', or the end but found "
         "'aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd...'"},
    };
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        const char *text = cases[i].text;
        assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, text, strlen(text),
                                   NLN_DIALECT_TEXT, &err),
                         NLN_SYNTAX);
        assert_int_equal(err.status, NLN_SYNTAX);
        if (err.column != cases[i].column ||
            strncmp(err.message, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%s: column %ld: %s", text, err.column, err.message);
        assert_int_equal(list.n, 0);
        assert_int_equal(list.n_nodes, 0);
        assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, text, strlen(text),
                                   NLN_DIALECT_TEXT, NULL),
                         NLN_SYNTAX);
    }
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

static void names_an_unknown_variable(void **state)
{
    (void)state;
    nln_symbols *s = trees_names(2);
    nln_exprs list = {0};
    nln_error err = {0};
    assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 0, "x0 ∨ !x9", 10,
                               NLN_DIALECT_TEXT, &err),
                     NLN_UNKNOWN);
    assert_int_equal(err.column, 7);
    assert_non_null(strstr(err.message, "'x9'"));
    assert_int_equal(nln_symbols_count(s), 2);
    assert_int_equal(list.n_nodes, 0);
    assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 0, "x0 | !x1", 8,
                               NLN_DIALECT_TEXT, &err),
                     NLN_OK);
    assert_int_equal(list.n, 1);
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

static void reads_the_published_dialect(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"~593^924v874", "!593 & 924 | 874"},
        {"593", "593"},
        {"1v2^~3v~4", "1 | 2 & !3 | !4"},
        {"~(1v2)^3", "!(1 | 2) & 3"},
        {" 1 ^ 2 ", "1 & 2"},
        {"~~1", "!!1"},
    };
    static const struct {
        const char *text;
        long column;
    } bad[] = {{"", 1},    {"1^", 3}, {"1&2", 2}, {"x", 1},
               {"1^T", 3}, {"v1", 1}, {"(1", 1},  {"1 2", 3}};
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, good[i][0],
                                   strlen(good[i][0]), NLN_DIALECT_PUBLISHED, NULL),
                         NLN_OK);
        trees_parse(&list, s, good[i][1]);
        assert_true(same_expr(nln_exprs_get(&list, 2 * i), nln_exprs_get(&list, 2 * i + 1)));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_error err = {0};
        assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, bad[i].text,
                                   strlen(bad[i].text), NLN_DIALECT_PUBLISHED, &err),
                         NLN_SYNTAX);
        assert_int_equal(err.column, bad[i].column);
    }
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

/* ---- predicate logic ----------------------------------------------------- */

static void words_and_signs_are_the_same(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"a => b", "a -> b"},
        {"a ⇒ b implies c", "a -> b -> c"},
        {"a <=> b ⇔ c iff d", "a <-> b <-> c <-> d"},
        {"a /\\ b \\/ c", "a & b | c"},
        {"⊤ & !⊥", "T & !F"},
        {"implies implies iff", "implies -> iff"},
        {"\"a\" & 'b c'", "a & \"b c\""},
        {"∀x y: p(x) ∧ ∃z: q(y, z)", "forall x: forall y: (p(x) & (exists z: q(y, z)))"},
        {"forall x : p(x)", "forall x:p(x)"},
        {"!exists x: p(x) & a", "!(exists x: (p(x) & a))"},
        {"\"p\"(e0)", "p('e0')"},
        {"forall & exists", "\"forall\" & \"exists\""},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        nln_vocabulary names = first_order_names(2);
        nln_exprs list = {0};
        for (int k = 0; k < 2; k++) {
            nln_error err = {0};
            const char *text = pairs[i][k];
            if (nln_parse(&list, &names, 1, text, strlen(text), NLN_DIALECT_TEXT, &err))
                fail_msg("%s: column %ld: %s", text, err.column, err.message);
        }
        if (!same_expr(nln_exprs_get(&list, 0), nln_exprs_get(&list, 1)))
            fail_msg("%s and %s differ", pairs[i][0], pairs[i][1]);
        nln_exprs_free(&list);
        first_order_free(&names);
    }
}

static void predicates_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nln_status status;
        long column;
        const char *part; /* of the message */
    } cases[] = {
        {"p(e0) & p(e0, e1)", NLN_SYNTAX, 9, "has 1 argument elsewhere, but 2 here"},
        {"a & q", NLN_SYNTAX, 5, "'q' has 2 arguments elsewhere, but 0 here"},
        {"x0 & x0(e1)", NLN_SYNTAX, 6, "'x0' has 0 arguments elsewhere, but 1 here"},
        {"forall x: exists x: p(x)", NLN_SYNTAX, 18, "binds the same name"},
        {"forall x x: p(x)", NLN_SYNTAX, 10, "binds the same name"},
        {"forall x: q(x, y)", NLN_UNKNOWN, 16, "'y' is bound by no quantifier"},
        {"forall x: x", NLN_SYNTAX, 11, "not true or false"},
        {"(forall x: p(x)) & q(x, e0) & forall z: p(x2)", NLN_UNKNOWN, 43, "'x2'"},
        {"p(?)", NLN_SYNTAX, 3, "the hole '?'"},
        {"p(a & b)", NLN_SYNTAX, 5, "expected ',' or ')'"},
        {"p()", NLN_SYNTAX, 3, "expected the name of an entity"},
        {"p(and)", NLN_SYNTAX, 3, "expected the name of an entity"},
        {"p(e0", NLN_SYNTAX, 5, "expected ',' or ')'"},
        {"forall: p(x)", NLN_SYNTAX, 9, "but found 'p'"},
        {"∀: p(x)", NLN_SYNTAX, 2, "names of the bound variables"},
        {"forall x p(x)", NLN_SYNTAX, 11, "names of the bound variables"},
        {"forall x: ", NLN_SYNTAX, 11, "but found the end"},
        {"\"a & b", NLN_SYNTAX, 1, "never closed"},
        {"\"\" & b", NLN_SYNTAX, 1, "at least one character"},
        {"\"\\q\" & b", NLN_SYNTAX, 1, "escapes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_vocabulary names = first_order_names(2);
        nln_exprs list = {0};
        nln_error err = {0};
        const char *text = cases[i].text;
        nln_status status = nln_parse(&list, &names, 1, text, strlen(text), NLN_DIALECT_TEXT, &err);
        if (status != cases[i].status || err.column != cases[i].column ||
            !strstr(err.message, cases[i].part))
            fail_msg("%s: %d, column %ld: %s", text, (int)status, err.column, err.message);
        assert_int_equal(list.n_nodes, 0);
        nln_exprs_free(&list);
        first_order_free(&names);
    }
}

static void a_question_has_one_hole(void **state)
{
    (void)state;
    nln_vocabulary names = first_order_names(2);
    nln_exprs list = {0};
    nln_error err = {0};
    names.holes = 1;
    assert_int_equal(nln_parse(&list, &names, 0, "q(e0, ?)", 8, NLN_DIALECT_TEXT, &err), NLN_OK);
    nln_atom atom = nln_atoms_get(names.atoms, list.nodes[0].arg);
    assert_int_equal(atom.argument[0], 0);
    assert_int_equal(atom.argument[1], NLN_ARGUMENT_HOLE);
    assert_int_equal(nln_parse(&list, &names, 0, "q(?, ?)", 7, NLN_DIALECT_TEXT, &err), NLN_SYNTAX);
    assert_int_equal(err.column, 6);
    assert_int_equal(nln_parse(&list, &names, 0, "q(e0, zoe)", 10, NLN_DIALECT_TEXT, &err),
                     NLN_UNKNOWN);
    assert_non_null(strstr(err.message, "the entity 'zoe' is not known"));
    assert_int_equal(nln_parse(&list, &names, 0, "s(e0)", 5, NLN_DIALECT_TEXT, &err), NLN_UNKNOWN);
    assert_non_null(strstr(err.message, "the predicate 's' is not known"));
    nln_exprs_free(&list);
    first_order_free(&names);
}

/* ---- a million ---------------------------------------------------------- */

enum { MILLION = 1000000 };

static void fill(char *text, const char *piece, size_t n)
{
    size_t length = strlen(piece);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * length, piece, length);
}

typedef struct deep {
    const char *text;
    size_t length;
    nln_status status;
    nln_error err;
    int32_t n_nodes;
} deep;

static void *parse_deep(void *context)
{
    deep *d = context;
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    d->status = nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, d->text, d->length,
                          NLN_DIALECT_TEXT, &d->err);
    d->n_nodes = (int32_t)list.n_nodes;
    nln_exprs_free(&list);
    nln_symbols_free(s);
    return NULL;
}

/* head repeated, middle once, tail repeated. */
static deep parse_million(const char *head, const char *middle, const char *tail)
{
    size_t h = strlen(head) * MILLION, m = strlen(middle), t = strlen(tail) * MILLION;
    char *text = malloc(h + m + t);
    fill(text, head, MILLION);
    memcpy(text + h, middle, m);
    fill(text + h + m, tail, MILLION);
    deep d = {.text = text, .length = h + m + t, .status = NLN_CANCELLED};
    assert_true(trees_on_small_stack(parse_deep, &d));
    free(text);
    return d;
}

static void parses_a_million_of_anything(void **state)
{
    (void)state;
    static const struct {
        const char *head, *middle, *tail;
        nln_status status;
        int32_t n_nodes;
        long column;
    } cases[] = {
        {"(", "a", ")", NLN_OK, 1, 0},
        {"!", "a", "", NLN_OK, MILLION + 1, 0},
        {"!(", "a", ")", NLN_OK, MILLION + 1, 0},
        {"", "a", "&b", NLN_OK, MILLION + 2, 0},
        {"a->", "b", "", NLN_OK, 2 * MILLION + 1, 0},
        {"", "a", " xor b", NLN_OK, 2 * MILLION + 1, 0},
        {"(a&", "b", ")", NLN_OK, 2 * MILLION + 1, 0},
        {"(", "", "", NLN_SYNTAX, 0, MILLION + 1},
        {"(", "a", "", NLN_SYNTAX, 0, MILLION},
        {"!", "", "", NLN_SYNTAX, 0, MILLION + 1},
        {"a&", "", "", NLN_SYNTAX, 0, 2 * MILLION + 1},
        {"", "a", ")", NLN_SYNTAX, 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        deep d = parse_million(cases[i].head, cases[i].middle, cases[i].tail);
        assert_int_equal(d.status, cases[i].status);
        assert_int_equal(d.n_nodes, cases[i].n_nodes);
        assert_int_equal(d.err.column, cases[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_signs_are_the_same),
        cmocka_unit_test(predicates_are_checked),
        cmocka_unit_test(a_question_has_one_hole),
        cmocka_unit_test(binds_as_written_down),
        cmocka_unit_test(knows_every_spelling),
        cmocka_unit_test(keeps_groups_and_counts_operands),
        cmocka_unit_test(takes_many_kinds_of_names),
        cmocka_unit_test(says_where_and_why),
        cmocka_unit_test(names_an_unknown_variable),
        cmocka_unit_test(reads_the_published_dialect),
        cmocka_unit_test(parses_a_million_of_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
