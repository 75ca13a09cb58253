/* Operator precedence with an explicit stack: operands go straight to the list,
 * which is in postfix order, and an operator waits on the stack until one that
 * binds looser, a ')' or the end releases it. */
#include "logic/parse.h"

#include <stdio.h>

#include "base/array.h"
#include "logic/token.h"

enum { OPEN = -1 };

/* An operator that waits for its last operand, or an open parenthesis. */
typedef struct pending {
    int32_t op;    /* an nln_op, or OPEN */
    int32_t count; /* operands of AND and OR so far, with the awaited one */
    size_t at;     /* where it stands in the text */
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
    size_t depth, room;
    size_t n_open;
    int wants_operand;
} parser;

static long column_of(const parser *p, size_t at)
{
    long column = 1;
    for (size_t i = 0; i < at; i++)
        column += ((unsigned char)p->text[i] & 0xc0) != 0x80;
    return column;
}

/* ---- what was found and what was expected ------------------------------- */

/* Quotes the token, the first characters of a long one. */
static void quote(char *out, size_t room, const char *text, size_t length)
{
    enum { MOST = 40 };
    const char *dots = length > MOST ? "..." : "";
    if (length > MOST)
        for (length = MOST; ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    snprintf(out, room, "'%.*s%s'", (int)length, text, dots);
}

static int is_invisible(uint32_t code)
{
    return code < 0x21 || (code >= 0x7f && code <= 0xa0) || (code >= 0x2000 && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202f) || code == 0x3000 || code == 0xfeff;
}

static void describe(char *out, size_t room, const parser *p, nln_token t)
{
    uint32_t code = 0;
    if (t.kind == NLN_TOKEN_END)
        snprintf(out, room, "the end");
    else if (t.kind != NLN_TOKEN_STRANGE)
        quote(out, room, p->text + t.start, t.length);
    else if (!nln_token_decode(&code, p->text + t.start, p->length - t.start))
        snprintf(out, room, "the byte 0x%02x, which is not UTF-8",
                 (unsigned)(unsigned char)p->text[t.start]);
    else if (is_invisible(code))
        snprintf(out, room, "the character U+%04X", (unsigned)code);
    else
        quote(out, room, p->text + t.start, t.length);
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
    long column = column_of(p, t.start);
    if (p->wants_operand)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column, "expected %s but found %s",
                            operands[p->dialect], found);
    return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column, "expected %s or %s but found %s",
                        operators[p->dialect], p->n_open ? "')'" : "the end", found);
}

static nln_status unknown_variable(const parser *p, nln_token t)
{
    char name[128];
    quote(name, sizeof name, p->text + t.start, t.length);
    return nln_error_at(p->err, NLN_UNKNOWN, NULL, 0, column_of(p, t.start),
                        "the variable %s is not known: check its spelling", name);
}

/* ---- the stack ---------------------------------------------------------- */

static nln_status hold(parser *p, int32_t op, size_t at)
{
    pending *stack = nln_array_reserve(p->stack, &p->room, p->depth + 1, sizeof *stack);
    if (!stack)
        return nln_error_memory(p->err);
    p->stack = stack;
    stack[p->depth++] = (pending){op, 2, at};
    return NLN_OK;
}

static pending *top(const parser *p)
{
    return p->depth ? &p->stack[p->depth - 1] : NULL;
}

/* Releases every operator above the innermost open parenthesis whose level is at
 * least `level`. */
static nln_status release(parser *p, int level)
{
    nln_status status = NLN_OK;
    for (pending *o = top(p); !status && o && o->op != OPEN; o = top(p)) {
        if (nln_operators[o->op].level < level)
            break;
        int many = o->op == NLN_OP_AND || o->op == NLN_OP_OR;
        status = nln_exprs_push(p->list, (nln_op)o->op, many ? o->count : 0, p->err);
        p->depth--;
    }
    return status;
}

/* ---- the grammar -------------------------------------------------------- */

static nln_status take_name(parser *p, nln_token t)
{
    const char *name = p->text + t.start;
    int32_t id = nln_symbols_find(p->symbols, name, t.length);
    if (id < 0 && !p->grow)
        return unknown_variable(p, t);
    if (id < 0)
        id = nln_symbols_intern(p->symbols, name, t.length);
    if (id < 0)
        return nln_error_memory(p->err);
    return nln_exprs_push(p->list, NLN_OP_VAR, id, p->err);
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
    pending *o = top(p);
    if (rule->side != NLN_SIDE_NONE || !o || o->op != (int32_t)t.op)
        return hold(p, (int32_t)t.op, t.start);
    o->count++;
    return NLN_OK;
}

static nln_status take_close(parser *p, nln_token t)
{
    if (p->n_open == 0)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                            "this ')' closes nothing: remove it or add the '(' that it closes");
    nln_status status = release(p, 0);
    if (status)
        return status;
    p->depth--;
    p->n_open--;
    return NLN_OK;
}

static nln_status take_end(parser *p)
{
    nln_status status = release(p, 0);
    if (!status && p->depth)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, top(p)->at),
                            "this '(' is never closed: add a ')'");
    return status ? status : nln_exprs_finish(p->list, p->err);
}

static nln_status take_operator(parser *p, nln_token t)
{
    switch (t.kind) {
    case NLN_TOKEN_BINARY:
        return take_binary(p, t);
    case NLN_TOKEN_CLOSE:
        return take_close(p, t);
    case NLN_TOKEN_END:
        return take_end(p);
    default:
        return unexpected(p, t);
    }
}

static nln_status take_all(parser *p)
{
    nln_token t = nln_token_next(p->text, p->length, 0, p->dialect);
    if (t.kind == NLN_TOKEN_END)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, 1,
                            "the expression is empty: write one such as %s",
                            p->dialect == NLN_DIALECT_TEXT ? "a & !b" : "1^~2");
    for (;;) {
        nln_status status = p->wants_operand ? take_operand(p, t) : take_operator(p, t);
        if (status || t.kind == NLN_TOKEN_END)
            return status;
        t = nln_token_next(p->text, p->length, t.start + t.length, p->dialect);
    }
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
    nln_status status = take_all(&p);
    if (status)
        nln_exprs_drop(list);
    nln_free(p.stack);
    return status;
}
