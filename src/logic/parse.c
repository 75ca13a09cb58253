/* Operator precedence with an explicit stack: operands go straight to the list,
 * which is in postfix order, and an operator waits on the stack until a looser
 * operator, a ')' or the end releases it. */
#include "logic/parse.h"

#include <stdio.h>

#include "base/array.h"
#include "base/input.h"
#include "base/utf8.h"
#include "logic/token.h"

enum { OPEN = -1 };

/* An operator that waits for its last operand, or an open parenthesis. */
typedef struct pending {
    int32_t op;    /* an nln_op, or OPEN */
    int32_t count; /* operands of AND and OR so far, with the awaited one */
    size_t at;     /* its offset in the text */
} pending;

typedef struct parser {
    nln_exprs *list;
    nln_symbols *symbols;
    int grow;
    const char *text;
    size_t length;
    nln_dialect dialect;
    nln_error *err;
    pending *stack;
    size_t depth, room, n_open;
    int wants_operand;
} parser;

static long column_of(const parser *p, size_t at)
{
    return nln_input_column(p->text, p->text + at);
}

/* Quotes the token for a message, a long one shortened to its first characters. */
static void describe(char *out, size_t room, const parser *p, nln_token t)
{
    enum { MOST = 40 };
    const char *text = p->text + t.start;
    uint32_t code = 0;
    if (t.kind == NLN_TOKEN_END) {
        snprintf(out, room, "the end");
        return;
    }
    if (t.kind == NLN_TOKEN_STRANGE && !nln_utf8_decode(&code, text, p->length - t.start)) {
        snprintf(out, room, "the byte 0x%02x, which is not UTF-8", (unsigned)(unsigned char)*text);
        return;
    }
    int invisible = code < 0x21 || (code >= 0x7f && code <= 0xa0) ||
                    (code >= 0x2000 && code <= 0x200f) || (code >= 0x2028 && code <= 0x202f) ||
                    code == 0x3000 || code == 0xfeff;
    if (t.kind == NLN_TOKEN_STRANGE && invisible) {
        snprintf(out, room, "the character U+%04X", (unsigned)code);
        return;
    }
    size_t n = t.length < MOST ? t.length : MOST;
    while (n < t.length && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    snprintf(out, room, "'%.*s%s'", (int)n, text, n < t.length ? "..." : "");
}

static nln_status unexpected(const parser *p, nln_token t)
{
    static const char *const operands[] = {
        [NLN_DIALECT_TEXT] = "a variable, T, F, '!' or '('",
        [NLN_DIALECT_PUBLISHED] = "the number of a variable, '~' or '('",
    };
    static const char *const operators[] = {
        [NLN_DIALECT_TEXT] = "an operator such as '&' or '|',",
        [NLN_DIALECT_PUBLISHED] = "'^', 'v'",
    };
    char found[128];
    describe(found, sizeof found, p, t);
    if (p->wants_operand)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                            "expected %s but found %s", operands[p->dialect], found);
    return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                        "expected %s or %s but found %s", operators[p->dialect],
                        p->n_open ? "')'" : "the end", found);
}

/* ---- the stack ---------------------------------------------------------- */

static nln_status hold(parser *p, int32_t op, size_t at)
{
    if (!NLN_ARRAY_RESERVE(p->stack, p->room, p->depth + 1))
        return nln_error_memory(p->err);
    p->stack[p->depth++] = (pending){op, 2, at};
    return NLN_OK;
}

/* Releases every operator above the innermost open parenthesis whose level is at
 * least `level`. */
static nln_status release(parser *p, int level)
{
    nln_status status = NLN_OK;
    while (!status && p->depth) {
        pending o = p->stack[p->depth - 1];
        if (o.op == OPEN || nln_operators[o.op].level < level)
            break;
        int many = o.op == NLN_OP_AND || o.op == NLN_OP_OR;
        status = nln_exprs_push(p->list, (nln_op)o.op, many ? o.count : 0, p->err);
        p->depth--;
    }
    return status;
}

