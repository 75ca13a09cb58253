/* What a user met before: a window of interactions as literals, with their grades. */
#ifndef NLN_DATA_HISTORY_H
#define NLN_DATA_HISTORY_H

#include "data/grade_scale.h"
#include "data/ratings.h"

/* The literals of at most `most` interactions before interaction i of a user whose first is
 * `start`, in time order.  map[item] is the number that an item goes by, -1 for one to leave
 * out; NULL leaves the numbers as they are.  Returns how many. */
size_t nln_history_window(nln_literal *out, const nln_ratings *r, size_t start, size_t i,
                          size_t most, const int32_t *map, const nln_grade_scale *grading);

/* All that a user has met, in time order whatever the splits; `order` is scratch, with room for
 * as many.  Returns how many. */
size_t nln_history_whole(nln_literal *out, size_t *order, const nln_ratings *r, size_t user,
                         const int32_t *map, const nln_grade_scale *grading);

/* n grades for the ratings of the training part.  Where these have one or two values, there is
 * nothing to grade. */
nln_grade_scale nln_history_grading(const nln_ratings *r, int n);

/* The grades of a training for other ratings.  Where these are labels, 0 and 1, and those of the
 * training were not, a 1 is a like of unknown grade, and not the least of ratings. */
nln_grade_scale nln_history_grading_of(const nln_ratings *r, const nln_grade_scale *trained);

#endif
