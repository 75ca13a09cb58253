/* Three steps, each over arrays and none of them recursive: fold the constants
 * away; expand -> <-> xor, and negations where the form wants them pushed to the
 * variables; multiply out (clauses.c). */
#include "logic/normal_form.h"

#include <inttypes.h>

#include "base/array.h"
#include "logic/clauses.h"

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

static void put(folder *f, nln_node node)
{
    f->nodes[f->n_nodes++] = node;
}

/* Replaces operand x, and all nodes after it, by a constant. */
static void settle(folder *f, part *x, int32_t constant)
{
    f->n_nodes = x->start;
    x->constant = constant;
}

static void fold_not(folder *f, part *x)
{
    if (x->constant == OPEN)
        put(f, (nln_node){NLN_OP_NOT, 0});
    else
        x->constant = !x->constant;
}

static void fold_many(folder *f, part *x, nln_node node)
{
    int32_t absorbing = node.op == NLN_OP_OR, n_open = 0, i = 0;
    for (; i < node.arg && x[i].constant != absorbing; i++)
        n_open += x[i].constant == OPEN;
    if (i < node.arg)
        settle(f, x, absorbing);
    else if (n_open == 0)
        settle(f, x, !absorbing);
    else if (n_open > 1)
        put(f, (nln_node){node.op, n_open});
    if (i == node.arg && n_open > 0)
        x->constant = OPEN;
}

/* x[0] -> x[1], one of which is a constant. */
static void fold_implies(folder *f, part *x)
{
    if (x[0].constant == 0 || x[1].constant == 1)
        settle(f, x, 1);
    else if (x[0].constant == 1)
        x[0].constant = x[1].constant;
    else
        fold_not(f, x);
}

/* x[0] <-> x[1], or its negation, one of which is a constant. */
static void fold_iff(folder *f, part *x, int negated)
{
    int32_t constant = x[0].constant == OPEN ? x[1].constant : x[0].constant;
    x[0].constant = x[0].constant == OPEN ? OPEN : x[1].constant;
    if (constant == negated)
        fold_not(f, x);
}

static void fold_pair(folder *f, part *x, nln_node node)
{
    if (x[0].constant == OPEN && x[1].constant == OPEN)
        put(f, node);
    else if (node.op == NLN_OP_IMPLIES)
        fold_implies(f, x);
    else
        fold_iff(f, x, node.op == NLN_OP_XOR);
}

