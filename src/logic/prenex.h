/* Prenex form: all quantifiers stand before the rest, forall x: exists y: ..., which has none.
 *
 * Negations are pushed to the atoms first (normal_form.h), which turns forall and exists into each
 * other; then every quantifier may go to the front.  A name that several quantifiers bind gets
 * another for each but the first: x, x_2, x_3.  Quantifiers whose variable does not occur are left
 * out, since there is always an entity. */
#ifndef NLN_LOGIC_PRENEX_H
#define NLN_LOGIC_PRENEX_H

#include "logic/expr.h"

/* Appends the prenex form of `e`, and its new atoms to `atoms`, to which those of `e` belong; an
 * expression without quantifiers comes back as it is.  `e` may be one of `out`.  `limit` bounds
 * what <-> and xor expand to, as in nln_normal. */
nln_status nln_prenex(nln_exprs *out, nln_atoms *atoms, nln_expr e, size_t limit, nln_error *err);

#endif
