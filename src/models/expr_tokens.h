/* An expression as it is written, from left to right: variables and signs.
 *
 * An AND or OR of n operands has n - 1 signs between them.  There are parentheses only where
 * precedence needs them, so that a DNF has none. */
#ifndef NLN_MODELS_EXPR_TOKENS_H
#define NLN_MODELS_EXPR_TOKENS_H

#include "logic/expr.h"

/* The words after those of the variables. */
enum nln_sign {
    NLN_SIGN_NOT,
    NLN_SIGN_AND,
    NLN_SIGN_OR,
    NLN_SIGN_OPEN,
    NLN_SIGN_CLOSE,
    NLN_SIGN_TRUE,
    NLN_SIGN_FALSE,
    NLN_N_SIGNS
};

/* Working memory.  Zero-initialise it; nln_tokens_free releases it. */
typedef struct nln_tokens {
    int32_t *token;
    size_t token_room;
    struct nln_tokens_frame *stack;
    size_t stack_room;
} nln_tokens;

void nln_tokens_free(nln_tokens *t);

/* The n tokens of an expression of !, & and |: variables, or n_variables + a sign.  Borrowed
 * until the next call. */
nln_status nln_tokens_read(const int32_t **out, size_t *n, nln_tokens *t, nln_expr e,
                           int32_t n_variables, nln_error *err);

#endif
