/* UTF-8 text. */
#ifndef NLN_BASE_UTF8_H
#define NLN_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Whether text[0..n) is UTF-8: no stray or overlong bytes, no surrogates, nothing above
 * U+10FFFF. */
int nln_utf8_valid(const char *text, size_t n);
/* The number of bytes of the first character of text[0..n), n > 0; 0 when it is not UTF-8. */
size_t nln_utf8_length(const char *text, size_t n);
/* The same, and the character itself in *character. */
size_t nln_utf8_decode(uint32_t *character, const char *text, size_t n);
/* Writes the character, which is not a surrogate and not above U+10FFFF; returns the number
 * of bytes used. */
size_t nln_utf8_put(char out[4], uint32_t character);

#endif