/* ---- the grammar -------------------------------------------------------- */

static nln_status take_name(parser *p, nln_token t)
{
    const char *name = p->text + t.start;
    int32_t id = nln_symbols_find(p->symbols, name, t.length);
    if (id < 0 && !p->grow) {
        char quoted[128];
        describe(quoted, sizeof quoted, p, t);
        return nln_error_at(p->err, NLN_UNKNOWN, NULL, 0, column_of(p, t.start),
                            "the variable %s is not known: check its spelling", quoted);
    }
    if (id < 0)
        id = nln_symbols_intern(p->symbols, name, t.length);
    return id < 0 ? nln_error_memory(p->err) : nln_exprs_push(p->list, NLN_OP_VAR, id, p->err);
}

static nln_status take_operand(parser *p, nln_token t)
{
    switch (t.kind) {
    case NLN_TOKEN_NAME:
        p->wants_operand = 0;
        return take_name(p, t);
    case NLN_TOKEN_CONSTANT:
        p->wants_operand = 0;
        return nln_exprs_push(p->list, t.op, 0, p->err);
    case NLN_TOKEN_NOT:
        return hold(p, NLN_OP_NOT, t.start);
    case NLN_TOKEN_OPEN:
        p->n_open++;
        return hold(p, OPEN, t.start);
    default:
        return unexpected(p, t);
    }
}

static nln_status take_binary(parser *p, nln_token t)
{
    const nln_operator *rule = &nln_operators[t.op];
    nln_status status = release(p, rule->level + (rule->side != NLN_SIDE_LEFT));
    if (status)
        return status;
    p->wants_operand = 1;
    pending *o = p->depth ? &p->stack[p->depth - 1] : NULL;
    if (rule->side != NLN_SIDE_NONE || !o || o->op != (int32_t)t.op)
        return hold(p, (int32_t)t.op, t.start);
    o->count++;
    return NLN_OK;
}

/* What may follow an operand: a binary operator, a ')' or the end. */
static nln_status take_operator(parser *p, nln_token t)
{
    if (t.kind == NLN_TOKEN_BINARY)
        return take_binary(p, t);
    if (t.kind != NLN_TOKEN_CLOSE && t.kind != NLN_TOKEN_END)
        return unexpected(p, t);
    if (t.kind == NLN_TOKEN_CLOSE && p->n_open == 0)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                            "this ')' closes nothing: remove it or add the '(' that it closes");
    nln_status status = release(p, 0);
    if (status)
        return status;
    if (t.kind == NLN_TOKEN_CLOSE) {
        p->depth--;
        p->n_open--;
        return NLN_OK;
    }
    if (p->depth)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, p->stack[p->depth - 1].at),
                            "this '(' is never closed: add a ')'");
    return nln_exprs_finish(p->list, p->err);
}

nln_status nln_parse(nln_exprs *list, nln_symbols *symbols, int grow, const char *text,
                     size_t length, nln_dialect dialect, nln_error *err)
{
    /* Every node takes at least a byte of text, so no count below overflows. */
    if (length > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "the expression is longer than 2 GiB: split it");
    parser p = {.list = list,
                .symbols = symbols,
                .grow = grow,
                .text = text,
                .length = length,
                .dialect = dialect,
                .err = err,
                .wants_operand = 1};
    nln_token t = nln_token_next(text, length, 0, dialect);
    if (t.kind == NLN_TOKEN_END)
        return nln_error_at(err, NLN_SYNTAX, NULL, 0, 1,
                            "the expression is empty: write one such as %s",
                            dialect == NLN_DIALECT_TEXT ? "a & !b" : "1^~2");
    nln_status status = take_operand(&p, t);
    while (!status && t.kind != NLN_TOKEN_END) {
        t = nln_token_next(text, length, t.start + t.length, dialect);
        status = p.wants_operand ? take_operand(&p, t) : take_operator(&p, t);
    }
    if (status)
        nln_exprs_drop(list);
    nln_free(p.stack);
    return status;
}
