/* Comparing expressions in tests. */
#ifndef NLN_TESTS_SAME_EXPR_H
#define NLN_TESTS_SAME_EXPR_H

#include "logic/expr.h"

/* Node for node; not logical equivalence. */
static inline int same_expr(nln_expr a, nln_expr b)
{
    if (a.n_nodes != b.n_nodes)
        return 0;
    for (int32_t i = 0; i < a.n_nodes; i++) {
        nln_node x = a.nodes[i], y = b.nodes[i];
        int has_argument = nln_node_is_open(x) || nln_node_is_quantifier(x) || x.op == NLN_OP_AND ||
                           x.op == NLN_OP_OR;
        if (x.op != y.op || (has_argument && x.arg != y.arg))
            return 0;
    }
    return 1;
}

#endif
