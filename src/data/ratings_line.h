/* One line of a ratings file: the user, the item, the rating and the time. */
#ifndef NLN_DATA_RATINGS_LINE_H
#define NLN_DATA_RATINGS_LINE_H

#include "data/ratings_format.h"

typedef struct nln_ratings_line {
    nln_field user, item; /* UTF-8 of at least one byte, without control characters */
    double rating; /* in the layout's range; NAN where the line has none and the file needs none */
    double time;   /* finite; NAN where the line has none */
} nln_ratings_line;

/* Reads line[0..length), which it may change.  Fails with the column: NLN_SYNTAX for a bad line
 * and NLN_INVALID for a rating out of range. */
nln_status nln_ratings_line_read(nln_ratings_line *out, const nln_ratings_format *layout,
                                 char *line, size_t length, nln_error *err);

#endif
