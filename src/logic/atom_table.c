#include "logic/atom_table.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- predicates and entities --------------------------------------------- */

nln_status nln_relations_create(nln_relations **out, nln_error *err)
{
    nln_relations *r = nln_memory_zeroed(1, sizeof *r);
    *out = NULL;
    if (!r || !(r->predicates = nln_symbols_create()) || !(r->entities = nln_symbols_create())) {
        nln_relations_free(r);
        return nln_error_memory(err);
    }
    *out = r;
    return NLN_OK;
}

nln_status nln_relations_copy(nln_relations **out, const nln_relations *from, nln_error *err)
{
    nln_relations *r = nln_memory_zeroed(1, sizeof *r);
    *out = NULL;
    size_t n = (size_t)nln_symbols_count(from->predicates);
    if (!r || !(r->predicates = nln_symbols_copy(from->predicates)) ||
        !(r->entities = nln_symbols_copy(from->entities)) ||
        !NLN_ARRAY_RESERVE(r->arity, r->arity_room, n + 1)) {
        nln_relations_free(r);
        return nln_error_memory(err);
    }
    if (n)
        memcpy(r->arity, from->arity, n * sizeof *r->arity);
    *out = r;
    return NLN_OK;
}

void nln_relations_free(nln_relations *r)
{
    if (!r)
        return;
    nln_symbols_free(r->predicates);
    nln_symbols_free(r->entities);
    nln_free(r->arity);
    nln_free(r);
}

int32_t nln_relations_predicate(nln_relations *r, const char *name, size_t length, int32_t arity)
{
    int32_t id = nln_symbols_find(r->predicates, name, length);
    if (id >= 0)
        return r->arity[id] == arity ? id : -2;
    size_t n = (size_t)nln_symbols_count(r->predicates);
    if (!NLN_ARRAY_RESERVE(r->arity, r->arity_room, n + 1))
        return -1;
    r->arity[n] = arity;
    return nln_symbols_intern(r->predicates, name, length);
}

int32_t nln_relations_most_arguments(const nln_relations *r)
{
    int32_t most = 0;
    for (int32_t i = 0; i < nln_symbols_count(r->predicates); i++)
        most = r->arity[i] > most ? r->arity[i] : most;
    return most;
}

/* ---- atoms ---------------------------------------------------------------- */

nln_status nln_atoms_create(nln_atoms **out, nln_error *err)
{
    nln_atoms *a = nln_memory_zeroed(1, sizeof *a);
    *out = NULL;
    if (!a || !(a->bound = nln_symbols_create()) ||
        !NLN_ARRAY_RESERVE(a->start, a->start_room, 1)) {
        nln_atoms_free(a);
        return nln_error_memory(err);
    }
    a->start[0] = 0;
    *out = a;
    return NLN_OK;
}

nln_status nln_atoms_copy(nln_atoms **out, const nln_atoms *from, nln_error *err)
{
    nln_status status = nln_atoms_create(out, err);
    if (status)
        return status;
    nln_symbols_free((*out)->bound);
    (*out)->bound = nln_symbols_copy(from->bound);
    int complete = (*out)->bound != NULL;
    for (int32_t i = 0; complete && i < from->n; i++) {
        nln_atom a = nln_atoms_get(from, i);
        complete = nln_atoms_intern(*out, a.predicate, a.argument, a.n_arguments) == i;
    }
    if (complete)
        return NLN_OK;
    nln_atoms_free(*out);
    *out = NULL;
    return nln_error_memory(err);
}

void nln_atoms_free(nln_atoms *a)
{
    if (!a)
        return;
    nln_symbols_free(a->bound);
    nln_free(a->predicate);
    nln_free(a->start);
    nln_free(a->argument);
    nln_free(a->slots);
    nln_free(a);
}

nln_atom nln_atoms_get(const nln_atoms *a, int32_t i)
{
    return (nln_atom){a->predicate[i], (int32_t)(a->start[i + 1] - a->start[i]),
                      a->argument + a->start[i]};
}

/* The slot of an atom that is equal, or a free one for it. */
static size_t slot_of(const nln_atoms *a, int32_t predicate, const int32_t *argument,
                      int32_t n_arguments)
{
    uint64_t hash = nln_random_mix((uint64_t)(uint32_t)predicate);
    for (int32_t i = 0; i < n_arguments; i++)
        hash = nln_random_mix(hash ^ (uint32_t)argument[i]);
    size_t at = (size_t)hash & (a->n_slots - 1);
    for (; a->slots[at]; at = (at + 1) & (a->n_slots - 1)) {
        nln_atom other = nln_atoms_get(a, a->slots[at] - 1);
        if (other.predicate == predicate && other.n_arguments == n_arguments &&
            !memcmp(other.argument, argument, (size_t)n_arguments * sizeof *argument))
            break;
    }
    return at;
}

/* The hash table is kept at most half full. */
static int make_room(nln_atoms *a, int32_t n_arguments)
{
    size_t n = (size_t)a->n, n_slots = a->n_slots ? 2 * a->n_slots : 64;
    if (a->n == INT32_MAX - 1 || !NLN_ARRAY_RESERVE(a->predicate, a->predicate_room, n + 1) ||
        !NLN_ARRAY_RESERVE(a->start, a->start_room, n + 2) ||
        !NLN_ARRAY_RESERVE(a->argument, a->argument_room, a->start[n] + (size_t)n_arguments + 1))
        return 0;
    if (2 * (n + 1) < a->n_slots)
        return 1;
    int32_t *larger = nln_array_zeroed(n_slots, sizeof *larger);
    if (!larger)
        return 0;
    nln_free(a->slots);
    a->slots = larger;
    a->n_slots = n_slots;
    for (int32_t i = 0; i < a->n; i++) {
        nln_atom atom = nln_atoms_get(a, i);
        a->slots[slot_of(a, atom.predicate, atom.argument, atom.n_arguments)] = i + 1;
    }
    return 1;
}

int32_t nln_atoms_intern(nln_atoms *a, int32_t predicate, const int32_t *argument,
                         int32_t n_arguments)
{
    if (!make_room(a, n_arguments))
        return -1;
    size_t at = slot_of(a, predicate, argument, n_arguments);
    if (!a->slots[at]) {
        a->predicate[a->n] = predicate;
        memcpy(a->argument + a->start[a->n], argument, (size_t)n_arguments * sizeof *argument);
        a->start[a->n + 1] = a->start[a->n] + (size_t)n_arguments;
        a->slots[at] = ++a->n;
    }
    return a->slots[at] - 1;
}

int32_t nln_atoms_find(const nln_atoms *a, int32_t predicate, const int32_t *argument,
                       int32_t n_arguments)
{
    return a->n_slots ? a->slots[slot_of(a, predicate, argument, n_arguments)] - 1 : -1;
}

/* The last atom was the last to find its slot, so that no other was placed after passing it. */
void nln_atoms_truncate(nln_atoms *a, int32_t n)
{
    while (a->n > n) {
        nln_atom last = nln_atoms_get(a, a->n - 1);
        a->slots[slot_of(a, last.predicate, last.argument, last.n_arguments)] = 0;
        a->n--;
    }
}
