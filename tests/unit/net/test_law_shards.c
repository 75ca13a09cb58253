/* Rows that several shards have are under the laws once, and the shards share the work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/law_shards.h"
#include "plans.h"

enum { UNITS = 200, MANY_VARIABLES = 40 };

typedef struct fixture {
    nln_net *net;
    nln_thread_pool *pool;
    nln_batch *batch;
    nln_exprs list;
    real truth[UNITS];
    int32_t index[UNITS];
} fixture;

/* A variable and a negated one in every expression. */
static void set_up(fixture *f)
{
    nln_random random = nln_random_seed(3, 0);
    memset(f, 0, sizeof *f);
    for (int i = 0; i < UNITS; i++) {
        plans_push_tree(&f->list, &random, 2);
        nln_exprs_push(&f->list, NLN_OP_VAR, (int32_t)nln_random_below(&random, MANY_VARIABLES),
                       NULL);
        nln_exprs_push(&f->list, NLN_OP_NOT, 1, NULL);
        nln_exprs_push(&f->list, NLN_OP_OR, 2, NULL);
        nln_exprs_finish(&f->list, NULL);
        f->index[i] = i;
    }
    assert_int_equal(nln_net_create(&f->net, 4, 4, MANY_VARIABLES, NLN_EMBED_FREE, 10, NULL),
                     NLN_OK);
    assert_int_equal(nln_thread_pool_create(&f->pool, 2, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->batch, f->net, f->pool, NULL), NLN_OK);
    nln_request input = {.loss_kind = NLN_LOSS_LABELS,
                         .exprs = &f->list,
                         .truth = f->truth,
                         .index = f->index,
                         .n = UNITS};
    nln_batch_settings settings = {.members = 1};
    assert_int_equal(nln_batch_plan(f->batch, &input, &settings, NULL), NLN_OK);
    assert_true(f->batch->n_shards > 2);
}

static void tear_down(fixture *f)
{
    nln_batch_free(f->batch);
    nln_thread_pool_free(f->pool);
    nln_net_free(f->net);
    nln_exprs_free(&f->list);
}

/* The literal of a row: 2 v for a variable, 2 v + 1 for a negated one; -1 for another row. */
static int literal_of(const nln_plan *plan, int32_t row)
{
    int32_t first_operation = plans_first_operation(plan);
    if (row < first_operation)
        return 2 * plan->operand[0][row];
    int32_t leaf = plan->operand[0][row];
    int is_not = plan->groups[0].module == NLN_MODULE_NOT &&
                 row < plan->groups[0].first + plan->groups[0].count;
    return is_not && leaf >= NLN_ROW_LEAF && leaf < first_operation ? 2 * plan->operand[0][leaf] + 1
                                                                    : -1;
}

/* kinds: 0 nothing is shared, 1 variables, 2 also their negations. */
static void check(const nln_objective *o, int kinds)
{
    fixture f;
    set_up(&f);
    int64_t expected[2 * MANY_VARIABLES] = {0}, counted[2 * MANY_VARIABLES] = {0};
    int owners[2 * MANY_VARIABLES] = {0}, shared_by[2 * MANY_VARIABLES] = {0}, several = 0;
    int32_t least = INT32_MAX, most = 0;
    nln_law_sharing_assign(f.batch, o);
    for (int i = 0; i < f.batch->n_shards; i++) {
        const nln_plan *plan = f.batch->shard[i].plan;
        nln_law_list list = {0};
        int32_t rows = NLN_ROW_LEAF;
        assert_int_equal(nln_law_list_fit(&list, (size_t)plan->n_rows, NULL), NLN_OK);
        nln_law_sharing_count(&list, f.batch, i);
        for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
            int literal = literal_of(plan, r);
            rows += list.count[r] > 0;
            if (literal < 0 || literal % 2 >= kinds) {
                assert_int_equal(list.count[r], plan->count[r]);
                continue;
            }
            expected[literal] += plan->count[r];
            counted[literal] += list.count[r];
            owners[literal] += list.count[r] > 0;
            shared_by[literal]++;
        }
        assert_int_equal(f.batch->shard[i].n_under_laws, rows);
        least = rows < least ? rows : least;
        most = rows > most ? rows : most;
        nln_law_list_free(&list);
    }
    for (int l = 0; l < 2 * MANY_VARIABLES; l++) {
        assert_int_equal(counted[l], expected[l]);
        assert_int_equal(owners[l], shared_by[l] > 0);
        several += shared_by[l] > 1;
    }
    assert_int_equal(several > 0, kinds > 0);
    assert_true(kinds == 0 || most - least < most / 2);
    tear_down(&f);
}

static void all_literals_are_shared(void **state)
{
    (void)state;
    check(&(nln_objective){0}, 2);
}

/* Dropout in NOT is drawn anew in each shard, and noise in the variables too. */
static void random_vectors_are_not_shared(void **state)
{
    (void)state;
    check(&(nln_objective){.dropout = 0.1}, 1);
    check(&(nln_objective){.dropout_variables = 0.1}, 0);
    check(&(nln_objective){.logit_noise = 0.1}, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_literals_are_shared),
        cmocka_unit_test(random_vectors_are_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
