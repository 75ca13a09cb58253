/* That PostgreSQL reads them is tested by test_store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/postgres_array.h"

static void assert_bytes(const nln_postgres_array *a, const void *bytes, size_t n)
{
    assert_false(a->failed);
    assert_int_equal(a->n, n);
    assert_memory_equal(a->data, bytes, n);
}

static void items_follow_a_head(void **state)
{
    (void)state;
    nln_postgres_array a = {0};
    nln_postgres_array_begin(&a, NLN_POSTGRES_TEXT, 2);
    nln_postgres_array_text(&a, "ab");
    nln_postgres_array_text(&a, NULL);
    assert_bytes(&a, "\0\0\0\1\0\0\0\1\0\0\0\31\0\0\0\2\0\0\0\1\0\0\0\2ab\377\377\377\377", 30);
    nln_postgres_array_begin(&a, NLN_POSTGRES_SMALLINT, 1);
    nln_postgres_array_small(&a, 3);
    assert_bytes(&a, "\0\0\0\1\0\0\0\1\0\0\0\25\0\0\0\1\0\0\0\1\0\0\0\2\0\3", 26);
    nln_postgres_array_begin(&a, NLN_POSTGRES_FLOAT8, 1);
    nln_postgres_array_real(&a, -2);
    assert_bytes(&a, "\0\0\0\1\0\0\0\1\0\0\2\275\0\0\0\1\0\0\0\1\0\0\0\10\300\0\0\0\0\0\0\0", 32);
    nln_free(a.data);
}

static void one_that_ran_out_of_memory_stays_failed(void **state)
{
    (void)state;
    nln_postgres_array a = {0};
    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    nln_postgres_array_begin(&a, NLN_POSTGRES_TEXT, 2);
    nln_memory_limit(nln_memory_used() + 100);
    nln_postgres_array_text(&a, text);
    nln_memory_limit(0);
    assert_true(a.failed);
    size_t n = a.n;
    nln_postgres_array_text(&a, "b");
    assert_true(a.failed && a.n == n);
    nln_free(a.data);
    assert_int_equal(nln_memory_used(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_follow_a_head),
        cmocka_unit_test(one_that_ran_out_of_memory_stays_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
