/* The members of a JSON object on one line, one after the other, without building a tree. */
#ifndef NLN_DATA_JSON_MEMBERS_H
#define NLN_DATA_JSON_MEMBERS_H

#include "data/csv_line.h"

typedef enum nln_json_kind { NLN_JSON_STRING, NLN_JSON_NUMBER, NLN_JSON_OTHER } nln_json_kind;

typedef struct nln_json_member {
    nln_field key, value; /* strings without their quotes, escapes as written */
    nln_json_kind kind;   /* of the value; true, false, null, objects and arrays are OTHER */
} nln_json_member;

/* Where the reader stands in the line. */
typedef struct nln_json_members {
    char *at, *end;
    int begun;
} nln_json_members;

/* Whether the line looks like an object. */
int nln_json_members_likely(char *line, size_t length);
nln_json_members nln_json_members_begin(char *line, size_t length);
/* The next member: 1, or 0 after the last, or -1 where the text is not JSON, which is in->at. */
int nln_json_members_next(nln_json_member *out, nln_json_members *in);
/* Replaces the escapes of a string in place, if it has any; 0 when one is malformed or a NUL. */
int nln_json_members_unescape(nln_field *value);

#endif
