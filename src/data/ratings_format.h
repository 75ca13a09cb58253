/* How the lines of a ratings file are laid out: which format it is, and where a line has the
 * user, the item, the rating and the time. */
#ifndef NLN_DATA_RATINGS_FORMAT_H
#define NLN_DATA_RATINGS_FORMAT_H

#include "base/error.h"
#include "data/ratings_columns.h"

/* In the order of the choices of the option `format`. */
typedef enum nln_format {
    NLN_FORMAT_AUTO,
    NLN_FORMAT_MOVIELENS,
    NLN_FORMAT_DAT,
    NLN_FORMAT_CSV,
    NLN_FORMAT_INTER,
    NLN_FORMAT_RECHORUS,
    NLN_FORMAT_AMAZON,
    NLN_FORMAT_PLAIN,
    NLN_FORMATS
} nln_format;

enum { NLN_LAYOUT_LINES = 64, NLN_UNUSED_ROOM = 256, NLN_COLUMN_ROOM = 48 };

typedef struct nln_ratings_format {
    nln_format format; /* never AUTO */
    const char *name;  /* of the format */
    int is_json, has_header;
    nln_separator separator;  /* unless is_json */
    int column[NLN_ROLES];    /* -1 where the file has none; in JSON 0 where it has */
    unsigned unseen;          /* roles, as bits, that the first lines lack and later lines may have:
                               * in JSON any, in a table without a header the column of the role's
                               * number; text there that is not a number is ignored */
    int n_columns;            /* to cut of a line: up to the last of these */
    double least, most;       /* ratings outside are out of range, unless an option says else */
    nln_column_choice choice; /* of the caller; in JSON its names are looked for in every line */
    char unused[NLN_UNUSED_ROOM]; /* names of the columns that hold nothing of these, in quotes */
    char looks[NLN_ROLES][NLN_COLUMN_ROOM]; /* an unused column that looks like ratings or times,
                                             * where the file has none; "" otherwise */
} nln_ratings_format;

/* Detects the layout from the first lines of a file that are not empty: one to NLN_LAYOUT_LINES
 * of them, some of which may be bad.  A header is the first line, recognised by two known names, by
 * a name of `choice`, or by words above numbers; without one the most frequent shape decides.
 * `format` may be AUTO, and `choice` NULL.  NLN_SYNTAX when no line has two fields; NLN_FORMAT when
 * a header is missing or lacks the user, the item or a chosen column.  The lines are not changed.
 */
nln_status nln_ratings_format_detect(nln_ratings_format *out, char *const *lines, int n_lines,
                                     nln_format format, const nln_column_choice *choice,
                                     nln_error *err);

#endif
