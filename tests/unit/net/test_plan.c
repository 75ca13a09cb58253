#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plans.h"

/* Every batch of 60 random ones, in each association, in order and at random; some
 * of its expressions stand twice in it. */
static void each(void (*check)(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                               int32_t n))
{
    nln_random r = nln_random_seed(21, 0);
    nln_planner *p = plans_create();
    for (int trial = 0; trial < 60; trial++) {
        nln_exprs list = plans_random_list(&r);
        int32_t index[2 * N_EXPRESSIONS], n = 1 + (int32_t)nln_random_below(&r, 23);
        for (int32_t i = 0; i < n; i++)
            index[i] = (int32_t)nln_random_below(&r, N_EXPRESSIONS);
        for (int how = NLN_ASSOCIATE_PAIRS; how <= NLN_ASSOCIATE_FOLD; how++)
            for (int random = 0; random < 2; random++) {
                nln_random *drawn = random ? &r : NULL;
                check(plans_of(p, &list, index, n, (nln_association)how, drawn), &list, index, n);
            }
        nln_exprs_free(&list);
    }
    nln_planner_free(p);
}

/* ---- properties of every plan ---------------------------------------------------- */

static void check_inputs(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                         int32_t n)
{
    (void)list, (void)index;
    assert_int_equal(plan->n_roots, n);
    for (int32_t r = NLN_ROW_LEAF; r < plans_first_operation(plan); r++)
        assert_in_range(plan->operand[0][r], 0, N_VARIABLES - 1);
    for (int32_t r = plans_first_operation(plan); r < plan->n_rows; r++) {
        assert_in_range(plan->operand[0][r], 0, r - 1);
        assert_true(plan->operand[1][r] >= -1 && plan->operand[1][r] < r);
    }
    for (int32_t i = 0; i < n; i++)
        assert_in_range(plan->root[i], 0, plan->n_rows - 1);
}

/* 0 for T, F and the variables. */
static int32_t *levels(const nln_plan *plan)
{
    int32_t *level = calloc((size_t)plan->n_rows, sizeof *level);
    for (int32_t r = plans_first_operation(plan); r < plan->n_rows; r++) {
        int32_t a = level[plan->operand[0][r]],
                b = plan->operand[1][r] < 0 ? 0 : level[plan->operand[1][r]];
        level[r] = 1 + (a > b ? a : b);
    }
    return level;
}

static void check_groups(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                         int32_t n)
{
    (void)list, (void)index, (void)n;
    int32_t *level = levels(plan), row = plans_first_operation(plan), before = -1;
    for (int32_t g = 0; g < plan->n_groups; g++) {
        nln_group group = plan->groups[g];
        int32_t key = NLN_N_MODULES * level[group.first] + (int32_t)group.module;
        assert_int_equal(group.first, row);
        assert_true(group.count > 0);
        assert_true(key > before);
        for (; row < group.first + group.count; row++) {
            assert_int_equal(level[row], level[group.first]);
            assert_int_equal(plan->operand[1][row] < 0, nln_module_table[group.module].arity == 1);
        }
        before = key;
    }
    assert_int_equal(row, plan->n_rows);
    free(level);
}

static void check_sharing(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                          int32_t n)
{
    (void)list, (void)index, (void)n;
    for (int32_t a = NLN_ROW_LEAF; a < plans_first_operation(plan); a++)
        for (int32_t b = NLN_ROW_LEAF; b < a; b++)
            assert_int_not_equal(plan->operand[0][a], plan->operand[0][b]);
    for (int32_t g = 0; g < plan->n_groups; g++)
        for (int32_t i = 0; i < plan->groups[g].count; i++)
            for (int32_t j = 0; j < i; j++) {
                int32_t a = plan->groups[g].first + i, b = plan->groups[g].first + j;
                assert_false(plan->operand[0][a] == plan->operand[0][b] &&
                             plan->operand[1][a] == plan->operand[1][b]);
            }
}

static void check_total_count(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                              int32_t n)
{
    int64_t wanted = 0, sum = 0;
    for (int32_t i = 0; i < n; i++)
        wanted += plans_vectors(nln_exprs_get(list, (size_t)index[i]));
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
        assert_true(plan->count[r] > 0);
        sum += plan->count[r];
    }
    assert_int_equal(sum, wanted);
    assert_int_equal(plan->n_occurrences, wanted);
}

