/* How probable an expression is when its variables are independent.
 *
 * Along an expression in which no variable occurs twice, probabilities multiply
 * (P(a & b) = P(a) P(b), P(a | b) = 1 - (1 - P(a)) (1 - P(b)), ...) and P is linear
 * in each variable.  Variables that do occur twice are conditioned on, up to
 * NLN_CHANCE_SHARED of them in one expression, which keeps P exact at 2^shared
 * passes; the occurrences of any more are taken as independent of each other.
 *
 * A leaf is an occurrence of a variable; leaves are numbered from 0 within their
 * expression, in its order. */
#ifndef NLN_NET_INDEPENDENT_PROBABILITY_H
#define NLN_NET_INDEPENDENT_PROBABILITY_H

#include "logic/expr.h"

enum { NLN_CHANCE_SHARED = 4 };

/* Scratch for one thread.  Zero-initialise it; nln_independent_probability_free releases it. */
typedef struct nln_independent_probability {
    double *value;      /* [most_nodes] P(node is T) */
    double *slope;      /* [most_nodes] dP(root) / dP(node) */
    double *leaf_value; /* [most_nodes] by leaf */
    double *leaf_slope; /* [most_nodes] by leaf */
    int32_t *size;      /* [most_nodes] nodes of the sub-expression that ends here */
    int32_t *operand;   /* [most_nodes] */
    int32_t *seen;      /* [n_variables] first leaf + 1; all 0 between calls */
} nln_independent_probability;

/* For expressions of at most most_nodes nodes over n_variables variables. */
nln_status nln_independent_probability_create(nln_independent_probability *c, size_t most_nodes,
                                              size_t n_variables, nln_error *err);
void nln_independent_probability_free(nln_independent_probability *c);

/* owner[leaf] is the first leaf of the same variable when the expression's chance
 * is conditioned on that variable, and else the leaf itself.  Returns the number
 * of leaves; `owner` needs room for e.n_nodes. */
int32_t nln_independent_probability_bind(int32_t *owner, nln_independent_probability *c,
                                         nln_expr e);

/* P(e) when the variable of leaf k is T with probability q[k]; only the q of owners
 * is read. */
double nln_independent_probability_of(nln_independent_probability *c, nln_expr e,
                                      const int32_t *owner, const double *q, int32_t n_leaves);

/* P(e | the variable of leaf k is T) and P(e | it is F), for every leaf that is its
 * own owner; the others are left alone.  Each q is strictly between 0 and 1. */
void nln_independent_probability_given(double *if_true, double *if_false,
                                       nln_independent_probability *c, nln_expr e,
                                       const int32_t *owner, const double *q, int32_t n_leaves);

#endif
