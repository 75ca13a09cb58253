/* Memory: every block of the library comes from here, is counted, and stays below the limit
 * that nln_memory_limit sets.  Release with nln_free. */
#ifndef NLN_BASE_MEMORY_H
#define NLN_BASE_MEMORY_H

#include <stddef.h>

#include "nln.h"

/* The message when memory is out. */
const char *nln_memory_shortage(void);
/* The most memory that this process has used so far, in bytes. */
size_t nln_memory_peak(void);

/* All return NULL when memory is out, the limit is reached or the size overflows. */

/* As malloc. */
void *nln_memory_take(size_t bytes);
/* As calloc. */
void *nln_memory_zeroed(size_t n, size_t size);
/* As realloc of a block from here, or of NULL; when it fails the block stays as it was. */
void *nln_memory_resize(void *block, size_t bytes);
/* As aligned_alloc for vector loads; `bytes` is a multiple of NLN_MEMORY_ALIGNMENT. */
enum { NLN_MEMORY_ALIGNMENT = 64 };
void *nln_memory_aligned(size_t bytes);
/* Gives free blocks back to the system where the C library can: after something large was released
 * in a program that goes on. */
void nln_memory_trim(void);
/* As strdup. */
char *nln_memory_copy(const char *text);

#endif
