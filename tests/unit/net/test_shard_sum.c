/* The parts of a batch are summed as rows and blocks are, on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "net/shard_sum.h"

enum { SHARDS = 21, ROWS = 40, WIDTH = 5, BLOCK = 1000 };

typedef struct fixture {
    nln_shard_rows rows;
    nln_shard_part part[2];
    int32_t row[SHARDS][ROWS];
    real table[SHARDS][ROWS * WIDTH], block[SHARDS][BLOCK], sum[ROWS * WIDTH];
    nln_loss loss[SHARDS];
} fixture;

static void set_up(fixture *f)
{
    nln_shard_list list[SHARDS];
    nln_random r = nln_random_seed(1, 0);
    memset(f, 0, sizeof *f);
    f->part[0] = (nln_shard_part){.rows = &f->rows, .width = WIDTH, .sum = f->sum};
    f->part[1] = (nln_shard_part){.width = BLOCK};
    for (int i = 0; i < SHARDS; i++) {
        list[i] = (nln_shard_list){f->row[i], 0};
        for (int32_t row = 0; row < ROWS; row++)
            if (nln_random_below(&r, 2))
                f->row[i][list[i].n++] = row;
        for (int j = 0; j < ROWS * WIDTH; j++)
            f->table[i][j] = (real)nln_random_normal(&r);
        for (int j = 0; j < BLOCK; j++)
            f->block[i][j] = (real)nln_random_normal(&r);
        f->part[0].gradient[i] = f->table[i];
        f->part[1].gradient[i] = f->block[i];
        f->loss[i] = (nln_loss){.data = i + 0.1, .laws = 2, .length = 3, .l2 = 4, .flips = 5};
    }
    assert_int_equal(nln_shard_rows_list(&f->rows, list, SHARDS, NULL), NLN_OK);
}

static void parts_are_summed_on_any_number_of_threads(void **state)
{
    (void)state;
    static fixture plain, f;
    set_up(&plain);
    for (int32_t k = 0; k < plain.rows.n; k++)
        nln_shard_rows_sum(plain.sum + k * WIDTH, plain.rows.holder + plain.rows.first[k],
                           plain.rows.first[k + 1] - plain.rows.first[k], plain.part[0].gradient,
                           WIDTH);
    nln_shard_blocks_sum(plain.part[1].gradient, 0, SHARDS, 0, BLOCK);
    for (int threads = 1; threads <= 3; threads++) {
        nln_thread_pool *pool;
        set_up(&f);
        assert_int_equal(nln_thread_pool_create(&pool, threads, NULL), NLN_OK);
        nln_shard_assignment owners = {.n_shards = SHARDS, .last = SHARDS};
        nln_shard_sum(f.part, 2, f.loss, &owners, NULL, pool);
        assert_memory_equal(f.sum, plain.sum, sizeof f.sum);
        assert_memory_equal(f.part[1].sum, plain.block[0], sizeof f.block[0]);
        assert_true(f.loss[0].laws == 2 * SHARDS && f.loss[0].length == 3 * SHARDS);
        assert_true(f.loss[0].l2 == 4 * SHARDS && f.loss[0].flips == 5 * SHARDS);
        assert_true(f.loss[0].data > 212.09 && f.loss[0].data < 212.11);
        nln_thread_pool_free(pool);
        nln_shard_rows_free(&f.rows);
    }
    nln_shard_rows_free(&plain.rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_summed_on_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
