/* Items go by their id and by their title. */
#include "commands/item_names.h"

#include "cli_asking.h"

static void items_are_found_by_id_and_title(void **state)
{
    char option[] = "--titles=titles", *words[] = {option, NULL};
    nln_model *model = NULL;
    cli_items items;
    cli_call call;
    size_t tea, item = 99;
    (void)state;

    assert_int_equal(nln_model_load(&model, "model", NULL), NLN_OK);
    assert_int_equal(nln_model_find(&tea, model, "tea", NULL), NLN_OK);
    open_asking(&call, words);
    assert_int_equal(cli_items_open(&items, &call, model), 0);
    assert_int_equal(cli_items_match(&item, &items, "tea"), 1);
    assert_int_equal(item, tea);
    assert_int_equal(cli_items_match(&item, &items, "green TEA"), 1);
    assert_int_equal(item, tea);
    assert_int_equal(cli_items_match(&item, &items, "Green"), 0);
    assert_string_equal(cli_items_title(&items, tea), "Green Tea");
    assert_string_equal(cli_items_name(&items, tea), "Green Tea");
    int kept = capture(2);
    assert_int_not_equal(cli_items_find(&item, &items, "cake", "file:3: "), 0);
    char *said = release(2, kept);
    assert_has(said, "file:3: ");
    assert_has(said, "cake");
    free(said);
    cli_items_close(&items);
    cli_call_close(&call);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(items_are_found_by_id_and_title)};
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
