/* Histories as expressions: !(h1 & !h2 & ...) | target, the disliked negated.  Where the model
 * has grades, a literal stands with the variable of its grade: !((h1 & g5) & (!h2 & g1) & ...).
 * Where it has variables of users, that of a known user is the last premise: !(h1 & ... & u), which
 * makes the implication likes(u, target).  `user` is a number of the model, or -1. */
#ifndef NLN_MODELS_IMPLICATION_H
#define NLN_MODELS_IMPLICATION_H

#include "models/model.h"

/* Appends !(...) of the literals, in their order.  No premises make F: an empty AND is T. */
nln_status nln_implication_append_history(nln_exprs *out, const nln_model *model, int32_t user,
                                          const nln_literal *history, size_t n, nln_error *err);

/* Appends !(...) | target. */
nln_status nln_implication_append(nln_exprs *out, const nln_model *model, int32_t user,
                                  const nln_literal *history, size_t n, int32_t target,
                                  nln_error *err);

/* Appends the variable alone. */
nln_status nln_implication_append_item(nln_exprs *out, int32_t item, nln_error *err);

#endif
