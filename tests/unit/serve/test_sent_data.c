#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "serve/sent_data.h"
#include "tiny.h"

static void ratings_of_a_text(void **state)
{
    nln_ratings *ratings = NULL;
    nln_error err = {0};
    (void)state;
    tiny_need(
        nln_sent_ratings(&ratings, "user,item,rating,time\nann,tea,5,1\nbob,milk,1,2\n", &err),
        &err);
    assert_int_equal(nln_ratings_users(ratings), 2);
    assert_int_equal(nln_ratings_items(ratings), 2);
    nln_ratings_free(ratings);
    assert_int_not_equal(nln_sent_ratings(&ratings, "\n", &err), NLN_OK);
    assert_string_equal(err.file, ""); /* the file is ours, and says nothing to the sender */
}

static void expressions_of_a_text(void **state)
{
    char good[] = "a & b\tT\n\nb\t0\r\na | c\t1\n1\tF\n", bad[] = "a & b\tT\na b\n";
    nln_data *data = NULL;
    nln_error err = {0};
    (void)state;
    tiny_need(nln_sent_expressions(&data, good, &err), &err);
    assert_int_equal(nln_data_size(data, NLN_TRAIN), 4);
    nln_data_free(data);
    assert_int_equal(nln_sent_expressions(&data, bad, &err), NLN_SYNTAX);
    assert_int_equal(err.line, 2);
    nln_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_of_a_text),
        cmocka_unit_test(expressions_of_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
