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
    NLN_TOKEN_BINARY,     /* `op` is the operator */
    NLN_TOKEN_QUANTIFIER, /* op is FORALL or EXISTS */
    NLN_TOKEN_OPEN,
    NLN_TOKEN_CLOSE,
    NLN_TOKEN_COMMA,
    NLN_TOKEN_HOLE,
    NLN_TOKEN_QUOTED,     /* a name in quotes, with them */
    NLN_TOKEN_OPEN_QUOTE, /* the rest of the text: its quote is never closed */
    NLN_TOKEN_STRANGE     /* one character, or one byte that is not UTF-8 */
} nln_token_kind;

typedef struct nln_token {
    nln_token_kind kind;
    nln_op op;
    size_t start, length; /* in bytes; blanks before it are not counted */
    int is_word;          /* spelled with letters: a name where an operand is expected, unless its
                           * kind is CONSTANT or NOT, or `and`, `or`, `xor` */
} nln_token;

/* The first token of text[from..length). */
nln_token nln_token_next(const char *text, size_t length, size_t from, nln_dialect dialect);

/* Whether the whole text is a name as it is; any other has to be quoted. */
int nln_token_is_name(const char *text, size_t length);
/* The name in a token QUOTED: out has room for its length.  Returns the length of the name; -1
 * where it has an unknown escape, NUL, or bytes that are not UTF-8. */
long nln_token_unquote(char *out, const char *text, size_t length);

/* The side on which an operand with the same operator needs no parentheses. */
typedef enum nln_side { NLN_SIDE_NONE, NLN_SIDE_LEFT, NLN_SIDE_RIGHT } nln_side;

typedef struct nln_operator {
    int level; /* the higher, the tighter it binds */
    nln_side side;
    const char *text; /* as printed; NULL for variables */
} nln_operator;

extern const nln_operator nln_operators[]; /* [nln_op] */

#endif
