/* Making and comparing plans, for tests. */
#ifndef NLN_TESTS_PLANS_H
#define NLN_TESTS_PLANS_H

#include "net/plan.h"
#include "trees.h"

enum { N_VARIABLES = 6, N_EXPRESSIONS = 12 };

static inline nln_planner *plans_create(void)
{
    nln_planner *p = NULL;
    assert_int_equal(nln_planner_create(&p, NULL), NLN_OK);
    return p;
}

static inline const nln_plan *plans_of(nln_planner *p, const nln_exprs *list, const int32_t *index,
                                       int32_t n, nln_association how, nln_random *random)
{
    const nln_plan *plan = NULL;
    assert_int_equal(nln_planner_plan(&plan, p, list, index, n, how, random, NULL), NLN_OK);
    return plan;
}

/* A random tree of variables, constants, NOT, AND and OR. */
static inline void plans_push_tree(nln_exprs *list, nln_random *r, int depth)
{
    static const nln_op ops[] = {NLN_OP_NOT, NLN_OP_AND, NLN_OP_OR, NLN_OP_AND, NLN_OP_OR};
    uint64_t die = nln_random_below(r, 6);
    if (depth == 0 || die == 5) {
        trees_leaf(list, r, N_VARIABLES);
        return;
    }
    int32_t n = ops[die] == NLN_OP_NOT ? 1 : 2 + (int32_t)nln_random_below(r, 5);
    for (int32_t i = 0; i < n; i++)
        plans_push_tree(list, r, depth - 1);
    nln_exprs_push(list, ops[die], n, NULL);
}

static inline nln_exprs plans_random_list(nln_random *r)
{
    nln_exprs list = {0};
    for (int i = 0; i < N_EXPRESSIONS; i++) {
        plans_push_tree(&list, r, (int)nln_random_below(r, 5));
        nln_exprs_finish(&list, NULL);
    }
    return list;
}

static inline int32_t plans_first_operation(const nln_plan *plan)
{
    return NLN_ROW_LEAF + plan->n_leaves;
}

/* The vectors that the textbook network makes for `e`: one for each variable, each
 * NOT but that of T, and each pair. */
static inline int64_t plans_vectors(nln_expr e)
{
    int64_t n = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        switch (e.nodes[i].op) {
        case NLN_OP_VAR:
            n++;
            break;
        case NLN_OP_NOT:
            n += e.nodes[i - 1].op != NLN_OP_TRUE;
            break;
        case NLN_OP_AND:
        case NLN_OP_OR:
            n += e.nodes[i].arg - 1;
            break;
        default:
            break;
        }
    return n;
}

static inline int plans_same_numbers(const int32_t *a, const int32_t *b, int32_t n)
{
    return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static inline int plans_same(const nln_plan *a, const nln_plan *b)
{
    if (a->n_rows != b->n_rows || a->n_groups != b->n_groups || a->n_leaves != b->n_leaves ||
        a->n_roots != b->n_roots || a->n_occurrences != b->n_occurrences)
        return 0;
    for (int32_t g = 0; g < a->n_groups; g++)
        if (a->groups[g].module != b->groups[g].module ||
            a->groups[g].first != b->groups[g].first || a->groups[g].count != b->groups[g].count)
            return 0;
    int32_t n = a->n_rows - NLN_ROW_LEAF;
    return plans_same_numbers(a->operand[0] + NLN_ROW_LEAF, b->operand[0] + NLN_ROW_LEAF, n) &&
           plans_same_numbers(a->operand[1] + NLN_ROW_LEAF, b->operand[1] + NLN_ROW_LEAF, n) &&
           plans_same_numbers(a->count + NLN_ROW_LEAF, b->count + NLN_ROW_LEAF, n) &&
           plans_same_numbers(a->root, b->root, a->n_roots) &&
           plans_same_numbers(a->user_start, b->user_start, a->n_rows + 1) &&
           plans_same_numbers(a->user, b->user, a->user_start[a->n_rows]);
}

#endif
