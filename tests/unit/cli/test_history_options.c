/* Histories of a user, of likes and dislikes, and of a file. */
#include "commands/history_options.h"

#include "cli_asking.h"

static nln_model *model;
static cli_call call;
static cli_items items;
static cli_histories histories;

static void ask(char *const *words)
{
    assert_int_equal(nln_model_load(&model, "model", NULL), NLN_OK);
    open_asking(&call, words);
    assert_int_equal(cli_items_open(&items, &call, model), 0);
    int kept = capture(2);
    assert_int_equal(cli_histories_read(&histories, &call, &items), 0);
    free(release(2, kept));
}

static void end(void)
{
    cli_histories_free(&histories);
    cli_items_close(&items);
    cli_call_close(&call);
    nln_model_free(model);
}

/* The history as text, such as "tea !ham". */
static void assert_history(size_t index, const char *expected)
{
    char text[256] = "";
    const cli_history *h = &histories.list[index];
    for (size_t i = 0; i < h->n; i++) {
        strcat(text, i ? " " : "");
        strcat(text, h->literals[i].liked ? "" : "!");
        strcat(text, nln_model_variable(model, h->literals[i].item));
    }
    assert_string_equal(text, expected);
}

static void likes_and_dislikes_keep_their_order(void **state)
{
    char a[] = "--like=tea", b[] = "--dislike=ham", c[] = "--like=jam";
    char *words[] = {a, b, c, NULL};
    (void)state;

    ask(words);
    assert_int_equal(histories.n, 1);
    assert_false(histories.is_file);
    assert_history(0, "tea !ham jam");
    assert_null(cli_history_user(&histories.list[0]));
    end();
}

static void a_title_may_have_a_comma(void **state)
{
    char a[] = "--like=Plum, and Apple", b[] = "--titles=titles", c[] = "--like=tea,ham";
    char *words[] = {a, b, c, NULL};
    (void)state;

    ask(words);
    assert_history(0, "jam tea ham");
    end();
}

static void a_file_has_a_history_on_each_line(void **state)
{
    char a[] = "--histories=histories", *words[] = {a, NULL};
    (void)state;

    write_file("histories", "# two\nzoe\ttea !jam\n\ncleo\t\n");
    ask(words);
    assert_true(histories.is_file);
    assert_int_equal(histories.n, 2);
    assert_string_equal(histories.list[0].name, "zoe");
    assert_history(0, "tea !jam");
    assert_history(1, "");
    end();
}

static void a_user_has_the_history_of_the_model(void **state)
{
    char a[] = "--user=ann", *words[] = {a, NULL}, *none[] = {NULL};
    (void)state;

    ask(words);
    assert_string_equal(cli_history_user(&histories.list[0]), "ann");
    assert_history(0, "tea !ham");
    end();
    ask(none);
    assert_int_equal(histories.n, 1);
    assert_history(0, "");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(likes_and_dislikes_keep_their_order),
        cmocka_unit_test(a_title_may_have_a_comma),
        cmocka_unit_test(a_file_has_a_history_on_each_line),
        cmocka_unit_test(a_user_has_the_history_of_the_model),
    };
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
