/* The C library knows the size of a block, so counting needs no header in front of it. */
#include "base/memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static atomic_size_t used, limit;

void nln_memory_limit(size_t bytes)
{
    atomic_store(&limit, bytes);
}

const char *nln_memory_shortage(void)
{
    return atomic_load(&limit) ? "out of memory: nln_memory_limit allows no more" : "out of memory";
}

size_t nln_memory_used(void)
{
    return atomic_load(&used);
}

size_t nln_memory_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024; /* Linux counts in KiB */
}

void nln_memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Whether `more` bytes may be taken.  Threads that ask at the same moment may all be allowed
 * and together exceed the limit by what they ask for. */
static int allowed(size_t more)
{
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    size_t now = atomic_load_explicit(&used, memory_order_relaxed);
    return !most || (now <= most && more <= most - now);
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add_explicit(&used, malloc_usable_size(block), memory_order_relaxed);
    return block;
}

/* For 0 bytes the C library may give NULL, which would look like a failure, and realloc may
 * release the block. */
static size_t some(size_t bytes)
{
    return bytes ? bytes : 1;
}

void *nln_memory_take(size_t bytes)
{
    return allowed(bytes) ? counted(malloc(some(bytes))) : NULL;
}

void *nln_memory_zeroed(size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        return NULL;
    return allowed(n * size) ? counted(calloc(1, some(n * size))) : NULL;
}

void *nln_memory_resize(void *block, size_t bytes)
{
    size_t before = block ? malloc_usable_size(block) : 0;
    if (bytes > before && !allowed(bytes - before))
        return NULL;
    void *resized = realloc(block, some(bytes));
    if (resized)
        atomic_fetch_sub_explicit(&used, before, memory_order_relaxed);
    return counted(resized);
}

void *nln_memory_aligned(size_t bytes)
{
    return allowed(bytes) ? counted(aligned_alloc(NLN_MEMORY_ALIGNMENT, bytes)) : NULL;
}

char *nln_memory_copy(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = nln_memory_take(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

void nln_free(void *block)
{
    if (block)
        atomic_fetch_sub_explicit(&used, malloc_usable_size(block), memory_order_relaxed);
    free(block);
}
