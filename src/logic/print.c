/* Postfix order read backwards gives each operator before its operands, the last
 * operand first.  So the text is written from its end to its beginning, and turned
 * around when it is complete. */
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
    const nln_symbols *symbols;
    nln_error *err;
    char *text;
    size_t length, text_room;
    frame *stack;
    size_t depth, stack_room;
} printer;

static nln_status write_backwards(printer *p, const char *word)
{
    size_t n = strlen(word);
    char *text = nln_array_reserve(p->text, &p->text_room, p->length + n + 1, 1);
    if (!text)
        return nln_error_memory(p->err);
    p->text = text;
    while (n > 0)
        text[p->length++] = word[--n];
    return NLN_OK;
}

static void turn_around(char *text, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        char c = text[i];
        text[i] = text[n - 1 - i];
        text[n - 1 - i] = c;
    }
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

static nln_status open_frame(printer *p, nln_node node)
{
    frame *stack = nln_array_reserve(p->stack, &p->stack_room, p->depth + 1, sizeof *stack);
    if (!stack)
        return nln_error_memory(p->err);
    p->stack = stack;
    int bracketed = needs_brackets(p, node);
    stack[p->depth++] = (frame){node, nln_node_arity(node), bracketed};
    return bracketed ? write_backwards(p, ")") : NLN_OK;
}

static nln_status write_leaf(printer *p, nln_node node)
{
    const char *word = node.op == NLN_OP_VAR ? nln_symbols_name(p->symbols, node.arg)
                                             : nln_operators[node.op].text;
    if (!word)
        return nln_error_set(p->err, NLN_UNKNOWN, "variable number %d has no name", (int)node.arg);
    return write_backwards(p, word);
}

/* After an operand: writes the operator that stands before it, and closes every
 * frame that is complete. */
static nln_status close_operand(printer *p)
{
    nln_status status = NLN_OK;
    while (!status && p->depth > 0) {
        frame *f = &p->stack[p->depth - 1];
        const char *word = nln_operators[f->node.op].text;
        if (--f->left > 0)
            return write_backwards(p, word);
        if (f->node.op == NLN_OP_NOT)
            status = write_backwards(p, word);
        if (!status && f->bracketed)
            status = write_backwards(p, "(");
        p->depth--;
    }
    return status;
}

static nln_status write_node(printer *p, nln_node node)
{
    if (nln_node_arity(node) > 0)
        return open_frame(p, node);
    nln_status status = write_leaf(p, node);
    return status ? status : close_operand(p);
}

nln_status nln_print(char **out, nln_expr e, const nln_symbols *symbols, nln_error *err)
{
    printer p = {.symbols = symbols, .err = err};
    nln_status status = NLN_OK;
    for (int32_t i = e.n_nodes; !status && i > 0; i--)
        status = write_node(&p, e.nodes[i - 1]);
    nln_free(p.stack);
    if (status) {
        nln_free(p.text);
        return status;
    }
    turn_around(p.text, p.length);
    p.text[p.length] = '\0'; // NOLINT: an expression has a node, and a node a text
    *out = p.text;
    return NLN_OK;
}