/* A row occurs once for each expression that it is, and once for each occurrence
 * of each use. */
static void check_count_of_rows(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                                int32_t n)
{
    (void)list, (void)index;
    int32_t *uses = calloc((size_t)plan->n_rows, sizeof *uses);
    for (int32_t i = 0; i < n; i++)
        uses[plan->root[i]]++;
    for (int32_t r = plans_first_operation(plan); r < plan->n_rows; r++) {
        uses[plan->operand[0][r]] += plan->count[r];
        if (plan->operand[1][r] >= 0)
            uses[plan->operand[1][r]] += plan->count[r];
    }
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++)
        assert_int_equal(plan->count[r], uses[r]);
    free(uses);
}

static void check_users(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                        int32_t n)
{
    (void)list, (void)index, (void)n;
    int32_t total = 0;
    for (int32_t r = plans_first_operation(plan); r < plan->n_rows; r++)
        total += 1 + (plan->operand[1][r] >= 0);
    assert_int_equal(plan->user_start[0], 0);
    assert_int_equal(plan->user_start[plan->n_rows], total);
    for (int32_t r = 0; r < plan->n_rows; r++) {
        assert_true(plan->user_start[r] <= plan->user_start[r + 1]);
        for (int32_t i = plan->user_start[r]; i < plan->user_start[r + 1]; i++) {
            int32_t row = plan->user[i] / NLN_MOST_OPERANDS,
                    side = plan->user[i] % NLN_MOST_OPERANDS;
            assert_in_range(row, plans_first_operation(plan), plan->n_rows - 1);
            assert_int_equal(plan->operand[side][row], r);
            assert_true(i == plan->user_start[r] || plan->user[i] > plan->user[i - 1]);
        }
    }
}

/* The value of every row when rows are booleans. */
static void evaluate_rows(uint8_t *value, const nln_plan *plan, const uint8_t *variables)
{
    value[NLN_ROW_TRUE] = 1;
    value[NLN_ROW_FALSE] = 0;
    for (int32_t r = NLN_ROW_LEAF; r < plans_first_operation(plan); r++)
        value[r] = variables[plan->operand[0][r]];
    for (int32_t g = 0; g < plan->n_groups; g++)
        for (int32_t i = 0; i < plan->groups[g].count; i++) {
            int32_t r = plan->groups[g].first + i;
            uint8_t a = value[plan->operand[0][r]],
                    b = plan->operand[1][r] < 0 ? 0 : value[plan->operand[1][r]];
            const uint8_t result[] = {!a, a && b, a || b};
            value[r] = result[plan->groups[g].module];
        }
}

static void check_meaning(const nln_plan *plan, const nln_exprs *list, const int32_t *index,
                          int32_t n)
{
    uint8_t *value = malloc((size_t)plan->n_rows), *stack = malloc(list->n_nodes);
    for (unsigned bits = 0; bits < 1u << N_VARIABLES; bits++) {
        uint8_t variables[N_VARIABLES];
        for (int i = 0; i < N_VARIABLES; i++)
            variables[i] = bits >> i & 1;
        evaluate_rows(value, plan, variables);
        for (int32_t i = 0; i < n; i++)
            assert_int_equal(
                value[plan->root[i]],
                nln_expr_evaluate(nln_exprs_get(list, (size_t)index[i]), variables, stack));
    }
    free(value);
    free(stack);
}

#define EACH(name, check)          \
    static void name(void **state) \
    {                              \
        (void)state;               \
        each(check);               \
    }
EACH(inputs_precede_users, check_inputs)
EACH(groups_are_sorted_slices, check_groups)
EACH(equal_rows_are_one, check_sharing)
EACH(counts_are_those_of_the_textbook, check_total_count)
EACH(counts_follow_the_uses, check_count_of_rows)
EACH(users_are_the_inverse_of_inputs, check_users)
EACH(rows_mean_what_the_expressions_mean, check_meaning)

/* ---- orders ---------------------------------------------------------------------- */

/* One AND of variables 0 .. n-1. */
static nln_exprs conjunction(int32_t n)
{
    nln_exprs list = {0};
    for (int32_t i = 0; i < n; i++)
        nln_exprs_push(&list, NLN_OP_VAR, i, NULL);
    nln_exprs_push(&list, NLN_OP_AND, n, NULL);
    nln_exprs_finish(&list, NULL);
    return list;
}