static void fold_node(folder *f, nln_node node)
{
    f->depth -= nln_node_arity(node);
    part *x = &f->parts[f->depth++];
    switch ((nln_op)node.op) {
    case NLN_OP_FALSE:
    case NLN_OP_TRUE:
        *x = (part){f->n_nodes, node.op == NLN_OP_TRUE};
        break;
    case NLN_OP_VAR:
        *x = (part){f->n_nodes, OPEN};
        put(f, node);
        break;
    case NLN_OP_NOT:
        fold_not(f, x);
        break;
    case NLN_OP_AND:
    case NLN_OP_OR:
        fold_many(f, x, node);
        break;
    case NLN_OP_IMPLIES:
    case NLN_OP_IFF:
    case NLN_OP_XOR:
        fold_pair(f, x, node);
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
        put(&f, (nln_node){f.parts[0].constant ? NLN_OP_TRUE : NLN_OP_FALSE, 0});
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

static measure measure_pair(const measure *left, const measure *right, int32_t op)
{
    uint64_t same = nln_count_add(left->plain, right->plain);
    uint64_t both = nln_count_add(left->negated, right->negated);
    measure m = {.span = left->span + right->span + 1};
    if (op == NLN_OP_IMPLIES) {
        m.plain = nln_count_add(nln_count_add(left->negated, right->plain), 1);
        m.negated = nln_count_add(nln_count_add(left->plain, right->negated), 1);
    } else {
        m.plain = m.negated = nln_count_add(nln_count_add(same, both), 3);
    }
    return m;
}

static measure measure_node(const measure *all, int32_t i, nln_node node)
{
    measure m = {1, 1, node.op == NLN_OP_VAR ? 2 : 1};
    int32_t arity = nln_node_arity(node);
    int32_t child = i - 1;
    if (node.op == NLN_OP_NOT)
        return (measure){all[child].span + 1, all[child].negated, all[child].plain};
    if (node.op == NLN_OP_IMPLIES || node.op == NLN_OP_IFF || node.op == NLN_OP_XOR)
        return measure_pair(&all[child - all[child].span], &all[child], node.op);
    for (int32_t k = 0; k < arity; k++) {
        m.span += all[child].span;
        m.plain = nln_count_add(m.plain, all[child].plain);
        m.negated = nln_count_add(m.negated, all[child].negated);
        child -= all[child].span;
    }
    return m;
}

static nln_status measure_all(measure **out, nln_expr e, int push, nln_error *err)
{
    measure *all = nln_array_zeroed((size_t)e.n_nodes, sizeof *all);
    if (!all)
        return nln_error_memory(err);
    for (int32_t i = 0; i < e.n_nodes; i++) {
        all[i] = measure_node(all, i, e.nodes[i]);
        if (!push)
            all[i].negated = nln_count_add(all[i].plain, 1);
    }
    *out = all;
    return NLN_OK;
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
    size_t n = x->n_tasks + (size_t)k;
    task *tasks = nln_array_reserve(x->tasks, &x->room, n, sizeof *tasks);
    if (!tasks)
        return NULL;
    x->tasks = tasks;
    x->n_tasks = n;
    return tasks + n - k;
}

static nln_status push_pair(expander *x, int32_t parent, int32_t node, int left, int right)
{
    task *t = push_tasks(x, 2);
    if (!t)
        return nln_error_memory(x->err);
    t[0] = (task){node - 1 - x->all[node - 1].span, parent, 0, {(int8_t)left, 0}};
    t[1] = (task){node - 1, parent, 0, {(int8_t)right, 0}};
    return NLN_OK;
}

static nln_status expand_many(expander *x, task t, int negated)
{
    nln_node node = x->in[t.node];
    nln_op op = (node.op == NLN_OP_AND) != negated ? NLN_OP_AND : NLN_OP_OR;
    int32_t parent = put_operator(x, t.parent, op, node.arg);
    int32_t child = t.node - 1;
    task *tasks = push_tasks(x, node.arg);
    if (!tasks)
        return nln_error_memory(x->err);
    for (int32_t k = node.arg; k > 0; k--) {
        tasks[k - 1] = (task){child, parent, 0, {(int8_t)negated, 0}};
        child -= x->all[child].span;
    }
    return NLN_OK;
}

/* a <-> b is a&b | !a&!b; a xor b is a&!b | !a&b; each is the other's negation. */
static nln_status expand_iff(expander *x, task t, int negated)
{
    int8_t differ = (x->in[t.node].op == NLN_OP_XOR) != negated;
    int32_t parent = put_operator(x, t.parent, NLN_OP_OR, 2);
    task *tasks = push_tasks(x, 2);
    if (!tasks)
        return nln_error_memory(x->err);
    tasks[0] = (task){t.node, parent, 1, {0, differ}};
    tasks[1] = (task){t.node, parent, 1, {1, !differ}};
    return NLN_OK;
}

static nln_status expand_task(expander *x, task t)
{
    nln_node node = x->in[t.node];
    int negated = t.negate[0];
    if (t.pair)
        return push_pair(x, put_operator(x, t.parent, NLN_OP_AND, 2), t.node, negated, t.negate[1]);
    if (negated && (node.op == NLN_OP_VAR || !x->push)) {
        t.parent = put_operator(x, t.parent, NLN_OP_NOT, 1);
        negated = 0;
    }
    switch ((nln_op)node.op) {
    case NLN_OP_NOT:
        x->tasks[x->n_tasks++] = (task){t.node - 1, t.parent, 0, {!negated, 0}};
        return NLN_OK;
    case NLN_OP_AND:
    case NLN_OP_OR:
        return expand_many(x, t, negated);
    case NLN_OP_IMPLIES: /* !a | b, or a & !b */
        t.parent = put_operator(x, t.parent, negated ? NLN_OP_AND : NLN_OP_OR, 2);
        return push_pair(x, t.parent, t.node, !negated, negated);
    case NLN_OP_IFF:
    case NLN_OP_XOR:
        return expand_iff(x, t, negated);
    default:
        x->out[x->n_out++] = node;
        return NLN_OK;
    }
}

static void turn_around(nln_node *nodes, int32_t n)
{
    for (int32_t i = 0; i < n / 2; i++) {
        nln_node node = nodes[i];
        nodes[i] = nodes[n - 1 - i];
        nodes[n - 1 - i] = node;
    }
}

static nln_status run_tasks(expander *x, int32_t root)
{
    task *first = push_tasks(x, 1);
    nln_status status = first ? NLN_OK : nln_error_memory(x->err);
    if (first)
        *first = (task){root, -1, 0, {0, 0}};
    while (!status && x->n_tasks > 0)
        status = expand_task(x, x->tasks[--x->n_tasks]);
    turn_around(x->out, x->n_out);
    return status;
}

/* `e`, which has no constants, with AND, OR and NOT only. */
static nln_status expand(nln_node **out, int32_t *n, nln_expr e, int push, uint64_t most,
                         nln_error *err)
{
    measure *all = NULL;
    nln_status status = measure_all(&all, e, push, err);
    if (status)
        return status;
    expander x = {.in = e.nodes, .all = all, .push = push, .err = err};
    uint64_t size = all[e.n_nodes - 1].plain;
    if (size > most)
        status = nln_error_set(err, NLN_LIMIT,
                               "<-> and xor written with and, or and not take %s%" PRIu64
                               " nodes, over the limit of %" PRIu64
                               ": nest them less, or train with a larger clause-limit",
                               size == NLN_COUNT_MOST ? "at least " : "", size, most);
    if (!status && !(x.out = nln_array_zeroed((size_t)size, sizeof *x.out)))
        status = nln_error_memory(err);
    if (!status)
        status = run_tasks(&x, e.n_nodes - 1);
    nln_free(x.tasks);
    nln_free(all);
    if (status)
        nln_free(x.out);
    *out = status ? NULL : x.out;
    *n = x.n_out;
    return status;
}

/* ---- the forms ---------------------------------------------------------- */

static nln_status append(nln_exprs *out, nln_expr e, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < e.n_nodes && !status; i++)
        status = nln_exprs_push(out, (nln_op)e.nodes[i].op, e.nodes[i].arg, err);
    if (!status)
        status = nln_exprs_finish(out, err);
    if (status)
        nln_exprs_drop(out);
    return status;
}

nln_status nln_normal(nln_exprs *out, nln_expr e, nln_form form, size_t limit, nln_error *err)
{
    nln_op sum = form == NLN_FORM_CNF ? NLN_OP_AND : NLN_OP_OR;
    nln_op product = form == NLN_FORM_CNF ? NLN_OP_OR : NLN_OP_AND;
    uint64_t most = nln_count_add(nln_count_multiply(limit, 64), 2 * (uint64_t)e.n_nodes);
    nln_node *folded = NULL, *expanded = NULL;
    int32_t n_folded = 0, n_expanded = 0;
    if (most > INT32_MAX)
        most = INT32_MAX;
    nln_status status = fold(&folded, &n_folded, e, err);
    if (status)
        return status;
    nln_expr plain = {folded, n_folded};
    /* What is in DNF is also in the forms NONE and NNF. */
    if (nln_clauses_are(plain, sum, product)) {
        status = append(out, plain, err);
        nln_free(folded);
        return status;
    }
    status = expand(&expanded, &n_expanded, plain, form != NLN_FORM_NONE, most, err);
    nln_expr simple = {expanded, n_expanded};
    if (!status && (form == NLN_FORM_DNF || form == NLN_FORM_CNF)) {
        /* Where that was enough nothing is multiplied out, and there is nothing to limit. */
        int ready = nln_clauses_are(simple, sum, product);
        status = nln_clauses_build(out, simple, sum, product, ready ? NLN_COUNT_MOST : limit,
                                   ready ? NLN_COUNT_MOST : most, err);
    } else if (!status)
        status = append(out, simple, err);
    nln_free(folded);
    nln_free(expanded);
    return status;
}
