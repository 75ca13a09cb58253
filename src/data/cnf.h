/* Clauses of the SAT problem, as DIMACS files have them.
 *
 *     c a comment
 *     p cnf 3 2
 *     1 -2 0
 *     2 3 0
 *
 * Literals are variables 1 to n or their negations, -1 to -n; 0 ends a clause, which may go over
 * several lines.  A line that begins with % ends the file, as in the files of SATLIB. */
#ifndef NLN_DATA_CNF_H
#define NLN_DATA_CNF_H

#include "base/input.h"

struct nln_cnf {
    size_t n_variables, n_clauses, n_literals;
    size_t *start;    /* [n_clauses + 1], not to be read while n_clauses is 0 */
    int32_t *literal; /* [n_literals] */
    size_t start_room, literal_room;
};

/* The same as nln_cnf_read from an open file. */
nln_status nln_cnf_read_input(nln_cnf **out, nln_input *in, nln_error *err);
/* The number of clauses that value[n_variables], 0 or 1, satisfies; satisfied[n_clauses] says
 * which, unless it is NULL. */
size_t nln_cnf_count(uint8_t *satisfied, const nln_cnf *cnf, const uint8_t *value);

#endif
