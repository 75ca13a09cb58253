#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tiny.h"

static nln_model *model;

static int make_model(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=20 expressions=300");
    model = tiny_train(NULL, data, "dimension=8 epochs=2 threads=1 orders=1");
    nln_data_free(data);
    return 0;
}

static int free_model(void **state)
{
    (void)state;
    nln_model_free(model);
    return 0;
}

static nln_graph *graph_of(const char *text, int normal)
{
    nln_graph *g = NULL;
    nln_error err = {0};
    tiny_need(nln_graph_create(&g, model, text, normal, &err), &err);
    return g;
}

static void test_the_nodes_spell_the_expression(void **state)
{
    (void)state;
    nln_graph *g = graph_of("(v1 & !v2) -> (v3 | v4 | v5)", 0);
    assert_string_equal(g->text, "v1 & !v2 -> v3 | v4 | v5");
    const nln_graph_node *root = &g->nodes[g->n_nodes - 1];
    assert_string_equal(root->operation, "implies");
    assert_int_equal(root->n_operands, 2);
    const nln_graph_node *left = &g->nodes[root->operands[0]], * or = &g->nodes[root->operands[1]];
    assert_string_equal(left->operation, "and");
    assert_string_equal(g->nodes[left->operands[0]].name, "v1");
    assert_string_equal(g->nodes[left->operands[1]].operation, "not");
    assert_int_equal(or->n_operands, 3);
    assert_string_equal(g->nodes[or->operands[2]].name, "v5");
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->nodes[i].n_operands; k++)
            assert_true(g->nodes[i].operands[k] < i);
    nln_graph_free(g);
}

/* A variable's truth is what solving says, and that of the whole normal form is Sim of the
 * prediction. */
static void test_truths_are_those_of_the_network(void **state)
{
    double confidence[20], p;
    nln_error err = {0};
    size_t v;
    (void)state;
    tiny_need(nln_solve(confidence, model, &err), &err);
    nln_graph *g = graph_of("v1 xor !v7", 0);
    tiny_need(nln_model_find(&v, model, "v7", &err), &err);
    assert_string_equal(g->nodes[1].name, "v7");
    assert_true(fabs(g->nodes[1].truth - confidence[v]) < 1e-6);
    nln_graph_free(g);
    nln_options *given = tiny_options("predict", "orders=1 threads=1");
    const char *text = "(v1 -> v2) & v3";
    tiny_need(nln_predict_many(&p, model, &text, 1, given, &err), &err);
    g = graph_of(text, 1);
    double score = log(p / (1 - p)) / model->temperature;
    assert_true(fabs(g->nodes[g->n_nodes - 1].truth - 1 / (1 + exp(-score))) < 1e-6);
    nln_graph_free(g);
    nln_options_free(given);
}

static void test_constants_and_errors(void **state)
{
    nln_graph *g = graph_of("T", 0);
    nln_error err = {0};
    (void)state;
    assert_string_equal(g->nodes[0].operation, "true");
    assert_true(g->nodes[0].truth > .9);
    nln_graph_free(g);
    assert_int_equal(nln_graph_create(&g, model, "v1 &", 0, &err), NLN_SYNTAX);
    assert_null(g);
    assert_int_equal(nln_graph_create(&g, model, "rum", 0, &err), NLN_UNKNOWN);
    char *text = malloc(8192);
    strcpy(text, "v1");
    for (int i = 0; i < 1200; i++)
        strcat(text, " & v2");
    assert_int_equal(nln_graph_create(&g, model, text, 0, &err), NLN_LIMIT);
    free(text);
}

/* A xor of twelve takes thousands of nodes, and so does each negation of it. */
static void test_written_out_parts_are_limited(void **state)
{
    char text[2048] = "v1", *at;
    nln_graph *g = NULL;
    nln_error err = {0};
    (void)state;
    for (int i = 2; i <= 12; i++)
        sprintf(text + strlen(text), " xor v%d", i);
    nln_graph_free(graph_of(text, 0));
    at = text + 900;
    memmove(at, text, strlen(text) + 1);
    memset(text, '!', 900);
    *--at = '(';
    strcat(at, ")");
    assert_int_equal(nln_graph_create(&g, model, text, 0, &err), NLN_LIMIT);
    assert_null(g);
    assert_non_null(strstr(err.message, "written out"));
    g = graph_of(at - 5, 0); /* the last five */
    nln_graph_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nodes_spell_the_expression),
        cmocka_unit_test(test_truths_are_those_of_the_network),
        cmocka_unit_test(test_constants_and_errors),
        cmocka_unit_test(test_written_out_parts_are_limited),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
