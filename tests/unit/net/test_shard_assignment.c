/* The shards of a batch are divided among the ranks by their work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/communicator.h"
#include "base/random.h"
#include "net/shard_assignment.h"

/* This process as one rank of several. */
static nln_communicator job;

static void become(int rank, int size)
{
    job = (nln_communicator){.rank = rank, .size = size};
    nln_communicator_set(size > 1 ? &job : NULL);
}

static void every_shard_has_one_rank(void **state)
{
    (void)state;
    for (int size = 1; size <= 9; size++)
        for (int n = 1; n <= NLN_MOST_SHARDS; n += 5)
            for (int me = 0; me < size; me++) {
                nln_shard_assignment o;
                become(me, size);
                nln_shard_assignment_assign(&o, NULL, n);
                assert_int_equal(o.shared, size > 1 && n > 1);
                for (int i = 0; o.shared && i < n; i++) {
                    assert_true(o.rank[i] >= (i ? o.rank[i - 1] : 0) && o.rank[i] < size);
                    assert_int_equal(i >= o.first && i < o.last, o.rank[i] == me);
                }
                assert_true(!o.shared || o.last - o.first <= n / size + 2);
                assert_true(!o.shared || n < 2 * size || o.last > o.first);
            }
    become(0, 1);
}

/* No rank has more than a shard and a half beyond its share. */
static void costly_shards_are_few_for_a_rank(void **state)
{
    (void)state;
    enum { N = 39 };
    nln_random r = nln_random_seed(3, 0);
    for (int round = 0; round < 50; round++) {
        int64_t cost[N], total = 0;
        for (int i = 0; i < N; i++)
            total += cost[i] = 60 + (int64_t)nln_random_below(&r, 80);
        for (int size = 2; size <= 5; size++)
            for (int me = 0; me < size; me++) {
                nln_shard_assignment o;
                int64_t mine = 0;
                become(me, size);
                nln_shard_assignment_assign(&o, cost, N);
                for (int i = o.first; i < o.last; i++)
                    mine += cost[i];
                assert_true(mine <= total / size + 3 * total / N / 2);
            }
    }
    become(0, 1);
}

/* Where the work is the same, the cut is where nodes of the tree end. */
static void a_cut_keeps_nodes_whole(void **state)
{
    (void)state;
    nln_shard_assignment o;
    become(0, 2);
    nln_shard_assignment_assign(&o, NULL, 39);
    assert_int_equal(o.last, 20);
    nln_shard_assignment_assign(&o, NULL, 33);
    assert_int_equal(o.last, 16);
    become(0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shard_has_one_rank),
        cmocka_unit_test(costly_shards_are_few_for_a_rank),
        cmocka_unit_test(a_cut_keeps_nodes_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
