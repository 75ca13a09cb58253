#include "data/data_fingerprint.h"

#include <string.h>

#include "base/random.h"

static uint64_t add(uint64_t sum, uint64_t word)
{
    return nln_random_mix(sum ^ word);
}

static uint64_t add_numbers(uint64_t sum, const float *list, size_t n)
{
    for (size_t i = 0; list && i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &list[i], sizeof bits);
        sum = add(sum, bits);
    }
    return sum;
}

uint64_t nln_data_fingerprint_logic(const nln_data *data)
{
    uint64_t sum = 1;
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        const nln_exprs *exprs = &data->split[s].exprs;
        sum = add(sum, exprs->n);
        for (size_t i = 0; i < exprs->n; i++)
            sum = add(sum, exprs->start[i + 1] << 1 | data->split[s].labels[i]);
        sum = add_numbers(sum, data->split[s].soft, exprs->n);
        sum = add_numbers(sum, data->split[s].weights, exprs->n);
        for (size_t i = 0; i < exprs->n_nodes; i++)
            sum = add(sum, (uint64_t)exprs->nodes[i].op << 32 | (uint32_t)exprs->nodes[i].arg);
    }
    for (int32_t i = 0; data->atoms && i < data->atoms->n; i++) {
        nln_atom a = nln_atoms_get(data->atoms, i);
        sum = add(sum, (uint64_t)a.predicate);
        for (int32_t k = 0; k < a.n_arguments; k++)
            sum = add(sum, (uint32_t)a.argument[k]);
    }
    return sum;
}

/* Times matter only by the order of the interactions. */
uint64_t nln_data_fingerprint_ratings(const nln_ratings *r)
{
    uint64_t sum = 2;
    size_t n_users = nln_ratings_users(r);
    for (size_t u = 0; u <= n_users; u++)
        sum = add(sum, r->start[u]);
    for (size_t i = 0; i < r->n; i++) {
        uint32_t rating;
        memcpy(&rating, &r->rating[i], sizeof rating);
        sum = add(sum, (uint64_t)rating << 32 | (uint32_t)r->item[i]);
        sum = add(sum, r->mark[i]);
    }
    return sum;
}
