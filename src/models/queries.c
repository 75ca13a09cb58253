#include "models/queries.h"

#include <string.h>

#include "base/array.h"

void nln_queries_free(nln_queries *queries)
{
    nln_free(queries->list);
    nln_free(queries->literal);
    *queries = (nln_queries){0};
}

void nln_queries_clear(nln_queries *queries)
{
    queries->n = 0;
    queries->n_literals = 0;
}

nln_status nln_queries_append(nln_queries *queries, int32_t user, const nln_literal *history,
                              size_t n, int32_t target, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(queries->list, queries->room, queries->n + 1) ||
        !NLN_ARRAY_RESERVE(queries->literal, queries->literal_room, queries->n_literals + n))
        return nln_error_memory(err);
    if (n)
        memcpy(queries->literal + queries->n_literals, history, n * sizeof *history);
    queries->list[queries->n++] = (nln_query){user, target, queries->n_literals, n};
    queries->n_literals += n;
    return NLN_OK;
}
