/* Equal sub-expressions get equal numbers, bottom up, so that comparing operands is comparing
 * numbers; then the expression is written from its root. */
#include "logic/simplify.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"

/* A sub-expression: its operands are child[first .. first + n), and the same sorted. */
typedef struct term {
    int32_t op, arg;
    int32_t n;
    size_t first;
} term;

enum { NONE = -1 };

typedef struct simplifier {
    term *terms; /* [n_terms] at most one for each node, and the two constants */
    int32_t n_terms;
    int32_t *child, *sorted; /* [n_children] */
    size_t n_children, child_room, sorted_room, most_children;
    int failed;     /* memory is out */
    int32_t *slots; /* hash table with open addressing: term + 1 */
    size_t n_slots;
    int32_t *mark;           /* [terms] the last node that has the term as an operand */
    int32_t *watch, *next;   /* [terms], [operands] lists of the operands that may absorb others */
    int32_t *stack, *chosen; /* [n_nodes] */
} simplifier;

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The number of the term `op` of n operands; any where memory is out. */
static int32_t term_of(simplifier *s, int32_t op, int32_t arg, const int32_t *child, int32_t n)
{
    size_t end = s->n_children + (size_t)n + 1;
    if (!NLN_ARRAY_RESERVE(s->child, s->child_room, end) ||
        !NLN_ARRAY_RESERVE(s->sorted, s->sorted_room, end)) {
        s->failed = 1;
        return 0;
    }
    int32_t *sorted = s->sorted + s->n_children;
    for (int32_t i = 0; i < n; i++)
        s->child[s->n_children + (size_t)i] = sorted[i] = child[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    uint64_t hash = nln_random_mix((uint64_t)(uint32_t)arg << 8 ^ (uint64_t)op);
    for (int32_t i = 0; i < n; i++)
        hash = nln_random_mix(hash ^ (uint32_t)sorted[i]);
    size_t at = (size_t)hash & (s->n_slots - 1);
    for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1)) {
        const term *t = &s->terms[s->slots[at] - 1];
        if (t->op == op && t->arg == arg && t->n == n &&
            !memcmp(s->sorted + t->first, sorted, (size_t)n * sizeof *sorted))
            return s->slots[at] - 1;
    }
    s->terms[s->n_terms] = (term){op, arg, n, s->n_children};
    s->mark[s->n_terms] = s->watch[s->n_terms] = NONE;
    s->n_children += (size_t)n;
    s->slots[at] = ++s->n_terms;
    return s->n_terms - 1;
}

static int32_t constant(simplifier *s, int value)
{
    return term_of(s, value ? NLN_OP_TRUE : NLN_OP_FALSE, 0, NULL, 0);
}

static int is_constant(const simplifier *s, int32_t t)
{
    return s->terms[t].op == NLN_OP_TRUE || s->terms[t].op == NLN_OP_FALSE;
}

static int32_t negation_of(simplifier *s, int32_t t)
{
    if (is_constant(s, t))
        return constant(s, s->terms[t].op == NLN_OP_FALSE);
    return term_of(s, NLN_OP_NOT, 0, &t, 1);
}

/* The operands of an operand of a sum: those of a product, or the operand itself. */
static const int32_t *factors(int32_t *n, const simplifier *s, const int32_t *operand, int32_t sum)
{
    const term *t = &s->terms[*operand];
    int is_product = t->op == (sum == NLN_OP_OR ? NLN_OP_AND : NLN_OP_OR);
    *n = is_product ? t->n : 1;
    return is_product ? s->sorted + t->first : operand;
}

/* Whether the sorted list a is part of the sorted list b. */
static int is_part(const int32_t *a, int32_t n_a, const int32_t *b, int32_t n_b)
{
    int32_t i = 0;
    for (int32_t j = 0; i < n_a && j < n_b && a[i] >= b[j]; j++)
        i += a[i] == b[j];
    return i == n_a;
}

/* Leaves out the operands of a sum whose factors include all those of another.  An operand is
 * listed under its last factor, which is in few others where operands are many. */
static int32_t absorb(simplifier *s, int32_t sum, int32_t *operand, int32_t n)
{
    int32_t kept = 0, n_a, n_b;
    for (int32_t i = 0; i < n; i++) {
        const int32_t *a = factors(&n_a, s, &operand[i], sum);
        s->next[i] = s->watch[a[n_a - 1]];
        s->watch[a[n_a - 1]] = i;
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t *b = factors(&n_b, s, &operand[i], sum);
        int absorbed = 0;
        for (int32_t k = 0; k < n_b && !absorbed; k++)
            for (int32_t j = s->watch[b[k]]; j != NONE && !absorbed; j = s->next[j]) {
                const int32_t *a = factors(&n_a, s, &operand[j], sum);
                absorbed = j != i && n_a < n_b && is_part(a, n_a, b, n_b);
            }
        s->mark[operand[i]] = absorbed ? NONE : s->mark[operand[i]];
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t *a = factors(&n_a, s, &operand[i], sum);
        s->watch[a[n_a - 1]] = NONE;
    }
    for (int32_t i = 0; i < n; i++)
        if (s->mark[operand[i]] != NONE)
            operand[kept++] = operand[i];
    return kept;
}

