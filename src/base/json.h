/* JSON to text and back, by way of jansson, which trusts its input and, in version 2.14, is
 * careless about memory that is out: writing, it forgets the keys of objects, and reading, it
 * loses what it cannot append to a token and may then run past its end. */
#ifndef NLN_BASE_JSON_H
#define NLN_BASE_JSON_H

#include <jansson.h>

#include "base/error.h"

/* As json_dumps, but into a block for nln_free; NULL when memory is out. */
char *nln_json_write(const json_t *value, size_t flags);

/* Parses text[0..n), once there is memory for any token of it: NLN_FORMAT, with jansson's words in
 * `why`, when it is no JSON or has a key twice, and NLN_MEMORY.  A value takes the parser tens of
 * bytes and an object or an array hundreds, where "{}," has three: so a text with more than
 * `most_nested` objects and arrays, or more than `most_values` of anything, is refused before it is
 * parsed. */
nln_status nln_json_load(json_t **out, json_error_t *why, const char *text, size_t n,
                         size_t most_values, size_t most_nested);

#endif
