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
    if (!NLN_ARRAY_RESERVE(p->text, p->text_room, p->length + n + 1))
        return nln_error_memory(p->err);
    while (n > 0)
        p->text[p->length++] = word[--n];
    return NLN_OK;
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

/* Opens a frame for an operator.  After a leaf, writes the operator that stands before
 * it, and closes every frame that is complete. */
static nln_status write_node(printer *p, nln_node node)
{
    if (nln_node_arity(node) > 0) {
        int bracketed = needs_brackets(p, node);
        if (!NLN_ARRAY_RESERVE(p->stack, p->stack_room, p->depth + 1))
            return nln_error_memory(p->err);
        p->stack[p->depth++] = (frame){node, nln_node_arity(node), bracketed};
        return bracketed ? write_backwards(p, ")") : NLN_OK;
    }
    const char *word = node.op == NLN_OP_VAR ? nln_symbols_name(p->symbols, node.arg)
                                             : nln_operators[node.op].text;
    if (!word)
        return nln_error_set(p->err, NLN_UNKNOWN, "variable number %d has no name", (int)node.arg);
    nln_status status = write_backwards(p, word);
    while (!status && p->depth > 0) {
        frame *f = &p->stack[p->depth - 1];
        word = nln_operators[f->node.op].text;
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
    for (size_t i = 0, j = p.length; i + 1 < j; i++) {
        char c = p.text[i];
        p.text[i] = p.text[--j];
        p.text[j] = c;
    }
    p.text[p.length] = '\0'; // NOLINT: an expression has a node, and a node a text
    *out = p.text;
    return NLN_OK;
}