/* Appends the row as text, such as ((ab)c). */
static void spell(char *text, const nln_plan *plan, int32_t row)
{
    char letter[2] = {0};
    if (row < plans_first_operation(plan)) {
        letter[0] = (char)('a' + plan->operand[0][row]);
        strcat(text, letter);
        return;
    }
    strcat(text, "(");
    spell(text, plan, plan->operand[0][row]);
    spell(text, plan, plan->operand[1][row]);
    strcat(text, ")");
}

static void in_order_they_follow_the_text(void **state)
{
    (void)state;
    static const struct {
        nln_association how;
        int32_t n;
        const char *text;
    } cases[] = {
        {NLN_ASSOCIATE_PAIRS, 2, "(ab)"},          {NLN_ASSOCIATE_PAIRS, 3, "((ab)c)"},
        {NLN_ASSOCIATE_PAIRS, 5, "(((ab)(cd))e)"}, {NLN_ASSOCIATE_PAIRS, 7, "(((ab)(cd))((ef)g))"},
        {NLN_ASSOCIATE_FOLD, 2, "(ab)"},           {NLN_ASSOCIATE_FOLD, 7, "((((((ab)c)d)e)f)g)"},
    };
    nln_planner *p = plans_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64] = "";
        nln_exprs list = conjunction(cases[i].n);
        const nln_plan *plan = plans_of(p, &list, NULL, 1, cases[i].how, NULL);
        spell(text, plan, plan->root[0]);
        assert_string_equal(text, cases[i].text);
        nln_exprs_free(&list);
    }
    nln_planner_free(p);
}

static void pairs_are_the_shallowest(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(5, 0);
    nln_planner *p = plans_create();
    for (int32_t n = 2; n <= 130; n++)
        for (int random = 0; random < 2; random++) {
            nln_exprs list = conjunction(n);
            int32_t depth = 0;
            while (1 << depth < n)
                depth++;
            assert_int_equal(
                plans_of(p, &list, NULL, 1, NLN_ASSOCIATE_PAIRS, random ? &r : NULL)->n_groups,
                depth);
            nln_exprs_free(&list);
        }
    nln_planner_free(p);
}

/* How many different trees 6000 random plans of one AND give. */
static int different_orders(nln_association how, int32_t n)
{
    enum { MOST = 200 };
    static char seen[MOST][32];
    nln_random r = nln_random_seed(31, (uint64_t)how);
    nln_planner *p = plans_create();
    nln_exprs list = conjunction(n);
    int n_seen = 0;
    for (int trial = 0; trial < 6000; trial++) {
        char text[32] = "";
        int i = 0;
        const nln_plan *plan = plans_of(p, &list, NULL, 1, how, &r);
        spell(text, plan, plan->root[0]);
        while (i < n_seen && strcmp(seen[i], text) != 0)
            i++;
        assert_true(i < MOST);
        if (i == n_seen)
            strcpy(seen[n_seen++], text);
    }
    nln_exprs_free(&list);
    nln_planner_free(p);
    return n_seen;
}

/* Ordered trees with n named leaves: those with a leaf at every join, and the balanced ones. */
static void random_orders_reach_all(void **state)
{
    (void)state;
    for (int how = NLN_ASSOCIATE_PAIRS; how <= NLN_ASSOCIATE_FOLD; how++) {
        assert_int_equal(different_orders((nln_association)how, 2), 2);
        assert_int_equal(different_orders((nln_association)how, 3), 12);
    }
    assert_int_equal(different_orders(NLN_ASSOCIATE_FOLD, 4), 96);
    assert_int_equal(different_orders(NLN_ASSOCIATE_PAIRS, 4), 24);
}

/* A planner that has planned much gives the plan that a new one gives. */
static void the_same_seed_gives_the_same_plan(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(8, 0);
    nln_planner *used = plans_create();
    int n_different = 0;
    for (int trial = 0; trial < 90; trial++) {
        nln_association how = (nln_association)(trial % 3);
        nln_exprs list = plans_random_list(&r);
        nln_random a = r, b = r, other = nln_random_seed(9, (uint64_t)trial);
        nln_planner *fresh = plans_create(), *third = plans_create();
        const nln_plan *plan = plans_of(used, &list, NULL, N_EXPRESSIONS, how, &a);
        assert_true(plans_same(plan, plans_of(fresh, &list, NULL, N_EXPRESSIONS, how, &b)));
        n_different += !plans_same(plan, plans_of(third, &list, NULL, N_EXPRESSIONS, how, &other));
        nln_planner_free(fresh);
        nln_planner_free(third);
        nln_exprs_free(&list);
    }
    assert_true(n_different > 45);
    nln_planner_free(used);
}

