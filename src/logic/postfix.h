/* Walking a postfix expression as a tree. */
#ifndef NLN_LOGIC_POSTFIX_H
#define NLN_LOGIC_POSTFIX_H

#include "logic/expr.h"

/* Writes the nodes that are the operands of node i, the last operand first, and
 * returns their number.  size[j] is the number of nodes of the sub-expression
 * that ends at j: known for j < i, set for i. */
static inline int32_t nln_postfix_operands(int32_t *operand, int32_t *size, const nln_node *nodes,
                                           int32_t i)
{
    int32_t arity = nln_node_arity(nodes[i]), at = i - 1;
    for (int32_t k = 0; k < arity; k++) {
        operand[k] = at;
        at -= size[at];
    }
    size[i] = i - at;
    return arity;
}

/* The nodes of the longest expression. */
static inline size_t nln_postfix_most_nodes(const nln_exprs *exprs)
{
    size_t most = 0;
    for (size_t i = 0; i < exprs->n; i++) {
        size_t n = (size_t)nln_exprs_get(exprs, i).n_nodes;
        most = n > most ? n : most;
    }
    return most;
}

#endif
