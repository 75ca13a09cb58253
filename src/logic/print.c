/* Postfix order read backwards gives each operator before its operands, the last
 * operand first.  So the text is written from its end to its beginning, and reversed
 * when it is complete. */
#include <string.h>

#include "base/array.h"
#include "logic/parse.h"
#include "logic/token.h"

/* An operator some of whose operands are still to be written. */
typedef struct frame {
    nln_node node;
    int32_t left; /* operands to be written */
    int bracketed;
} frame;

typedef struct printer {
    const nln_vocabulary *names;
    nln_error *err;
    char *text;
    size_t length, text_room;
    frame *stack;
    size_t depth, stack_room;
    int quantified;   /* some variable is bound: entities are quoted, so that none looks like one */
    int binds_others; /* the quantifier written last goes on to the left: `x y: ` */
} printer;

static nln_status write_backwards(printer *p, const char *word)
{
    size_t n = strlen(word);
    if (!NLN_ARRAY_RESERVE(p->text, p->text_room, p->length + n + 1))
        return nln_error_memory(p->err);
    while (n > 0)
        p->text[p->length++] = word[--n];
    return NLN_OK;
}

static nln_status print_name(char **out, const char *name, int plain, nln_error *err)
{
    static const char escapes[][2] = {
        {'\\', '\\'}, {'"', '"'}, {'\t', 't'}, {'\n', 'n'}, {'\r', 'r'}};
    size_t length = strlen(name), n = 0;
    char *text = nln_array_zeroed(2 * length + 3, 1);
    if (!text)
        return nln_error_memory(err);
    if (!plain)
        text[n++] = '"';
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
            if (name[i] == escapes[k][0]) {
                text[n++] = '\\';
                c = escapes[k][1];
                break;
            }
        text[n++] = c;
    }
    if (!plain)
        text[n++] = '"';
    *out = text;
    return NLN_OK;
}

nln_status nln_print_name(char **out, const char *name, nln_error *err)
{
    return print_name(out, name, nln_token_is_name(name, strlen(name)), err);
}

static nln_status write_name(printer *p, const nln_symbols *symbols, int32_t id, const char *what)
{
    const char *name = nln_symbols_name(symbols, id);
    char *text = NULL;
    if (!name)
        return nln_error_set(p->err, NLN_UNKNOWN, "%s number %d has no name", what, (int)id);
    int plain = nln_token_is_name(name, strlen(name)) &&
                !(p->quantified && symbols == p->names->relations->entities);
    nln_status status = print_name(&text, name, plain, p->err);
    if (!status)
        status = write_backwards(p, text);
    nln_free(text);
    return status;
}

static nln_status write_argument(printer *p, int32_t argument)
{
    if (argument == NLN_ARGUMENT_HOLE)
        return write_backwards(p, "?");
    if (argument >= 0)
        return write_name(p, p->names->relations->entities, argument, "entity");
    return write_backwards(
        p, nln_symbols_name(p->names->atoms->bound, nln_argument_variable(argument)));
}

static nln_status write_atom(printer *p, int32_t number)
{
    nln_atom atom = nln_atoms_get(p->names->atoms, number);
    nln_status status = write_backwards(p, ")");
    for (int32_t i = atom.n_arguments; !status && i > 0; i--) {
        status = write_argument(p, atom.argument[i - 1]);
        if (!status)
            status = write_backwards(p, i > 1 ? ", " : "(");
    }
    return status ? status
                  : write_name(p, p->names->relations->predicates, atom.predicate, "predicate");
}

/* `forall x: `, or only `x ` or `x: ` of several that the same word binds. */
static nln_status write_quantifier(printer *p, nln_node node, int bracketed)
{
    const frame *outer = p->depth > 1 && !bracketed ? &p->stack[p->depth - 2] : NULL;
    nln_status status = p->binds_others ? NLN_OK : write_backwards(p, ": ");
    p->binds_others = outer && outer->node.op == node.op;
    if (!status)
        status = write_backwards(p, nln_symbols_name(p->names->atoms->bound, node.arg));
    if (!status)
        status = write_backwards(p, p->binds_others ? " " : nln_operators[node.op].text);
    return status;
}

/* Whether the next operand of the innermost frame needs parentheses. */
static int needs_brackets(const printer *p, nln_node child)
{
    if (p->depth == 0)
        return 0;
    const frame *parent = &p->stack[p->depth - 1];
    const nln_operator *outer = &nln_operators[parent->node.op];
    const nln_operator *inner = &nln_operators[child.op];
    int is_last = parent->left == nln_node_arity(parent->node);
    if (inner->level != outer->level)
        return inner->level < outer->level;
    return outer->side != (is_last ? NLN_SIDE_RIGHT : NLN_SIDE_LEFT);
}

/* Closes every frame that is complete, and writes the operator before the next operand. */
static nln_status close_frames(printer *p)
{
    nln_status status = NLN_OK;
    while (!status && p->depth > 0) {
        frame *f = &p->stack[p->depth - 1];
        const char *word = nln_operators[f->node.op].text;
        if (--f->left > 0)
            return write_backwards(p, word);
        if (f->node.op == NLN_OP_NOT)
            status = write_backwards(p, word);
        else if (nln_node_is_quantifier(f->node))
            status = write_quantifier(p, f->node, f->bracketed);
        if (!status && f->bracketed)
            status = write_backwards(p, "(");
        p->depth--;
    }
    return status;
}

/* Opens a frame for an operator; a leaf may complete some. */
static nln_status write_node(printer *p, nln_node node)
{
    nln_status status = NLN_OK;
    if (nln_node_arity(node) > 0) {
        int bracketed = needs_brackets(p, node);
        if (!NLN_ARRAY_RESERVE(p->stack, p->stack_room, p->depth + 1))
            return nln_error_memory(p->err);
        p->stack[p->depth++] = (frame){node, nln_node_arity(node), bracketed};
        return bracketed ? write_backwards(p, ")") : NLN_OK;
    }
    if (node.op == NLN_OP_VAR)
        status = write_name(p, p->names->variables, node.arg, "variable");
    else if (node.op == NLN_OP_ATOM)
        status = write_atom(p, node.arg);
    else
        status = write_backwards(p, nln_operators[node.op].text);
    return status ? status : close_frames(p);
}

nln_status nln_print(char **out, nln_expr e, const nln_vocabulary *names, nln_error *err)
{
    printer p = {.names = names, .err = err};
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < e.n_nodes; i++)
        p.quantified |= nln_node_is_quantifier(e.nodes[i]);
    for (int32_t i = e.n_nodes; !status && i > 0; i--)
        status = write_node(&p, e.nodes[i - 1]);
    nln_free(p.stack);
    if (status) {
        nln_free(p.text);
        return status;
    }
    for (size_t i = 0, j = p.length; i + 1 < j; i++) {
        char c = p.text[i];
        p.text[i] = p.text[--j];
        p.text[j] = c;
    }
    p.text[p.length] = '\0'; // NOLINT: an expression has a node, and a node a text
    *out = p.text;
    return NLN_OK;
}
