/* The history of a user before an interaction: a window of interactions as literals, with their
 * grades. */
#ifndef NLN_DATA_HISTORY_H
#define NLN_DATA_HISTORY_H

#include "data/rating_grades.h"
#include "data/ratings.h"

/* The literals of at most `most` interactions before interaction i of a user whose first is
 * `start`, in time order.  map[item] is the number of the item in the literals, -1 to leave it
 * out; NULL keeps the numbers.  Returns the number of literals. */
size_t nln_history_window(nln_literal *out, const nln_ratings *r, size_t start, size_t i,
                          size_t most, const int32_t *map, const nln_rating_grades *grading);

/* All interactions of a user, in time order across splits; `order` is scratch, with room for
 * them.  Returns the number of literals. */
size_t nln_history_whole(nln_literal *out, size_t *order, const nln_ratings *r, size_t user,
                         const int32_t *map, const nln_rating_grades *grading);

#endif
