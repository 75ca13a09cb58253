#include "logic/grounding.h"

#include "base/array.h"
#include "logic/simplify.h"

/* n^32 is beyond counting, and the blocks are walked by recursion. */
enum { MOST_QUANTIFIERS = 32, NONE = -1, TRIES = 8 };

/* Neighbouring quantifiers of one kind. */
typedef struct block {
    int32_t op;
    int32_t first, n;     /* of its variables */
    size_t total, wanted; /* bindings */
} block;

typedef struct grounder {
    const nln_grounding *g;
    nln_expr matrix;
    int32_t variable[MOST_QUANTIFIERS]; /* the outermost first */
    block blocks[MOST_QUANTIFIERS];
    int n_variables, n_blocks;
    int32_t *value; /* [bound variables] the entity, or NONE */
    nln_exprs raw;  /* the instances before they are simplified */
    nln_random *random;
    nln_error *err;
} grounder;

/* ---- blocks ----------------------------------------------------------------- */

static size_t power(size_t n, int32_t k)
{
    size_t product = 1;
    for (int32_t i = 0; i < k; i++)
        product = n && product > SIZE_MAX / n ? SIZE_MAX : product * n;
    return product;
}

/* The largest whole number whose k-th power is at most n, and at least 1. */
static size_t root(size_t n, int32_t k)
{
    size_t low = 1, high = n;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (power(middle, k) <= n)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Reads the quantifiers; 0 if there are too many.  What is wanted is shared out evenly among the
 * blocks that are too large. */
static int read_blocks(grounder *x, nln_expr e)
{
    int32_t n = e.n_nodes;
    size_t left = x->g->most;
    int large = 0;
    while (n > 1 && nln_node_is_quantifier(e.nodes[n - 1])) {
        nln_node node = e.nodes[--n];
        if (x->n_variables == MOST_QUANTIFIERS)
            return 0;
        block *last = x->n_blocks ? &x->blocks[x->n_blocks - 1] : NULL;
        if (!last || last->op != node.op)
            x->blocks[x->n_blocks++] = (block){.op = node.op, .first = x->n_variables};
        x->blocks[x->n_blocks - 1].n++;
        x->variable[x->n_variables++] = node.arg;
    }
    x->matrix = (nln_expr){e.nodes, n};
    for (int i = 0; i < x->n_blocks; i++)
        x->blocks[i].total = power((size_t)x->g->n_entities, x->blocks[i].n);
    size_t each = root(left, x->n_blocks ? x->n_blocks : 1);
    for (int i = 0; i < x->n_blocks; i++) {
        large += x->blocks[i].total > each;
        if (x->blocks[i].total && x->blocks[i].total <= each)
            left /= x->blocks[i].total;
    }
    each = root(left, large ? large : 1);
    for (int i = 0; i < x->n_blocks; i++)
        x->blocks[i].wanted = x->blocks[i].total > each ? each : x->blocks[i].total;
    /* Everything, where everything fits. */
    size_t all = 1;
    for (int i = 0; i < x->n_blocks; i++)
        all = x->blocks[i].total && all > SIZE_MAX / x->blocks[i].total ? SIZE_MAX
                                                                        : all * x->blocks[i].total;
    for (int i = 0; all <= x->g->most && i < x->n_blocks; i++)
        x->blocks[i].wanted = x->blocks[i].total;
    return 1;
}

/* ---- bindings --------------------------------------------------------------- */

/* Binding number i of a block: its digits in the base of the entities, the last variable changing
 * fastest. */
static void bind_number(grounder *x, const block *b, size_t i)
{
    size_t n = (size_t)x->g->n_entities;
    for (int32_t k = b->n; k > 0; k--, i /= n)
        x->value[x->variable[b->first + k - 1]] = (int32_t)(i % n);
}

static void bind_random(grounder *x, const block *b)
{
    for (int32_t k = 0; k < b->n; k++) {
        int32_t *value = &x->value[x->variable[b->first + k]];
        if (*value == NONE)
            *value = (int32_t)nln_random_below(x->random, (uint64_t)x->g->n_entities);
    }
}

static int32_t value_of(const grounder *x, int32_t argument)
{
    int32_t variable = nln_argument_variable(argument);
    return variable >= 0 ? x->value[variable] : argument;
}

/* Whether node i of the matrix is an atom of the body of a block of this kind. */
static int is_body(const grounder *x, int32_t i, int32_t op)
{
    int negated = i + 1 < x->matrix.n_nodes && x->matrix.nodes[i + 1].op == NLN_OP_NOT;
    return x->matrix.nodes[i].op == NLN_OP_ATOM && negated == (op == NLN_OP_FORALL);
}

/* Binds the free variables of an atom so that it is one of the facts, drawn at random; 0 if some
 * tries find none. */
static int bind_to_fact(grounder *x, int32_t atom)
{
    const nln_facts *facts = x->g->facts;
    nln_atom a = nln_atoms_get(x->g->atoms, atom);
    int32_t position = 0, first = 0, known[NLN_MOST_ARGUMENTS], n_known = 0;
    for (int32_t k = 0; k < a.n_arguments; k++) {
        known[k] = value_of(x, a.argument[k]);
        position = known[k] >= 0 ? k : position;
        n_known += known[k] >= 0;
    }
    if (n_known == a.n_arguments)
        return nln_facts_has(facts, nln_atoms_find(x->g->atoms, a.predicate, known, n_known));
    int32_t n = nln_facts_find(&first, facts, a.predicate, position, known[position]);
    for (int try = 0; n > 0 && try < TRIES; try++) {
        int32_t at = first + (int32_t)nln_random_below(x->random, (uint64_t)n), k = 0;
        nln_atom fact = nln_atoms_get(x->g->atoms, facts->order[position][at]);
        while (k < a.n_arguments &&
               (value_of(x, a.argument[k]) < 0 || value_of(x, a.argument[k]) == fact.argument[k]))
            k++;
        if (k < a.n_arguments)
            continue;
        for (k = 0; k < a.n_arguments; k++)
            if (nln_argument_variable(a.argument[k]) >= 0)
                x->value[nln_argument_variable(a.argument[k])] = fact.argument[k];
        return 1;
    }
    return 0;
}

/* Binds the variables of a block where its body holds, as far as some tries find such a place. */
static void bind_body(grounder *x, const block *b)
{
    int found = 0;
    for (int try = 0; x->g->facts && x->g->facts->n > 0 && !found && try < TRIES; try++) {
        for (int32_t k = 0; k < b->n; k++)
            x->value[x->variable[b->first + k]] = NONE;
        found = 1;
        for (int32_t i = 0; found && i < x->matrix.n_nodes; i++)
            if (is_body(x, i, b->op))
                found = bind_to_fact(x, x->matrix.nodes[i].arg);
    }
    bind_random(x, b);
}

static void bind_drawn(grounder *x, const block *b, size_t i)
{
    for (int32_t k = 0; k < b->n; k++)
        x->value[x->variable[b->first + k]] = NONE;
    if (i % 2)
        bind_body(x, b);
    else
        bind_random(x, b);
}

/* ---- instances --------------------------------------------------------------- */

static nln_status push_matrix(grounder *x)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; !status && i < x->matrix.n_nodes; i++) {
        nln_node node = x->matrix.nodes[i];
        if (node.op == NLN_OP_ATOM) {
            nln_atom atom = nln_atoms_get(x->g->atoms, node.arg);
            int32_t argument[NLN_MOST_ARGUMENTS];
            for (int32_t k = 0; k < atom.n_arguments; k++)
                argument[k] = value_of(x, atom.argument[k]);
            node.arg = nln_atoms_intern(x->g->atoms, atom.predicate, argument, atom.n_arguments);
            if (node.arg < 0)
                return nln_error_memory(x->err);
        }
        status = nln_exprs_push(&x->raw, (nln_op)node.op, node.arg, x->err);
    }
    return status;
}

