/* An array as a parameter of PostgreSQL, in the binary form that its function array_recv reads. */
#ifndef NLN_STORE_POSTGRES_ARRAY_H
#define NLN_STORE_POSTGRES_ARRAY_H

#include <stdint.h>

#include "base/error.h"

/* The numbers of the types of items. */
enum { NLN_POSTGRES_SMALLINT = 21, NLN_POSTGRES_TEXT = 25, NLN_POSTGRES_FLOAT8 = 701 };

/* Zero-initialise it, begin, add every item; release `data` with nln_free.  One that ran out of
 * memory stays failed, so that one test at the end is enough. */
typedef struct nln_postgres_array {
    char *data;
    size_t n, room;
    int failed;
} nln_postgres_array;

/* Begins an array of n items, any of them NULL, and drops the items before. */
void nln_postgres_array_begin(nln_postgres_array *array, uint32_t type, size_t n);
void nln_postgres_array_null(nln_postgres_array *array);
/* NULL is NULL. */
void nln_postgres_array_text(nln_postgres_array *array, const char *text);
void nln_postgres_array_real(nln_postgres_array *array, double x);
void nln_postgres_array_small(nln_postgres_array *array, int x);

#endif
