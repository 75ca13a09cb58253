/* Operator precedence with an explicit stack: operands go straight to the list,
 * which is in postfix order, and an operator waits on the stack until a looser
 * operator, a ')' or the end releases it.  A quantifier binds loosest of all, so its
 * scope is the text up to the next ')' that it does not contain. */
#include "logic/parse.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/input.h"
#include "base/utf8.h"
#include "logic/token.h"

enum { OPEN = -1 };

/* An operator that waits for its last operand, or an open parenthesis. */
typedef struct pending {
    int32_t op;  /* an nln_op, or OPEN */
    int32_t arg; /* operands of AND and OR so far, with the awaited one; the bound variable */
    size_t at;   /* its offset in the text */
} pending;

typedef struct parser {
    nln_exprs *list;
    const nln_vocabulary *names;
    int grow;
    const char *text;
    size_t length;
    nln_dialect dialect;
    nln_error *err;
    pending *stack;
    size_t depth, room, n_open;
    int wants_operand, n_holes;
    uint8_t *in_scope; /* [bound variables] */
    size_t scope_room, n_bound;
    char *unquoted; /* the last quoted name */
    size_t unquoted_room;
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

static nln_status fail(const parser *p, nln_status status, size_t at, const char *message)
{
    return nln_error_at(p->err, status, NULL, 0, column_of(p, at), "%s", message);
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
    if (t.kind == NLN_TOKEN_OPEN_QUOTE)
        return fail(p, NLN_SYNTAX, t.start, "this quote is never closed: add the same quote");
    if (p->wants_operand)
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                            "expected %s but found %s", operands[p->dialect], found);
    return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                        "expected %s or %s but found %s", operators[p->dialect],
                        p->n_open ? "')'" : "the end", found);
}

static nln_token next_token(const parser *p, nln_token t)
{
    return nln_token_next(p->text, p->length, t.start + t.length, p->dialect);
}

/* ---- the stack ---------------------------------------------------------- */

static nln_status hold(parser *p, int32_t op, int32_t arg, size_t at)
{
    if (!NLN_ARRAY_RESERVE(p->stack, p->room, p->depth + 1))
        return nln_error_memory(p->err);
    p->stack[p->depth++] = (pending){op, arg, at};
    return NLN_OK;
}

static int is_quantifier(int32_t op)
{
    return op == NLN_OP_FORALL || op == NLN_OP_EXISTS;
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
        status = nln_exprs_push(p->list, (nln_op)o.op, o.arg, p->err);
        if (is_quantifier(o.op)) {
            p->in_scope[o.arg] = 0;
            p->n_bound--;
        }
        p->depth--;
    }
    return status;
}

/* ---- names ---------------------------------------------------------------- */

typedef struct name {
    const char *text;
    size_t length;
} name;

/* The name of a token, without quotes; valid until the next. */
static nln_status read_name(name *out, parser *p, nln_token t)
{
    *out = (name){p->text + t.start, t.length};
    if (t.kind != NLN_TOKEN_QUOTED)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(p->unquoted, p->unquoted_room, t.length))
        return nln_error_memory(p->err);
    long n = nln_token_unquote(p->unquoted, p->text + t.start, t.length);
    if (n <= 0)
        return fail(p, NLN_SYNTAX, t.start,
                    n ? "a quoted name is UTF-8 text with the escapes \\\\ \\\" \\' \\t \\n \\r"
                      : "a quoted name has at least one character");
    *out = (name){p->unquoted, (size_t)n};
    return NLN_OK;
}

static int has_relations(const parser *p)
{
    return p->names->relations && p->dialect == NLN_DIALECT_TEXT;
}

/* The bound variable of this name that is in scope; -1 if there is none. */
static int32_t bound_variable(const parser *p, name n)
{
    int32_t id = has_relations(p) ? nln_symbols_find(p->names->atoms->bound, n.text, n.length) : -1;
    return id >= 0 && (size_t)id < p->scope_room && p->in_scope[id] ? id : -1;
}

/* names: among which it is missing. */
static nln_status unknown(const parser *p, nln_token t, const char *what, name n,
                          const nln_symbols *names)
{
    char quoted[128];
    const char *near = nln_symbols_nearest(names, n.text, n.length);
    describe(quoted, sizeof quoted, p, t);
    if (near)
        return nln_error_at(p->err, NLN_UNKNOWN, NULL, 0, column_of(p, t.start),
                            "the %s %s is not known; did you mean '%.80s'?", what, quoted, near);
    return nln_error_at(p->err, NLN_UNKNOWN, NULL, 0, column_of(p, t.start),
                        "the %s %s is not known: check its spelling", what, quoted);
}

static nln_status arity_mismatch(const parser *p, nln_token t, int32_t known, int32_t found)
{
    char quoted[128];
    describe(quoted, sizeof quoted, p, t);
    return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                        "%s has %d argument%s elsewhere, but %d here: a name has one arity", quoted,
                        (int)known, known == 1 ? "" : "s", (int)found);
}

