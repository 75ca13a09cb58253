/* The files of share/tuned become options. */
#include "reproduce/tuned_options.h"

#include "cli_test.h"

/* In place of the files of share/tuned. */
const cli_tuned cli_tuned_files[] = {
    {"topk-shop-gru", "# chosen so\n\n l2 = 1e-5 # small\nrecipe=paper\r\nnothing\n\tclip =0"},
    {"topk-shop-ncf", ""},
    {NULL, NULL},
};

static void tuned_values_become_options(void **state)
{
    static const char *const expected[] = {"--l2=1e-5", "--recipe=paper", "--clip=0"};
    const char *text = cli_tuned_find("topk", "shop", "gru");
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        char *option = cli_tuned_next(&text);
        assert_string_equal(option, expected[i]);
        free(option);
    }
    assert_null(cli_tuned_next(&text));
    text = cli_tuned_find("topk", "shop", "ncf");
    assert_null(cli_tuned_next(&text));
    assert_null(cli_tuned_find("topk", "shop", "svdpp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tuned_values_become_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
