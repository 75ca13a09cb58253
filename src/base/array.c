#include "base/array.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* The pointer is copied as bytes, since its type is not known here. */
int nln_array_grow(void *address_of_items, size_t *room, size_t n, size_t size)
{
    void *items;
    memcpy(&items, address_of_items, sizeof items);
    if (n <= *room && items)
        return 1;
    size_t want = *room + *room / 2;
    want = want < n ? n : want;
    want = want < 16 ? 16 : want;
    if (want > SIZE_MAX / 2 / size || !(items = nln_memory_resize(items, want * size)))
        return 0;
    memcpy(address_of_items, &items, sizeof items);
    *room = want;
    return 1;
}

void *nln_array_zeroed(size_t n, size_t size)
{
    if (size && n > (SIZE_MAX / 2 - 64) / size)
        return NULL;
    size_t bytes = (n * size + 63) / 64 * 64;
    void *block = nln_memory_aligned(bytes ? bytes : 64);
    if (block)
        memset(block, 0, bytes ? bytes : 64);
    return block;
}
