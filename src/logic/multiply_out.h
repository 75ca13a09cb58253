/* DNF and CNF by multiplying out. */
#ifndef NLN_LOGIC_MULTIPLY_OUT_H
#define NLN_LOGIC_MULTIPLY_OUT_H

#include "logic/expr.h"

/* Counts are exact below this and stay at it above. */
#define NLN_COUNT_MOST ((uint64_t)1 << 62)
uint64_t nln_count_add(uint64_t a, uint64_t b);
uint64_t nln_count_multiply(uint64_t a, uint64_t b);

/* Whether `e` is a `sum` of `product`s of literals, one of these, or a constant.
 * DNF is sum = OR, product = AND; CNF is the other way round. */
int nln_clauses_are(nln_expr e, nln_op sum, nln_op product);

/* Appends to `out` the sum of products equal to `e`, which is in negation normal
 * form without constants and not in `out`. */
nln_status nln_clauses_build(nln_exprs *out, nln_expr e, nln_op sum, nln_op product,
                             uint64_t most_clauses, uint64_t most_nodes, nln_error *err);

#endif
