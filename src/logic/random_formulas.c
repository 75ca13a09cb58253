#include "logic/random_formulas.h"

#include "base/array.h"

typedef struct range {
    int least, most;
} range;

static int32_t pick(range r, nln_random *random)
{
    return (int32_t)(r.least + (int)nln_random_below(random, (uint64_t)(r.most - r.least) + 1));
}

static nln_status check_range(range r, const char *noun, nln_error *err)
{
    if (r.least >= 1 && r.most >= r.least)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "the number of %s cannot range from %d to %d: give 1 <= least <= most",
                         noun, r.least, r.most);
}

static nln_status check(size_t n_variables, range clauses, range literals, nln_error *err)
{
    nln_status status = check_range(clauses, "clauses", err);
    if (!status)
        status = check_range(literals, "literals", err);
    if (status)
        return status;
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

static nln_status add_clause(nln_exprs *out, size_t n_variables, range literals, nln_random *random,
                             nln_error *err)
{
    int32_t n = pick(literals, random);
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < n && !status; i++) {
        int32_t variable = (int32_t)nln_random_below(random, n_variables);
        status = nln_exprs_push(out, NLN_OP_VAR, variable, err);
        if (!status && nln_random_below(random, 2))
            status = nln_exprs_push(out, NLN_OP_NOT, 0, err);
    }
    return status || n == 1 ? status : nln_exprs_push(out, NLN_OP_AND, n, err);
}

static nln_status add_expression(nln_exprs *out, size_t n_variables, range clauses, range literals,
                                 nln_random *random, nln_error *err)
{
    int32_t n = pick(clauses, random);
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < n && !status; i++)
        status = add_clause(out, n_variables, literals, random, err);
    if (!status && n > 1)
        status = nln_exprs_push(out, NLN_OP_OR, n, err);
    return status ? status : nln_exprs_finish(out, err);
}

/* Takes back every expression after the first n. */
static void forget(nln_exprs *out, size_t n)
{
    out->n = n;
    nln_exprs_drop(out);
}

/* Appends n labelled expressions; `value` is [n_variables]. */
static nln_status add_all(nln_exprs *out, uint8_t *label, const uint8_t *value, size_t n_variables,
                          size_t n, range clauses, range literals, nln_random *random,
                          nln_error *err)
{
    nln_status status = NLN_OK;
    uint8_t *stack = NULL;
    size_t room = 0;
    for (size_t i = 0; i < n && !status; i++) {
        status = add_expression(out, n_variables, clauses, literals, random, err);
        if (status)
            break;
        nln_expr e = nln_exprs_get(out, out->n - 1);
        uint8_t *grown = nln_array_reserve(stack, &room, (size_t)e.n_nodes, 1);
        if (!grown) {
            status = nln_error_memory(err);
            break;
        }
        stack = grown;
        label[i] = (uint8_t)nln_expr_evaluate(e, value, stack);
    }
    nln_free(stack);
    return status;
}

nln_status nln_generate(nln_exprs *out, uint8_t **labels, uint8_t **values, size_t n_variables,
                        size_t n_expressions, int min_clauses, int max_clauses, int min_literals,
                        int max_literals, nln_random *random, nln_error *err)
{
    range clauses = {min_clauses, max_clauses}, literals = {min_literals, max_literals};
    size_t n_before = out->n;
    nln_status status = check(n_variables, clauses, literals, err);
    if (status)
        return status;
    uint8_t *value = nln_array_zeroed(n_variables, 1);
    uint8_t *label = nln_array_zeroed(n_expressions, 1);
    if (!value || !label)
        status = nln_error_memory(err);
    for (size_t i = 0; i < n_variables && !status; i++)
        value[i] = (uint8_t)nln_random_below(random, 2);
    if (!status)
        status =
            add_all(out, label, value, n_variables, n_expressions, clauses, literals, random, err);
    if (status) {
        forget(out, n_before);
        nln_free(value);
        nln_free(label);
        return status;
    }
    *values = value;
    *labels = label;
    return NLN_OK;
}
