/* Four steps, each over arrays and none of them recursive: fold the constants
 * away; expand -> <-> xor, and negations where the form wants them pushed to the
 * variables; multiply out (multiply_out.c); remove what says nothing new (simplify.c). */
#include "logic/normal_form.h"

#include <inttypes.h>

#include "base/array.h"
#include "logic/multiply_out.h"
#include "logic/simplify.h"

/* ---- folding constants -------------------------------------------------- */

/* An operand on the stack of fold: a constant, which has no nodes, or the nodes
 * from `start` to the start of the next one. */
typedef struct part {
    int32_t start;
    int32_t constant; /* 0, 1, or OPEN when it depends on variables */
} part;

enum { OPEN = -1 };

typedef struct folder {
    nln_node *nodes;
    int32_t n_nodes;
    part *parts;
    int32_t depth;
} folder;

static void put(folder *f, nln_op op, int32_t arg)
{
    f->nodes[f->n_nodes++] = (nln_node){(int32_t)op, arg};
}

static void fold_not(folder *f, part *x)
{
    if (x->constant == OPEN)
        put(f, NLN_OP_NOT, 0);
    else
        x->constant = !x->constant;
}

/* Folds a node whose operands are x[0..arity) into x[0].  A constant operand has no
 * nodes; where the whole becomes a constant, the nodes of the others go. */
static void fold_node(folder *f, nln_node node)
{
    f->depth -= nln_node_arity(node);
    part *x = &f->parts[f->depth++];
    int32_t absorbing = node.op == NLN_OP_OR, n_open = 0, absorbed = 0;
    int both_open = nln_node_arity(node) == 2 && x[0].constant == OPEN && x[1].constant == OPEN;
    switch ((nln_op)node.op) {
    case NLN_OP_FALSE:
    case NLN_OP_TRUE:
        *x = (part){f->n_nodes, node.op == NLN_OP_TRUE};
        break;
    case NLN_OP_VAR:
    case NLN_OP_ATOM:
        *x = (part){f->n_nodes, OPEN};
        put(f, (nln_op)node.op, node.arg);
        break;
    case NLN_OP_FORALL:
    case NLN_OP_EXISTS: /* there is an entity, so a constant stays what it is */
        if (x->constant == OPEN)
            put(f, (nln_op)node.op, node.arg);
        break;
    case NLN_OP_NOT:
        fold_not(f, x);
        break;
    case NLN_OP_AND:
    case NLN_OP_OR:
        for (int32_t i = 0; i < node.arg; i++) {
            n_open += x[i].constant == OPEN;
            absorbed |= x[i].constant == absorbing;
        }
        if (absorbed)
            f->n_nodes = x->start;
        else if (n_open > 1)
            put(f, (nln_op)node.op, n_open);
        x->constant = absorbed ? absorbing : n_open ? OPEN : !absorbing;
        break;
    case NLN_OP_IMPLIES:
        if (both_open) {
            put(f, NLN_OP_IMPLIES, 0);
        } else if (x[0].constant == 0 || x[1].constant == 1) {
            f->n_nodes = x->start;
            x->constant = 1;
        } else if (x[0].constant == 1) {
            x->constant = x[1].constant;
        } else {
            fold_not(f, x);
        }
        break;
    case NLN_OP_IFF:
    case NLN_OP_XOR:
        if (both_open) {
            put(f, (nln_op)node.op, 0);
        } else {
            int32_t constant = x[0].constant == OPEN ? x[1].constant : x[0].constant;
            x->constant = x[0].constant == OPEN ? OPEN : x[1].constant;
            if (constant == (node.op == NLN_OP_XOR))
                fold_not(f, x);
        }
        break;
    }
}

