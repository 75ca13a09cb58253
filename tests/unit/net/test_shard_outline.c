/* An outline says of a shard what its plan says of literals, entities and predicates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/communicator.h"
#include "net/shard_exchange.h"
#include "net/shard_outline.h"
#include "plans.h"
#include "ranks.h"

enum { SHARDS = 13, EXPRESSIONS = 9, VARIABLES = 30 };

/* How often a plan has each variable, and each negated one, and in how many rows. */
static void count_literals(int64_t count[2 * VARIABLES], int rows[2 * VARIABLES], const nln_plan *p)
{
    memset(count, 0, 2 * VARIABLES * sizeof *count);
    memset(rows, 0, 2 * VARIABLES * sizeof *rows);
    for (int32_t r = NLN_ROW_LEAF; r < NLN_ROW_LEAF + p->n_leaves; r++) {
        count[2 * p->operand[0][r]] += p->count[r];
        rows[2 * p->operand[0][r]]++;
    }
    if (!p->n_groups || p->groups[0].module != NLN_MODULE_NOT)
        return;
    for (int32_t r = p->groups[0].first; r < p->groups[0].first + p->groups[0].count; r++) {
        int32_t leaf = p->operand[0][r];
        if (leaf < NLN_ROW_LEAF || leaf >= NLN_ROW_LEAF + p->n_leaves)
            continue;
        count[2 * p->operand[0][leaf] + 1] += p->count[r];
        rows[2 * p->operand[0][leaf] + 1]++;
    }
}

static void outlines_say_what_plans_say(void **state)
{
    (void)state;
    nln_shard_outlines outlines = {0};
    for (uint64_t seed = 0; seed < 5; seed++) {
        nln_random random = nln_random_seed(seed, 0);
        nln_planner *planner[SHARDS];
        const nln_plan *whole[SHARDS], *plan[SHARDS];
        nln_exprs list[SHARDS] = {{0}};
        nln_shard_assignment o;
        int n_shards = 2 + (int)(seed * 11 % SHARDS);
        nln_shard_assignment_assign(&o, NULL, n_shards);
        for (int i = 0; i < n_shards; i++) {
            for (int k = 0; k < EXPRESSIONS; k++) {
                plans_push_tree(&list[i], &random, 2);
                nln_exprs_push(&list[i], NLN_OP_VAR, (int32_t)nln_random_below(&random, VARIABLES),
                               NULL);
                nln_exprs_push(&list[i], NLN_OP_NOT, 1, NULL);
                nln_exprs_push(&list[i], NLN_OP_OR, 2, NULL);
                nln_exprs_finish(&list[i], NULL);
            }
            assert_int_equal(nln_planner_create(&planner[i], NULL), NLN_OK);
            assert_int_equal(nln_planner_plan(&whole[i], planner[i], &list[i], NULL, EXPRESSIONS,
                                              NLN_ASSOCIATE_PAIRS, NULL, NULL),
                             NLN_OK);
            plan[i] = !o.shared || (i >= o.first && i < o.last) ? whole[i] : NULL;
        }
        if (o.shared)
            assert_int_equal(nln_shard_outlines_share(&outlines, plan, &o, NULL), NLN_OK);
        for (int i = 0; i < n_shards; i++) {
            int64_t wanted[2 * VARIABLES], count[2 * VARIABLES];
            int wanted_rows[2 * VARIABLES], rows[2 * VARIABLES];
            assert_int_equal(plan[i]->n_rows, whole[i]->n_rows);
            assert_int_equal(plan[i]->n_leaves, whole[i]->n_leaves);
            assert_int_equal(plan[i]->n_occurrences, whole[i]->n_occurrences);
            assert_memory_equal(plan[i]->operand[0] + NLN_ROW_LEAF,
                                whole[i]->operand[0] + NLN_ROW_LEAF,
                                (size_t)whole[i]->n_leaves * sizeof(int32_t));
            count_literals(wanted, wanted_rows, whole[i]);
            count_literals(count, rows, plan[i]);
            assert_memory_equal(count, wanted, sizeof count);
            assert_memory_equal(rows, wanted_rows, sizeof rows);
            nln_planner_free(planner[i]);
            nln_exprs_free(&list[i]);
        }
    }
    nln_shard_outlines_free(&outlines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outlines_say_what_plans_say)};
    nln_error err = {0};
    if (nln_cluster_join(&err))
        return 1;
    int size = nln_cluster_size(), failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        nln_cluster_abort(NULL);
    nln_cluster_leave();
    return failed || (size == 1 && ranks_run((const int[]){2, 3}, 2));
}
