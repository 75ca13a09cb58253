/* Values of JSON as text and back, where jansson 2.14 is careless about memory that is out:
 * writing, it forgets the keys of objects, and reading, it loses what it cannot append to a token
 * and may then run past its end. */
#ifndef NLN_BASE_JSONTEXT_H
#define NLN_BASE_JSONTEXT_H

#include <jansson.h>

#include "base/error.h"

/* As json_dumps, but into a block for nln_free; NULL when memory is out. */
char *nln_jsontext_write(const json_t *value, size_t flags);
/* As json_loadb, once there is memory for any token of the text.  *out is NULL, and `why` says
 * what is wrong, when the text is no JSON; only memory that is out is an error here. */
nln_status nln_jsontext_read(json_t **out, json_error_t *why, const char *text, size_t n,
                             size_t flags, nln_error *err);

#endif
