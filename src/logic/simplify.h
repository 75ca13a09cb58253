/* Operands that say nothing new are removed: a & a is a, a | a & b is a, a & !a is F.
 *
 * In every AND and OR, operands that are equal to an earlier one up to the order of their own
 * operands go, and so do operands that another absorbs (a | a & b, a & (a | b)).  An operand beside
 * its negation decides the whole.  Constants are folded, and an AND within an AND becomes part of
 * it.  What remains keeps its order; an expression from which nothing is removed comes back node
 * for node. */
#ifndef NLN_LOGIC_SIMPLIFY_H
#define NLN_LOGIC_SIMPLIFY_H

#include "logic/expr.h"

/* Appends the simplified `e`, which has only constants, variables, atoms, NOT, AND and OR, to
 * `out`.  `e` may be one of `out`.  Takes time about proportional to the length. */
nln_status nln_simplify(nln_exprs *out, nln_expr e, nln_error *err);

#endif
