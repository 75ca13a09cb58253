/* Sums over shards that several ranks share have the bits of one process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/communicator.h"
#include "base/random.h"
#include "net/shard_exchange.h"
#include "ranks.h"

enum { MOST = 37, ROWS = 60, WIDTH = 5, BLOCK = 300 };

typedef struct fixture {
    nln_shard_rows rows;
    nln_shard_part part[3];
    int64_t cost[MOST];
    int32_t row[MOST][ROWS];
    real table[MOST][ROWS * WIDTH], number[MOST][ROWS], block[MOST][BLOCK];
    real sum[ROWS * WIDTH], sum_of_numbers[ROWS];
    nln_loss loss[MOST];
} fixture;

/* A block, a table, and another one of the same rows; some of the numbers are denormal. */
static void set_up(fixture *f, int n_shards, uint64_t seed)
{
    nln_shard_list list[MOST];
    nln_random r = nln_random_seed(seed, (uint64_t)n_shards);
    memset(f, 0, sizeof *f);
    f->part[0] = (nln_shard_part){.width = BLOCK};
    f->part[1] = (nln_shard_part){.rows = &f->rows, .width = WIDTH, .sum = f->sum};
    f->part[2] = (nln_shard_part){.rows = &f->rows, .width = 1, .sum = f->sum_of_numbers};
    for (int i = 0; i < n_shards; i++) {
        list[i] = (nln_shard_list){f->row[i], 0};
        for (int32_t row = 0; row < ROWS; row++)
            if (nln_random_below(&r, 4) == 0)
                f->row[i][list[i].n++] = row;
        for (int j = 0; j < ROWS * WIDTH; j++)
            f->table[i][j] = (real)(nln_random_normal(&r) * (j % 7 ? 1 : 1e-39));
        for (int j = 0; j < ROWS; j++)
            f->number[i][j] = (real)nln_random_normal(&r);
        for (int j = 0; j < BLOCK; j++)
            f->block[i][j] = (real)nln_random_normal(&r);
        f->part[0].gradient[i] = f->block[i];
        f->part[1].gradient[i] = f->table[i];
        f->part[2].gradient[i] = f->number[i];
        f->loss[i] = (nln_loss){.data = nln_random_normal(&r), .flips = nln_random_normal(&r)};
        f->cost[i] = 1 + (int64_t)nln_random_below(&r, 10);
    }
    assert_int_equal(nln_shard_rows_list(&f->rows, list, n_shards, NULL), NLN_OK);
}

static void ranks_get_the_bits_of_one_process(void **state)
{
    (void)state;
    static fixture plain, f;
    nln_shard_exchange x = {0};
    nln_thread_pool *pool;
    assert_int_equal(nln_thread_pool_create(&pool, 2, NULL), NLN_OK);
    for (int n = 1; n <= MOST; n++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            nln_shard_assignment all = {.n_shards = n, .last = n}, o;
            set_up(&plain, n, seed);
            set_up(&f, n, seed);
            nln_shard_sum(plain.part, 3, plain.loss, &all, NULL, pool);
            nln_shard_assignment_assign(&o, seed ? f.cost : NULL, n);
            for (int i = 0; i < n; i++) /* what others compute is not here */
                if (o.shared && (i < o.first || i >= o.last)) {
                    memset(f.block[i], 0x7f, sizeof f.block[i]);
                    memset(f.table[i], 0x7f, sizeof f.table[i]);
                    memset(f.number[i], 0x7f, sizeof f.number[i]);
                    f.loss[i] = (nln_loss){.data = 1e300};
                }
            nln_shard_sum(f.part, 3, f.loss, &o, &x, pool);
            assert_memory_equal(f.part[0].sum, plain.part[0].sum, sizeof f.block[0]);
            assert_memory_equal(f.sum, plain.sum, sizeof f.sum);
            assert_memory_equal(f.sum_of_numbers, plain.sum_of_numbers, sizeof f.sum_of_numbers);
            assert_memory_equal(&f.loss[0], &plain.loss[0], sizeof f.loss[0]);
            nln_shard_rows_free(&f.rows);
            nln_shard_rows_free(&plain.rows);
        }
    nln_thread_pool_free(pool);
    nln_shard_exchange_free(&x);
}

/* What one rank wants, all know after the next sum. */
static void a_wish_to_stop_reaches_all(void **state)
{
    (void)state;
    static fixture f;
    nln_shard_exchange x = {0};
    nln_thread_pool *pool;
    nln_shard_assignment o;
    nln_communicator_counts *c = nln_communicator_count();
    int size = nln_communicator_size();
    assert_int_equal(nln_thread_pool_create(&pool, 1, NULL), NLN_OK);
    for (int who = -1; who < size && size > 1; who++) {
        set_up(&f, MOST, 1);
        c->wants_stop = nln_communicator_rank() == who;
        nln_shard_assignment_assign(&o, NULL, MOST);
        nln_shard_sum(f.part, 3, f.loss, &o, &x, pool);
        assert_int_equal(c->stops, who >= 0);
        nln_shard_rows_free(&f.rows);
    }
    nln_thread_pool_free(pool);
    nln_shard_exchange_free(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_get_the_bits_of_one_process),
        cmocka_unit_test(a_wish_to_stop_reaches_all),
    };
    nln_error err = {0};
    if (nln_cluster_join(&err))
        return 1;
    int alone = nln_cluster_size() == 1, failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        nln_cluster_abort(NULL);
    nln_cluster_leave();
    return failed || (alone && ranks_run((const int[]){2, 3, 5, 8}, 4));
}
