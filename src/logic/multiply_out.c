#include "logic/multiply_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

uint64_t nln_count_add(uint64_t a, uint64_t b)
{
    return a + b < NLN_COUNT_MOST ? a + b : NLN_COUNT_MOST;
}

uint64_t nln_count_multiply(uint64_t a, uint64_t b)
{
    return a == 0 || b < NLN_COUNT_MOST / a ? a * b : NLN_COUNT_MOST;
}

int nln_clauses_are(nln_expr e, nln_op sum, nln_op product)
{
    int32_t items = 0, literals = 0; /* on the stack; literals on its top */
    if (e.n_nodes == 1)
        return 1;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (nln_node_is_open(node)) {
            items++;
            literals++;
        } else if (node.op == (int32_t)product && literals >= node.arg) {
            items -= node.arg - 1;
            literals = 0;
        } else if (node.op == (int32_t)sum) {
            return i == e.n_nodes - 1;
        } else if (node.op != NLN_OP_NOT || !nln_node_is_open(e.nodes[i - 1])) {
            return 0;
        }
    }
    return items == 1;
}

/* ---- counting ----------------------------------------------------------- */

typedef struct extent {
    uint64_t clauses, literals;
} extent;

/* The extent of `e` before anything is left out. */
static nln_status count(extent *out, nln_expr e, nln_op product, nln_error *err)
{
    extent *stack = nln_array_zeroed((size_t)e.n_nodes, sizeof *stack), *top = stack;
    if (!stack)
        return nln_error_memory(err);
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (nln_node_is_open(node))
            *top++ = (extent){1, 1};
        if (nln_node_is_open(node) || node.op == NLN_OP_NOT)
            continue;
        top -= node.arg;
        for (int32_t k = 1; k < node.arg; k++) {
            extent *x = top, y = top[k];
            int multiplies = node.op == (int32_t)product;
            x->literals = multiplies ? nln_count_add(nln_count_multiply(x->literals, y.clauses),
                                                     nln_count_multiply(x->clauses, y.literals))
                                     : nln_count_add(x->literals, y.literals);
            x->clauses = multiplies ? nln_count_multiply(x->clauses, y.clauses)
                                    : nln_count_add(x->clauses, y.clauses);
        }
        top++;
    }
    *out = stack[0];
    nln_free(stack);
    return NLN_OK;
}

static nln_status check(extent x, nln_op sum, uint64_t most_clauses, uint64_t most_nodes,
                        nln_error *err)
{
    uint64_t nodes = nln_count_add(nln_count_multiply(2, x.literals), x.clauses + 1);
    int clauses = x.clauses > most_clauses;
    if (!clauses && nodes <= most_nodes)
        return NLN_OK;
    return nln_error_set(err, NLN_LIMIT,
                         "the %s normal form has %s%" PRIu64 " %s of %s%" PRIu64
                         ": split the expression, or train with a larger clause-limit or with "
                         "normal-form nnf",
                         sum == NLN_OP_OR ? "disjunctive" : "conjunctive",
                         clauses && x.clauses == NLN_COUNT_MOST ? "at least " : "",
                         clauses ? x.clauses : x.literals,
                         clauses ? "clauses, over the limit" : "literals, over the limit",
                         clauses ? "" : "about ", clauses ? most_clauses : most_nodes / 2);
}

/* ---- multiplying out ---------------------------------------------------- */

/* A run of clauses end to end.  A literal is twice the rank of its variable, plus
 * one when negated.  Every clause has a literal, so there are never more clauses
 * than literals, and the literals of all operands are never more than those of
 * the result: the whole work fits in the room that was counted. */
typedef struct run {
    uint32_t *literals; /* [room] */
    size_t *end;        /* [room] where each clause ends in `literals` */
    size_t n;           /* clauses */
} run;

typedef struct builder {
    nln_op product;
    nln_node *variables; /* [n_variables] sorted: rank to variable or atom */
    int32_t n_variables;
    uint32_t *mark;   /* [2 * n_variables] the last clause that has the literal */
    run work, result; /* the stack of operands, and one product on its way to it */
    size_t *first;    /* [depth] the first clause of each operand in `work` */
    size_t *choice;   /* [most operands] the clause chosen of each operand */
    size_t depth;
} builder;

/* Variables by their numbers, then atoms. */
static int by_number(const void *a, const void *b)
{
    const nln_node *x = a, *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->arg > y->arg) - (x->arg < y->arg);
}

static nln_status open_builder(builder *b, nln_expr e, uint64_t n_literals, nln_error *err)
{
    size_t n = (size_t)e.n_nodes, room = (size_t)n_literals, found = 0;
    b->variables = nln_array_zeroed(n, sizeof *b->variables);
    b->mark = nln_array_zeroed(n, 2 * sizeof *b->mark);
    b->work.literals = nln_array_zeroed(room, sizeof *b->work.literals);
    b->work.end = nln_array_zeroed(room, sizeof *b->work.end);
    b->result.literals = nln_array_zeroed(room, sizeof *b->result.literals);
    b->result.end = nln_array_zeroed(room, sizeof *b->result.end);
    b->first = nln_array_zeroed(n + 1, sizeof *b->first);
    b->choice = nln_array_zeroed(n, sizeof *b->choice);
    if (!b->variables || !b->mark || !b->work.literals || !b->work.end || !b->result.literals ||
        !b->result.end || !b->first || !b->choice)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++)
        if (nln_node_is_open(e.nodes[i]))
            b->variables[found++] = e.nodes[i];
    qsort(b->variables, found, sizeof *b->variables, by_number);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || by_number(&b->variables[i], &b->variables[b->n_variables - 1]))
            b->variables[b->n_variables++] = b->variables[i];
    return NLN_OK;
}

