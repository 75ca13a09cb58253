#include "base/array.h"

#include <stdint.h>
#include <string.h>

#include "base/memory.h"

void *nln_array_reserve(void *items, size_t *room, size_t n, size_t size)
{
    if (n <= *room && items)
        return items;
    size_t want = *room + *room / 2;
    if (want < n)
        want = n;
    if (want < 16)
        want = 16;
    if (want > SIZE_MAX / 2 / size)
        return NULL;
    void *grown = nln_memory_resize(items, want * size);
    if (grown)
        *room = want;
    return grown;
}

/* The pointer is copied as bytes, since its type is not known here. */
int nln_array_grow(void *address_of_items, size_t *room, size_t n, size_t size)
{
    void *items;
    memcpy(&items, address_of_items, sizeof items);
    items = nln_array_reserve(items, room, n, size);
    if (!items)
        return 0;
    memcpy(address_of_items, &items, sizeof items);
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
