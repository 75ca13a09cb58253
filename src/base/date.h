/* Dates as data files write them. */
#ifndef NLN_BASE_DATE_H
#define NLN_BASE_DATE_H

#include <stddef.h>

/* Reads all of text[0..n) as an ISO 8601 date: 2024-01-31, optionally with a time of day after
 * a T or a space (12:30, 12:30:05 or 12:30:05.25) and with a zone after that (Z, UTC, +02:00 or
 * +0200; UTC if there is none).  *out is in seconds since 1970.  Returns 0 for any other text. */
int nln_date_read(double *out, const char *text, size_t n);

#endif
