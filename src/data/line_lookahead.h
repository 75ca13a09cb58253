/* The lines of a file of ratings: they can be looked at before they are taken, and the lines that
 * a quoted field spans are taken as one. */
#ifndef NLN_DATA_LINE_LOOKAHEAD_H
#define NLN_DATA_LINE_LOOKAHEAD_H

#include "base/input.h"
#include "data/csv_line.h"

/* A quote that is not closed within these limits belongs to its own line alone. */
enum { NLN_SPAN_LINES = 64, NLN_SPAN_BYTES = 1 << 16 };

/* Initialise it as {.in = ...}.  Lines that were looked at wait, including blank ones, so that
 * their numbers follow from the number of the last. */
typedef struct nln_line_lookahead {
    nln_input *in;
    char **waiting;
    size_t begin, end, room; /* waiting[begin..end) are to be taken */
    char *taken;             /* the line taken last, if it has waited */
    char *joined;            /* the lines taken last, if several were joined */
    size_t joined_room;
} nln_line_lookahead;

void nln_line_lookahead_free(nln_line_lookahead *ahead); /* but not the input */
/* Line i of those to be taken, from 0; NULL behind the last. */
nln_status nln_line_lookahead_peek(char **line, nln_line_lookahead *ahead, size_t i,
                                   nln_error *err);
/* The next line, its number and its length, valid until the next call; the caller may change it.
 * NULL at the end.  If a quoted field between the separators goes on in the lines below, these
 * come with it, joined by \n, unless that makes more than NLN_SPAN_LINES or NLN_SPAN_BYTES or
 * text follows the closing quote: then the first line comes alone. */
nln_status nln_line_lookahead_take(char **line, size_t *length, long *number,
                                   nln_line_lookahead *ahead, nln_separator separator,
                                   nln_error *err);

#endif
