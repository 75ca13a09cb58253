/* JSON to text and back with jansson, which trusts its input and, in version 2.14, mishandles
 * running out of memory: writing, it forgets the keys of objects; reading, it loses what it cannot
 * append to a token and may then run past its end. */
#ifndef NLN_BASE_JANSSON_GUARD_H
#define NLN_BASE_JANSSON_GUARD_H

#include <jansson.h>

#include "base/error.h"

/* As json_dumps, but into a block for nln_free; NULL when memory is out. */
char *nln_json_write(const json_t *value, size_t flags);

/* Parses text[0..n), if there is memory for any token of it.  NLN_FORMAT, with jansson's words in
 * `why`, when it is not JSON or has a key twice; NLN_MEMORY.  A value takes the parser tens of
 * bytes and an object or an array hundreds, but "{}," has three: so a text with more than
 * `most_nested` objects and arrays, or more than `most_values` values, is refused before it is
 * parsed. */
nln_status nln_json_load(json_t **out, json_error_t *why, const char *text, size_t n,
                         size_t most_values, size_t most_nested);

#endif
