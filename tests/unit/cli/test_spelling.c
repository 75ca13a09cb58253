/* Words that are near enough are suggested, the nearest first. */
#include "spelling.h"

#include "cli_test.h"

static void near_words_are_suggested(void **state)
{
    size_t best = SIZE_MAX;
    (void)state;

    assert_false(cli_suggest_nearer(&best, "train", "recommend"));
    assert_true(cli_suggest_nearer(&best, "trian", "train"));
    assert_false(cli_suggest_nearer(&best, "trian", "brain")); /* not nearer */
    best = SIZE_MAX;
    assert_true(cli_suggest_nearer(&best, "dim", "dimension")); /* an abbreviation is near */
    assert_int_equal(best, 1);
    best = SIZE_MAX;
    assert_false(cli_suggest_nearer(&best, "d", "dimension"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(near_words_are_suggested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
