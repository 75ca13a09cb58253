/* The simulated data of the paper: random expressions in disjunctive normal form,
 * labelled by one hidden random assignment. */
#ifndef NLN_LOGIC_RANDOM_FORMULAS_H
#define NLN_LOGIC_RANDOM_FORMULAS_H

#include <stddef.h>

#include "base/random.h"
#include "logic/expr.h"

/* Gives each variable a uniform value, then appends n_expressions to `out`: the
 * number of clauses uniform in [min_clauses, max_clauses], that of literals in each
 * clause uniform in [min_literals, max_literals], variables uniform with repetition,
 * negated with probability 1/2.  A single clause is a bare AND and a single literal
 * stands bare.  *labels [n_expressions] and *values [n_variables] are 0 or 1, and
 * malloced.  On error `out` is as it was and neither is set. */
nln_status nln_random_formulas_generate(nln_exprs *out, uint8_t **labels, uint8_t **values,
                                        size_t n_variables, size_t n_expressions, int min_clauses,
                                        int max_clauses, int min_literals, int max_literals,
                                        nln_random *random, nln_error *err);

#endif
