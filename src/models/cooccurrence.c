#include "models/cooccurrence.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

enum { MOST_MET = 1000 };

/* The literals of each user, the last ones. */
static nln_status list_literals(nln_cooccurrence *c, const nln_queries *users,
                                nln_dislikes dislikes, nln_error *err)
{
    uint8_t *is_met = nln_array_zeroed(c->n_items, 1);
    int counted = dislikes.are_literals || dislikes.value != 0;
    size_t n = 0;
    c->n_users = users->n;
    c->first = nln_array_zeroed(users->n + 1, sizeof *c->first);
    c->literals = nln_array_zeroed(users->n_literals, sizeof *c->literals);
    c->value = nln_array_zeroed(users->n_literals, sizeof *c->value);
    nln_status status =
        is_met && c->first && c->literals && c->value ? NLN_OK : nln_error_memory(err);
    for (size_t u = 0; !status && u < users->n; u++) {
        const nln_query *q = &users->list[u];
        const nln_literal *met = users->literal + q->first;
        for (size_t i = q->n; i-- > 0 && n - c->first[u] < MOST_MET;)
            if (!is_met[met[i].item] && (met[i].liked || counted)) {
                is_met[met[i].item] = 1;
                c->value[n] = met[i].liked || dislikes.are_literals ? 1 : (float)dislikes.value;
                c->literals[n++] =
                    (int32_t)(met[i].item +
                              (met[i].liked || !dislikes.are_literals ? 0 : c->n_items));
            }
        c->first[u + 1] = n;
        for (size_t i = 0; i < q->n; i++)
            is_met[met[i].item] = 0;
    }
    nln_free(is_met);
    return status;
}

/* For each literal, the users of whom it is true. */
typedef struct lists {
    size_t *start; /* [literals + 1] */
    int32_t *user;
    float *value;
} lists;

static nln_status invert(lists *out, const nln_cooccurrence *c, nln_error *err)
{
    size_t n = c->first[c->n_users];
    out->start = nln_array_zeroed(c->n_literals + 2, sizeof *out->start);
    out->user = nln_array_zeroed(n, sizeof *out->user);
    out->value = nln_array_zeroed(n, sizeof *out->value);
    if (!out->start || !out->user || !out->value)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++)
        out->start[c->literals[i] + 2]++;
    for (size_t i = 0; i < c->n_literals; i++)
        out->start[i + 2] += out->start[i + 1];
    for (size_t u = 0; u < c->n_users; u++)
        for (size_t i = c->first[u]; i < c->first[u + 1]; i++) {
            size_t at = out->start[c->literals[i] + 1]++;
            out->user[at] = (int32_t)u;
            out->value[at] = c->value[i];
        }
    return NLN_OK;
}

static int more_frequent(const void *a, const void *b)
{
    const nln_companion *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->literal > y->literal) - (x->literal < y->literal);
}

/* The companions of literal v; `count` and `is_found` are [literals], 0 before and after, and
 * `found` has room for all literals. */
static nln_status count_companions(nln_cooccurrence *c, size_t v, const lists *true_of,
                                   float *count, uint8_t *is_found, nln_companion *found,
                                   nln_error *err)
{
    size_t n = 0;
    for (size_t k = true_of->start[v]; k < true_of->start[v + 1]; k++) {
        size_t u = (size_t)true_of->user[k];
        for (size_t i = c->first[u]; i < c->first[u + 1]; i++) {
            int32_t literal = c->literals[i];
            if (!is_found[literal])
                found[n++].literal = literal;
            is_found[literal] = 1;
            count[literal] += true_of->value[k] * c->value[i];
        }
    }
    c->with_self[v] = count[v];
    for (size_t i = 0; i < n; i++) {
        found[i].count = count[found[i].literal];
        count[found[i].literal] = 0;
        is_found[found[i].literal] = 0;
    }
    if (n > NLN_MOST_COMPANIONS) {
        qsort(found, n, sizeof *found, more_frequent);
        n = NLN_MOST_COMPANIONS;
    }
    if (!NLN_ARRAY_RESERVE(c->of, c->room, c->start[v] + n))
        return nln_error_memory(err);
    if (n)
        memcpy(c->of + c->start[v], found, n * sizeof *found);
    c->start[v + 1] = c->start[v] + n;
    return NLN_OK;
}

nln_status nln_cooccurrence_create(nln_cooccurrence **out, const nln_queries *users, size_t n_items,
                                   nln_dislikes dislikes, nln_error *err)
{
    size_t n = dislikes.are_literals ? 2 * n_items : n_items;
    lists true_of = {0};
    nln_cooccurrence *c = nln_memory_zeroed(1, sizeof *c);
    float *count = nln_array_zeroed(n, sizeof *count);
    uint8_t *is_found = nln_array_zeroed(n, 1);
    nln_companion *found = nln_array_zeroed(n, sizeof *found);
    nln_status status = c && count && is_found && found ? NLN_OK : nln_error_memory(err);
    if (!status && n > INT32_MAX / 2)
        status = nln_error_set(err, NLN_LIMIT, "%zu items are too many to count", n_items);
    if (!status) {
        c->n_items = n_items;
        c->n_literals = n;
        c->with_self = nln_array_zeroed(n, sizeof *c->with_self);
        c->start = nln_array_zeroed(n + 1, sizeof *c->start);
        status = c->with_self && c->start ? list_literals(c, users, dislikes, err)
                                          : nln_error_memory(err);
    }
    if (!status)
        status = invert(&true_of, c, err);
    for (size_t v = 0; !status && v < n; v++)
        status = count_companions(c, v, &true_of, count, is_found, found, err);
    nln_free(true_of.start);
    nln_free(true_of.user);
    nln_free(true_of.value);
    nln_free(count);
    nln_free(is_found);
    nln_free(found);
    if (status)
        nln_cooccurrence_free(c);
    else
        *out = c;
    return status;
}

void nln_cooccurrence_free(nln_cooccurrence *c)
{
    if (!c)
        return;
    nln_free(c->first);
    nln_free(c->literals);
    nln_free(c->value);
    nln_free(c->with_self);
    nln_free(c->start);
    nln_free(c->of);
    nln_free(c);
}
