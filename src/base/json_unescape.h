/* Escapes in the strings of JSON. */
#ifndef NLN_BASE_JSON_UNESCAPE_H
#define NLN_BASE_JSON_UNESCAPE_H

#include <stdint.h>

/* The character of the escape at *at, behind its backslash, or -1 where there is none before `end`;
 * *at moves behind it.  A character beyond U+FFFF is two escapes \uXXXX. */
int32_t nln_json_unescape(const char **at, const char *end);

#endif
