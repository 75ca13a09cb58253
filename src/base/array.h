/* Growing arrays. */
#ifndef NLN_BASE_ARRAY_H
#define NLN_BASE_ARRAY_H

#include <stddef.h>

/* Makes room for n items in `items`, whose room is `room` (both lvalues), growing by half at
 * least; 0 when memory is out or the size overflows, with the array as it was. */
#define NLN_ARRAY_RESERVE(items, room, n) nln_array_grow(&(items), &(room), n, sizeof *(items))
int nln_array_grow(void *address_of_items, size_t *room, size_t n, size_t size);

/* calloc with the product checked, aligned for vector loads; NULL when out of
 * memory.  A request of 0 bytes gives a valid pointer.  Release with nln_free. */
void *nln_array_zeroed(size_t n, size_t size);

#endif
