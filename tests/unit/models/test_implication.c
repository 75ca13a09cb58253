#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"

static void expect_printed(const nln_exprs *list, size_t i, nln_symbols *names, const char *wanted)
{
    char *text = NULL;
    nln_error err = {0};
    assert_int_equal(
        nln_print(&text, nln_exprs_get(list, i), &(nln_vocabulary){.variables = names}, &err),
        NLN_OK);
    assert_string_equal(text, wanted);
    free(text);
}

static void histories_become_expressions(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        nln_literal history[4];
        const char *alone, *rule;
    } cases[] = {
        {0, {{0, 0, 0}}, "F", "F | x5"},
        {1, {{1, 1, 0}}, "!x1", "!x1 | x5"},
        {1, {{1, 0, 0}}, "!!x1", "!!x1 | x5"},
        {2, {{1, 1, 0}, {2, 0, 0}}, "!(x1 & !x2)", "!(x1 & !x2) | x5"},
        {3, {{2, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "!(!x2 & !x1 & x0)", "!(!x2 & !x1 & x0) | x5"},
        {4,
         {{3, 1, 0}, {2, 1, 0}, {5, 1, 0}, {0, 1, 0}},
         "!(x3 & x2 & x5 & x0)",
         "!(x3 & x2 & x5 & x0) | x5"},
    };
    nln_symbols *names = trees_names(6);
    nln_model *model = likes_model(names, "task=topk dimension=2");
    nln_exprs list = {0};
    nln_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            nln_implication_append_history(&list, model, -1, cases[i].history, cases[i].n, &err),
            NLN_OK);
        assert_int_equal(
            nln_implication_append(&list, model, -1, cases[i].history, cases[i].n, 5, &err),
            NLN_OK);
        assert_int_equal(nln_implication_append_item(&list, (int32_t)i, &err), NLN_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_printed(&list, 3 * i, names, cases[i].alone);
        expect_printed(&list, 3 * i + 1, names, cases[i].rule);
        expect_printed(&list, 3 * i + 2, names, nln_symbols_name(names, (int32_t)i));
    }
    nln_exprs_free(&list);
    nln_model_free(model);
    nln_symbols_free(names);
}

/* The rule is the implication from the history to the target, under every assignment; an empty
 * history is T. */
static void a_rule_is_an_implication(void **state)
{
    (void)state;
    nln_symbols *names = trees_names(5);
    nln_model *model = likes_model(names, "task=topk dimension=2");
    nln_exprs rules = {0}, implications = {0};
    nln_error err = {0};
    for (int n = 0; n <= 4; n++)
        for (int bits = 0; bits < 1 << n; bits++) {
            nln_literal history[4];
            for (int i = 0; i < n; i++) {
                history[i] = (nln_literal){(size_t)i, bits >> i & 1, 0};
                nln_exprs_push(&implications, NLN_OP_VAR, i, NULL);
                if (!history[i].liked)
                    nln_exprs_push(&implications, NLN_OP_NOT, 0, NULL);
            }
            if (n != 1)
                nln_exprs_push(&implications, n ? NLN_OP_AND : NLN_OP_TRUE, n, NULL);
            nln_exprs_push(&implications, NLN_OP_VAR, 4, NULL);
            nln_exprs_push(&implications, NLN_OP_IMPLIES, 0, NULL);
            assert_int_equal(nln_exprs_finish(&implications, &err), NLN_OK);
            assert_int_equal(nln_implication_append(&rules, model, -1, history, (size_t)n, 4, &err),
                             NLN_OK);
            assert_true(trees_equivalent(nln_exprs_get(&rules, rules.n - 1),
                                         nln_exprs_get(&implications, rules.n - 1), 5));
        }
    nln_exprs_free(&rules);
    nln_exprs_free(&implications);
    nln_model_free(model);
    nln_symbols_free(names);
}

/* Grades are variables after those of the model; an unknown one is the usual, and where the
 * ratings have none nothing is added. */
static void grades_stand_beside_their_literals(void **state)
{
    (void)state;
    nln_symbols *items = trees_names(3), *names = trees_names(8);
    nln_model *model = likes_model(items, "task=preference dimension=2 grades=5");
    const nln_literal history[] = {{1, 1, 5}, {2, 0, 1}, {0, 1, 0}, {2, 0, 0}};
    nln_exprs list = {0};
    nln_error err = {0};
    assert_int_equal(nln_model_rows(model), 8);
    assert_int_equal(nln_implication_append(&list, model, -1, history, 2, 0, &err), NLN_OK);
    assert_int_equal(nln_implication_append(&list, model, -1, history + 2, 2, 1, &err), NLN_OK);
    model->grading.usual[0] = 3;
    model->grading.usual[1] = 4;
    assert_int_equal(nln_implication_append(&list, model, -1, history + 2, 2, 1, &err), NLN_OK);
    expect_printed(&list, 0, names, "!((x1 & x7) & (!x2 & x3)) | x0");
    expect_printed(&list, 1, names, "!(x0 & !x2) | x1");
    expect_printed(&list, 2, names, "!((x0 & x6) & (!x2 & x5)) | x1");
    nln_exprs_free(&list);
    nln_model_free(model);
    nln_symbols_free(items);
    nln_symbols_free(names);
}

/* The variable of a known user comes after the grades and is the last premise; a user that the
 * model does not know adds none, nor does any user to a model without such variables. */
static void a_known_user_is_the_last_premise(void **state)
{
    (void)state;
    nln_symbols *items = trees_names(3), *names = trees_names(7);
    nln_options *o = tiny_options("train", "task=topk dimension=2 grades=2 user-vectors=0.5");
    nln_model *model = NULL, *plain = likes_model(items, "task=topk dimension=2");
    const nln_literal history[] = {{1, 1, 0}, {2, 0, 0}};
    nln_exprs list = {0};
    nln_error err = {0};
    tiny_need(nln_model_create_for(&model, items, 2, o, &err), &err);
    assert_int_equal(nln_model_rows(model), 7);
    assert_int_equal(nln_implication_append(&list, model, 1, history, 2, 0, &err), NLN_OK);
    assert_int_equal(nln_implication_append(&list, model, -1, history, 2, 0, &err), NLN_OK);
    assert_int_equal(nln_implication_append(&list, model, 2, history, 2, 0, &err), NLN_OK);
    assert_int_equal(nln_implication_append(&list, model, 0, NULL, 0, 0, &err), NLN_OK);
    assert_int_equal(nln_implication_append_history(&list, model, 0, history, 1, &err), NLN_OK);
    assert_int_equal(nln_implication_append(&list, plain, 1, history, 2, 0, &err), NLN_OK);
    expect_printed(&list, 0, names, "!(x1 & !x2 & x6) | x0");
    expect_printed(&list, 1, names, "!(x1 & !x2) | x0");
    expect_printed(&list, 2, names, "!(x1 & !x2) | x0");
    expect_printed(&list, 3, names, "!x5 | x0");
    expect_printed(&list, 4, names, "!(x1 & x5)");
    expect_printed(&list, 5, names, "!(x1 & !x2) | x0");
    assert_true(nln_model_knows_users(model) && !nln_model_knows_users(plain));
    nln_exprs_free(&list);
    nln_model_free(model);
    nln_model_free(plain);
    nln_options_free(o);
    nln_symbols_free(items);
    nln_symbols_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_become_expressions),
        cmocka_unit_test(a_rule_is_an_implication),
        cmocka_unit_test(grades_stand_beside_their_literals),
        cmocka_unit_test(a_known_user_is_the_last_premise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
