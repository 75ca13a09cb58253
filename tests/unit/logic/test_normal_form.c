#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "logic/normal_form.h"
#include "same_expr.h"
#include "trees.h"

static const nln_form forms[] = {NLN_FORM_NONE, NLN_FORM_NNF, NLN_FORM_DNF, NLN_FORM_CNF};
enum { N_FORMS = sizeof forms / sizeof *forms };

/* Whether `e` has the shape that the form promises, told from the root down by
 * the operator above each node. */
static int has_form(const nln_node *nodes, int32_t *at, nln_form form, int32_t above, int depth)
{
    nln_node node = nodes[(*at)--];
    if (node.op == NLN_OP_VAR)
        return 1;
    if (node.op == NLN_OP_NOT) {
        if (form != NLN_FORM_NONE && nodes[*at].op != NLN_OP_VAR)
            return 0;
        return has_form(nodes, at, form, node.op, depth);
    }
    if ((node.op != NLN_OP_AND && node.op != NLN_OP_OR) || node.op == above || node.arg < 2)
        return 0;
    int32_t inner = form == NLN_FORM_DNF ? NLN_OP_AND : NLN_OP_OR;
    if ((form == NLN_FORM_DNF || form == NLN_FORM_CNF) && depth > 0 && node.op != inner)
        return 0;
    if ((form == NLN_FORM_DNF || form == NLN_FORM_CNF) && above == inner)
        return 0;
    for (int32_t i = 0; i < node.arg; i++)
        if (!has_form(nodes, at, form, node.op, depth + 1))
            return 0;
    return 1;
}

static int is_in_form(nln_expr e, nln_form form)
{
    int32_t at = e.n_nodes - 1;
    if (e.n_nodes == 1)
        return 1;
    return has_form(e.nodes, &at, form, -1, 0) && at == -1;
}

static void equals_the_tree_under_all_assignments(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(4, 0);
    nln_exprs list = {0};
    int n_built = 0;
    for (int i = 0; i < 3000; i++) {
        int n_variables = 1 + i % 10;
        trees_random(&list, &r, n_variables, 1 + i % 4);
        for (int f = 0; f < N_FORMS; f++) {
            nln_status status = nln_normal(&list, nln_exprs_get(&list, 0), forms[f], 2000, NULL);
            assert_true(status == NLN_OK || status == NLN_LIMIT);
            if (status)
                continue;
            nln_expr built = nln_exprs_get(&list, list.n - 1);
            assert_true(trees_equivalent(nln_exprs_get(&list, 0), built, n_variables));
            assert_true(is_in_form(built, forms[f]));
            n_built++;
        }
        nln_exprs_free(&list);
    }
    assert_true(n_built > 3000 * N_FORMS * 9 / 10);
}

static void gives_back_what_is_in_form(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(5, 0);
    nln_exprs list = {0};
    for (int i = 0; i < 1000; i++) {
        trees_random(&list, &r, 6, 3);
        for (int f = 0; f < N_FORMS; f++) {
            if (nln_normal(&list, nln_exprs_get(&list, 0), forms[f], 1000, NULL))
                continue;
            assert_int_equal(nln_normal(&list, nln_exprs_get(&list, list.n - 1), forms[f], 1, NULL),
                             NLN_OK);
            assert_true(
                same_expr(nln_exprs_get(&list, list.n - 2), nln_exprs_get(&list, list.n - 1)));
        }
        nln_exprs_free(&list);
    }
}

