#include "logic/random_formulas.h"

#include "base/array.h"

typedef struct range {
    int least, most;
} range;

static int32_t pick(range r, nln_random *random)
{
    return (int32_t)(r.least + (int)nln_random_below(random, (uint64_t)(r.most - r.least) + 1));
}

static nln_status check(size_t n_variables, range clauses, range literals, nln_error *err)
{
    const range *ranges[] = {&clauses, &literals};
    for (int i = 0; i < 2; i++)
        if (ranges[i]->least < 1 || ranges[i]->most < ranges[i]->least)
            return nln_error_set(
                err, NLN_INVALID,
                "the number of %s cannot range from %d to %d: give 1 <= least <= most",
                i ? "literals" : "clauses", ranges[i]->least, ranges[i]->most);
    if (n_variables < 1 || n_variables > INT32_MAX)
        return nln_error_set(err, NLN_INVALID,
                             "cannot generate over %zu variables: give 1 to 2147483647",
                             n_variables);
    if ((int64_t)clauses.most * (2 * (int64_t)literals.most + 1) >= INT32_MAX)
        return nln_error_set(err, NLN_LIMIT,
                             "%d clauses of %d literals are too large for one expression",
                             clauses.most, literals.most);
    return NLN_OK;
}

static nln_status add_expression(nln_exprs *out, size_t n_variables, range clauses, range literals,
                                 nln_random *random, nln_error *err)
{
    int32_t n_clauses = pick(clauses, random);
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < n_clauses && !status; i++) {
        int32_t n = pick(literals, random);
        for (int32_t k = 0; k < n && !status; k++) {
            int32_t variable = (int32_t)nln_random_below(random, n_variables);
            status = nln_exprs_push(out, NLN_OP_VAR, variable, err);
            if (!status && nln_random_below(random, 2))
                status = nln_exprs_push(out, NLN_OP_NOT, 0, err);
        }
        if (!status && n > 1)
            status = nln_exprs_push(out, NLN_OP_AND, n, err);
    }
    if (!status && n_clauses > 1)
        status = nln_exprs_push(out, NLN_OP_OR, n_clauses, err);
    return status ? status : nln_exprs_finish(out, err);
}

nln_status nln_random_formulas_generate(nln_exprs *out, uint8_t **labels, uint8_t **values,
                                        size_t n_variables, size_t n_expressions, int min_clauses,
                                        int max_clauses, int min_literals, int max_literals,
                                        nln_random *random, nln_error *err)
{
    range clauses = {min_clauses, max_clauses}, literals = {min_literals, max_literals};
    size_t n_before = out->n, room = 0;
    nln_status status = check(n_variables, clauses, literals, err);
    if (status)
        return status;
    uint8_t *value = nln_array_zeroed(n_variables, 1), *stack = NULL;
    uint8_t *label = nln_array_zeroed(n_expressions, 1);
    if (!value || !label)
        status = nln_error_memory(err);
    for (size_t i = 0; i < n_variables && !status; i++)
        value[i] = (uint8_t)nln_random_below(random, 2);
    for (size_t i = 0; i < n_expressions && !status; i++) {
        status = add_expression(out, n_variables, clauses, literals, random, err);
        if (status)
            break;
        nln_expr e = nln_exprs_get(out, out->n - 1);
        if (NLN_ARRAY_RESERVE(stack, room, (size_t)e.n_nodes))
            label[i] = (uint8_t)nln_expr_evaluate(e, value, stack);
        else
            status = nln_error_memory(err);
    }
    nln_free(stack);
    if (status) {
        out->n = n_before;
        nln_exprs_drop(out);
        nln_free(value);
        nln_free(label);
        return status;
    }
    *values = value;
    *labels = label;
    return NLN_OK;
}
