#include "data/fingerprint.h"

#include <string.h>

#include "base/random.h"

static uint64_t add(uint64_t sum, uint64_t word)
{
    return nln_random_mix(sum ^ word);
}

static uint64_t add_exprs(uint64_t sum, const nln_labelled *set)
{
    sum = add(sum, set->exprs.n);
    for (size_t i = 0; i < set->exprs.n; i++)
        sum = add(sum, set->exprs.start[i + 1] << 1 | set->labels[i]);
    for (size_t i = 0; i < set->exprs.n_nodes; i++) {
        nln_node node = set->exprs.nodes[i];
        sum = add(sum, (uint64_t)node.op << 32 | (uint32_t)node.arg);
    }
    return sum;
}

uint64_t nln_fingerprint_data(const nln_data *data)
{
    uint64_t sum = 1;
    for (int s = 0; s < 3; s++)
        sum = add_exprs(sum, &data->split[s]);
    return sum;
}

/* Times matter by the order that they have made. */
uint64_t nln_fingerprint_ratings(const nln_ratings *r)
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
