#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "first_order.h"
#include "same_expr.h"
#include "trees.h"

static void reads_back_what_it_prints(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    nln_symbols *s = trees_names(10);
    nln_exprs list = {0};
    for (int i = 0; i < 5000; i++) {
        char *text = NULL;
        nln_expr e = trees_random(&list, &r, 10, 1 + i % 6);
        assert_int_equal(nln_print(&text, e, &(nln_vocabulary){.variables = s}, NULL), NLN_OK);
        trees_parse(&list, s, text);
        if (!same_expr(nln_exprs_get(&list, 0), nln_exprs_get(&list, 1)))
            fail_msg("%s is read back as something else", text);
        free(text);
        nln_exprs_free(&list);
    }
    assert_int_equal(nln_symbols_count(s), 10);
    nln_symbols_free(s);
}

/* The same for formulas of predicate logic, with names of every kind. */
static void reads_back_quantified_formulas(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(3, 0);
    nln_vocabulary names = first_order_names(2);
    static const char *const odd[] = {"green tea", "T", "and", "v0", "a\"b", "tab\there", "中 文"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        nln_symbols_intern(names.relations->entities, odd[i], strlen(odd[i]));
    for (int i = 0; i < 5000; i++) {
        nln_exprs list = {0};
        nln_error err = {0};
        char *text = NULL;
        nln_expr e = first_order_random(&list, &names, &r, 1 + i % 6);
        assert_int_equal(nln_print(&text, e, &names, NULL), NLN_OK);
        if (nln_parse(&list, &names, 0, text, strlen(text), NLN_DIALECT_TEXT, &err))
            fail_msg("%s: %ld: %s", text, err.column, err.message);
        if (!same_expr(nln_exprs_get(&list, 0), nln_exprs_get(&list, 1)))
            fail_msg("%s is read back as something else", text);
        free(text);
        nln_exprs_free(&list);
    }
    first_order_free(&names);
}

/* Whether taking away the pair of parentheses at `open` leaves a text that is read
 * as the same expression. */
static int is_needless(const char *text, size_t open, nln_expr e, nln_symbols *s)
{
    char shorter[512];
    size_t close = open, n = 0;
    int depth = 0;
    nln_exprs list = {0};
    do {
        depth += (text[close] == '(') - (text[close] == ')');
        close++;
    } while (depth > 0);
    for (size_t i = 0; text[i]; i++)
        if (i != open && i != close - 1)
            shorter[n++] = text[i];
    nln_status status =
        nln_parse(&list, &(nln_vocabulary){.variables = s}, 1, shorter, n, NLN_DIALECT_TEXT, NULL);
    int needless = !status && same_expr(nln_exprs_get(&list, 0), e);
    nln_exprs_free(&list);
    return needless;
}

static void prints_no_needless_parentheses(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(3, 0);
    nln_symbols *s = trees_names(3);
    for (int i = 0; i < 2000; i++) {
        char *text = NULL;
        nln_exprs list = {0};
        nln_expr e = trees_random(&list, &r, 3, 3);
        assert_int_equal(nln_print(&text, e, &(nln_vocabulary){.variables = s}, NULL), NLN_OK);
        for (size_t k = 0; text[k] && strlen(text) < 512; k++)
            if (text[k] == '(' && is_needless(text, k, e, s))
                fail_msg("%s has parentheses too many at %zu", text, k + 1);
        free(text);
        nln_exprs_free(&list);
    }
    nln_symbols_free(s);
}

static void prints_as_people_write(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a",
        "T",
        "!F",
        "!!a",
        "!(a & b)",
        "a & b & c",
        "a & (b & c)",
        "(a | b) & !c | d",
        "a -> b -> c",
        "(a -> b) -> c",
        "a <-> b <-> c",
        "a <-> (b <-> c)",
        "a xor b xor (c xor d)",
        "größe & 变量",
    };
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = NULL;
        nln_expr e = trees_parse(&list, s, texts[i]);
        assert_int_equal(nln_print(&text, e, &(nln_vocabulary){.variables = s}, NULL), NLN_OK);
        assert_string_equal(text, texts[i]);
        free(text);
    }
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

static void refuses_a_variable_without_name(void **state)
{
    (void)state;
    nln_symbols *s = trees_names(1);
    nln_node nodes[] = {{NLN_OP_VAR, 0}, {NLN_OP_VAR, 1}, {NLN_OP_AND, 2}};
    nln_error err = {0};
    char *text = NULL;
    assert_int_equal(
        nln_print(&text, (nln_expr){nodes, 3}, &(nln_vocabulary){.variables = s}, &err),
        NLN_UNKNOWN);
    assert_null(text);
    assert_int_equal(err.status, NLN_UNKNOWN);
    nln_symbols_free(s);
}

enum { MILLION = 1000000 };

typedef struct deep {
    nln_expr e;
    int agrees;
} deep;

static void *print_deep(void *context)
{
    deep *d = context;
    nln_symbols *s = trees_names(1);
    nln_exprs list = {0};
    char *text = NULL;
    if (!nln_print(&text, d->e, &(nln_vocabulary){.variables = s}, NULL) &&
        !nln_parse(&list, &(nln_vocabulary){.variables = s}, 0, text, strlen(text),
                   NLN_DIALECT_TEXT, NULL))
        d->agrees = same_expr(nln_exprs_get(&list, 0), d->e);
    free(text);
    nln_exprs_free(&list);
    nln_symbols_free(s);
    return NULL;
}

static void prints_a_million_of_anything(void **state)
{
    (void)state;
    static const struct {
        int32_t before, op, arg; /* a variable before each operator or before all */
    } cases[] = {
        {0, NLN_OP_NOT, 0}, {1, NLN_OP_AND, 2}, {1, NLN_OP_IMPLIES, 0}, {1, NLN_OP_XOR, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_exprs list = {0};
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
        for (int32_t k = 0; k < MILLION; k++) {
            if (cases[i].before)
                nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
            nln_exprs_push(&list, (nln_op)cases[i].op, cases[i].arg, NULL);
        }
        nln_exprs_finish(&list, NULL);
        deep d = {.e = nln_exprs_get(&list, 0)};
        assert_true(trees_on_small_stack(print_deep, &d));
        assert_true(d.agrees);
        nln_exprs_free(&list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_what_it_prints),
        cmocka_unit_test(reads_back_quantified_formulas),
        cmocka_unit_test(prints_no_needless_parentheses),
        cmocka_unit_test(prints_as_people_write),
        cmocka_unit_test(refuses_a_variable_without_name),
        cmocka_unit_test(prints_a_million_of_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
