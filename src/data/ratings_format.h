/* How the lines of a ratings file are laid out: which format it is, and where a line has the
 * user, the item, the rating and the time. */
#ifndef NLN_DATA_RATINGS_FORMAT_H
#define NLN_DATA_RATINGS_FORMAT_H

#include "base/error.h"
#include "data/csv_line.h"

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

enum { NLN_LAYOUT_LINES = 16 };

/* What a column holds. */
typedef enum nln_column_role {
    NLN_ROLE_USER,
    NLN_ROLE_ITEM,
    NLN_ROLE_RATING,
    NLN_ROLE_TIME,
    NLN_ROLES
} nln_column_role;

typedef struct nln_ratings_format {
    nln_format format; /* never AUTO */
    const char *name;  /* of the format */
    int is_json, has_header;
    nln_separator separator; /* unless is_json */
    int column[NLN_ROLES];   /* -1 where the file has none; in JSON 0 where it has */
    unsigned unseen;         /* roles, as bits, that the first lines lack and later lines may have:
                              * in JSON any, in a table without a header the column of the role's
                              * number; text there that is not a number is ignored */
    int n_columns;           /* to cut of a line: up to the last of these */
    int lenient_time;        /* the name of the time column is a fallback: text there that cannot
                              * be read is no time, and the line is not bad */
    double least, most;      /* ratings outside are out of range, unless an option says else */
} nln_ratings_format;

/* Detects the layout from the first lines of a file that are not empty: one to NLN_LAYOUT_LINES
 * of them, some of which may be bad.  A header is the first line, recognised by two known names or
 * by words above numbers; without one the most frequent shape decides.  `format` may be AUTO.
 * NLN_SYNTAX when no line has two fields; NLN_FORMAT when a header is missing or lacks the user or
 * the item.  The lines are not changed. */
nln_status nln_ratings_format_detect(nln_ratings_format *out, char *const *lines, int n_lines,
                                     nln_format format, nln_error *err);
/* The role of a column or member of this name, or -1; *fallback is set where the name counts only
 * if no other of the role is there.  Case, _, -, spaces and the part behind a colon are ignored. */
int nln_ratings_format_role(int *fallback, const char *name, size_t n);
/* The word for a role in messages. */
const char *nln_ratings_format_role_name(nln_column_role role);

#endif