static nln_status take_variable(parser *p, nln_token t)
{
    name n;
    nln_status status = read_name(&n, p, t);
    if (status)
        return status;
    if (bound_variable(p, n) >= 0)
        return fail(p, NLN_SYNTAX, t.start,
                    "a quantifier binds this name to entities, which are not true or false: make "
                    "it the argument of a predicate");
    int32_t id = nln_symbols_find(p->names->variables, n.text, n.length);
    int32_t predicate = id < 0 && has_relations(p)
                            ? nln_symbols_find(p->names->relations->predicates, n.text, n.length)
                            : -1;
    if (predicate >= 0)
        return arity_mismatch(p, t, p->names->relations->arity[predicate], 0);
    if (id < 0 && !p->grow)
        return unknown(p, t, "variable", n, p->names->variables);
    if (id < 0)
        id = nln_symbols_intern(p->names->variables, n.text, n.length);
    return id < 0 ? nln_error_memory(p->err) : nln_exprs_push(p->list, NLN_OP_VAR, id, p->err);
}

/* ---- atoms ---------------------------------------------------------------- */

/* An argument that no quantifier binds is a constant.  Where a quantifier is in scope, a new name
 * is more probably a variable that was forgotten or misspelled. */
static nln_status take_constant(int32_t *out, parser *p, nln_token t, name n)
{
    nln_symbols *entities = p->names->relations->entities;
    *out = nln_symbols_find(entities, n.text, n.length);
    if (*out >= 0)
        return NLN_OK;
    if (!p->grow && !p->n_bound)
        return unknown(p, t, "entity", n, entities);
    if (p->n_bound && (!p->grow || t.kind != NLN_TOKEN_QUOTED)) {
        char quoted[128];
        describe(quoted, sizeof quoted, p, t);
        return nln_error_at(p->err, NLN_UNKNOWN, NULL, 0, column_of(p, t.start),
                            "%s is bound by no quantifier, and no entity has this name: bind it%s",
                            quoted, p->grow ? ", or quote it if it is an entity" : "");
    }
    *out = nln_symbols_intern(entities, n.text, n.length);
    return *out < 0 ? nln_error_memory(p->err) : NLN_OK;
}

static nln_status take_argument(int32_t *out, parser *p, nln_token t)
{
    name n;
    if (t.kind == NLN_TOKEN_HOLE) {
        *out = NLN_ARGUMENT_HOLE;
        if (!p->names->holes)
            return fail(p, NLN_SYNTAX, t.start,
                        "the hole '?' has a meaning only in a question for nln rank");
        return p->n_holes++ ? fail(p, NLN_SYNTAX, t.start, "a question has one hole '?'") : NLN_OK;
    }
    if (!t.is_word && t.kind != NLN_TOKEN_QUOTED) {
        char found[128];
        describe(found, sizeof found, p, t);
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t.start),
                            "expected the name of an entity or of a bound variable but found %s",
                            found);
    }
    nln_status status = read_name(&n, p, t);
    if (status)
        return status;
    int32_t variable = t.kind == NLN_TOKEN_QUOTED ? -1 : bound_variable(p, n);
    *out = nln_argument_bound(variable);
    return variable >= 0 ? NLN_OK : take_constant(out, p, t, n);
}

static nln_status take_predicate(int32_t *out, parser *p, nln_token t, int32_t arity)
{
    nln_relations *relations = p->names->relations;
    name n;
    nln_status status = read_name(&n, p, t);
    if (status)
        return status;
    if (nln_symbols_find(p->names->variables, n.text, n.length) >= 0)
        return arity_mismatch(p, t, 0, arity);
    *out = nln_symbols_find(relations->predicates, n.text, n.length);
    if (*out >= 0 && relations->arity[*out] != arity)
        return arity_mismatch(p, t, relations->arity[*out], arity);
    if (*out < 0 && !p->grow)
        return unknown(p, t, "predicate", n, relations->predicates);
    if (*out < 0)
        *out = nln_relations_predicate(relations, n.text, n.length, arity);
    return *out < 0 ? nln_error_memory(p->err) : NLN_OK;
}

/* The atom whose predicate is *t, which becomes its closing parenthesis. */
static nln_status take_atom(parser *p, nln_token *t)
{
    nln_token predicate = *t, open = next_token(p, predicate);
    int32_t argument[NLN_MOST_ARGUMENTS], n = 0, id = -1;
    nln_status status = NLN_OK;
    *t = open;
    do {
        if (n == NLN_MOST_ARGUMENTS)
            return fail(p, NLN_LIMIT, t->start, "an atom has at most 255 arguments");
        status = take_argument(&argument[n++], p, *t = next_token(p, *t));
        if (!status)
            *t = next_token(p, *t);
    } while (!status && t->kind == NLN_TOKEN_COMMA);
    if (status)
        return status;
    if (t->kind != NLN_TOKEN_CLOSE) {
        char found[128];
        describe(found, sizeof found, p, *t);
        return nln_error_at(p->err, NLN_SYNTAX, NULL, 0, column_of(p, t->start),
                            "expected ',' or ')' after an argument but found %s", found);
    }
    if ((status = take_predicate(&id, p, predicate, n)))
        return status;
    id = nln_atoms_intern(p->names->atoms, id, argument, n);
    return id < 0 ? nln_error_memory(p->err) : nln_exprs_push(p->list, NLN_OP_ATOM, id, p->err);
}

