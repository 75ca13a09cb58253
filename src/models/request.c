#include "models/request.h"

#include <string.h>

#include "base/array.h"

void nln_cases_free(nln_cases *cases)
{
    nln_free(cases->list);
    nln_free(cases->literal);
    *cases = (nln_cases){0};
}

void nln_cases_clear(nln_cases *cases)
{
    cases->n = 0;
    cases->n_literals = 0;
}

nln_status nln_cases_append(nln_cases *cases, int32_t user, const nln_literal *history, size_t n,
                            int32_t target, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(cases->list, cases->room, cases->n + 1) ||
        !NLN_ARRAY_RESERVE(cases->literal, cases->literal_room, cases->n_literals + n))
        return nln_error_memory(err);
    if (n)
        memcpy(cases->literal + cases->n_literals, history, n * sizeof *history);
    cases->list[cases->n++] = (nln_case){user, target, cases->n_literals, n};
    cases->n_literals += n;
    return NLN_OK;
}
