/* nln_graph_create of nln.h: what the network makes of every part of an expression. */
#include <string.h>

#include "base/array.h"
#include "logic/normal_form.h"
#include "logic/parse.h"
#include "logic/postfix.h"
#include "math/scalar.h"
#include "models/model.h"

static const char *const operation_names[] = {
    [NLN_OP_FALSE] = "false", [NLN_OP_TRUE] = "true",       [NLN_OP_VAR] = "variable",
    [NLN_OP_NOT] = "not",     [NLN_OP_AND] = "and",         [NLN_OP_OR] = "or",
    [NLN_OP_IFF] = "iff",     [NLN_OP_IMPLIES] = "implies", [NLN_OP_XOR] = "xor",
    [NLN_OP_ATOM] = "atom",   [NLN_OP_FORALL] = "forall",   [NLN_OP_EXISTS] = "exists",
};

/* Fills the nodes and appends every sub-expression to `parts`, in the order of the nodes, without
 * operations that the network does not have. */
/* Every node is an expression of its own.  As many nodes as those of the longest chain have
 * together are allowed; <-> and xor would make thousands of times as many. */
enum { MOST_PART_NODES = NLN_GRAPH_MOST_NODES * NLN_GRAPH_MOST_NODES };

static nln_status fill(nln_graph *g, nln_exprs *parts, const nln_model *model, nln_expr e,
                       nln_error *err)
{
    int32_t size[NLN_GRAPH_MOST_NODES], operand[NLN_GRAPH_MOST_NODES];
    nln_status status = NLN_OK;
    size_t used = 0;
    for (int32_t i = 0; !status && i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        int32_t arity = nln_postfix_operands(operand, size, e.nodes, i);
        g->nodes[i] = (nln_graph_node){
            .operation = operation_names[node.op],
            .name = node.op == NLN_OP_VAR ? nln_symbols_name(model->symbols, node.arg) : NULL,
            .operands = g->operands + used,
            .n_operands = (size_t)arity};
        for (int32_t k = arity; k > 0; k--)
            g->operands[used++] = (size_t)operand[k - 1];
        status = nln_normal(parts, (nln_expr){e.nodes + i - size[i] + 1, size[i]}, NLN_FORM_NONE,
                            NLN_GRAPH_MOST_NODES, err);
        if (!status && (size_t)parts->n_nodes > MOST_PART_NODES)
            status = nln_error_set(err, NLN_LIMIT,
                                   "with <-> and xor written out, the parts of the expression have "
                                   "more than %d nodes: nest them less, or ask for a part of it",
                                   MOST_PART_NODES);
    }
    return status;
}

/* The graph of `e`, whose text and truths are still to come. */
static nln_graph *allocate(nln_expr e)
{
    nln_graph *g = nln_array_zeroed(1, sizeof *g);
    if (!g)
        return NULL;
    g->n_nodes = (size_t)e.n_nodes;
    g->nodes = nln_array_zeroed(g->n_nodes, sizeof *g->nodes);
    g->operands = nln_array_zeroed(g->n_nodes, sizeof *g->operands);
    if (g->nodes && g->operands)
        return g;
    nln_graph_free(g);
    return NULL;
}

static nln_status build(nln_graph **out, const nln_model *model, nln_expr e, nln_error *err)
{
    nln_exprs parts = {0};
    if (e.n_nodes > NLN_GRAPH_MOST_NODES)
        return nln_error_set(err, NLN_LIMIT,
                             "the expression has %d nodes; a graph may have %d: ask for a part of "
                             "it",
                             (int)e.n_nodes, NLN_GRAPH_MOST_NODES);
    nln_graph *g = *out = allocate(e);
    double *score = nln_array_zeroed((size_t)e.n_nodes, sizeof *score);
    nln_status status = g && score ? fill(g, &parts, model, e, err) : nln_error_memory(err);
    if (!status)
        status = nln_model_scores(score, model, &parts, 1, 1, err);
    for (size_t i = 0; !status && i < g->n_nodes; i++)
        g->nodes[i].truth = nln_sigmoid(score[i] / model->temperature);
    if (!status)
        status = nln_print(&g->text, e, &(nln_vocabulary){.variables = model->symbols}, err);
    nln_free(score);
    nln_exprs_free(&parts);
    return status;
}

nln_status nln_graph_create(nln_graph **out, const nln_model *model, const char *expression,
                            int normal_form, nln_error *err)
{
    nln_exprs list = {0};
    *out = NULL;
    nln_status status = nln_parse(&list, &(nln_vocabulary){.variables = model->symbols}, 0,
                                  expression, strlen(expression), NLN_DIALECT_TEXT, err);
    if (!status && normal_form) {
        nln_exprs normal = {0};
        status = nln_model_normalize(&normal, model, nln_exprs_get(&list, 0), err);
        nln_exprs_free(&list);
        list = normal;
    }
    if (!status)
        status = build(out, model, nln_exprs_get(&list, 0), err);
    nln_exprs_free(&list);
    if (status) {
        nln_graph_free(*out);
        *out = NULL;
    }
    return status;
}

void nln_graph_free(nln_graph *graph)
{
    if (!graph)
        return;
    nln_free(graph->nodes);
    nln_free(graph->operands);
    nln_free(graph->text);
    nln_free(graph);
}
