/* CaDiCaL on clauses, with a first value for each variable.
 *
 * CaDiCaL tries T first.  To make it begin with other values, those variables are handed over
 * negated: its first phases are then exactly the values given.  Conflicts are counted as clauses
 * learned, which its C interface tells; units that its preprocessing learns without a
 * conflict are among them, and conflicts that derive no clause are not (some 3 % fewer on random
 * 3-SAT). */
#ifndef NLN_EXACT_SAT_SOLVER_H
#define NLN_EXACT_SAT_SOLVER_H

#include "data/cnf.h"
#include "nln_lab.h"

/* value[n_variables], unless it is NULL, becomes an assignment if the answer is that there is one;
 * variables that occur nowhere stay as they are.  first[n_variables]
 * is NULL or has the first values.  most_conflicts 0 means no limit. */
nln_status nln_sat_solver_run(nln_sat_run *out, uint8_t *value, const nln_cnf *cnf,
                              const uint8_t *first, size_t most_conflicts, nln_error *err);

#endif
