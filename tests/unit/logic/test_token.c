#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "logic/token.h"

/* The tokens of a text as letters and lengths: n name, c constant, ! not, b binary, q quantifier, (
 * ), comma, h hole, " quoted, ' open quote and ?. */
static const char *tokens(const char *text, nln_dialect dialect)
{
    static char out[256];
    static const char letters[] = "enc!bq(),h\"'?";
    char *at = out;
    size_t length = strlen(text);
    nln_token t = {.start = 0, .length = 0};
    *out = '\0';
    for (;;) {
        t = nln_token_next(text, length, t.start + t.length, dialect);
        if (t.kind == NLN_TOKEN_END)
            break;
        at += sprintf(at, "%c%zu ", letters[t.kind], t.length);
    }
    assert_int_equal(t.start, length);
    assert_int_equal(t.length, 0);
    return out;
}

static void texts_fall_into_tokens(void **state)
{
    (void)state;
    static const struct {
        const char *text, *tokens;
    } cases[] = {
        {"", ""},
        {" \t\n ", ""},
        {"a", "n1 "},
        {"a&b", "n1 b1 n1 "},
        {"a && b || c", "n1 b2 n1 b2 n1 "},
        {"!(a -> b) <-> ~c", "!1 (1 n1 b2 n1 )1 b3 !1 n1 "},
        {"T true TRUE True", "c1 c4 c4 n4 "},
        {"F false FALSE f", "c1 c5 c5 n1 "},
        {"not notx x_1.y:z 42", "!3 n4 n7 n2 "},
        {"a and b or c xor d", "n1 b3 n1 b2 n1 b3 n1 "},
        {"¬ä ∧ β₂ ∨ 中 ⊕ q → r ↔ s", "!2 n2 b3 n5 b3 n3 b3 n1 b3 n1 b3 n1 "},
        {"a ^ b", "n1 ?1 n1 "},
        {"a \xff b", "n1 ?1 n1 "},
        {"a € b", "n1 ?3 n1 "},
        {"a - b <- c", "n1 ?1 n1 ?1 ?1 n1 "},
        {"a => b <=> c ⇒ d ⇔ e", "n1 b2 n1 b3 n1 b3 n1 b3 n1 "},
        {"a /\\ b \\/ ⊤ & ⊥", "n1 b2 n1 b2 c3 b1 c3 "},
        {"a implies b IFF c", "n1 b7 n1 b3 n1 "},
        {"forall x: ∃y: p(x, ?)", "q6 n2 q3 n2 n1 (1 n1 ,1 h1 )1 "},
        {"\"green tea\" & 'it\\'s'", "\"11 b1 \"7 "},
        {"a & \"green", "n1 b1 '6 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(tokens(cases[i].text, NLN_DIALECT_TEXT), cases[i].tokens);
}

static void the_published_dialect_has_its_own(void **state)
{
    (void)state;
    assert_string_equal(tokens("~593^924v874", NLN_DIALECT_PUBLISHED), "!1 n3 b1 n3 b1 n3 ");
    assert_string_equal(tokens("(1v2)", NLN_DIALECT_PUBLISHED), "(1 n1 b1 n1 )1 ");
    assert_string_equal(tokens("a & !T", NLN_DIALECT_PUBLISHED), "?1 ?1 ?1 ?1 ");
}

static void quotes_hold_any_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"\"green tea\"", "green tea"},
        {"'a\\'b'", "a'b"},
        {"\"\\t\\n\\r\\\\\\\"\"", "\t\n\r\\\""},
        {"\"中\"", "中"},
        {"\"\\x\"", NULL},
        {"\"\xff\"", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32] = {0};
        size_t length = strlen(cases[i].text);
        long n = nln_token_unquote(name, cases[i].text, length);
        assert_int_equal(n, cases[i].name ? (long)strlen(cases[i].name) : -1);
        if (cases[i].name)
            assert_string_equal(name, cases[i].name);
    }
    assert_true(nln_token_is_name("x1", 2));
    assert_true(nln_token_is_name("implies", 7));
    assert_false(nln_token_is_name("green tea", 9));
    assert_false(nln_token_is_name("and", 3));
    assert_false(nln_token_is_name("a ", 2));
    assert_false(nln_token_is_name("", 0));
}

/* The text ends where its length says, in the middle of a word or of a character. */
static void nothing_behind_the_length_is_read(void **state)
{
    (void)state;
    nln_token t = nln_token_next("true", 3, 0, NLN_DIALECT_TEXT);
    assert_int_equal(t.kind, NLN_TOKEN_NAME);
    assert_int_equal(t.length, 3);
    t = nln_token_next("<->", 2, 0, NLN_DIALECT_TEXT);
    assert_int_equal(t.kind, NLN_TOKEN_STRANGE);
    t = nln_token_next("\xe2\x86\x92", 2, 0, NLN_DIALECT_TEXT);
    assert_int_equal(t.kind, NLN_TOKEN_STRANGE);
    assert_int_equal(t.length, 1);
}

/* Every binary operator that is printed is read back as itself. */
static void printed_operators_are_read(void **state)
{
    (void)state;
    for (int op = NLN_OP_FALSE; op <= NLN_OP_XOR; op++) {
        const char *text = nln_operators[op].text;
        if (!text)
            continue;
        nln_token t = nln_token_next(text, strlen(text), 0, NLN_DIALECT_TEXT);
        assert_int_equal(t.op, op);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_fall_into_tokens),
        cmocka_unit_test(the_published_dialect_has_its_own),
        cmocka_unit_test(quotes_hold_any_name),
        cmocka_unit_test(nothing_behind_the_length_is_read),
        cmocka_unit_test(printed_operators_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