/* The AND or OR of n operands, with which node number `stamp` is marked. */
static int32_t sum_of(simplifier *s, int32_t op, const int32_t *operand, int32_t n, int32_t stamp)
{
    int32_t *own = s->chosen, n_own = 0;
    for (int32_t i = 0; i < n; i++) {
        const term *t = &s->terms[operand[i]];
        int merges = t->op == op && s->n_children < s->most_children;
        const int32_t *parts = merges ? s->child + t->first : &operand[i];
        int32_t n_parts = merges ? t->n : 1;
        if (is_constant(s, operand[i]) && (t->op == NLN_OP_TRUE) == (op == NLN_OP_OR))
            return operand[i];
        for (int32_t k = 0; k < n_parts && !is_constant(s, operand[i]); k++) {
            if (s->mark[parts[k]] == stamp)
                continue;
            s->mark[parts[k]] = stamp;
            own[n_own++] = parts[k];
        }
    }
    for (int32_t i = 0; i < n_own; i++)
        if (s->terms[own[i]].op == NLN_OP_NOT && s->mark[s->child[s->terms[own[i]].first]] == stamp)
            return constant(s, op == NLN_OP_OR);
    n_own = absorb(s, op, own, n_own);
    if (n_own == 0)
        return constant(s, op == NLN_OP_AND);
    return n_own == 1 ? own[0] : term_of(s, op, 0, own, n_own);
}

/* Writes a term backwards, its last operand first. */
static nln_status write(nln_exprs *out, simplifier *s, int32_t root, nln_error *err)
{
    size_t begin = out->n_nodes;
    int32_t depth = 1;
    nln_status status = NLN_OK;
    s->stack[0] = root;
    while (!status && depth > 0) {
        const term *t = &s->terms[s->stack[--depth]];
        int many = t->op == NLN_OP_AND || t->op == NLN_OP_OR;
        status = nln_exprs_push(out, (nln_op)t->op, many ? t->n : t->arg, err);
        for (int32_t i = 0; i < t->n; i++)
            s->stack[depth++] = s->child[t->first + (size_t)i];
    }
    for (size_t i = begin, j = out->n_nodes; i + 1 < j; i++) {
        nln_node node = out->nodes[i];
        out->nodes[i] = out->nodes[--j];
        out->nodes[j] = node;
    }
    if (!status)
        status = nln_exprs_finish(out, err);
    if (status)
        nln_exprs_drop(out);
    return status;
}

static int32_t simplified(simplifier *s, nln_expr e)
{
    int32_t *top = s->stack;
    for (int32_t i = 0; i < e.n_nodes && !s->failed; i++, top++) {
        nln_node node = e.nodes[i];
        top -= nln_node_arity(node);
        if (node.op == NLN_OP_AND || node.op == NLN_OP_OR)
            *top = sum_of(s, node.op, top, node.arg, i);
        else if (node.op == NLN_OP_NOT)
            *top = negation_of(s, *top);
        else
            *top = term_of(s, node.op, nln_node_is_open(node) ? node.arg : 0, NULL, 0);
    }
    return s->stack[0];
}

nln_status nln_simplify(nln_exprs *out, nln_expr e, nln_error *err)
{
    /* A node makes at most one term, and there are two constants.  Merging copies operands; a long
     * chain of ANDs in ANDs would copy them again and again, so there is a bound. */
    size_t room = (size_t)e.n_nodes + 2;
    simplifier s = {.n_slots = 16, .most_children = 16 * room};
    while (s.n_slots < 2 * room)
        s.n_slots *= 2;
    s.terms = nln_array_zeroed(room, sizeof *s.terms);
    s.slots = nln_array_zeroed(s.n_slots, sizeof *s.slots);
    s.mark = nln_array_zeroed(room, sizeof *s.mark);
    s.watch = nln_array_zeroed(room, sizeof *s.watch);
    s.next = nln_array_zeroed(room, sizeof *s.next);
    s.stack = nln_array_zeroed(room, sizeof *s.stack);
    s.chosen = nln_array_zeroed(room, sizeof *s.chosen);
    nln_status status;
    int32_t root = 0;
    if (!s.terms || !s.slots || !s.mark || !s.watch || !s.next || !s.stack || !s.chosen)
        s.failed = 1;
    if (!s.failed)
        root = simplified(&s, e);
    status = s.failed ? nln_error_memory(err) : write(out, &s, root, err);
    nln_free(s.terms);
    nln_free(s.child);
    nln_free(s.sorted);
    nln_free(s.slots);
    nln_free(s.mark);
    nln_free(s.watch);
    nln_free(s.next);
    nln_free(s.stack);
    nln_free(s.chosen);
    return status;
}
