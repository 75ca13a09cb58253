/* An assignment of the variables that satisfies every label, by the SAT solver CaDiCaL. */
#ifndef NLN_EXACT_SAT_ENCODING_H
#define NLN_EXACT_SAT_ENCODING_H

#include "logic/expr.h"

/* *consistent = 1 if there is an assignment under which every expression has its label; then
 * values[n_variables] is such an assignment, with 0 for variables that occur in no clause.
 * Otherwise all values are 0.  The same input gives the same assignment.  This may take long: the
 * problem is NP-complete.  If the solver itself runs out of memory, the process ends, since its C
 * interface cannot report that. */
nln_status nln_sat_solve(uint8_t *values, int *consistent, const nln_exprs *exprs,
                         const uint8_t *labels, size_t n_variables, nln_error *err);

#endif
