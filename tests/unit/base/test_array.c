#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/memory.h"

/* Growing keeps the items, and takes few steps: the room grows by half at least. */
static void arrays_grow_and_keep_their_items(void **state)
{
    (void)state;
    int32_t *items = NULL;
    size_t room = 0, n_grown = 0;
    for (size_t n = 0; n < 100000; n++) {
        size_t before = room;
        assert_true(NLN_ARRAY_RESERVE(items, room, n + 1));
        assert_true(room > n && room >= before);
        n_grown += room != before;
        items[n] = (int32_t)n;
    }
    assert_true(n_grown < 30);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i);
    nln_free(items);
}

static void a_failure_leaves_the_array_as_it_was(void **state)
{
    (void)state;
    int64_t *items = NULL;
    size_t room = 0;
    assert_true(NLN_ARRAY_RESERVE(items, room, 20));
    int64_t *before = items;
    size_t room_before = room;
    items[19] = 7;
    assert_false(NLN_ARRAY_RESERVE(items, room, SIZE_MAX / 8));
    nln_memory_limit(nln_memory_used() + 1000);
    assert_false(NLN_ARRAY_RESERVE(items, room, 100000));
    nln_memory_limit(0);
    assert_ptr_equal(items, before);
    assert_int_equal(room, room_before);
    assert_int_equal(items[19], 7);
    nln_free(items);
}

static void zeroed_arrays_are_zero_and_aligned(void **state)
{
    (void)state;
    for (size_t n = 0; n < 300; n += 7) {
        unsigned char *block = nln_array_zeroed(n, 3);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % NLN_MEMORY_ALIGNMENT, 0);
        for (size_t i = 0; i < 3 * n; i++)
            assert_int_equal(block[i], 0);
        nln_free(block);
    }
    assert_null(nln_array_zeroed(SIZE_MAX / 2, 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow_and_keep_their_items),
        cmocka_unit_test(a_failure_leaves_the_array_as_it_was),
        cmocka_unit_test(zeroed_arrays_are_zero_and_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
