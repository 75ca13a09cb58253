/* One assignment of the variables that explains every label, by the SAT solver
 * CaDiCaL. */
#ifndef NLN_EXACT_SAT_SOLVER_H
#define NLN_EXACT_SAT_SOLVER_H

#include "logic/expr.h"

/* *consistent tells whether there is an assignment under which every expression
 * has its label; if so it is in values[n_variables], and variables that no
 * constraint mentions are 0.  Else values are all 0.  The same input gives the
 * same assignment.  Deciding may take long: the problem is NP-complete.  Memory
 * that the solver itself cannot get ends the process: it is C++, and its
 * interface has no way to say so. */
nln_status nln_sat_solve(uint8_t *values, int *consistent, const nln_exprs *exprs,
                         const uint8_t *labels, size_t n_variables, nln_error *err);

#endif
