/* The words of the expression language: what `!`, `and` or `x1` is, how tightly
 * operators bind, and how they are written. */
#ifndef NLN_LOGIC_TOKEN_H
#define NLN_LOGIC_TOKEN_H

#include "logic/parse.h"

typedef enum nln_token_kind {
    NLN_TOKEN_END,
    NLN_TOKEN_NAME,
    NLN_TOKEN_CONSTANT, /* op is TRUE or FALSE */
    NLN_TOKEN_NOT,
    NLN_TOKEN_BINARY, /* `op` is the operator */
    NLN_TOKEN_OPEN,
    NLN_TOKEN_CLOSE,
    NLN_TOKEN_STRANGE /* one character, or one byte that is not UTF-8 */
} nln_token_kind;

typedef struct nln_token {
    nln_token_kind kind;
    nln_op op;
    size_t start, length; /* in bytes; blanks before it are not counted */
} nln_token;

/* The first token of text[from..length). */
nln_token nln_token_next(const char *text, size_t length, size_t from, nln_dialect dialect);

/* The side on which an operand with the same operator needs no parentheses. */
typedef enum nln_side { NLN_SIDE_NONE, NLN_SIDE_LEFT, NLN_SIDE_RIGHT } nln_side;

typedef struct nln_operator {
    int level; /* the higher, the tighter it binds */
    nln_side side;
    const char *text; /* as printed; NULL for variables */
} nln_operator;

extern const nln_operator nln_operators[]; /* [nln_op] */

#endif
