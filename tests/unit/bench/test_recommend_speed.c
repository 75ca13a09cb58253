/* The bench of lists measures what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nln.h"
#include "nln_lab.h"

static void lists_are_compared_and_timed(void **state)
{
    (void)state;
    nln_recommend_report r;
    nln_error err = {0};
    assert_int_equal(nln_bench_recommend(&r, 2000, 5, 3, 20, 2, 1, &err), NLN_OK);
    assert_int_equal(r.same_list, 1);
    assert_int_equal(r.histories, 20);
    assert_true(r.answers_per_second > 0 && r.top_seconds > 0 && r.full_seconds > 0);
    assert_true(r.bytes_per_item > 64);
    assert_int_equal(nln_bench_recommend(&r, 5, 5, 6, 20, 1, 1, &err), NLN_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_compared_and_timed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