/* A copy of `e` without constants, or the constant that it is; never longer than e. */
static nln_status fold(nln_node **out, int32_t *n, nln_expr e, nln_error *err)
{
    folder f = {.nodes = nln_array_zeroed((size_t)e.n_nodes, sizeof *f.nodes),
                .parts = nln_array_zeroed((size_t)e.n_nodes, sizeof *f.parts)};
    if (!f.nodes || !f.parts) {
        nln_free(f.nodes);
        nln_free(f.parts);
        return nln_error_memory(err);
    }
    for (int32_t i = 0; i < e.n_nodes; i++)
        fold_node(&f, e.nodes[i]);
    if (f.parts[0].constant != OPEN)
        put(&f, f.parts[0].constant ? NLN_OP_TRUE : NLN_OP_FALSE, 0);
    nln_free(f.parts);
    *out = f.nodes;
    *n = f.n_nodes;
    return NLN_OK;
}

/* ---- measuring ---------------------------------------------------------- */

/* What a node of the folded expression becomes: `span` counts the nodes of its
 * sub-expression, so that the operands of node i end at i - 1, i - 1 - span[i - 1]
 * and so on; the other two count the nodes it expands to, as it is and negated. */
typedef struct measure {
    int32_t span;
    uint64_t plain, negated;
} measure;

static measure measure_node(const measure *all, int32_t i, nln_node node)
{
    measure m = {1, 1, nln_node_is_open(node) ? 2 : 1};
    int32_t arity = nln_node_arity(node), child = i - 1;
    if (node.op == NLN_OP_NOT)
        return (measure){all[child].span + 1, all[child].negated, all[child].plain};
    for (int32_t k = 0; k < arity; k++) {
        int swapped = node.op == NLN_OP_IMPLIES && k == 1; /* a -> b is !a | b */
        m.span += all[child].span;
        m.plain = nln_count_add(m.plain, swapped ? all[child].negated : all[child].plain);
        m.negated = nln_count_add(m.negated, swapped ? all[child].plain : all[child].negated);
        child -= all[child].span;
    }
    if (node.op == NLN_OP_IFF || node.op == NLN_OP_XOR)
        m.plain = m.negated = nln_count_add(nln_count_add(m.plain, m.negated), 1);
    return m;
}

/* ---- expanding ---------------------------------------------------------- */

/* Something to be written as an operand of node `parent` of the output. */
typedef struct task {
    int32_t node, parent; /* of the input; of the output, -1 at the root */
    int8_t pair;          /* not the node but the AND of its two operands, */
    int8_t negate[2];     /* each negated or not; else negate[0] is of the node */
} task;

/* Output is written backwards, every operator before its operands and the last
 * operand first; so a nested AND or OR finds the parent it merges with. */
typedef struct expander {
    const nln_node *in;
    const measure *all;
    int push; /* negations go to the variables */
    nln_node *out;
    int32_t n_out;
    task *tasks;
    size_t n_tasks, room;
    nln_error *err;
} expander;

static int32_t put_operator(expander *x, int32_t parent, nln_op op, int32_t n)
{
    if (parent >= 0 && n > 1 && x->out[parent].op == (int32_t)op) {
        x->out[parent].arg += n - 1;
        return parent;
    }
    x->out[x->n_out] = (nln_node){(int32_t)op, n > 1 ? n : 0};
    return x->n_out++;
}

/* Room for k tasks on the top, the last of which is done first. */
static task *push_tasks(expander *x, int32_t k)
{
    if (!NLN_ARRAY_RESERVE(x->tasks, x->room, x->n_tasks + (size_t)k))
        return NULL;
    x->n_tasks += (size_t)k;
    return x->tasks + x->n_tasks - k;
}

