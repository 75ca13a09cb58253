/* Numbers as data files write them, in any locale. */
#ifndef NLN_BASE_NUMBER_H
#define NLN_BASE_NUMBER_H

#include <stdarg.h>
#include <stddef.h>

/* Reads all of text[0..n) as a decimal number: a sign, digits with a point among or around them,
 * an exponent.  Correctly rounded up to 15 digits without exponent, and within a few units of the
 * last place otherwise.  Returns 0 for any other text or when the number is not finite. */
int nln_number_read(double *out, const char *text, size_t n);

/* strtod and %.17g in any locale: every double is read back exactly. */
double nln_number_parse(const char *text, char **end);
enum { NLN_NUMBER_ROOM = 40 };
void nln_number_print(char text[NLN_NUMBER_ROOM], double x);
/* The same with fewer digits: %.*g. */
void nln_number_round(char text[NLN_NUMBER_ROOM], double x, int digits);
/* vsnprintf with decimal points, for messages. */
int nln_number_format(char *text, size_t room, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
