/* UTF-8 text. */
#ifndef NLN_BASE_UTF8_H
#define NLN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Whether text[0..n) is UTF-8: no stray or overlong bytes, no surrogates, nothing above
 * U+10FFFF. */
int nln_utf8_valid(const char *text, size_t n);
/* How many bytes the first character of text[0..n), n > 0, has; 0 when it is no UTF-8. */
size_t nln_utf8_length(const char *text, size_t n);
/* Writes the character, which is not a surrogate and not above U+10FFFF; returns how many of the
 * 4 bytes it took. */
size_t nln_utf8_put(char out[4], uint32_t character);

#endif
