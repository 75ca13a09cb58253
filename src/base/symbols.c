#include "base/symbols.h"

#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "base/memory.h"
#include "base/random.h"

/* The names lie end to end in `pool`, each with its NUL.  `slots` is a hash table
 * of ids with linear probing; its size is a power of two, never more than three
 * quarters full.  Hashes are kept, so that growing it does not touch the names. */
struct nln_symbols {
    char *pool;
    size_t pool_used, pool_room;
    size_t *start; /* [count] offset of each name in the pool */
    size_t start_room;
    uint32_t *hash; /* [count] */
    size_t hash_room;
    int32_t *slots; /* [n_slots] an id, or -1 */
    size_t n_slots;
    int32_t count;
};

enum { FIRST_SLOTS = 64 };

/* Doubles the slots, or makes the first ones. */
static int grow_slots(nln_symbols *s)
{
    size_t n = s->n_slots ? s->n_slots * 2 : FIRST_SLOTS;
    int32_t *slots = n <= SIZE_MAX / 2 / sizeof *slots ? nln_memory_take(n * sizeof *slots) : NULL;
    if (!slots)
        return 0;
    memset(slots, 0xff, n * sizeof *slots);
    for (int32_t id = 0; id < s->count; id++) {
        size_t i = s->hash[id] & (n - 1);
        while (slots[i] >= 0)
            i = (i + 1) & (n - 1);
        slots[i] = id;
    }
    nln_free(s->slots);
    s->slots = slots;
    s->n_slots = n;
    return 1;
}

nln_symbols *nln_symbols_create(void)
{
    nln_symbols *s = nln_memory_zeroed(1, sizeof *s);
    if (s && grow_slots(s))
        return s;
    nln_symbols_free(s);
    return NULL;
}

void nln_symbols_free(nln_symbols *s)
{
    if (!s)
        return;
    nln_free(s->pool);
    nln_free(s->start);
    nln_free(s->hash);
    nln_free(s->slots);
    nln_free(s);
}

int32_t nln_symbols_count(const nln_symbols *s)
{
    return s->count;
}

const char *nln_symbols_name(const nln_symbols *s, int32_t id)
{
    return id >= 0 && id < s->count ? s->pool + s->start[id] : NULL;
}

/* FNV-1a, then mixed: linear probing needs all the low bits to be good. */
static uint32_t hash_name(const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
    return (uint32_t)nln_random_mix(h);
}

/* The slot that holds the name, or the empty one where it belongs. */
static size_t find_slot(const nln_symbols *s, uint32_t hash, const char *name, size_t length)
{
    size_t mask = s->n_slots - 1, i = hash & mask;
    for (; s->slots[i] >= 0; i = (i + 1) & mask) {
        int32_t id = s->slots[i];
        if (s->hash[id] != hash)
            continue;
        size_t end = id + 1 < s->count ? s->start[id + 1] : s->pool_used;
        if (end - s->start[id] - 1 == length &&
            (length == 0 || memcmp(s->pool + s->start[id], name, length) == 0))
            break;
    }
    return i;
}

int32_t nln_symbols_find(const nln_symbols *s, const char *name, size_t length)
{
    return s->slots[find_slot(s, hash_name(name, length), name, length)];
}

int32_t nln_symbols_intern(nln_symbols *s, const char *name, size_t length)
{
    uint32_t hash = hash_name(name, length);
    int32_t id = s->slots[find_slot(s, hash, name, length)];
    if (id >= 0)
        return id;
    size_t n = (size_t)s->count + 1;
    if (s->count == INT32_MAX || length >= SIZE_MAX / 4 - s->pool_used ||
        !NLN_ARRAY_RESERVE(s->pool, s->pool_room, s->pool_used + length + 1) ||
        !NLN_ARRAY_RESERVE(s->start, s->start_room, n) ||
        !NLN_ARRAY_RESERVE(s->hash, s->hash_room, n) || (n > s->n_slots / 4 * 3 && !grow_slots(s)))
        return -1;
    s->slots[find_slot(s, hash, name, length)] = s->count;
    s->start[s->count] = s->pool_used;
    s->hash[s->count] = hash;
    if (length > 0)
        memcpy(s->pool + s->pool_used, name, length);
    s->pool[s->pool_used + length] = '\0';
    s->pool_used += length + 1;
    return s->count++;
}

nln_symbols *nln_symbols_copy(const nln_symbols *from)
{
    nln_symbols *s = nln_symbols_create();
    int32_t n = nln_symbols_count(from);
    for (int32_t i = 0; s && i < n; i++) {
        const char *name = nln_symbols_name(from, i);
        if (nln_symbols_intern(s, name, strlen(name)) != i) {
            nln_symbols_free(s);
            s = NULL;
        }
    }
    return s;
}

const char *nln_symbols_nearest(const nln_symbols *s, const char *name, size_t length)
{
    enum { MOST_NAMES = 1 << 16 };
    char text[NLN_EDIT_DISTANCE_FAR];
    const char *near = NULL;
    int least = NLN_EDIT_DISTANCE_FAR;
    int32_t n = nln_symbols_count(s);
    if (length >= sizeof text || n > MOST_NAMES)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    for (int32_t i = 0; i < n; i++)
        if (nln_edit_distance_nearer(&least, text, nln_symbols_name(s, i)))
            near = nln_symbols_name(s, i);
    return near;
}
