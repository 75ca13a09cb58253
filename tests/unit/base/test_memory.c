/* What is taken is counted, what is given back is forgotten, and the limit holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "likes.h"

static void counts_random_blocks(void **state)
{
    (void)state;
    enum { BLOCKS = 50, STEPS = 5000 };
    void *block[BLOCKS] = {0};
    size_t size[BLOCKS] = {0}, sum = 0, before = nln_memory_used();
    nln_random random = nln_random_seed(1, 1);
    for (int i = 0; i < STEPS; i++) {
        int at = (int)nln_random_below(&random, BLOCKS);
        size_t bytes = 1 + nln_random_below(&random, 3000);
        sum += bytes - size[at];
        size[at] = bytes;
        if (i % 3) {
            block[at] = nln_memory_resize(block[at], bytes);
        } else {
            nln_free(block[at]);
            block[at] = i % 2 ? nln_memory_take(bytes) : nln_memory_zeroed(bytes, 1);
        }
        assert_non_null(block[at]);
        memset(block[at], 1, bytes);
        /* the C library rounds a block up, by a little */
        assert_in_range(nln_memory_used() - before, sum, sum + BLOCKS * 256);
    }
    nln_memory_trim(); /* leaves what is in use alone */
    for (int i = 0; i < BLOCKS; i++) {
        assert_int_equal(*(char *)block[i], 1);
        nln_free(block[i]);
    }
    assert_int_equal(nln_memory_used(), before);
}

static void limit_is_kept(void **state)
{
    (void)state;
    size_t before = nln_memory_used();
    nln_memory_limit(before + 10000);
    assert_null(nln_memory_take(20000));
    assert_null(nln_memory_zeroed(100, 200));
    assert_null(nln_memory_aligned(64 * 320));
    char *block = nln_memory_take(6000);
    assert_non_null(block);
    memset(block, 7, 6000);
    assert_null(nln_memory_take(6000));
    assert_null(nln_memory_resize(block, 20000));
    assert_int_equal(block[5999], 7); /* still there */
    block = nln_memory_resize(block, 9000);
    assert_non_null(block);
    nln_free(block);
    nln_memory_limit(0);
    nln_free(block = nln_memory_take(20000));
    assert_non_null(block);
    assert_int_equal(nln_memory_used(), before);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(nln_memory_zeroed(SIZE_MAX / 2, 3));
    assert_null(nln_memory_zeroed(SIZE_MAX, SIZE_MAX));
}

/* Training gives back all that it took, and says so when it may not take enough. */
static void training_under_a_limit(void **state)
{
    (void)state;
    size_t before = nln_memory_used();
    nln_ratings *ratings = likes_random(25, 15, 12, 8);
    nln_options *options =
        tiny_options("train", "task=topk dimension=8 epochs=1 threads=2 negatives=4 ");
    nln_model *model = NULL;
    nln_error err = {0};
    nln_memory_limit(nln_memory_used() + 20000);
    assert_int_equal(nln_train_ratings(&model, NULL, ratings, options, NULL, &err), NLN_MEMORY);
    assert_null(model);
    nln_memory_limit(0);
    assert_int_equal(nln_train_ratings(&model, NULL, ratings, options, NULL, &err), NLN_OK);
    assert_true(nln_memory_used() > before);
    nln_model_free(model);
    nln_options_free(options);
    nln_ratings_free(ratings);
    assert_int_equal(nln_memory_used(), before);
}

/* NULL is only for failure, and a block that became empty is still a block. */
static void blocks_of_nothing_are_blocks(void **state)
{
    (void)state;
    size_t before = nln_memory_used();
    void *taken = nln_memory_take(0), *zeroed = nln_memory_zeroed(0, 8);
    void *resized = nln_memory_resize(nln_memory_take(1000), 0);
    assert_true(taken && zeroed && resized);
    assert_in_range(nln_memory_used() - before, 3, 500);
    nln_free(taken);
    nln_free(zeroed);
    nln_free(resized);
    assert_int_equal(nln_memory_used(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_random_blocks),
        cmocka_unit_test(limit_is_kept),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(blocks_of_nothing_are_blocks),
        cmocka_unit_test(training_under_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