static void writes_the_expected_forms(void **state)
{
    (void)state;
    static const struct {
        nln_form form;
        const char *from, *to;
    } cases[] = {
        {NLN_FORM_NONE, "a -> b", "!a | b"},
        {NLN_FORM_NONE, "a <-> b", "a & b | !a & !b"},
        {NLN_FORM_NONE, "a xor b", "a & !b | !a & b"},
        {NLN_FORM_NONE, "!(a -> b)", "!(!a | b)"},
        {NLN_FORM_NONE, "!!a & (b & c)", "!!a & b & c"},
        {NLN_FORM_NONE, "a & T | F", "a"},
        {NLN_FORM_NONE, "a -> F", "!a"},
        {NLN_FORM_NONE, "T <-> a", "a"},
        {NLN_FORM_NONE, "a xor T", "!a"},
        {NLN_FORM_NONE, "F -> a", "T"},
        {NLN_FORM_NONE, "(a & F) xor (b | T)", "T"},
        {NLN_FORM_NONE, "a & b & F", "F"},
        {NLN_FORM_NNF, "!(a & !b | c)", "(!a | b) & !c"},
        {NLN_FORM_NNF, "!(a -> b -> c)", "a & b & !c"},
        {NLN_FORM_NNF, "!(a <-> b)", "a & !b | !a & b"},
        {NLN_FORM_NNF, "!!!a", "!a"},
        {NLN_FORM_DNF, "(a | b) & (c | d)", "a & c | a & d | b & c | b & d"},
        {NLN_FORM_DNF, "a & (b | !a)", "a & b"},
        {NLN_FORM_DNF, "a & (b | a)", "a"},
        {NLN_FORM_DNF, "(a | b) & (!a & !b)", "F"},
        {NLN_FORM_DNF, "a & (b & c)", "a & b & c"},
        {NLN_FORM_DNF, "!(a | b)", "!a & !b"},
        {NLN_FORM_CNF, "a & b | c & d", "(a | c) & (a | d) & (b | c) & (b | d)"},
        {NLN_FORM_CNF, "a & b | (!a | !b)", "T"},
        {NLN_FORM_CNF, "a <-> b", "(a | !b) & (b | !a)"},
        {NLN_FORM_DNF, "b & a & b | a & !a | c | c", "b & a | c"},
        {NLN_FORM_CNF, "(b | a | b) & (a | !a) & c & c", "(b | a) & c"},
        {NLN_FORM_DNF, "b & !a & b & a", "F"},
        {NLN_FORM_CNF, "b | !a | b | a", "T"},
        {NLN_FORM_DNF, "!a", "!a"},
        {NLN_FORM_CNF, "T", "T"},
    };
    nln_symbols *s = nln_symbols_create();
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        trees_parse(&list, s, cases[i].from);
        assert_int_equal(
            nln_normal(&list, nln_exprs_get(&list, list.n - 1), cases[i].form, 100, NULL), NLN_OK);
        nln_print(&text, nln_exprs_get(&list, list.n - 1), &(nln_vocabulary){.variables = s}, NULL);
        assert_string_equal(text, cases[i].to);
        free(text);
    }
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

/* ---- limits ------------------------------------------------------------- */

/* (x0 | x1) & (x2 | x3) & ... with n factors, or the operators swapped. */
static nln_expr push_factors(nln_exprs *list, int n, nln_op inner, nln_op outer)
{
    for (int32_t i = 0; i < n; i++) {
        nln_exprs_push(list, NLN_OP_VAR, 2 * i, NULL);
        nln_exprs_push(list, NLN_OP_VAR, 2 * i + 1, NULL);
        nln_exprs_push(list, inner, 2, NULL);
    }
    nln_exprs_push(list, outer, n, NULL);
    nln_exprs_finish(list, NULL);
    return nln_exprs_get(list, list->n - 1);
}

/* x0 op x1 op x2 ... */
static nln_expr push_chain(nln_exprs *list, int n, nln_op op)
{
    nln_exprs_push(list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 1; i < n; i++) {
        nln_exprs_push(list, NLN_OP_VAR, i, NULL);
        nln_exprs_push(list, op, 0, NULL);
    }
    nln_exprs_finish(list, NULL);
    return nln_exprs_get(list, list->n - 1);
}

static void assert_blows_up(nln_expr e, nln_form form)
{
    nln_exprs out = {0};
    nln_error err = {0};
    clock_t start = clock();
    assert_int_equal(nln_normal(&out, e, form, 4096, &err), NLN_LIMIT);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 0.01);
    assert_int_equal(err.status, NLN_LIMIT);
    assert_true(strlen(err.message) > 20);
    assert_int_equal(out.n_nodes, 0);
    nln_exprs_free(&out);
}

static void stops_a_blow_up_promptly(void **state)
{
    (void)state;
    static const int sizes[] = {13, 40, 64, 100, 1000};
    nln_exprs list = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_blows_up(push_factors(&list, sizes[i], NLN_OP_OR, NLN_OP_AND), NLN_FORM_DNF);
        assert_blows_up(push_factors(&list, sizes[i], NLN_OP_AND, NLN_OP_OR), NLN_FORM_CNF);
    }
    for (int f = 0; f < N_FORMS; f++) {
        assert_blows_up(push_chain(&list, 60, NLN_OP_XOR), forms[f]);
        assert_blows_up(push_chain(&list, 1000, NLN_OP_IFF), forms[f]);
    }
    nln_exprs_free(&list);
}

static void builds_exactly_up_to_the_limit(void **state)
{
    (void)state;
    nln_exprs list = {0};
    push_factors(&list, 8, NLN_OP_OR, NLN_OP_AND);
    assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 0), NLN_FORM_DNF, 255, NULL),
                     NLN_LIMIT);
    assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 0), NLN_FORM_DNF, 256, NULL), NLN_OK);
    nln_expr e = nln_exprs_get(&list, 1);
    assert_int_equal(e.nodes[e.n_nodes - 1].arg, 256);
    assert_int_equal(e.n_nodes, 256 * 9 + 1);
    assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 0), NLN_FORM_CNF, 1, NULL), NLN_OK);
    nln_exprs_free(&list);
}

