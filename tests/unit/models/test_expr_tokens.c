#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logic/normal_form.h"
#include "models/expr_tokens.h"
#include "trees.h"

enum { VARIABLES = 6, LONGEST = 1 << 16 };

static const char *const signs[NLN_N_SIGNS] = {
    [NLN_SIGN_NOT] = "!",   [NLN_SIGN_AND] = " & ", [NLN_SIGN_OR] = " | ", [NLN_SIGN_OPEN] = "(",
    [NLN_SIGN_CLOSE] = ")", [NLN_SIGN_TRUE] = "T",  [NLN_SIGN_FALSE] = "F"};

/* The tokens as a text. */
static void write_tokens(char *text, nln_tokens *t, nln_expr e)
{
    const int32_t *token;
    size_t n, length = 0;
    assert_int_equal(nln_tokens_read(&token, &n, t, e, VARIABLES, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++) {
        assert_in_range(token[i], 0, VARIABLES + NLN_N_SIGNS - 1);
        assert_true(length + 16 < LONGEST);
        if (token[i] < VARIABLES)
            length += (size_t)sprintf(text + length, "x%d", (int)token[i]);
        else
            length += (size_t)sprintf(text + length, "%s", signs[token[i] - VARIABLES]);
    }
    text[length] = '\0';
}

/* In every normal form the tokens are those of the printed text; it merges nested ANDs and
 * ORs, so that printing needs no parentheses that tokens do without. */
static void tokens_are_the_text(void **state)
{
    (void)state;
    static char text[LONGEST];
    nln_symbols *names = trees_names(VARIABLES);
    nln_random random = nln_random_seed(6, 0);
    nln_tokens tokens = {0};
    for (int i = 0; i < 3000; i++) {
        nln_exprs list = {0};
        nln_expr e = trees_random(&list, &random, VARIABLES, 4);
        nln_status status = nln_normal(&list, e, (nln_form)(i % 4), 4096, NULL);
        char *printed = NULL;
        if (!status) {
            e = nln_exprs_get(&list, 1);
            assert_int_equal(nln_print(&printed, e, &(nln_vocabulary){.variables = names}, NULL),
                             NLN_OK);
            write_tokens(text, &tokens, e);
            assert_string_equal(text, printed);
            assert_true(i % 4 != NLN_FORM_DNF || !strchr(text, '('));
        }
        free(printed);
        nln_exprs_free(&list);
    }
    nln_tokens_free(&tokens);
    nln_symbols_free(names);
}

static void parentheses_are_where_precedence_needs_them(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"x0", "x0"},
        {"T", "T"},
        {"!F", "!F"},
        {"!!x1", "!!x1"},
        {"x0 & x1 | x2 & !x3", "x0 & x1 | x2 & !x3"},
        {"(x0 | x1) & (x2 | x3) & x4", "(x0 | x1) & (x2 | x3) & x4"},
        {"!(x0 & x1) | x2", "!(x0 & x1) | x2"},
        {"!(x0 | !(x1 & x2))", "!(x0 | !(x1 & x2))"},
        {"(x0 & x1) & (x2 & x3)", "x0 & x1 & x2 & x3"},
        {"x0 | (x1 | x2)", "x0 | x1 | x2"},
    };
    static char text[LONGEST];
    nln_symbols *names = trees_names(VARIABLES);
    nln_tokens tokens = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nln_exprs list = {0};
        assert_int_equal(nln_parse(&list, &(nln_vocabulary){.variables = names}, 0, texts[i][0],
                                   strlen(texts[i][0]), NLN_DIALECT_TEXT, NULL),
                         NLN_OK);
        write_tokens(text, &tokens, nln_exprs_get(&list, 0));
        assert_string_equal(text, texts[i][1]);
        nln_exprs_free(&list);
    }
    nln_tokens_free(&tokens);
    nln_symbols_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_the_text),
        cmocka_unit_test(parentheses_are_where_precedence_needs_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
