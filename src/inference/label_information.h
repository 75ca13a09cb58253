/* How much the label of an expression tells about each of its variables. */
#ifndef NLN_INFERENCE_LABEL_INFORMATION_H
#define NLN_INFERENCE_LABEL_INFORMATION_H

#include "logic/expr.h"

/* The number of a leaf: that of a variable, or n_variables and that of an atom; -1 of any other
 * node. */
static inline int32_t nln_label_information_leaf(nln_node node, int32_t n_variables)
{
    return node.op == NLN_OP_VAR ? node.arg : node.op == NLN_OP_ATOM ? n_variables + node.arg : -1;
}

/* The entropy of a truth value, in bits. */
double nln_label_information_entropy(double p);

/* bits[k] of every node k of the list: of the first leaf of each variable in an expression the
 * information, in bits, that the label has about it, and 0 of all others.  p[leaf], of the n_leaves
 * that there are, is the probability that it is true, each by itself; a variable that is there
 * several times counts as several with the same probability. */
nln_status nln_label_information(double *bits, const nln_exprs *list, const double *p,
                                 size_t n_leaves, int32_t n_variables, nln_error *err);

#endif
