/* Columns are as wide as their widest cell, in characters. */
#include "show/text_table.h"

#include "cli_test.h"

static void columns_are_aligned(void **state)
{
    static const cli_column columns[] = {{"name", 0}, {"n", 1}, {"share", 1}};
    cli_table table;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    (void)state;

    cli_table_open(&table, columns, 3);
    cli_table_add(&table, "%s", "\xc3\xa4h"); /* two characters of three bytes */
    cli_table_count(&table, 12);
    cli_table_number(&table, 2, 0.126);
    cli_table_add(&table, "%s", "longer");
    cli_table_count(&table, 1);
    cli_table_number(&table, 2, NAN);
    cli_table_add(&table, "%s", "an unfinished row");
    cli_table_print(&table, out);
    fclose(out);
    assert_string_equal(text, "name                n  share\n"
                              "\xc3\xa4h                 12   0.13\n"
                              "longer              1      -\n");
    cli_table_close(&table);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_aligned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
