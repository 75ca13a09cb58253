#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "first_order.h"
#include "logic/grounding.h"
#include "logic/normal_form.h"
#include "logic/prenex.h"

/* The grounding has no quantifier, and the value of the formula under every assignment. */
static void equals_the_formula(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    nln_vocabulary names = first_order_names(3);
    nln_grounding g = {names.atoms, 3, NULL, 100000};
    int n_done = 0;
    for (int i = 0; i < 2000; i++) {
        nln_exprs list = {0}, grounded = {0};
        first_order_random(&list, &names, &r, 1 + i % 4);
        assert_int_equal(nln_prenex(&list, names.atoms, nln_exprs_get(&list, 0), 1000, NULL),
                         NLN_OK);
        assert_int_equal(nln_normal(&list, nln_exprs_get(&list, 1), NLN_FORM_NONE, 1000, NULL),
                         NLN_OK);
        nln_expr e = nln_exprs_get(&list, 2);
        nln_instances n = nln_ground_count(&g, e);
        if (n.all <= 729) {
            assert_int_equal(n.all, n.made);
            assert_int_equal(nln_ground(&grounded, &g, e, &r, NULL), NLN_OK);
            nln_expr ground = nln_exprs_get(&grounded, 0);
            for (int32_t k = 0; k < ground.n_nodes; k++) {
                assert_false(nln_node_is_quantifier(ground.nodes[k]));
                if (ground.nodes[k].op != NLN_OP_ATOM)
                    continue;
                nln_atom a = nln_atoms_get(names.atoms, ground.nodes[k].arg);
                for (int32_t j = 0; j < a.n_arguments; j++)
                    assert_true(a.argument[j] >= 0);
            }
            assert_true(first_order_agree(nln_exprs_get(&list, 0), ground, &names, 64));
            n_done++;
        }
        nln_exprs_free(&list);
        nln_exprs_free(&grounded);
    }
    assert_true(n_done > 1000);
    first_order_free(&names);
}

static nln_expr prenex_of(nln_exprs *list, nln_vocabulary *names, const char *text)
{
    nln_error err = {0};
    if (nln_parse(list, names, 1, text, strlen(text), NLN_DIALECT_TEXT, &err))
        fail_msg("%s: %ld: %s", text, err.column, err.message);
    assert_int_equal(nln_prenex(list, names->atoms, nln_exprs_get(list, list->n - 1), 100, NULL),
                     NLN_OK);
    assert_int_equal(nln_normal(list, nln_exprs_get(list, list->n - 1), NLN_FORM_DNF, 1000, NULL),
                     NLN_OK);
    return nln_exprs_get(list, list->n - 1);
}

/* The AND of all parts is the whole. */
static void parts_make_the_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {"forall x: p(x)", "forall x y: q(x, y) -> q(y, x)",
                                        "forall x: exists y: q(x, y)", "exists x: p(x)", "p(e0)"};
    nln_random r = nln_random_seed(3, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nln_vocabulary names = first_order_names(4);
        nln_grounding g = {names.atoms, 4, NULL, 1000};
        nln_exprs list = {0}, parts = {0}, whole = {0};
        nln_expr e = prenex_of(&list, &names, texts[i]);
        size_t n = nln_ground_parts(&g, e);
        assert_int_equal(n, i == 1 ? 16 : i < 3 ? 4 : 1);
        for (size_t k = 0; k < n; k++) {
            nln_exprs one = {0};
            assert_int_equal(nln_ground_part(&one, &g, e, k, &r, NULL), NLN_OK);
            assert_int_equal(nln_exprs_push_all(&parts, nln_exprs_get(&one, 0), NULL), NLN_OK);
            nln_exprs_free(&one);
        }
        if (n > 1)
            nln_exprs_push(&parts, NLN_OP_AND, (int32_t)n, NULL);
        nln_exprs_finish(&parts, NULL);
        assert_int_equal(nln_ground(&whole, &g, e, &r, NULL), NLN_OK);
        assert_true(
            first_order_agree(nln_exprs_get(&parts, 0), nln_exprs_get(&whole, 0), &names, 256));
        nln_exprs_free(&list);
        nln_exprs_free(&parts);
        nln_exprs_free(&whole);
        first_order_free(&names);
    }
}

/* Of many instances half are drawn where the body holds: here for one pair of a million. */
static void draws_where_the_body_holds(void **state)
{
    (void)state;
    nln_vocabulary names = first_order_names(1000);
    nln_exprs list = {0};
    nln_expr e = prenex_of(&list, &names, "forall x y: q(x, y) & p(x) -> p(y)");
    int32_t facts[2] = {nln_atoms_intern(names.atoms, 1, (int32_t[]){17, 400}, 2),
                        nln_atoms_intern(names.atoms, 0, (int32_t[]){17}, 1)};
    nln_facts *known = NULL;
    assert_int_equal(nln_facts_create(&known, names.atoms, facts, 2, NULL), NLN_OK);
    nln_grounding g = {names.atoms, 1000, known, 100};
    nln_random r = nln_random_seed(4, 0);
    int n_hits = 0;
    assert_int_equal(nln_ground_parts(&g, e), 100);
    assert_int_equal(nln_ground_count(&g, e).all, 1000000);
    for (size_t k = 0; k < 100; k++) {
        nln_exprs one = {0};
        assert_int_equal(nln_ground_part(&one, &g, e, k, &r, NULL), NLN_OK);
        for (size_t i = 0; i < one.n_nodes; i++)
            n_hits += one.nodes[i].op == NLN_OP_ATOM && one.nodes[i].arg == facts[0];
        nln_exprs_free(&one);
    }
    assert_int_equal(n_hits, 50);
    nln_facts_free(known);
    nln_exprs_free(&list);
    first_order_free(&names);
}

/* A forall of an exists: what is wanted is shared out between the two. */
static void samples_both_blocks(void **state)
{
    (void)state;
    nln_vocabulary names = first_order_names(1000);
    nln_exprs list = {0}, out = {0};
    nln_expr e = prenex_of(&list, &names, "forall x: exists y: q(x, y)");
    nln_grounding g = {names.atoms, 1000, NULL, 400};
    nln_random r = nln_random_seed(5, 0);
    assert_int_equal(nln_ground_count(&g, e).made, 400);
    assert_int_equal(nln_ground(&out, &g, e, &r, NULL), NLN_OK);
    nln_expr ground = nln_exprs_get(&out, 0);
    assert_int_equal(ground.nodes[ground.n_nodes - 1].op, NLN_OP_AND);
    assert_in_range(ground.nodes[ground.n_nodes - 1].arg, 15, 20);
    nln_exprs_free(&list);
    nln_exprs_free(&out);
    first_order_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_formula),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(draws_where_the_body_holds),
        cmocka_unit_test(samples_both_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
