#include "logic/facts.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* The argument of a fact, or -1 where it has fewer. */
static int32_t argument_of(const nln_facts *f, int32_t atom, int32_t position)
{
    nln_atom a = nln_atoms_get(f->atoms, atom);
    return position < a.n_arguments ? a.argument[position] : -1;
}

/* Merges sorted runs of twice the length each time: stable, and without a comparison that would
 * need the table in a global. */
static void sort_facts(int32_t *list, int32_t *scratch, const nln_facts *f, int32_t position)
{
    for (int32_t width = 1; width < f->n; width = width < f->n / 2 + 1 ? 2 * width : f->n) {
        for (int64_t begin = 0; begin < f->n; begin += 2 * (int64_t)width) {
            int64_t middle = begin + width < f->n ? begin + width : f->n;
            int64_t end = begin + 2 * (int64_t)width < f->n ? begin + 2 * (int64_t)width : f->n;
            int64_t a = begin, b = middle;
            for (int64_t at = begin; at < end; at++) {
                int takes_b = a == middle;
                if (a < middle && b < end) {
                    int32_t of_a = f->atoms->predicate[list[a]];
                    int32_t of_b = f->atoms->predicate[list[b]];
                    takes_b =
                        of_b < of_a || (of_b == of_a && argument_of(f, list[b], position) <
                                                            argument_of(f, list[a], position));
                }
                scratch[at] = takes_b ? list[b++] : list[a++];
            }
        }
        memcpy(list, scratch, (size_t)f->n * sizeof *list);
    }
}

nln_status nln_facts_create(nln_facts **out, const nln_atoms *atoms, const int32_t *list, int32_t n,
                            nln_error *err)
{
    nln_facts *f = nln_memory_zeroed(1, sizeof *f);
    int32_t *scratch = nln_array_zeroed((size_t)n, sizeof *scratch), orders = 1;
    *out = NULL;
    for (int32_t i = 0; i < n; i++) {
        nln_atom a = nln_atoms_get(atoms, list[i]);
        orders = a.n_arguments > orders ? a.n_arguments : orders;
    }
    if (f) {
        f->atoms = atoms;
        f->n = n;
        f->n_known = atoms->n;
        f->known = nln_array_zeroed((size_t)atoms->n, 1);
        f->order = nln_array_zeroed((size_t)orders, sizeof *f->order);
    }
    int complete = f && scratch && f->known && f->order;
    for (int32_t i = 0; complete && i < orders; i++) {
        f->order[i] = nln_array_zeroed((size_t)n, sizeof **f->order);
        complete = f->order[i] != NULL;
        f->n_orders += complete;
        if (!complete || n == 0)
            continue;
        memcpy(f->order[i], list, (size_t)n * sizeof *list);
        sort_facts(f->order[i], scratch, f, i);
    }
    for (int32_t i = 0; complete && i < n; i++)
        f->known[list[i]] = 1;
    nln_free(scratch);
    if (!complete) {
        nln_facts_free(f);
        return nln_error_memory(err);
    }
    *out = f;
    return NLN_OK;
}

void nln_facts_free(nln_facts *f)
{
    if (!f)
        return;
    for (int32_t i = 0; i < f->n_orders; i++)
        nln_free(f->order[i]);
    nln_free(f->order);
    nln_free(f->known);
    nln_free(f);
}

/* The first place of an order that is not before (predicate, entity). */
static int32_t lower_bound(const nln_facts *f, int32_t position, int32_t predicate, int64_t entity)
{
    int32_t low = 0, high = f->n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2, fact = f->order[position][middle];
        int32_t found = f->atoms->predicate[fact];
        int before = found < predicate ||
                     (found == predicate && (int64_t)argument_of(f, fact, position) < entity);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

int32_t nln_facts_find(int32_t *first, const nln_facts *f, int32_t predicate, int32_t position,
                       int32_t entity)
{
    *first = 0;
    if (position >= f->n_orders)
        return 0;
    *first = lower_bound(f, position, predicate, entity < 0 ? -1 : entity);
    int64_t end = entity < 0 ? (int64_t)INT32_MAX + 1 : (int64_t)entity + 1;
    return lower_bound(f, position, predicate, end) - *first;
}

int nln_facts_has(const nln_facts *f, int32_t atom)
{
    return atom >= 0 && atom < f->n_known && f->known[atom];
}