static void bounds_the_nodes_too(void **state)
{
    (void)state;
    nln_exprs list = {0};
    nln_error err = {0};
    /* (x0 | x1) & x2 & x3 & ...: only two clauses, but of 3,201 literals. */
    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    nln_exprs_push(&list, NLN_OP_VAR, 1, NULL);
    nln_exprs_push(&list, NLN_OP_OR, 2, NULL);
    for (int32_t i = 0; i < 3200; i++)
        nln_exprs_push(&list, NLN_OP_VAR, 2 + i, NULL);
    nln_exprs_push(&list, NLN_OP_AND, 3201, NULL);
    nln_exprs_finish(&list, NULL);
    assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 0), NLN_FORM_DNF, 2, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "literals"));
    assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 0), NLN_FORM_DNF, 200, &err), NLN_OK);
    nln_exprs_free(&list);
}

/* ---- a million ---------------------------------------------------------- */

enum { MILLION = 1000000 };

typedef struct deep {
    nln_expr e;
    nln_form form;
    nln_status status;
    int32_t n_nodes;
    int before, after; /* values under x0 = 1 */
} deep;

static void *normalise_deep(void *context)
{
    deep *d = context;
    nln_exprs out = {0};
    uint8_t one = 1, *stack = malloc(3 * MILLION);
    d->before = nln_expr_evaluate(d->e, &one, stack);
    d->status = nln_normal(&out, d->e, d->form, 64, NULL);
    if (!d->status) {
        d->n_nodes = nln_exprs_get(&out, 0).n_nodes;
        d->after = nln_expr_evaluate(nln_exprs_get(&out, 0), &one, stack);
    }
    nln_exprs_free(&out);
    free(stack);
    return NULL;
}

static deep normalise_on_small_stack(nln_exprs *list, nln_form form)
{
    nln_exprs_finish(list, NULL);
    deep d = {.e = nln_exprs_get(list, 0), .form = form, .status = NLN_CANCELLED};
    assert_true(trees_on_small_stack(normalise_deep, &d));
    assert_int_equal(d.status, NLN_OK);
    assert_int_equal(d.before, d.after);
    nln_exprs_free(list);
    return d;
}

static void normalises_a_million_of_anything(void **state)
{
    (void)state;
    nln_exprs list = {0};
    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 0; i < MILLION + 1; i++)
        nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_NNF).n_nodes, 2);

    for (int32_t i = 0; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    nln_exprs_push(&list, NLN_OP_AND, MILLION, NULL);
    nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_NNF).n_nodes, 2);

    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 0; i < MILLION; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
        nln_exprs_push(&list, NLN_OP_AND, 2, NULL);
    }
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_NNF).n_nodes, 1);

    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 0; i < MILLION; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
        nln_exprs_push(&list, i % 2 ? NLN_OP_IMPLIES : NLN_OP_AND, 2, NULL);
    }
    normalise_on_small_stack(&list, NLN_FORM_NNF);

    for (int32_t i = 0; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 1; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_OR, 2, NULL);
    nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_DNF).n_nodes, 2);
}

static void limits_nothing_where_nothing_is_multiplied_out(void **state)
{
    (void)state;
    nln_exprs list = {0};
    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 0; i < MILLION; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
        nln_exprs_push(&list, NLN_OP_OR, 2, NULL);
    }
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_DNF).n_nodes, 1);

    for (int32_t i = 0; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    nln_exprs_push(&list, NLN_OP_AND, MILLION, NULL);
    nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_DNF).n_nodes, 2);

    for (int32_t i = 0; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int32_t i = 1; i < MILLION; i++)
        nln_exprs_push(&list, NLN_OP_IMPLIES, 2, NULL);
    assert_int_equal(normalise_on_small_stack(&list, NLN_FORM_DNF).n_nodes, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_tree_under_all_assignments),
        cmocka_unit_test(gives_back_what_is_in_form),
        cmocka_unit_test(writes_the_expected_forms),
        cmocka_unit_test(stops_a_blow_up_promptly),
        cmocka_unit_test(builds_exactly_up_to_the_limit),
        cmocka_unit_test(bounds_the_nodes_too),
        cmocka_unit_test(normalises_a_million_of_anything),
        cmocka_unit_test(limits_nothing_where_nothing_is_multiplied_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