/* ---- quantifiers ---------------------------------------------------------- */

static nln_status bind(parser *p, int32_t op, size_t at, size_t length)
{
    nln_symbols *bound = p->names->atoms->bound;
    int32_t id = nln_symbols_intern(bound, p->text + at, length);
    size_t old = p->scope_room;
    if (id < 0 || !NLN_ARRAY_RESERVE(p->in_scope, p->scope_room, (size_t)id + 1))
        return nln_error_memory(p->err);
    if (p->scope_room > old)
        memset(p->in_scope + old, 0, p->scope_room - old);
    if (p->in_scope[id])
        return fail(p, NLN_SYNTAX, at,
                    "a quantifier around this one binds the same name: choose another");
    p->in_scope[id] = 1;
    p->n_bound++;
    return hold(p, op, id, at);
}

/* `forall x y:` from the quantifier *t on, which becomes the token with the colon.  A colon can be
 * part of a name, but not of that of a bound variable. */
static nln_status take_quantifier(parser *p, nln_token *t)
{
    static const char *const expected = "expected the names of the bound variables and then ':', "
                                        "as in forall x y: likes(x, y)";
    int32_t op = (int32_t)t->op;
    int n = 0, closed = 0;
    nln_status status = NLN_OK;
    while (!status && !closed) {
        nln_token found = next_token(p, *t);
        size_t length = 0;
        while (length < found.length && p->text[found.start + length] != ':')
            length++;
        closed = length < found.length;
        if (!found.is_word || (length == 0 && n == 0))
            return fail(p, NLN_SYNTAX, found.start, expected);
        if (length > 0 && !nln_token_is_name(p->text + found.start, length))
            return fail(p, NLN_SYNTAX, found.start, expected);
        if (length > 0)
            status = bind(p, op, found.start, length);
        found.length = closed ? length + 1 : length;
        *t = found;
        n++;
    }
    return status;
}

/* ---- the grammar ---------------------------------------------------------- */

/* Words that came later into the language are names as well: a quantifier is followed by a name,
 * and `implies` and `iff` stand between operands. */
static int starts_quantifier(const parser *p, nln_token t)
{
    return t.kind == NLN_TOKEN_QUANTIFIER && (!t.is_word || next_token(p, t).is_word);
}

static nln_status take_operand(parser *p, nln_token *t)
{
    int named = t->is_word || t->kind == NLN_TOKEN_QUOTED;
    size_t end = t->start + t->length;
    if (starts_quantifier(p, *t) || (named && end < p->length && p->text[end] == '(')) {
        int atom = named && p->text[end] == '(';
        if (!has_relations(p))
            return fail(p, NLN_SYNTAX, t->start,
                        "predicates and quantifiers cannot be used here: write plain variables");
        p->wants_operand = !atom;
        return atom ? take_atom(p, t) : take_quantifier(p, t);
    }
    if (named) {
        p->wants_operand = 0;
        return take_variable(p, *t);
    }
    switch (t->kind) {
    case NLN_TOKEN_CONSTANT:
        p->wants_operand = 0;
        return nln_exprs_push(p->list, t->op, 0, p->err);
    case NLN_TOKEN_NOT:
        return hold(p, NLN_OP_NOT, 0, t->start);
    case NLN_TOKEN_OPEN:
        p->n_open++;
        return hold(p, OPEN, 0, t->start);
    default:
        return unexpected(p, *t);
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
        return hold(p, (int32_t)t.op, rule->side == NLN_SIDE_NONE ? 2 : 0, t.start);
    o->arg++;
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

nln_status nln_parse(nln_exprs *list, const nln_vocabulary *names, int grow, const char *text,
                     size_t length, nln_dialect dialect, nln_error *err)
{
    /* Every node takes at least a byte of text, so no count below overflows. */
    if (length > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "the expression is longer than 2 GiB: split it");
    parser p = {.list = list,
                .names = names,
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
    nln_status status = take_operand(&p, &t);
    while (!status && t.kind != NLN_TOKEN_END) {
        t = next_token(&p, t);
        status = p.wants_operand ? take_operand(&p, &t) : take_operator(&p, t);
    }
    if (status)
        nln_exprs_drop(list);
    else
        list->atoms = names->atoms;
    nln_free(p.stack);
    nln_free(p.in_scope);
    nln_free(p.unquoted);
    return status;
}
