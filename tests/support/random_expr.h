/* Random expressions of every operator, for tests. */
#ifndef NLN_TESTS_RANDOM_EXPR_H
#define NLN_TESTS_RANDOM_EXPR_H

#include "base/random.h"
#include "logic/expr.h"

/* Joins the last `n` >= 2 finished operands under a random operator. */
static inline nln_status push_random_join(nln_exprs *out, nln_random *r, int32_t n)
{
    static const nln_op binary[] = {NLN_OP_IMPLIES, NLN_OP_IFF, NLN_OP_XOR, NLN_OP_AND, NLN_OP_OR};
    nln_op op = binary[n > 2 ? 3 + nln_random_below(r, 2) : nln_random_below(r, 5)];
    return nln_exprs_push(out, op, op == NLN_OP_AND || op == NLN_OP_OR ? n : 0, NULL);
}

/* Appends a random tree whose leaves are the n given variables in their order,
 * here and there a constant, and here and there a NOT. */
static inline nln_status push_random_expr(nln_exprs *out, nln_random *r, const int32_t *variables,
                                          int32_t n)
{
    int32_t waiting = 0;
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < n && !status; i++) {
        status = nln_exprs_push(out, NLN_OP_VAR, variables[i], NULL);
        waiting++;
        if (!status && nln_random_below(r, 12) == 0) {
            status =
                nln_exprs_push(out, nln_random_below(r, 2) ? NLN_OP_TRUE : NLN_OP_FALSE, 0, NULL);
            waiting++;
        }
        while (!status && waiting > 1 && (i == n - 1 || nln_random_below(r, 2))) {
            int32_t joined = 2 + (int32_t)nln_random_below(r, (uint64_t)waiting - 1);
            status = push_random_join(out, r, joined);
            waiting -= joined - 1;
        }
        if (!status && nln_random_below(r, 3) == 0)
            status = nln_exprs_push(out, NLN_OP_NOT, 0, NULL);
    }
    return status ? status : nln_exprs_finish(out, NULL);
}

/* value[v] becomes bit v of `bits`. */
static inline void set_values(uint8_t *value, uint32_t bits, int32_t n)
{
    for (int32_t v = 0; v < n; v++)
        value[v] = bits >> v & 1;
}

#endif
