/* What the tests of predicate logic share: a vocabulary, random quantified formulas, and their
 * value by the definition of the quantifiers. */
#ifndef NLN_TESTS_FIRST_ORDER_H
#define NLN_TESTS_FIRST_ORDER_H

#include "trees.h"

/* Predicates p, q, r of one, two and three arguments, entities e0, e1, ..., variables x0, x1, and
 * variables v0, v1, ... to be bound. */
static inline nln_vocabulary first_order_names(int n_entities)
{
    static const char *const predicates[] = {"p", "q", "r"};
    nln_vocabulary names = {.variables = trees_names(2)};
    if (nln_relations_create(&names.relations, NULL) || nln_atoms_create(&names.atoms, NULL))
        abort();
    for (int i = 0; i < 3; i++)
        nln_relations_predicate(names.relations, predicates[i], 1, i + 1);
    for (int i = 0; i < 8; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "v%d", i);
        nln_symbols_intern(names.atoms->bound, name, (size_t)length);
    }
    for (int i = 0; i < n_entities; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "e%d", i);
        nln_symbols_intern(names.relations->entities, name, (size_t)length);
    }
    return names;
}

static inline void first_order_free(nln_vocabulary *names)
{
    nln_symbols_free(names->variables);
    nln_relations_free(names->relations);
    nln_atoms_free(names->atoms);
}

/* Pushes a random formula in which `scope` variables v0, v1, ... are bound. */
static inline void first_order_push(nln_exprs *list, const nln_vocabulary *names, nln_random *r,
                                    int scope, int depth)
{
    int op = NLN_OP_NOT + (int)nln_random_below(r, 9);
    if (depth == 0) {
        int32_t predicate = (int32_t)nln_random_below(r, 2 + (scope > 1)), argument[3];
        int32_t n_entities = nln_symbols_count(names->relations->entities);
        if (nln_random_below(r, 8) == 0) {
            trees_leaf(list, r, 2);
            return;
        }
        for (int32_t k = 0; k <= predicate; k++) {
            int32_t pick = (int32_t)nln_random_below(r, (uint64_t)(scope + 1));
            argument[k] = pick < scope ? nln_argument_bound(pick)
                                       : (int32_t)nln_random_below(r, (uint64_t)n_entities);
        }
        nln_exprs_push(list, NLN_OP_ATOM,
                       nln_atoms_intern(names->atoms, predicate, argument, predicate + 1), NULL);
        return;
    }
    if (op > NLN_OP_XOR) {
        first_order_push(list, names, r, scope + 1, depth - 1);
        nln_exprs_push(list, nln_random_below(r, 2) ? NLN_OP_FORALL : NLN_OP_EXISTS, scope, NULL);
        return;
    }
    int many = op == NLN_OP_AND || op == NLN_OP_OR;
    int32_t n = op == NLN_OP_NOT ? 1 : many ? 2 + (int32_t)nln_random_below(r, 2) : 2;
    for (int32_t i = 0; i < n; i++)
        first_order_push(list, names, r, scope, depth - 1);
    nln_exprs_push(list, (nln_op)op, many ? n : 0, NULL);
}

/* The value of the sub-expression that ends at node *at, which moves before it: by recursion over
 * all entities.  value[atom or variable] is a hash, so that every assignment is one key. */
static inline int first_order_value(nln_expr e, int32_t *at, const nln_vocabulary *names,
                                    int32_t *entity, uint64_t key)
{
    nln_node node = e.nodes[(*at)--];
    int32_t n = nln_symbols_count(names->relations->entities), argument[3];
    int value[8];
    if (node.op == NLN_OP_VAR)
        return (int)(nln_random_mix(key ^ (uint64_t)node.arg) >> 63);
    if (node.op == NLN_OP_ATOM) {
        nln_atom a = nln_atoms_get(names->atoms, node.arg);
        for (int32_t k = 0; k < a.n_arguments; k++)
            argument[k] = nln_argument_variable(a.argument[k]) >= 0
                              ? entity[nln_argument_variable(a.argument[k])]
                              : a.argument[k];
        uint64_t hash = nln_random_mix(key + 1 + (uint64_t)a.predicate);
        for (int32_t k = 0; k < a.n_arguments; k++)
            hash = nln_random_mix(hash ^ (uint64_t)argument[k]);
        return (int)(hash >> 63);
    }
    if (nln_node_is_quantifier(node)) {
        int forall = node.op == NLN_OP_FORALL, result = forall;
        int32_t before = *at, outside = entity[node.arg];
        for (int32_t i = 0; i < n; i++) {
            entity[node.arg] = i;
            *at = before;
            int found = first_order_value(e, at, names, entity, key);
            result = forall ? result & found : result | found;
        }
        entity[node.arg] = outside;
        return result;
    }
    if (node.op == NLN_OP_TRUE || node.op == NLN_OP_FALSE)
        return node.op == NLN_OP_TRUE;
    if (node.op == NLN_OP_AND || node.op == NLN_OP_OR) {
        int result = node.op == NLN_OP_AND;
        for (int32_t k = 0; k < node.arg; k++) {
            int found = first_order_value(e, at, names, entity, key);
            result = node.op == NLN_OP_AND ? result & found : result | found;
        }
        return result;
    }
    for (int32_t k = nln_node_arity(node); k > 0; k--)
        value[k - 1] = first_order_value(e, at, names, entity, key);
    switch (node.op) {
    case NLN_OP_NOT:
        return !value[0];
    case NLN_OP_IMPLIES:
        return !value[0] || value[1];
    default:
        return (value[0] == value[1]) == (node.op == NLN_OP_IFF);
    }
}

/* Whether two formulas have the same value under n assignments. */
static inline int first_order_agree(nln_expr a, nln_expr b, const nln_vocabulary *names, int n)
{
    int32_t entity[4096] = {0};
    for (int i = 0; i < n; i++) {
        int32_t at = a.n_nodes - 1, bt = b.n_nodes - 1;
        uint64_t key = nln_random_mix((uint64_t)i);
        if (first_order_value(a, &at, names, entity, key) !=
            first_order_value(b, &bt, names, entity, key))
            return 0;
    }
    return 1;
}

static inline nln_expr first_order_random(nln_exprs *list, const nln_vocabulary *names,
                                          nln_random *r, int depth)
{
    first_order_push(list, names, r, 0, depth);
    nln_exprs_finish(list, NULL);
    return nln_exprs_get(list, list->n - 1);
}

#endif
