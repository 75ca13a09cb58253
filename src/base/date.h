/* Dates as data files write them. */
#ifndef NLN_BASE_DATE_H
#define NLN_BASE_DATE_H

#include <stddef.h>

/* Reads text[0..n), all of it, as a date of ISO 8601: 2024-01-31, perhaps with a time of day behind
 * a T or a space (12:30, 12:30:05 or 12:30:05.25) and perhaps with its zone behind that (Z, UTC,
 * +02:00 or +0200).  Gives the seconds since 1970, in UTC where there is no zone.  Returns 0 when
 * it is anything else. */
int nln_date_read(double *out, const char *text, size_t n);

#endif
