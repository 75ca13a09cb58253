#include "net/shard_rows.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/kernels.h"

void nln_shard_rows_free(nln_shard_rows *u)
{
    nln_free(u->row);
    nln_free(u->start);
    nln_free(u->place);
    nln_free(u->first);
    nln_free(u->holder);
    nln_free(u->slots);
    *u = (nln_shard_rows){0};
}

static int reserve(nln_shard_rows *u, int n_shards, size_t n)
{
    size_t slots = u->n_slots ? u->n_slots : 1024;
    while (slots < 2 * (n + 1))
        slots *= 2;
    if (slots > u->n_slots) {
        nln_free(u->slots);
        u->slots = nln_array_zeroed(slots, sizeof *u->slots);
        u->n_slots = u->slots ? slots : 0;
    }
    return u->slots && NLN_ARRAY_RESERVE(u->row, u->row_room, n + 1) &&
           NLN_ARRAY_RESERVE(u->start, u->start_room, (size_t)n_shards + 1) &&
           NLN_ARRAY_RESERVE(u->place, u->place_room, n + 1) &&
           NLN_ARRAY_RESERVE(u->first, u->first_room, n + 2) &&
           NLN_ARRAY_RESERVE(u->holder, u->holder_room, n + 1);
}

/* The place of a row, which is new or found; there is room. */
static int32_t place_of(nln_shard_rows *u, int32_t row)
{
    size_t at = (size_t)nln_random_mix((uint64_t)row) & (u->n_slots - 1);
    while (u->slots[at] && u->row[u->slots[at] - 1] != row)
        at = (at + 1) & (u->n_slots - 1);
    if (!u->slots[at]) {
        u->row[u->n] = row;
        u->slots[at] = ++u->n;
        u->first[u->n + 1] = 0;
    }
    return u->slots[at] - 1;
}

/* first[k + 1] counts the holders of place k - 1 at first, and is then where those of place k
 * begin, which moves to their end as they are filled in. */
nln_status nln_shard_rows_list(nln_shard_rows *u, const nln_shard_list *shard, int n_shards,
                               nln_error *err)
{
    size_t n = 0;
    for (int i = 0; i < n_shards; i++)
        n += (size_t)shard[i].n;
    if (!reserve(u, n_shards, n))
        return nln_error_memory(err);
    memset(u->slots, 0, u->n_slots * sizeof *u->slots);
    u->n = 0;
    u->start[0] = u->first[0] = u->first[1] = 0;
    for (int i = 0; i < n_shards; i++) {
        int32_t *place = u->place + u->start[i];
        for (int32_t j = 0; j < shard[i].n; j++) {
            place[j] = place_of(u, shard[i].row[j]);
            u->first[place[j] + 2]++;
        }
        u->start[i + 1] = u->start[i] + (size_t)shard[i].n;
    }
    for (int32_t k = 1; k < u->n; k++)
        u->first[k + 1] += u->first[k];
    for (int i = 0; i < n_shards; i++)
        for (int32_t j = 0; j < shard[i].n; j++)
            u->holder[u->first[u->place[u->start[i] + (size_t)j] + 1]++] = (nln_row_holder){i, j};
    return NLN_OK;
}

/* Whether two shards meet at a lower node of the tree than two others; all given by the exclusive
 * or of their numbers, whose highest bit is the level. */
static int meets_below(unsigned pair, unsigned other)
{
    return pair < other && pair < (pair ^ other);
}

void nln_shard_rows_sum(real *out, const nln_row_holder *holder, size_t n, real *const *gradient,
                        size_t width)
{
    enum { LEVELS = 32 };
    const nln_kernels *k = nln_kernels_get();
    real *open[LEVELS] = {0}; /* sums that wait for the rest of a node, each of higher shards than
                           the last */
    unsigned meet[LEVELS] = {0}; /* of each with the one before */
    int n_open = 0;
    for (size_t i = 0; i < n; i++) {
        const nln_row_holder *h = holder + i;
        unsigned next = i + 1 < n ? (unsigned)(h->shard ^ h[1].shard) : ~0u;
        open[n_open++] = gradient[h->shard] + (size_t)h->at * width;
        for (; n_open > 1 && meets_below(meet[n_open - 1], next); n_open--)
            k->axpy(open[n_open - 2], 1, open[n_open - 1], width);
        meet[n_open] = next;
    }
    memcpy(out, open[0], width * sizeof *out);
}

void nln_shard_blocks_sum(real *const *block, int first, int last, size_t from, size_t to)
{
    for (int step = 1; step < last - first; step *= 2)
        for (int i = first; i + step < last; i += 2 * step)
            nln_kernels_get()->axpy(block[i] + from, 1, block[i + step] + from, to - from);
}
