/* The kernels of src/math/kernels_plain.c; test_kernels.c checks each of them in every set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_set.h"

static void agrees_with_the_formulas(void **state)
{
    (void)state;
    kernel_set_check("plain", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
