#include "cli_asking.h"

#include "allocate.h"

#include "commands/reasons.h"

/* What is printed of reasons with these contributions, for the items of the model in turn. */
static char *printed(const double *contribution, size_t n, int sign, size_t most,
                     const cli_items *items)
{
    nln_reason reasons[16] = {{{0}, 0, 0, 0}};
    nln_explanation told = {.reasons = reasons, .n = n};
    cli_text text;
    for (size_t i = 0; i < n; i++)
        reasons[i] = (nln_reason){.literal = {i % 3, i != 1, 0}, .contribution = contribution[i]};
    cli_reasons_sort(&told);
    for (size_t i = 1; i < n; i++)
        assert_true(reasons[i].contribution * reasons[i].contribution <=
                    reasons[i - 1].contribution * reasons[i - 1].contribution);
    cli_text_open(&text);
    size_t count = cli_reasons_print(text.stream, &told, sign, most, 0, items);
    char *out = cli_text_close(&text);
    assert_int_equal(count == 0, out[0] == '\0');
    return out;
}

static void expect_words(const char *wanted, const double *contribution, size_t n, int sign,
                         size_t most)
{
    nln_model *model = NULL;
    assert_int_equal(nln_model_load(&model, "model", NULL), NLN_OK);
    const cli_items items = {.model = model};
    char *got = printed(contribution, n, sign, most, &items);
    assert_string_equal(got, wanted);
    free(got);
    nln_model_free(model);
}

static void reasons_that_matter_are_named(void **state)
{
    (void)state;
    const double some[] = {0.5, -0.7, 2, 0.04};
    expect_words("liking 'jam' (+2.00) and liking 'tea' (+0.50)", some, 4, 1, 3);
    expect_words("liking 'jam' (+2.00)", some, 4, 1, 1);
    expect_words("disliking 'ham' (-0.70)", some, 4, -1, 3);
    const double three[] = {1, 2, 3};
    expect_words("liking 'jam' (+3.00), disliking 'ham' (+2.00) and liking 'tea' (+1.00)", three, 3,
                 1, 3);
}

static void nothing_is_said_where_nothing_matters(void **state)
{
    (void)state;
    const double small[] = {0.01, 0.02, -0.03};
    expect_words("", small, 3, 1, 3);
    expect_words("", small, 3, -1, 3);
    expect_words("", NULL, 0, 1, 3);
    const double even[] = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
    expect_words("", even, 16, 1, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_that_matter_are_named),
        cmocka_unit_test(nothing_is_said_where_nothing_matters),
    };
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
