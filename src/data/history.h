/* Histories as expressions: !(h1 & !h2 & ...), the disliked negated. */
#ifndef NLN_DATA_HISTORY_H
#define NLN_DATA_HISTORY_H

#include "data/ratings.h"
#include "logic/expr.h"

/* The literals of at most `most` interactions before interaction i of a user whose first is
 * `start`, in time order.  map[item] is the number that an item goes by, -1 for one to leave
 * out; NULL leaves the numbers as they are.  Returns how many. */
size_t nln_history_window(nln_literal *out, const nln_ratings *r, size_t start, size_t i,
                          size_t most, const int32_t *map);

/* Appends !(...) of the literals, in their order.  No literals make F: an empty AND is T. */
nln_status nln_history_append(nln_exprs *out, const nln_literal *history, size_t n, nln_error *err);

/* Appends !(...) | target. */
nln_status nln_history_append_rule(nln_exprs *out, const nln_literal *history, size_t n,
                                   int32_t target, nln_error *err);

/* Appends the variable alone. */
nln_status nln_history_append_item(nln_exprs *out, int32_t item, nln_error *err);

#endif
