/* One line of a ratings file: who rated what, how and when. */
#ifndef NLN_DATA_RATINGS_LINE_H
#define NLN_DATA_RATINGS_LINE_H

#include "data/ratings_format.h"

typedef struct nln_ratingsline {
    nln_field user, item; /* UTF-8 of at least one byte, without control characters */
    double rating;        /* in the layout's range; NAN where the line has none and needs none */
    double time;          /* finite; NAN where the line has none */
} nln_ratingsline;

/* Reads line[0..length), which it may change.  With the column, NLN_SYNTAX for a bad line and
 * NLN_INVALID for a rating out of range. */
nln_status nln_ratingsline_read(nln_ratingsline *out, const nln_ratings_format *layout, char *line,
                                size_t length, nln_error *err);

#endif
