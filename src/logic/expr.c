#include "logic/expr.h"

#include "base/array.h"

void nln_exprs_free(nln_exprs *list)
{
    nln_free(list->nodes);
    nln_free(list->start);
    *list = (nln_exprs){0};
}

nln_expr nln_exprs_get(const nln_exprs *list, size_t i)
{
    return (nln_expr){list->nodes + list->start[i], (int32_t)(list->start[i + 1] - list->start[i])};
}

nln_status nln_exprs_push(nln_exprs *list, nln_op op, int32_t arg, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(list->nodes, list->nodes_room, list->n_nodes + 1))
        return nln_error_memory(err);
    list->nodes[list->n_nodes++] = (nln_node){(int32_t)op, arg};
    return NLN_OK;
}

static size_t finished_nodes(const nln_exprs *list)
{
    return list->n ? list->start[list->n] : 0;
}

nln_status nln_exprs_finish(nln_exprs *list, nln_error *err)
{
    size_t pushed = list->n_nodes - finished_nodes(list);
    if (pushed == 0)
        return nln_error_set(err, NLN_INVALID, "an expression needs at least one node");
    if (pushed > INT32_MAX)
        return nln_error_set(
            err, NLN_LIMIT, "the expression has %zu nodes, more than 2147483647: split it", pushed);
    if (!NLN_ARRAY_RESERVE(list->start, list->start_room, list->n + 2))
        return nln_error_memory(err);
    if (list->n == 0)
        list->start[0] = 0;
    list->start[++list->n] = list->n_nodes;
    return NLN_OK;
}

nln_status nln_exprs_push_all(nln_exprs *list, nln_expr e, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; !status && i < e.n_nodes; i++)
        status = nln_exprs_push(list, (nln_op)e.nodes[i].op, e.nodes[i].arg, err);
    return status;
}

nln_status nln_exprs_append(nln_exprs *list, nln_expr e, nln_error *err)
{
    nln_status status = nln_exprs_push_all(list, e, err);
    if (!status)
        status = nln_exprs_finish(list, err);
    if (status)
        nln_exprs_drop(list);
    return status;
}

void nln_exprs_drop(nln_exprs *list)
{
    list->n_nodes = finished_nodes(list);
}

size_t nln_expr_literals(nln_expr e)
{
    size_t n = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        n += e.nodes[i].op == NLN_OP_VAR;
    return n;
}

size_t nln_expr_widest(nln_expr e)
{
    size_t most = 1;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        int is_join = e.nodes[i].op == NLN_OP_AND || e.nodes[i].op == NLN_OP_OR;
        if (is_join && (size_t)e.nodes[i].arg > most)
            most = (size_t)e.nodes[i].arg;
    }
    return most;
}

int32_t nln_node_arity(nln_node node)
{
    static const int8_t arity[] = {
        [NLN_OP_FALSE] = 0,   [NLN_OP_TRUE] = 0, [NLN_OP_VAR] = 0,    [NLN_OP_NOT] = 1,
        [NLN_OP_AND] = -1,    [NLN_OP_OR] = -1,  [NLN_OP_XOR] = 2,    [NLN_OP_IFF] = 2,
        [NLN_OP_IMPLIES] = 2, [NLN_OP_ATOM] = 0, [NLN_OP_FORALL] = 1, [NLN_OP_EXISTS] = 1,
    };
    int32_t fixed = arity[node.op];
    return fixed < 0 ? node.arg : fixed;
}

int nln_expr_evaluate(nln_expr e, const uint8_t *value, uint8_t *stack)
{
    uint8_t *top = stack; /* the values of the operands of a node are top[0..arity) */
    for (int32_t i = 0; i < e.n_nodes; i++, top++) {
        nln_node node = e.nodes[i];
        int32_t k = 0;
        top -= nln_node_arity(node);
        switch ((nln_op)node.op) {
        case NLN_OP_FALSE:
        case NLN_OP_TRUE:
            *top = node.op == NLN_OP_TRUE;
            break;
        case NLN_OP_VAR:
            *top = value[node.arg] != 0;
            break;
        case NLN_OP_NOT:
            *top = !*top;
            break;
        case NLN_OP_AND:
        case NLN_OP_OR: /* the first operand that decides, or the last */
            while (k < node.arg - 1 && top[k] == (node.op == NLN_OP_AND))
                k++;
            *top = top[k];
            break;
        case NLN_OP_IMPLIES:
            *top = !top[0] || top[1];
            break;
        case NLN_OP_IFF:
        case NLN_OP_XOR:
            *top = (top[0] == top[1]) == (node.op == NLN_OP_IFF);
            break;
        case NLN_OP_ATOM: /* has no value here */
            *top = 0;
            break;
        case NLN_OP_FORALL: /* over no atoms they change nothing */
        case NLN_OP_EXISTS:
            break;
        }
    }
    return stack[0];
}
