#include "net/shard_outline.h"

#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"

/* ---- as numbers ------------------------------------------------------------------------------ */

/* An outline begins with these numbers; the variables follow with their counts, the rows of the
 * leaves that are negated with theirs, the entities, and the predicates. */
typedef struct head {
    int32_t n_rows, n_leaves, n_negated, n_entities, n_predicates;
    int32_t padding;
    int64_t n_occurrences;
} head;

enum { HEAD = sizeof(head) / sizeof(int32_t) };

/* The negations of level 1; those of atoms and of F do not count. */
static nln_group negations_of(const nln_plan *p)
{
    return p->n_groups && p->groups[0].module == NLN_MODULE_NOT ? p->groups[0] : (nln_group){0};
}

static int is_leaf(const nln_plan *p, int32_t row)
{
    return row >= NLN_ROW_LEAF && row < NLN_ROW_LEAF + p->n_leaves;
}

static head head_of(const nln_plan *p)
{
    nln_group negated = negations_of(p);
    head h = {.n_rows = p->n_rows,
              .n_leaves = p->n_leaves,
              .n_entities = p->atoms.n_entities,
              .n_predicates = p->atoms.n_predicates,
              .n_occurrences = p->n_occurrences};
    for (int32_t r = negated.first; r < negated.first + negated.count; r++)
        h.n_negated += is_leaf(p, p->operand[0][r]);
    return h;
}

static size_t words_of(const head *h)
{
    return HEAD + 2 * ((size_t)h->n_leaves + (size_t)h->n_negated) + (size_t)h->n_entities +
           (size_t)h->n_predicates;
}

static int32_t *put(int32_t *to, const int32_t *from, int32_t n)
{
    if (n)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to + n;
}

static void pack(int32_t *out, const nln_plan *p)
{
    nln_group negated = negations_of(p);
    head h = head_of(p);
    memcpy(out, &h, sizeof h);
    out = put(out + HEAD, p->operand[0] + NLN_ROW_LEAF, h.n_leaves);
    out = put(out, p->count + NLN_ROW_LEAF, h.n_leaves);
    int32_t *count = out + h.n_negated;
    for (int32_t r = negated.first; r < negated.first + negated.count; r++)
        if (is_leaf(p, p->operand[0][r])) {
            *out++ = p->operand[0][r];
            *count++ = p->count[r];
        }
    out = put(count, p->atoms.entity, h.n_entities);
    put(out, p->atoms.predicate, h.n_predicates);
}

/* The rows of an outline are T, F, its leaves, and their negations. */
static nln_status unpack(nln_shard_outlines *x, int i, const int32_t *from, nln_error *err)
{
    head h;
    nln_plan *p = &x->plan[i];
    memcpy(&h, from, sizeof h);
    from += HEAD;
    int32_t rows = NLN_ROW_LEAF + h.n_leaves + h.n_negated;
    size_t n = 2 * (size_t)rows + (size_t)h.n_entities + (size_t)h.n_predicates;
    if (!NLN_ARRAY_RESERVE(x->memory[i], x->memory_room[i], n))
        return nln_error_memory(err);
    int32_t *operand = x->memory[i], *count = operand + rows;
    memset(operand, 0, 2 * (size_t)rows * sizeof *operand);
    *p = (nln_plan){.n_rows = h.n_rows,
                    .n_leaves = h.n_leaves,
                    .n_occurrences = h.n_occurrences,
                    .n_groups = h.n_negated > 0,
                    .groups = &x->group[i],
                    .operand = {operand},
                    .count = count};
    x->group[i] = (nln_group){NLN_MODULE_NOT, NLN_ROW_LEAF + h.n_leaves, h.n_negated, 1};
    put(operand + NLN_ROW_LEAF, from, h.n_leaves);
    put(count + NLN_ROW_LEAF, from + h.n_leaves, h.n_leaves);
    from += 2 * (size_t)h.n_leaves;
    put(operand + NLN_ROW_LEAF + h.n_leaves, from, h.n_negated);
    put(count + NLN_ROW_LEAF + h.n_leaves, from + h.n_negated, h.n_negated);
    from += 2 * (size_t)h.n_negated;
    p->atoms = (nln_plan_atoms){.n_entities = h.n_entities,
                                .n_predicates = h.n_predicates,
                                .entity = count + rows,
                                .predicate = count + rows + h.n_entities};
    put(count + rows, from, h.n_entities + h.n_predicates);
    return NLN_OK;
}

/* ---- over the ranks -------------------------------------------------------------------------- */

static nln_status make(nln_shard_outlines *x, int n, nln_error *err)
{
    if (n <= x->n_made)
        return NLN_OK;
    nln_shard_outlines_free(x);
    size_t count = (size_t)n;
    x->plan = nln_array_zeroed(count, sizeof *x->plan);
    x->group = nln_array_zeroed(count, sizeof *x->group);
    x->memory = nln_array_zeroed(count, sizeof *x->memory);
    x->memory_room = nln_array_zeroed(count, sizeof *x->memory_room);
    if (!x->plan || !x->group || !x->memory || !x->memory_room)
        return nln_error_memory(err);
    x->n_made = n;
    return NLN_OK;
}

void nln_shard_outlines_free(nln_shard_outlines *x)
{
    for (int i = 0; i < x->n_made; i++)
        nln_free(x->memory[i]);
    nln_free(x->words);
    nln_free(x->plan);
    nln_free(x->group);
    nln_free(x->memory);
    nln_free(x->memory_room);
    *x = (nln_shard_outlines){0};
}

/* Where the outlines of each rank begin among those of all, in words: first[ranks] is their sum. */
static size_t *measure(const nln_plan **plan, const nln_shard_assignment *o)
{
    size_t n_ranks = (size_t)nln_communicator_size(), mine = 0;
    size_t *first = nln_array_zeroed(2 * n_ranks + 2, sizeof *first);
    if (!first)
        return NULL;
    size_t *place = first + n_ranks + 1;
    for (int i = o->first; i < o->last; i++) {
        head h = head_of(plan[i]);
        mine += words_of(&h);
    }
    for (size_t r = 0; r <= n_ranks; r++)
        place[r] = r;
    first[nln_communicator_rank()] = mine;
    nln_communicator_gather_directly(first, place, sizeof *first);
    for (size_t r = 0, sum = 0; r <= n_ranks; r++) {
        size_t n = first[r];
        first[r] = sum;
        sum += n;
    }
    return first;
}

nln_status nln_shard_outlines_share(nln_shard_outlines *x, const nln_plan **plan,
                                    const nln_shard_assignment *o, nln_error *err)
{
    int me = nln_communicator_rank(), n_ranks = nln_communicator_size();
    nln_status status = make(x, o->n_shards, err);
    size_t *first = status ? NULL : measure(plan, o);
    if (!first || !NLN_ARRAY_RESERVE(x->words, x->room, first[n_ranks] + 1)) {
        nln_free(first);
        return status ? status : nln_error_memory(err);
    }
    int32_t *at = x->words + first[me];
    for (int i = o->first; i < o->last; i++) {
        head h = head_of(plan[i]);
        pack(at, plan[i]);
        at += words_of(&h);
    }
    nln_communicator_gather_directly(x->words, first, sizeof *x->words);
    nln_free(first);
    at = x->words;
    for (int i = 0; !status && i < o->n_shards; i++) {
        head h;
        memcpy(&h, at, sizeof h);
        if (o->rank[i] != me && !(status = unpack(x, i, at, err)))
            plan[i] = &x->plan[i];
        at += words_of(&h);
    }
    return status;
}