/* ---- examples ---------------------------------------------------------------------- */

static const nln_plan *plan_text(nln_planner *p, nln_exprs *list, const char *const *texts, int n)
{
    nln_symbols *s = trees_names(4);
    for (int i = 0; i < n; i++)
        trees_parse(list, s, texts[i]);
    nln_symbols_free(s);
    return plans_of(p, list, NULL, n, NLN_ASSOCIATE_PAIRS, NULL);
}

static void constants_are_rows_of_their_own(void **state)
{
    (void)state;
    static const char *const texts[] = {"T", "F", "!T", "!F", "!!T", "T & F", "!T | F"};
    nln_exprs list = {0};
    nln_planner *p = plans_create();
    const nln_plan *plan = plan_text(p, &list, texts, 7);
    assert_int_equal(plan->n_leaves, 0);
    assert_int_equal(plan->n_rows, 5);
    assert_int_equal(plan->root[0], NLN_ROW_TRUE);
    assert_int_equal(plan->root[1], NLN_ROW_FALSE);
    assert_int_equal(plan->root[2], NLN_ROW_FALSE);
    assert_int_equal(plan->operand[0][plan->root[3]], NLN_ROW_FALSE);
    assert_int_equal(plan->root[4], plan->root[3]);
    assert_int_equal(plan->count[plan->root[3]], 2);
    assert_int_equal(plan->operand[0][plan->root[5]], NLN_ROW_TRUE);
    assert_int_equal(plan->operand[1][plan->root[5]], NLN_ROW_FALSE);
    assert_int_equal(plan->operand[0][plan->root[6]], NLN_ROW_FALSE);
    assert_int_equal(plan->n_occurrences, 4);
    nln_exprs_free(&list);
    nln_planner_free(p);
}

static void sub_expressions_are_shared(void **state)
{
    (void)state;
    static const char *const texts[] = {"(x0 & !x1) | x2", "x3 | (x0 & !x1)", "x0 & !x1", "!x1"};
    nln_exprs list = {0};
    nln_planner *p = plans_create();
    const nln_plan *plan = plan_text(p, &list, texts, 4);
    int32_t both = plan->root[2], negated = plan->root[3];
    assert_int_equal(plan->n_rows, NLN_ROW_LEAF + 4 + 4);
    assert_int_equal(plan->operand[0][plan->root[0]], both);
    assert_int_equal(plan->operand[1][plan->root[1]], both);
    assert_int_equal(plan->operand[1][both], negated);
    assert_int_equal(plan->count[both], 3);
    assert_int_equal(plan->count[negated], 4);
    nln_exprs_free(&list);
    nln_planner_free(p);
}

static void an_empty_batch_has_two_rows(void **state)
{
    (void)state;
    nln_exprs list = {0};
    nln_planner *p = plans_create();
    const nln_plan *plan = plans_of(p, &list, NULL, 0, NLN_ASSOCIATE_PAIRS, NULL);
    assert_int_equal(plan->n_rows, 2);
    assert_int_equal(plan->n_groups, 0);
    assert_int_equal(plan->n_occurrences, 0);
    nln_planner_free(p);
    nln_planner_free(NULL);
}

/* Planning with members is planning the expressions once for each, written out with
 * variables of their own. */
