#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "first_order.h"
#include "logic/normal_form.h"
#include "logic/prenex.h"

static void the_form_is_prenex_and_equal(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    nln_vocabulary names = first_order_names(2);
    int n_quantified = 0;
    for (int i = 0; i < 3000; i++) {
        nln_exprs list = {0};
        first_order_random(&list, &names, &r, 1 + i % 5);
        assert_int_equal(nln_prenex(&list, names.atoms, nln_exprs_get(&list, 0), 1000, NULL),
                         NLN_OK);
        nln_expr e = nln_exprs_get(&list, 1);
        int32_t n = e.n_nodes;
        if (n > 12 + nln_exprs_get(&list, 0).n_nodes)
            n_quantified++;
        while (n > 0 && nln_node_is_quantifier(e.nodes[n - 1]))
            n--;
        for (int32_t k = 0; k < n; k++)
            assert_false(nln_node_is_quantifier(e.nodes[k]));
        /* Every variable is bound once. */
        for (int32_t k = n; k < e.n_nodes; k++)
            for (int32_t j = k + 1; j < e.n_nodes; j++)
                assert_int_not_equal(e.nodes[k].arg, e.nodes[j].arg);
        if (e.n_nodes - n <= 8)
            assert_true(first_order_agree(nln_exprs_get(&list, 0), e, &names, 8));
        for (int f = NLN_FORM_NONE; f <= NLN_FORM_CNF && e.n_nodes - n <= 6; f++) {
            nln_status status = nln_normal(&list, nln_exprs_get(&list, 1), (nln_form)f, 200, NULL);
            assert_true(status == NLN_OK || status == NLN_LIMIT);
            if (!status)
                assert_true(first_order_agree(nln_exprs_get(&list, 0),
                                              nln_exprs_get(&list, list.n - 1), &names, 8));
        }
        nln_exprs_free(&list);
    }
    assert_true(n_quantified > 0);
    first_order_free(&names);
}

static void forms_are_as_in_a_textbook(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"forall x: p(x)", "forall x: p(x)"},
        {"!forall x: p(x)", "exists x: !p(x)"},
        {"(forall x: p(x)) -> exists x: p(x)", "exists x x_2: !p(x) | p(x_2)"},
        {"(forall x: p(x)) & (exists x: p(x))", "forall x: exists x_2: p(x) & p(x_2)"},
        {"forall x: exists y: q(x, y)", "forall x: exists y: q(x, y)"},
        {"forall x: T", "T"},
        {"forall x y: p(x)", "forall x: p(x)"},
        {"a & b", "a & b"},
    };
    nln_vocabulary names = first_order_names(2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_exprs list = {0};
        nln_error err = {0};
        char *text = NULL;
        const char *from = cases[i][0];
        if (nln_parse(&list, &names, 1, from, strlen(from), NLN_DIALECT_TEXT, &err))
            fail_msg("%s: %ld: %s", from, err.column, err.message);
        assert_int_equal(nln_prenex(&list, names.atoms, nln_exprs_get(&list, 0), 100, &err),
                         NLN_OK);
        assert_int_equal(nln_print(&text, nln_exprs_get(&list, 1), &names, &err), NLN_OK);
        assert_string_equal(text, cases[i][1]);
        nln_free(text);
        nln_exprs_free(&list);
    }
    first_order_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_is_prenex_and_equal),
        cmocka_unit_test(forms_are_as_in_a_textbook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
