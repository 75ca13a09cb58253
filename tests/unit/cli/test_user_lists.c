/* The lists of every user, in each format. */
#include "commands/user_lists.h"

#include "cli_asking.h"

static void expect(const char *as, const char *wanted)
{
    char format[32], all[] = "--all", seen[] = "--with-seen", out[] = "--out=lists";
    char exclude[] = "--exclude=ham", titles[] = "--titles=titles", text[1024] = "";
    char *words[] = {all, seen, out, exclude, titles, format, NULL};
    cli_question question;
    cli_call call;

    snprintf(format, sizeof format, "--as=%s", as);
    open_asking(&call, words);
    assert_int_equal(cli_question_open(&question, &call), 0);
    assert_int_equal(cli_user_lists_write(&question, 1), 0);
    FILE *file = fopen("lists", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    /* The scores are those of popularity, whatever they are. */
    if (strncmp(text, wanted, strlen(wanted)) != 0)
        fail_msg("%s instead of %s", text, wanted);
    cli_question_close(&question);
    cli_call_close(&call);
}

/* Tea is liked by two, and ham is excluded. */
static void every_user_has_a_list_in_every_format(void **state)
{
    (void)state;
    expect("tsv", "user\trank\titem\tscore\ttitle\nann\t1\ttea\t");
    expect("csv", "user,rank,item,score,title\nann,1,tea,");
    expect("jsonl", "{\"user\":\"ann\",\"items\":[{\"item\":\"tea\",\"title\":\"Green Tea\",");
}

static void fields_of_csv_are_quoted(void **state)
{
    char all[] = "--all", out[] = "--out=lists", only[] = "--only=jam", as[] = "--as=csv";
    char titles[] = "--titles=titles", text[1024] = "",
         *words[] = {all, out, only, as, titles, NULL};
    cli_question question;
    cli_call call;
    (void)state;

    open_asking(&call, words);
    assert_int_equal(cli_question_open(&question, &call), 0);
    assert_int_equal(cli_user_lists_write(&question, 1), 0);
    FILE *file = fopen("lists", "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, ",\"Plum, and Apple\"\n"));
    cli_question_close(&question);
    cli_call_close(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_user_has_a_list_in_every_format),
        cmocka_unit_test(fields_of_csv_are_quoted),
    };
    return cmocka_run_group_tests(tests, make_model, leave_folder);
}
