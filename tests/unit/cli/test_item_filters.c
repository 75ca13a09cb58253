/* --only and --exclude name items by id or title, on the command line or in a file. */
#include "commands/item_filters.h"

#include "cli_asking.h"
#include "commands/model_question.h"

/* The exit code of opening the question, and its filters in *out; to be closed where it is 0. */
static int open_filters(cli_question *question, cli_call *call, char *option)
{
    char titles[] = "--titles=titles", like[] = "--like=tea";
    char *words[] = {titles, like, option, NULL};
    open_asking(call, words);
    return cli_question_open(question, call);
}

static void expect(const char *option, int code, size_t n_only, size_t n_exclude)
{
    char text[64];
    cli_question question;
    cli_call call;
    nln_question asked = {0};

    snprintf(text, sizeof text, "%s", option);
    assert_int_equal(open_filters(&question, &call, text), code);
    if (!code) {
        cli_item_filters_apply(&asked, &question.filters);
        assert_int_equal(asked.n_only, n_only);
        assert_int_equal(asked.only != NULL, n_only > 0);
        assert_int_equal(asked.n_exclude, n_exclude);
    }
    cli_question_close(&question);
    cli_call_close(&call);
}

static void items_are_ids_titles_or_files(void **state)
{
    (void)state;
    write_file("list", "ham\nGreen Tea\tits title\nnobody\n");
    write_file("strangers", "nobody\n");
    expect("--only=tea,ham", 0, 2, 0);
    expect("--only=Plum, and Apple", 0, 1, 0); /* a comma within a title */
    expect("--only=list", 0, 2, 0);
    expect("--exclude=list", 0, 0, 2);
    expect("--exclude=jam", 0, 0, 1);
    expect("--exclude=strangers", 0, 0, 0);
    expect("--only=strangers", 1, 0, 0);
    expect("--only=nobody", 1, 0, 0);
    expect("--exclude=tea,nobody", 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_ids_titles_or_files),
    };
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
