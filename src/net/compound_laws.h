/* The laws of two or three vectors as regularizers: associativity, commutativity, distributivity
 * and De Morgan's.
 *
 * Each vector a under the laws is joined by two others of its shard, b and c, drawn anew for each
 * batch.  As with the laws of one vector (laws.h) only its own term uses the result of a law, so a
 * tile of rows goes forward through both sides of a law, through the term, and backward at once. */
#ifndef NLN_NET_COMPOUND_LAWS_H
#define NLN_NET_COMPOUND_LAWS_H

#include "net/workspace.h"

/* The row that joins `row` as b (which 0) or c (which 1): one of NLN_ROW_LEAF .. n_rows - 1. */
int32_t nln_compound_laws_partner(uint64_t key, int32_t row, int which, int32_t n_rows);

/* Returns the sum of the terms of the compound laws in the set, for the rows in work->law, each
 * times its weight, and adds their gradients to dH of these rows and their partners, and to
 * work->gradient.  The plan has n_rows rows. */
double nln_compound_laws_gradient(nln_workspace *work, const nln_net *net, int32_t n_rows,
                                  unsigned laws, uint64_t key);

#endif
