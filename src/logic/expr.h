/* Expressions of propositional and predicate logic.
 *
 * An expression is an array of nodes in postfix order: operands precede their
 * operator, and the last node is the root.  AND and OR take any number of
 * operands >= 2.  There are no pointers and nothing recurses, so depth costs no
 * stack, and a data set is one array of nodes. */
#ifndef NLN_LOGIC_EXPR_H
#define NLN_LOGIC_EXPR_H

#include <stdint.h>

#include "logic/atom_table.h"

typedef enum nln_op {
    NLN_OP_FALSE,
    NLN_OP_TRUE,
    NLN_OP_VAR, /* arg is the number of the variable */
    NLN_OP_NOT,
    NLN_OP_AND, /* arg is the number of operands, >= 2 */
    NLN_OP_OR,  /* the same */
    NLN_OP_IMPLIES,
    NLN_OP_IFF,
    NLN_OP_XOR,
    NLN_OP_ATOM,   /* arg is its number in a table of atoms: see atoms.h */
    NLN_OP_FORALL, /* arg is the bound variable: see nln_atoms.bound */
    NLN_OP_EXISTS  /* the same */
} nln_op;

typedef struct nln_node {
    int32_t op;  /* an nln_op */
    int32_t arg; /* without meaning where the list above gives it none */
} nln_node;

/* A borrowed view of one expression. */
typedef struct nln_expr {
    const nln_node *nodes;
    int32_t n_nodes;
} nln_expr;

/* A list of expressions stored end to end: expression i is nodes[start[i] ..
 * start[i+1]).  Zero-initialise it; nln_exprs_free releases it. */
typedef struct nln_exprs {
    nln_node *nodes;
    size_t n_nodes, nodes_room;
    size_t *start; /* [n + 1], not to be read while n is 0 */
    size_t n, start_room;
    const nln_atoms *atoms; /* borrowed: what the nodes NLN_OP_ATOM are; NULL if there are none */
} nln_exprs;

void nln_exprs_free(nln_exprs *list);
nln_expr nln_exprs_get(const nln_exprs *list, size_t i);

/* Building the expression after the last: push its nodes in postfix order, then
 * finish it, or drop what was pushed since the last finish.  A failed finish leaves
 * the pushed nodes to be dropped.  Views obtained before a push may dangle after it. */
nln_status nln_exprs_push(nln_exprs *list, nln_op op, int32_t arg, nln_error *err);
nln_status nln_exprs_finish(nln_exprs *list, nln_error *err);
void nln_exprs_drop(nln_exprs *list);
/* Pushes all nodes of an expression, which must not lie in the list itself. */
nln_status nln_exprs_push_all(nln_exprs *list, nln_expr e, nln_error *err);
/* The same and the finish; a failure drops what was pushed. */
nln_status nln_exprs_append(nln_exprs *list, nln_expr e, nln_error *err);

/* The number of variables of an expression, repetitions counted. */
size_t nln_expr_literals(nln_expr e);
/* The operands of its AND or OR that has most; 1 without any. */
size_t nln_expr_widest(nln_expr e);

/* The number of operands that the node pops. */
int32_t nln_node_arity(nln_node node);

/* Whether the node is an operand by itself that is no constant: a variable or an atom. */
static inline int nln_node_is_open(nln_node node)
{
    return node.op == NLN_OP_VAR || node.op == NLN_OP_ATOM;
}

static inline int nln_node_is_quantifier(nln_node node)
{
    return node.op == NLN_OP_FORALL || node.op == NLN_OP_EXISTS;
}

/* The exact value under value[variable] in {0, 1} of an expression without atoms.  `stack` is
 * scratch of at least e.n_nodes bytes. */
int nln_expr_evaluate(nln_expr e, const uint8_t *value, uint8_t *stack);

#endif
