/* Postfix order read backwards gives each operator before its operands, the last operand
 * first.  So the tokens are written from the last to the first. */
#include "models/expr_tokens.h"

#include "base/array.h"
#include "logic/token.h"

/* An operator some of whose operands are still to be written. */
typedef struct nln_tokens_frame {
    int32_t op, left; /* operands to be written */
    int bracketed;
} frame;

typedef struct writer {
    int32_t *at; /* the token written last */
    frame *stack;
    size_t depth;
    int32_t n_variables;
} writer;

void nln_tokens_free(nln_tokens *t)
{
    nln_free(t->token);
    nln_free(t->stack);
    *t = (nln_tokens){0};
}

static void write_sign(writer *w, enum nln_sign sign)
{
    *--w->at = w->n_variables + (int32_t)sign;
}

static void write_leaf(writer *w, nln_node node)
{
    if (node.op == NLN_OP_VAR)
        *--w->at = node.arg;
    else
        write_sign(w, node.op == NLN_OP_TRUE ? NLN_SIGN_TRUE : NLN_SIGN_FALSE);
}

static void open_frame(writer *w, nln_node node)
{
    int bracketed =
        w->depth && nln_operators[node.op].level < nln_operators[w->stack[w->depth - 1].op].level;
    if (bracketed)
        write_sign(w, NLN_SIGN_CLOSE);
    w->stack[w->depth++] = (frame){node.op, nln_node_arity(node), bracketed};
}

/* After an operand: writes the sign that stands before it, and closes every frame that is
 * complete. */
static void close_operand(writer *w)
{
    while (w->depth > 0) {
        frame *f = &w->stack[w->depth - 1];
        if (--f->left > 0) {
            write_sign(w, f->op == NLN_OP_AND ? NLN_SIGN_AND : NLN_SIGN_OR);
            return;
        }
        if (f->op == NLN_OP_NOT)
            write_sign(w, NLN_SIGN_NOT);
        if (f->bracketed)
            write_sign(w, NLN_SIGN_OPEN);
        w->depth--;
    }
}

nln_status nln_tokens_read(const int32_t **out, size_t *n, nln_tokens *t, nln_expr e,
                           int32_t n_variables, nln_error *err)
{
    /* A node has one token of its own, at most one before it, and two parentheses. */
    size_t nodes = (size_t)e.n_nodes, most = 4 * nodes;
    if (!NLN_ARRAY_RESERVE(t->token, t->token_room, most) ||
        !NLN_ARRAY_RESERVE(t->stack, t->stack_room, nodes))
        return nln_error_memory(err);
    writer w = {.at = t->token + most, .stack = t->stack, .n_variables = n_variables};
    for (size_t i = nodes; i > 0; i--) {
        if (nln_node_arity(e.nodes[i - 1]) > 0) {
            open_frame(&w, e.nodes[i - 1]);
        } else {
            write_leaf(&w, e.nodes[i - 1]);
            close_operand(&w);
        }
    }
    *out = w.at;
    *n = (size_t)(t->token + most - w.at);
    return NLN_OK;
}
