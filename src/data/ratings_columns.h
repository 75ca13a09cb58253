/* Which column, or member of a JSON object, holds the user, the item, the rating and the time: by
 * its known names, or as the option `columns` says. */
#ifndef NLN_DATA_RATINGS_COLUMNS_H
#define NLN_DATA_RATINGS_COLUMNS_H

#include "base/error.h"
#include "data/csv_line.h"

/* What a column holds. */
typedef enum nln_column_role {
    NLN_ROLE_USER,
    NLN_ROLE_ITEM,
    NLN_ROLE_RATING,
    NLN_ROLE_TIME,
    NLN_ROLES
} nln_column_role;

enum { NLN_COLUMN_GUESSED = 0, NLN_COLUMN_NONE = -1 };

/* The columns that the caller has chosen; all zero chooses nothing.  The names point into the text
 * that was parsed. */
typedef struct nln_column_choice {
    nln_field name[NLN_ROLES]; /* text NULL where the column is not chosen by its name */
    int number[NLN_ROLES];     /* from 1 on, or NLN_COLUMN_GUESSED, or NLN_COLUMN_NONE */
} nln_column_choice;

/* Parses `ROLE=COLUMN,...`: a column is a name, a number from 1 on, or none.  "" chooses nothing.
 */
nln_status nln_column_choice_parse(nln_column_choice *out, const char *text, nln_error *err);
/* Whether anything is chosen, and whether by a name, which needs a header. */
int nln_column_choice_any(const nln_column_choice *choice);
int nln_column_choice_by_name(const nln_column_choice *choice);

/* The role of a column or member of this name, or -1; *fallback is set where the name counts only
 * if no other of the role is there.  Case, _, -, spaces and the part behind a colon are ignored.
 * `choice`, which may be NULL, goes before the known names. */
int nln_ratings_column_role(int *fallback, const nln_column_choice *choice, const char *name,
                            size_t n);
/* Whether the name is `known`, given in small letters and digits, in any spelling. */
int nln_ratings_column_called(nln_field name, const char *known);
/* The word for a role in messages. */
const char *nln_ratings_column_word(nln_column_role role);
/* The i-th name that is always known for a role; NULL behind the last. */
const char *nln_ratings_column_known(nln_column_role role, int i);

#endif