/* Writes the operator of a task and pushes its operands as tasks. */
static nln_status expand_task(expander *x, task t)
{
    nln_node node = x->in[t.node];
    int negated = t.negate[0], differ = (node.op == NLN_OP_XOR) != negated;
    int32_t child = t.node - 1;
    int quantified = node.op == NLN_OP_FORALL || node.op == NLN_OP_EXISTS;
    nln_op op = node.op == NLN_OP_OR || node.op == NLN_OP_IMPLIES ? NLN_OP_OR : NLN_OP_AND;
    if (!t.pair && negated && (nln_node_is_open(node) || !x->push)) {
        t.parent = put_operator(x, t.parent, NLN_OP_NOT, 1);
        negated = 0;
        differ = node.op == NLN_OP_XOR;
    }
    if (nln_node_arity(node) == 0) {
        x->out[x->n_out++] = node;
        return NLN_OK;
    }
    if (!t.pair && negated)
        op = op == NLN_OP_OR ? NLN_OP_AND : NLN_OP_OR;
    int32_t n = nln_node_arity(node);
    task *tasks = push_tasks(x, n);
    if (!tasks)
        return nln_error_memory(x->err);
    if (node.op == NLN_OP_NOT) {
        tasks[0] = (task){child, t.parent, 0, {!negated, 0}};
    } else if (quantified) { /* !forall x: e is exists x: !e */
        int32_t other = node.op == NLN_OP_FORALL ? NLN_OP_EXISTS : NLN_OP_FORALL;
        x->out[x->n_out] = (nln_node){negated ? other : node.op, node.arg};
        tasks[0] = (task){child, x->n_out++, 0, {(int8_t)negated, 0}};
    } else if (!t.pair && (node.op == NLN_OP_IFF || node.op == NLN_OP_XOR)) {
        /* a <-> b is a&b | !a&!b; a xor b is a&!b | !a&b; each is the other's negation. */
        int32_t parent = put_operator(x, t.parent, NLN_OP_OR, 2);
        tasks[0] = (task){t.node, parent, 1, {0, (int8_t)differ}};
        tasks[1] = (task){t.node, parent, 1, {1, (int8_t)!differ}};
    } else {
        int32_t parent = put_operator(x, t.parent, op, n);
        for (int32_t k = n; k > 0; child -= x->all[child].span, k--) {
            int8_t negate = t.pair && k == 2 ? t.negate[1] : (int8_t)negated;
            if (node.op == NLN_OP_IMPLIES && k == 1)
                negate = !negate;
            tasks[k - 1] = (task){child, parent, 0, {negate, 0}};
        }
    }
    return NLN_OK;
}

/* `e`, which has no constants, with AND, OR and NOT only. */
static nln_status expand(nln_node **out, int32_t *n, nln_expr e, int push, uint64_t most,
                         nln_error *err)
{
    expander x = {.in = e.nodes, .push = push, .err = err};
    measure *all = nln_array_zeroed((size_t)e.n_nodes, sizeof *all);
    nln_status status = NLN_OK;
    *out = NULL;
    if (!all)
        return nln_error_memory(err);
    for (int32_t i = 0; i < e.n_nodes; i++) {
        all[i] = measure_node(all, i, e.nodes[i]);
        if (!push)
            all[i].negated = nln_count_add(all[i].plain, 1);
    }
    uint64_t size = all[e.n_nodes - 1].plain;
    if (size > most) {
        status = nln_error_set(err, NLN_LIMIT,
                               "<-> and xor written with and, or and not take %s%" PRIu64
                               " nodes, over the limit of %" PRIu64
                               ": nest them less, or train with a larger clause-limit",
                               size == NLN_COUNT_MOST ? "at least " : "", size, most);
        goto cleanup;
    }
    x.all = all;
    x.out = nln_array_zeroed((size_t)size, sizeof *x.out);
    task *root = push_tasks(&x, 1);
    if (!x.out || !root) {
        status = nln_error_memory(err);
        goto cleanup;
    }
    *root = (task){e.n_nodes - 1, -1, 0, {0, 0}};
    while (!status && x.n_tasks > 0)
        status = expand_task(&x, x.tasks[--x.n_tasks]);
    for (int32_t i = 0, j = x.n_out; i + 1 < j; i++) {
        nln_node node = x.out[i];
        x.out[i] = x.out[--j];
        x.out[j] = node;
    }
cleanup:
    nln_free(x.tasks);
    nln_free(all);
    if (status)
        nln_free(x.out);
    else
        *out = x.out;
    *n = x.n_out;
    return status;
}

/* ---- the forms ---------------------------------------------------------- */

