#include "exact/sat_encoding.h"

#include <ccadical.h>
#include <limits.h>
#include <string.h>

#include "base/array.h"
#include "logic/postfix.h"

/* The Plaisted-Greenbaum form of Tseitin's encoding: an inner node gets a name (a fresh variable of
 * the solver) only if a clause needs one, and only those directions of name <-> node that are used.
 * A root needs none, since its value is given: a false DNF becomes one clause for each AND. */

/* `node` must have `value` if the literal `guard` is true; 0 means always. */
typedef struct demand {
    int guard;
    int32_t node;
    int value;
} demand;

/* Each node is demanded at most once for each value, so the stack fits in 2 most_nodes and the work
 * is linear. */
typedef struct encoder {
    CCaDiCaL *solver;
    uint8_t *used;      /* [n_variables] 1 if the variable occurs in a clause */
    const nln_node *at; /* nodes of the current expression */
    int32_t *size;      /* [most_nodes] nodes of the sub-expression with this root */
    int32_t *operand;   /* [most_nodes] */
    int *name;          /* [most_nodes] 0 if the node has none yet */
    uint8_t *defined;   /* [most_nodes] bit value: name -> node, -name -> not node */
    int *clause;        /* [most_nodes] literals */
    demand *stack;      /* [2 most_nodes] */
    size_t n_stack;
    int n_names; /* variables of the solver so far */
} encoder;

static void encoder_free(encoder *en)
{
    if (en->solver)
        ccadical_release(en->solver);
    nln_free(en->size);
    nln_free(en->operand);
    nln_free(en->name);
    nln_free(en->defined);
    nln_free(en->clause);
    nln_free(en->stack);
}

static nln_status encoder_create(encoder *en, uint8_t *used, const nln_exprs *exprs,
                                 size_t n_variables, nln_error *err)
{
    size_t most = nln_postfix_most_nodes(exprs);
    *en = (encoder){.used = used, .n_names = (int)n_variables};
    en->size = nln_array_zeroed(most, sizeof(int32_t));
    en->operand = nln_array_zeroed(most, sizeof(int32_t));
    en->name = nln_array_zeroed(most, sizeof(int));
    en->defined = nln_array_zeroed(most, 1);
    en->clause = nln_array_zeroed(most, sizeof(int));
    en->stack = nln_array_zeroed(most, 2 * sizeof(demand));
    if (en->size && en->operand && en->name && en->defined && en->clause && en->stack)
        en->solver = ccadical_init();
    if (en->solver) {
        ccadical_set_option(en->solver, "quiet", 1);
        return NLN_OK;
    }
    encoder_free(en);
    return nln_error_memory(err);
}

static void push(encoder *en, int guard, int32_t node, int value)
{
    en->stack[en->n_stack++] = (demand){guard, node, value};
}

/* A literal that is true if the node has the value. */
static int literal(encoder *en, int32_t node, int value)
{
    while (en->at[node].op == NLN_OP_NOT) {
        node--;
        value = !value;
    }
    if (en->at[node].op == NLN_OP_VAR) {
        en->used[en->at[node].arg] = 1;
        return value ? en->at[node].arg + 1 : -(en->at[node].arg + 1);
    }
    if (en->name[node] == 0)
        en->name[node] = ++en->n_names;
    int name = value ? en->name[node] : -en->name[node];
    if (!(en->defined[node] >> value & 1)) {
        en->defined[node] |= (uint8_t)(1 << value);
        push(en, name, node, value);
    }
    return name;
}

/* Adds the clause guard -> (literals[0] or literals[1] or ...). */
static void add_clause(encoder *en, int guard, const int *literals, int n)
{
    if (guard)
        ccadical_add(en->solver, -guard);
    for (int i = 0; i < n; i++)
        ccadical_add(en->solver, literals[i]);
    ccadical_add(en->solver, 0);
}

/* AND, OR or IMPLIES with one value means that all operands have certain values; with the other
 * value, that one of them has the opposite.  The operand's value is the value of the node, except
 * for the left side of IMPLIES. */
static void encode_junction(encoder *en, demand d)
{
    nln_op op = (nln_op)en->at[d.node].op;
    int32_t n = nln_postfix_operands(en->operand, en->size, en->at, d.node);
    int all = op == NLN_OP_AND ? d.value : !d.value;
    for (int32_t k = 0; k < n; k++) {
        int value = op == NLN_OP_IMPLIES && k == 1 ? !d.value : d.value;
        if (all)
            push(en, d.guard, en->operand[k], value);
        else
            en->clause[k] = literal(en, en->operand[k], value);
    }
    if (!all)
        add_clause(en, d.guard, en->clause, n);
}

static void encode_demand(encoder *en, demand d)
{
    int same;
    switch (en->at[d.node].op) {
    case NLN_OP_FALSE:
    case NLN_OP_TRUE:
        if ((en->at[d.node].op == NLN_OP_TRUE) != d.value)
            add_clause(en, d.guard, NULL, 0);
        break;
    case NLN_OP_VAR:
        add_clause(en, d.guard, (int[]){literal(en, d.node, d.value)}, 1);
        break;
    case NLN_OP_NOT:
        push(en, d.guard, d.node - 1, !d.value);
        break;
    case NLN_OP_IFF:
    case NLN_OP_XOR:
        nln_postfix_operands(en->operand, en->size, en->at, d.node);
        same = (en->at[d.node].op == NLN_OP_IFF) == d.value;
        /* (left = 0 or right = same) and (left = 1 or right = !same) */
        for (int left = 0; left < 2; left++) {
            en->clause[0] = literal(en, en->operand[1], left);
            en->clause[1] = literal(en, en->operand[0], left ? !same : same);
            add_clause(en, d.guard, en->clause, 2);
        }
        break;
    default:
        encode_junction(en, d);
    }
}

static void encode(encoder *en, nln_expr e, int label)
{
    en->at = e.nodes;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_postfix_operands(en->operand, en->size, en->at, i);
        en->name[i] = 0;
        en->defined[i] = 0;
    }
    push(en, 0, e.n_nodes - 1, label);
    while (en->n_stack > 0)
        encode_demand(en, en->stack[--en->n_stack]);
}

nln_status nln_sat_solve(uint8_t *values, int *consistent, const nln_exprs *exprs,
                         const uint8_t *labels, size_t n_variables, nln_error *err)
{
    encoder en;
    if (n_variables >= INT_MAX || exprs->n_nodes >= INT_MAX - n_variables)
        return nln_error_set(err, NLN_LIMIT,
                             "%zu nodes over %zu variables are too many for the SAT solver; use "
                             "fewer expressions",
                             exprs->n_nodes, n_variables);
    memset(values, 0, n_variables);
    nln_status status = encoder_create(&en, values, exprs, n_variables, err);
    if (status)
        return status;
    for (size_t i = 0; i < exprs->n; i++)
        encode(&en, nln_exprs_get(exprs, i), labels[i] != 0);
    *consistent = ccadical_solve(en.solver) == 10;
    for (size_t v = 0; v < n_variables; v++)
        values[v] = *consistent && values[v] && ccadical_val(en.solver, (int)v + 1) > 0;
    encoder_free(&en);
    return NLN_OK;
}