static size_t clause_start(const run *r, size_t clause)
{
    return clause ? r->end[clause - 1] : 0;
}

static void open_clause(run *r)
{
    r->end[r->n] = clause_start(r, r->n);
    r->n++;
}

/* Adds the literals of a clause of `from` to the last clause of `to`. */
static void extend_clause(run *to, const run *from, size_t clause)
{
    size_t start = clause_start(from, clause), n = from->end[clause] - start;
    size_t *end = &to->end[to->n - 1];
    memcpy(to->literals + *end, from->literals + start, n * sizeof *to->literals);
    *end += n;
}

/* Replaces the k operands on the top, whose first clauses are first[0..k) and whose
 * last ends at first[k], by their product: one clause for each choice of a clause
 * from every operand, the last operand changing fastest. */
static void multiply(builder *b, const size_t *first, size_t k)
{
    run *out = &b->result;
    size_t i;
    out->n = 0;
    memcpy(b->choice, first, k * sizeof *b->choice);
    do {
        open_clause(out);
        for (size_t j = 0; j < k; j++)
            extend_clause(out, &b->work, b->choice[j]);
        for (i = k; i > 0 && ++b->choice[i - 1] == first[i]; i--)
            b->choice[i - 1] = first[i - 1];
    } while (i > 0);
    b->work.n = first[0];
    for (i = 0; i < out->n; i++) {
        open_clause(&b->work);
        extend_clause(&b->work, out, i);
    }
}

static void push_node(builder *b, nln_node node)
{
    run *work = &b->work;
    if (nln_node_is_open(node)) {
        const nln_node *found =
            bsearch(&node, b->variables, (size_t)b->n_variables, sizeof *b->variables, by_number);
        b->first[b->depth++] = work->n;
        open_clause(work);
        work->literals[work->end[work->n - 1]++] = 2 * (uint32_t)(found - b->variables);
    } else if (node.op == NLN_OP_NOT) {
        work->literals[work->end[work->n - 1] - 1] |= 1;
    } else {
        b->depth -= (size_t)node.arg - 1;
        b->first[b->depth - 1 + (size_t)node.arg] = work->n;
        if (node.op == (int32_t)b->product)
            multiply(b, b->first + b->depth - 1, (size_t)node.arg);
    }
}

/* ---- writing ------------------------------------------------------------ */

/* Writes one clause and returns its number of literals in *n, 0 when it has a
 * variable and its negation and is left out. */
static nln_status write_clause(int32_t *n, nln_exprs *out, builder *b, size_t clause,
                               nln_error *err)
{
    nln_status status = NLN_OK;
    size_t before = out->n_nodes;
    uint32_t stamp = (uint32_t)clause + 1;
    *n = 0;
    for (size_t i = clause_start(&b->work, clause); i < b->work.end[clause] && !status; i++) {
        uint32_t literal = b->work.literals[i];
        if (b->mark[literal ^ 1] == stamp) {
            out->n_nodes = before;
            *n = 0;
            return NLN_OK;
        }
        if (b->mark[literal] == stamp)
            continue;
        b->mark[literal] = stamp;
        nln_node node = b->variables[literal / 2];
        status = nln_exprs_push(out, (nln_op)node.op, node.arg, err);
        if (!status && literal % 2)
            status = nln_exprs_push(out, NLN_OP_NOT, 0, err);
        ++*n;
    }
    return status || *n < 2 ? status : nln_exprs_push(out, b->product, *n, err);
}

nln_status nln_clauses_build(nln_exprs *out, nln_expr e, nln_op sum, nln_op product,
                             uint64_t most_clauses, uint64_t most_nodes, nln_error *err)
{
    extent x = {0};
    builder b = {.product = product};
    int32_t n_clauses = 0, n_literals = 0;
    nln_status status;
    if ((status = count(&x, e, product, err)) ||
        (status = check(x, sum, most_clauses, most_nodes, err)) ||
        (status = open_builder(&b, e, x.literals, err)))
        goto cleanup;
    for (int32_t i = 0; i < e.n_nodes; i++)
        push_node(&b, e.nodes[i]);
    for (size_t i = 0; i < b.work.n && !status; i++) {
        status = write_clause(&n_literals, out, &b, i, err);
        n_clauses += n_literals > 0;
    }
    if (!status && n_clauses == 0)
        status = nln_exprs_push(out, sum == NLN_OP_OR ? NLN_OP_FALSE : NLN_OP_TRUE, 0, err);
    if (!status && n_clauses > 1)
        status = nln_exprs_push(out, sum, n_clauses, err);
    if (!status)
        status = nln_exprs_finish(out, err);
    if (status)
        nln_exprs_drop(out);
cleanup:
    nln_free(b.variables);
    nln_free(b.mark);
    nln_free(b.work.literals);
    nln_free(b.work.end);
    nln_free(b.result.literals);
    nln_free(b.result.end);
    nln_free(b.first);
    nln_free(b.choice);
    return status;
}
