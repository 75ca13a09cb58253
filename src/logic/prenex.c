/* Postfix order is read from its end: a quantifier then comes before what it binds, and its scope
 * ends where its sub-expression begins. */
#include "logic/prenex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "logic/normal_form.h"

/* A quantifier on its way to the front. */
typedef struct quantifier {
    int32_t op, variable;  /* its new variable */
    int32_t start, node;   /* of its sub-expression: where it begins and ends */
    int32_t old, previous; /* the name in the text, and what that stood for outside */
    int used;
} quantifier;

typedef struct puller {
    nln_atoms *atoms;
    nln_node *nodes; /* [n_nodes] the expression, whose atoms are renamed */
    int32_t n_nodes;
    int32_t *span;  /* [n_nodes] nodes of each sub-expression */
    int32_t *bound; /* [variables] the quantifier that binds a name here, or NONE */
    uint8_t *taken; /* [variables] some quantifier binds it */
    size_t bound_room, taken_room, n_variables;
    quantifier *list; /* in the order of the text */
    int32_t n;
    int32_t *which; /* [n_nodes] the place of a quantifier in the list */
    int32_t *open;  /* those whose scope has not ended */
    int32_t n_open;
    nln_error *err;
} puller;

enum { NONE = -1 };

static nln_status fit_variables(puller *p)
{
    size_t n = (size_t)nln_symbols_count(p->atoms->bound);
    if (!NLN_ARRAY_RESERVE(p->bound, p->bound_room, n + 1) ||
        !NLN_ARRAY_RESERVE(p->taken, p->taken_room, n + 1))
        return nln_error_memory(p->err);
    for (; p->n_variables < n; p->n_variables++) {
        p->bound[p->n_variables] = NONE;
        p->taken[p->n_variables] = 0;
    }
    return NLN_OK;
}

/* A variable that no quantifier of the expression binds yet, named after `old`. */
static nln_status fresh_variable(int32_t *out, puller *p, int32_t old)
{
    const char *name = nln_symbols_name(p->atoms->bound, old);
    size_t room = strlen(name) + 16;
    char *text = nln_array_zeroed(room, 1);
    nln_status status = text ? NLN_OK : nln_error_memory(p->err);
    *out = old;
    for (int i = 2; !status && p->taken[*out]; i++) {
        snprintf(text, room, "%s_%d", nln_symbols_name(p->atoms->bound, old), i);
        *out = nln_symbols_intern(p->atoms->bound, text, strlen(text));
        status = *out < 0 ? nln_error_memory(p->err) : fit_variables(p);
    }
    nln_free(text);
    return status;
}

/* In the order of the text; of two that begin at the same place the outer one first. */
static int by_place(const void *a, const void *b)
{
    const quantifier *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->node > y->node ? -1 : 1;
}

static nln_status list_quantifiers(puller *p)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < p->n_nodes; i++)
        if (nln_node_is_quantifier(p->nodes[i]))
            p->list[p->n++] = (quantifier){.op = p->nodes[i].op,
                                           .start = i - p->span[i] + 1,
                                           .node = i,
                                           .old = p->nodes[i].arg};
    qsort(p->list, (size_t)p->n, sizeof *p->list, by_place);
    for (int32_t k = 0; !status && k < p->n; k++) {
        quantifier *q = &p->list[k];
        p->which[q->node] = k;
        status = fresh_variable(&q->variable, p, q->old);
        if (!status)
            p->taken[q->variable] = 1;
    }
    return status;
}

static void open_scope(puller *p, int32_t i)
{
    quantifier *q = &p->list[p->which[i]];
    q->previous = p->bound[q->old];
    p->bound[q->old] = p->which[i];
    p->open[p->n_open++] = p->which[i];
}

static void close_scopes(puller *p, int32_t i)
{
    while (p->n_open > 0 && p->list[p->open[p->n_open - 1]].start > i) {
        const quantifier *q = &p->list[p->open[--p->n_open]];
        p->bound[q->old] = q->previous;
    }
}

static nln_status rename_atom(puller *p, int32_t i)
{
    nln_atom atom = nln_atoms_get(p->atoms, p->nodes[i].arg);
    int32_t argument[NLN_MOST_ARGUMENTS], renamed = 0;
    for (int32_t k = 0; k < atom.n_arguments; k++) {
        int32_t variable = nln_argument_variable(atom.argument[k]);
        argument[k] = atom.argument[k];
        if (variable < 0)
            continue;
        quantifier *q = &p->list[p->bound[variable]];
        q->used = 1;
        argument[k] = nln_argument_bound(q->variable);
        renamed |= q->variable != variable;
    }
    if (!renamed)
        return NLN_OK;
    p->nodes[i].arg = nln_atoms_intern(p->atoms, atom.predicate, argument, atom.n_arguments);
    return p->nodes[i].arg < 0 ? nln_error_memory(p->err) : NLN_OK;
}

static nln_status pull(nln_exprs *out, puller *p)
{
    nln_status status = fit_variables(p);
    for (int32_t i = 0; i < p->n_nodes; i++) {
        int32_t arity = nln_node_arity(p->nodes[i]);
        p->span[i] = 1;
        for (int32_t k = 0; k < arity; k++)
            p->span[i] += p->span[i - p->span[i]];
    }
    if (!status)
        status = list_quantifiers(p);
    for (int32_t i = p->n_nodes - 1; !status && i >= 0; i--) {
        close_scopes(p, i);
        if (nln_node_is_quantifier(p->nodes[i]))
            open_scope(p, i);
        else if (p->nodes[i].op == NLN_OP_ATOM)
            status = rename_atom(p, i);
    }
    for (int32_t i = 0; !status && i < p->n_nodes; i++)
        if (!nln_node_is_quantifier(p->nodes[i]))
            status = nln_exprs_push(out, (nln_op)p->nodes[i].op, p->nodes[i].arg, p->err);
    for (int32_t i = p->n - 1; !status && i >= 0; i--)
        if (p->list[i].used)
            status = nln_exprs_push(out, (nln_op)p->list[i].op, p->list[i].variable, p->err);
    if (!status)
        status = nln_exprs_finish(out, p->err);
    if (status)
        nln_exprs_drop(out);
    return status;
}

nln_status nln_prenex(nln_exprs *out, nln_atoms *atoms, nln_expr e, size_t limit, nln_error *err)
{
    nln_exprs own = {0};
    int quantified = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        quantified |= nln_node_is_quantifier(e.nodes[i]);
    nln_status status =
        quantified ? nln_normal_negations(&own, e, limit, err) : nln_exprs_append(&own, e, err);
    if (status || !quantified) {
        if (!status)
            status = nln_exprs_append(out, nln_exprs_get(&own, 0), err);
        nln_exprs_free(&own);
        return status;
    }
    puller p = {.atoms = atoms, .nodes = own.nodes, .n_nodes = (int32_t)own.n_nodes, .err = err};
    p.span = nln_array_zeroed(own.n_nodes, sizeof *p.span);
    p.list = nln_array_zeroed(own.n_nodes, sizeof *p.list);
    p.open = nln_array_zeroed(own.n_nodes, sizeof *p.open);
    p.which = nln_array_zeroed(own.n_nodes, sizeof *p.which);
    if (!p.span || !p.list || !p.open || !p.which)
        status = nln_error_memory(err);
    else
        status = pull(out, &p);
    nln_free(p.span);
    nln_free(p.list);
    nln_free(p.open);
    nln_free(p.which);
    nln_free(p.bound);
    nln_free(p.taken);
    nln_exprs_free(&own);
    return status;
}