static void members_have_variables_of_their_own(void **state)
{
    (void)state;
    enum { MEMBERS = 3 };
    nln_random r = nln_random_seed(41, 0);
    for (int trial = 0; trial < 60; trial++) {
        nln_exprs list = plans_random_list(&r), all = {0};
        nln_planner *together = plans_create(), *apart = plans_create();
        for (int32_t i = 0; i < MEMBERS * N_EXPRESSIONS; i++) {
            nln_expr e = nln_exprs_get(&list, (size_t)(i % N_EXPRESSIONS));
            int32_t offset = i / N_EXPRESSIONS * N_VARIABLES;
            for (int32_t j = 0; j < e.n_nodes; j++) {
                nln_node node = e.nodes[j];
                node.arg += node.op == NLN_OP_VAR ? offset : 0;
                nln_exprs_push(&all, (nln_op)node.op, node.arg, NULL);
            }
            nln_exprs_finish(&all, NULL);
        }
        nln_association how = (nln_association)(trial % 3);
        nln_planner_set_members(together, MEMBERS, N_VARIABLES);
        assert_true(plans_same(plans_of(together, &list, NULL, N_EXPRESSIONS, how, NULL),
                               plans_of(apart, &all, NULL, MEMBERS * N_EXPRESSIONS, how, NULL)));
        nln_planner_free(together);
        nln_planner_free(apart);
        nln_exprs_free(&list);
        nln_exprs_free(&all);
    }
}

enum { LONG = 100000 };

/* One OR of literals, every third negated, over 1000 variables. */
static nln_exprs long_disjunction(void)
{
    nln_exprs list = {0};
    for (int32_t i = 0; i < LONG; i++) {
        nln_exprs_push(&list, NLN_OP_VAR, i % 1000, NULL);
        if (i % 3 == 0)
            nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    }
    nln_exprs_push(&list, NLN_OP_OR, LONG, NULL);
    nln_exprs_finish(&list, NULL);
    return list;
}

static void *plan_long_ones(void *context)
{
    int *good = context;
    nln_random r = nln_random_seed(1, 1);
    nln_exprs list = long_disjunction();
    nln_planner *p = NULL;
    const nln_plan *plan = NULL;
    *good = nln_planner_create(&p, NULL) == NLN_OK;
    for (int i = 0; i < 6; i++) {
        *good &= nln_planner_plan(&plan, p, &list, NULL, 1, (nln_association)(i / 2),
                                  i % 2 ? &r : NULL, NULL) == NLN_OK;
        *good &= plan->n_occurrences == plans_vectors(nln_exprs_get(&list, 0));
        *good &= plan->n_leaves == 1000 && plan->root[0] == plan->n_rows - 1;
    }
    nln_planner_free(p);
    nln_exprs_free(&list);
    return NULL;
}

static void *plan_deep_one(void *context)
{
    int *good = context;
    nln_exprs list = {0};
    nln_planner *p = NULL;
    const nln_plan *plan = NULL;
    nln_exprs_push(&list, NLN_OP_VAR, 0, NULL);
    for (int i = 0; i < LONG; i++)
        nln_exprs_push(&list, NLN_OP_NOT, 0, NULL);
    nln_exprs_finish(&list, NULL);
    *good = nln_planner_create(&p, NULL) == NLN_OK &&
            nln_planner_plan(&plan, p, &list, NULL, 1, NLN_ASSOCIATE_PAIRS, NULL, NULL) == NLN_OK;
    *good = *good && plan->n_groups == LONG && plan->n_rows == NLN_ROW_LEAF + 1 + LONG;
    nln_planner_free(p);
    nln_exprs_free(&list);
    return NULL;
}

static void length_and_depth_cost_no_stack(void **state)
{
    (void)state;
    int good = 0;
    assert_true(trees_on_small_stack(plan_long_ones, &good));
    assert_true(good);
    assert_true(trees_on_small_stack(plan_deep_one, &good));
    assert_true(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_precede_users),
        cmocka_unit_test(groups_are_sorted_slices),
        cmocka_unit_test(equal_rows_are_one),
        cmocka_unit_test(counts_are_those_of_the_textbook),
        cmocka_unit_test(counts_follow_the_uses),
        cmocka_unit_test(users_are_the_inverse_of_inputs),
        cmocka_unit_test(rows_mean_what_the_expressions_mean),
        cmocka_unit_test(in_order_they_follow_the_text),
        cmocka_unit_test(pairs_are_the_shallowest),
        cmocka_unit_test(random_orders_reach_all),
        cmocka_unit_test(the_same_seed_gives_the_same_plan),
        cmocka_unit_test(members_have_variables_of_their_own),
        cmocka_unit_test(constants_are_rows_of_their_own),
        cmocka_unit_test(sub_expressions_are_shared),
        cmocka_unit_test(an_empty_batch_has_two_rows),
        cmocka_unit_test(length_and_depth_cost_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
