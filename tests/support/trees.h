/* What the tests of src/logic share: random expressions, all assignments, and a
 * thread whose stack is too small for anything that recurses. */
#ifndef NLN_TESTS_TREES_H
#define NLN_TESTS_TREES_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/symbols.h"
#include "logic/expr.h"
#include "logic/parse.h"

/* Names x0, x1, ... */
static inline nln_symbols *trees_names(int n)
{
    nln_symbols *s = nln_symbols_create();
    for (int i = 0; i < n; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "x%d", i);
        nln_symbols_intern(s, name, (size_t)length);
    }
    return s;
}

static inline void trees_leaf(nln_exprs *list, nln_random *r, int n_variables)
{
    uint64_t die = nln_random_below(r, 12);
    if (die < 2)
        nln_exprs_push(list, die ? NLN_OP_TRUE : NLN_OP_FALSE, 0, NULL);
    else
        nln_exprs_push(list, NLN_OP_VAR, (int32_t)nln_random_below(r, (uint64_t)n_variables), NULL);
}

/* Pushes a random tree with every operator, at most `depth` deep. */
static inline void trees_push(nln_exprs *list, nln_random *r, int n_variables, int depth)
{
    int op = NLN_OP_NOT + (int)nln_random_below(r, 8);
    if (depth == 0 || op > NLN_OP_XOR) {
        trees_leaf(list, r, n_variables);
        return;
    }
    int32_t n = op == NLN_OP_NOT ? 1 : 2;
    if (op == NLN_OP_AND || op == NLN_OP_OR)
        n += (int32_t)nln_random_below(r, 3);
    for (int32_t i = 0; i < n; i++)
        trees_push(list, r, n_variables, depth - 1);
    nln_exprs_push(list, (nln_op)op, op == NLN_OP_AND || op == NLN_OP_OR ? n : 0, NULL);
}

static inline nln_expr trees_random(nln_exprs *list, nln_random *r, int n_variables, int depth)
{
    trees_push(list, r, n_variables, depth);
    nln_exprs_finish(list, NULL);
    return nln_exprs_get(list, list->n - 1);
}

/* Whether a and b agree on all assignments of n variables. */
static inline int trees_equivalent(nln_expr a, nln_expr b, int n_variables)
{
    uint8_t value[32] = {0};
    uint8_t *stack = malloc((size_t)(a.n_nodes > b.n_nodes ? a.n_nodes : b.n_nodes));
    int equal = 1;
    for (uint32_t bits = 0; equal && bits < 1u << n_variables; bits++) {
        for (int i = 0; i < n_variables; i++)
            value[i] = bits >> i & 1;
        equal = nln_expr_evaluate(a, value, stack) == nln_expr_evaluate(b, value, stack);
    }
    free(stack);
    return equal;
}

/* The last expression that `text` parses to; aborts the test program if it does not. */
static inline nln_expr trees_parse(nln_exprs *list, nln_symbols *s, const char *text)
{
    nln_error err;
    if (nln_parse(list, &(nln_vocabulary){.variables = s}, 1, text, strlen(text), NLN_DIALECT_TEXT,
                  &err)) {
        fprintf(stderr, "%s: column %ld: %s\n", text, err.column, err.message);
        abort();
    }
    return nln_exprs_get(list, list->n - 1);
}

/* Runs work(context) on a stack of 128 KiB, which a recursion of 10,000 calls
 * overflows. */
static inline int trees_on_small_stack(void *(*work)(void *), void *context)
{
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 * 1024);
    int failed = pthread_create(&thread, &attr, work, context) || pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    return !failed;
}

#endif
