/* The fields of a line of a table. */
#ifndef NLN_DATA_CSV_LINE_H
#define NLN_DATA_CSV_LINE_H

#include <stddef.h>

/* In the order in which they are tried on a line of unknown kind. */
typedef enum nln_separator {
    NLN_TABS,
    NLN_COLONS, /* :: */
    NLN_SEMICOLONS,
    NLN_COMMAS,
    NLN_BARS,
    NLN_SPACES, /* one or more */
    NLN_SEPARATORS
} nln_separator;

enum { NLN_MOST_FIELDS = 64 }; /* further fields of a line are ignored */

/* A part of a line, without the spaces around it and without its quotes. */
typedef struct nln_field {
    char *text; /* not terminated; NULL where there is no field */
    size_t n;
    int escaped; /* a doubled quote inside stands for one */
} nln_field;

/* Cuts line[0..length) into its first `most` fields, which point into it.  Returns their number, or
 * 0 when a quote is not closed, with its place in *bad.  Fields between commas or semicolons may be
 * quoted.  The line is not changed. */
int nln_csv_line_cut(nln_field *fields, int most, const char **bad, nln_separator separator,
                     char *line, size_t length);
/* The state of the quotes at the end of a line: all closed, the last field open, or text between
 * a closing quote and the separator. */
typedef enum nln_quoting { NLN_QUOTE_CLOSED, NLN_QUOTE_OPEN, NLN_QUOTE_BAD } nln_quoting;
/* Looks at all fields of the line, which begins within a quoted field if `open`.  The line is not
 * changed. */
nln_quoting nln_csv_line_quoting(nln_separator separator, char *line, size_t length, int open);
/* Replaces each doubled quote by one, in place. */
void nln_field_unescape(nln_field *field);
/* Takes the spaces off both ends. */
void nln_field_trim(nln_field *field);

#endif
