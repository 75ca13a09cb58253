/* Sums over shards: one order, whoever computes which part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "net/shard_rows.h"

enum { MOST = 37, N_ROWS = 50, WIDTH = 3, MOST_HELD = N_ROWS };

typedef struct fixture {
    int n_shards;
    nln_shard_list list[MOST];
    int32_t row[MOST][MOST_HELD];
    real number[MOST][MOST_HELD * WIDTH]; /* as drawn */
    real lost[MOST][MOST_HELD * WIDTH];   /* the copy that a sum is built in */
    real *gradient[MOST];
    nln_shard_rows rows;
} fixture;

/* Every shard holds a random third of the rows, shard 1 none. */
static void set_up(fixture *f, int n_shards)
{
    nln_random r = nln_random_seed(5, (uint64_t)n_shards);
    memset(f, 0, sizeof *f);
    f->n_shards = n_shards;
    for (int i = 0; i < n_shards; i++) {
        int32_t n = 0;
        for (int32_t row = N_ROWS; row-- > 0;)
            if (i != 1 && nln_random_below(&r, 3) == 0)
                f->row[i][n++] = 7 * row;
        for (int j = 0; j < n * WIDTH; j++)
            f->number[i][j] = (real)nln_random_normal(&r);
        f->list[i] = (nln_shard_list){f->row[i], n};
        f->gradient[i] = f->lost[i];
    }
    memcpy(f->lost, f->number, sizeof f->lost);
    assert_int_equal(nln_shard_rows_list(&f->rows, f->list, n_shards, NULL), NLN_OK);
}

/* The definition: the sum of a node is that of its halves.  0 if it has none. */
static int sum_of(real *out, const fixture *f, int32_t row, int first, int size)
{
    real right[WIDTH];
    if (first >= f->n_shards)
        return 0;
    if (size == 1) {
        for (int32_t j = 0; j < f->list[first].n; j++)
            if (f->row[first][j] == row) {
                memcpy(out, f->number[first] + (size_t)j * WIDTH, sizeof right);
                return 1;
            }
        return 0;
    }
    int has_left = sum_of(out, f, row, first, size / 2);
    int has_right = sum_of(right, f, row, first + size / 2, size / 2);
    for (int i = 0; has_right && i < WIDTH; i++)
        out[i] = has_left ? out[i] + right[i] : right[i];
    return has_left || has_right;
}

static void places_and_holders_find_each_other(void **state)
{
    (void)state;
    static fixture f;
    for (int n = 1; n <= MOST; n += 4) {
        set_up(&f, n);
        const nln_shard_rows *u = &f.rows;
        size_t n_holders = 0;
        for (int i = 0; i < n; i++)
            for (int32_t j = 0; j < f.list[i].n; j++)
                assert_int_equal(u->row[u->place[u->start[i] + (size_t)j]], f.row[i][j]);
        for (int32_t k = 0; k < u->n; k++)
            for (size_t i = u->first[k]; i < u->first[k + 1]; i++, n_holders++) {
                assert_int_equal(f.row[u->holder[i].shard][u->holder[i].at], u->row[k]);
                assert_true(i == u->first[k] || u->holder[i - 1].shard < u->holder[i].shard);
            }
        assert_int_equal(n_holders, u->start[n]);
        nln_shard_rows_free(&f.rows);
    }
}

static void rows_are_summed_along_the_tree(void **state)
{
    (void)state;
    static fixture f;
    for (int n = 1; n <= MOST; n++) {
        set_up(&f, n);
        for (int32_t k = 0; k < f.rows.n; k++) {
            real got[WIDTH], wanted[WIDTH];
            assert_true(sum_of(wanted, &f, f.rows.row[k], 0, 64));
            nln_shard_rows_sum(got, f.rows.holder + f.rows.first[k],
                               f.rows.first[k + 1] - f.rows.first[k], f.gradient, WIDTH);
            assert_memory_equal(got, wanted, sizeof got);
        }
        nln_shard_rows_free(&f.rows);
    }
}

/* A machine that has a node of the tree sums it alone; the sums of two nodes meet. */
static void nodes_meet_with_the_same_bits(void **state)
{
    (void)state;
    static fixture f;
    set_up(&f, MOST);
    for (int32_t k = 0; k < f.rows.n; k++) {
        real left[WIDTH], right[WIDTH], wanted[WIDTH];
        sum_of(wanted, &f, f.rows.row[k], 0, 64);
        const nln_row_holder *h = f.rows.holder + f.rows.first[k];
        size_t n = f.rows.first[k + 1] - f.rows.first[k], n_left = 0;
        while (n_left < n && h[n_left].shard < 32)
            n_left++;
        if (n_left)
            nln_shard_rows_sum(left, h, n_left, f.gradient, WIDTH);
        if (n_left < n)
            nln_shard_rows_sum(right, h + n_left, n - n_left, f.gradient, WIDTH);
        for (int i = 0; n_left < n && i < WIDTH; i++)
            left[i] = n_left ? left[i] + right[i] : right[i];
        assert_memory_equal(left, wanted, sizeof left);
    }
    nln_shard_rows_free(&f.rows);
}

static void blocks_are_summed_along_the_same_tree(void **state)
{
    (void)state;
    static fixture f;
    enum { N = 40 };
    for (int n = 1; n <= MOST; n++) {
        set_up(&f, n);
        nln_random r = nln_random_seed(6, (uint64_t)n);
        for (int i = 0; i < n; i++) {
            f.list[i].n = 1;
            f.row[i][0] = 0;
            for (int j = 0; j < N; j++)
                f.lost[i][j] = f.number[i][j] = (real)nln_random_normal(&r);
        }
        real wanted[WIDTH];
        sum_of(wanted, &f, 0, 0, 64);
        nln_shard_blocks_sum(f.gradient, 0, n, 0, 2);
        nln_shard_blocks_sum(f.gradient, 0, n, 2, N);
        assert_memory_equal(f.lost[0], wanted, sizeof wanted);
        nln_shard_rows_free(&f.rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_holders_find_each_other),
        cmocka_unit_test(rows_are_summed_along_the_tree),
        cmocka_unit_test(nodes_meet_with_the_same_bits),
        cmocka_unit_test(blocks_are_summed_along_the_same_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