static uint64_t most_nodes(nln_expr e, size_t limit)
{
    uint64_t most = nln_count_add(nln_count_multiply(limit, 64), 2 * (uint64_t)e.n_nodes);
    return most < INT32_MAX ? most : INT32_MAX;
}

nln_status nln_normal_negations(nln_exprs *out, nln_expr e, size_t limit, nln_error *err)
{
    nln_node *folded = NULL, *expanded = NULL;
    int32_t n_folded = 0, n_expanded = 0;
    nln_status status = fold(&folded, &n_folded, e, err);
    if (!status)
        status = expand(&expanded, &n_expanded, (nln_expr){folded, n_folded}, 1,
                        most_nodes(e, limit), err);
    if (!status)
        status = nln_exprs_append(out, (nln_expr){expanded, n_expanded}, err);
    nln_free(folded);
    nln_free(expanded);
    return status;
}

/* The form of an expression without quantifiers, before anything is removed. */
static nln_status build(nln_exprs *out, nln_expr e, nln_form form, size_t limit, nln_error *err)
{
    nln_op sum = form == NLN_FORM_CNF ? NLN_OP_AND : NLN_OP_OR;
    nln_op product = form == NLN_FORM_CNF ? NLN_OP_OR : NLN_OP_AND;
    uint64_t most = most_nodes(e, limit);
    nln_node *folded = NULL, *expanded = NULL;
    int32_t n_folded = 0, n_expanded = 0;
    nln_status status = fold(&folded, &n_folded, e, err);
    nln_expr plain = {folded, n_folded};
    if (status)
        return status;
    /* An expression in DNF is also in the forms NONE and NNF. */
    if (nln_clauses_are(plain, sum, product)) {
        status = nln_exprs_append(out, plain, err);
        goto cleanup;
    }
    status = expand(&expanded, &n_expanded, plain, form != NLN_FORM_NONE, most, err);
    if (status)
        goto cleanup;
    nln_expr simple = {expanded, n_expanded};
    if (form == NLN_FORM_DNF || form == NLN_FORM_CNF) {
        /* Where that was enough nothing is multiplied out, and there is nothing to limit. */
        int ready = nln_clauses_are(simple, sum, product);
        status = nln_clauses_build(out, simple, sum, product, ready ? NLN_COUNT_MOST : limit,
                                   ready ? NLN_COUNT_MOST : most, err);
    } else {
        status = nln_exprs_append(out, simple, err);
    }
cleanup:
    nln_free(folded);
    nln_free(expanded);
    return status;
}

/* Writes the quantifiers from node `first` of `e` on after the last expression of `out`. */
static nln_status append_quantifiers(nln_exprs *out, nln_expr e, int32_t first, nln_error *err)
{
    nln_expr last = nln_exprs_get(out, out->n - 1);
    nln_status status = NLN_OK;
    int is_constant = last.n_nodes == 1 && !nln_node_is_open(last.nodes[0]);
    for (int32_t i = first; !status && !is_constant && i < e.n_nodes; i++)
        status = nln_exprs_push(out, (nln_op)e.nodes[i].op, e.nodes[i].arg, err);
    if (!status)
        out->start[out->n] = out->n_nodes;
    return status;
}

nln_status nln_normal(nln_exprs *out, nln_expr e, nln_form form, size_t limit, nln_error *err)
{
    nln_exprs built = {0}, copy = {0};
    int32_t n = e.n_nodes;
    while (n > 1 && nln_node_is_quantifier(e.nodes[n - 1]))
        n--;
    nln_status status = nln_exprs_append(&copy, e, err); /* `e` may be one of `out` */
    if (!status)
        status = build(&built, (nln_expr){e.nodes, n}, form, limit, err);
    if (!status)
        status = nln_simplify(out, nln_exprs_get(&built, 0), err);
    if (!status)
        status = append_quantifiers(out, nln_exprs_get(&copy, 0), n, err);
    nln_exprs_free(&built);
    nln_exprs_free(&copy);
    return status;
}