static nln_status push_block(grounder *x, int at)
{
    if (at == x->n_blocks)
        return push_matrix(x);
    const block *b = &x->blocks[at];
    nln_op op = b->op == NLN_OP_FORALL ? NLN_OP_AND : NLN_OP_OR;
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < b->wanted; i++) {
        if (b->wanted == b->total)
            bind_number(x, b, i);
        else
            bind_drawn(x, b, i);
        status = push_block(x, at + 1);
    }
    if (!status && b->wanted == 0)
        status = nln_exprs_push(&x->raw, op == NLN_OP_AND ? NLN_OP_TRUE : NLN_OP_FALSE, 0, x->err);
    if (!status && b->wanted > 1)
        status = nln_exprs_push(&x->raw, op, (int32_t)b->wanted, x->err);
    return status;
}

static nln_status open_grounder(grounder *x, nln_expr e)
{
    size_t n = (size_t)nln_symbols_count(x->g->atoms->bound);
    if (!read_blocks(x, e))
        return nln_error_set(x->err, NLN_LIMIT,
                             "the expression binds more than %d variables: split it",
                             MOST_QUANTIFIERS);
    x->value = nln_array_zeroed(n, sizeof *x->value);
    return x->value ? NLN_OK : nln_error_memory(x->err);
}

static nln_status close_grounder(nln_exprs *out, grounder *x, nln_status status)
{
    if (!status)
        status = nln_exprs_finish(&x->raw, x->err);
    if (!status)
        status = nln_simplify(out, nln_exprs_get(&x->raw, 0), x->err);
    nln_exprs_free(&x->raw);
    nln_free(x->value);
    return status;
}

nln_status nln_ground(nln_exprs *out, const nln_grounding *g, nln_expr e, nln_random *random,
                      nln_error *err)
{
    grounder x = {.g = g, .random = random, .err = err};
    nln_status status = open_grounder(&x, e);
    return close_grounder(out, &x, status ? status : push_block(&x, 0));
}

nln_instances nln_ground_count(const nln_grounding *g, nln_expr e)
{
    grounder x = {.g = g};
    nln_instances count = {1, 1};
    if (!read_blocks(&x, e))
        return (nln_instances){0, 0};
    for (int i = 0; i < x.n_variables; i++)
        count.all = nln_count_multiply(count.all, (uint64_t)g->n_entities);
    for (int i = 0; i < x.n_blocks; i++)
        count.made *= x.blocks[i].wanted;
    return count;
}

size_t nln_ground_parts(const nln_grounding *g, nln_expr e)
{
    grounder x = {.g = g};
    if (!read_blocks(&x, e) || x.n_blocks == 0 || x.blocks[0].op != NLN_OP_FORALL ||
        x.blocks[0].total == 0)
        return 1;
    return x.blocks[0].total < g->most ? x.blocks[0].total : g->most;
}

nln_status nln_ground_part(nln_exprs *out, const nln_grounding *g, nln_expr e, size_t part,
                           nln_random *random, nln_error *err)
{
    grounder x = {.g = g, .random = random, .err = err};
    nln_status status = open_grounder(&x, e);
    int starts = !status && x.n_blocks > 0 && x.blocks[0].op == NLN_OP_FORALL && x.blocks[0].total;
    if (starts && x.blocks[0].total <= g->most)
        bind_number(&x, &x.blocks[0], part);
    else if (starts)
        bind_drawn(&x, &x.blocks[0], part);
    return close_grounder(out, &x, status ? status : push_block(&x, starts));
}
