/* The table of tasks: its rows stand as option --task lists them, and its words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "models/method.h"
#include "models/task.h"
#include "models/training_options.h"

static const char *choices_of_task(void)
{
    int n_rows;
    const nln_option *table = nln_config_table(&n_rows);
    for (int i = 0; i < n_rows; i++)
        if (strcmp(table[i].name, "task") == 0)
            return table[i].choices;
    return "";
}

static void rows_are_the_choices_of_option_task(void **state)
{
    (void)state;
    char names[256] = "";
    for (int i = 0; i < nln_task_count(); i++) {
        strcat(names, i ? "|" : "");
        strcat(names, nln_task_get(i)->name);
    }
    assert_string_equal(names, choices_of_task());
}

static void every_row_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < nln_task_count(); i++) {
        const nln_task *t = nln_task_get(i);
        assert_true(strlen(t->lacks) > 0);
        assert_in_range(t->epochs, 1, t->most);
        assert_true(t->batches > 0);
        assert_true(nln_task_reading(t->data) >> i & 1);
    }
}

static void every_task_has_a_method(void **state)
{
    (void)state;
    unsigned all = 0;
    for (int i = 0; i < nln_method_count(); i++)
        all |= nln_method_get(i)->tasks;
    assert_int_equal(all, (1u << nln_task_count()) - 1);
}

static void tasks_are_listed_in_words(void **state)
{
    (void)state;
    char names[NLN_TASK_NAMES_ROOM];
    nln_task_list(names, nln_task_reading(NLN_DATA_RATINGS));
    assert_string_equal(names, "preference or topk");
    nln_task_list(names, nln_task_reading(NLN_DATA_EXPRESSIONS));
    assert_string_equal(names, "logic");
    nln_task_list(names, 0);
    assert_string_equal(names, "");
    assert_string_equal(nln_task_data_name(NLN_DATA_RATINGS), "ratings");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_choices_of_option_task),
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(every_task_has_a_method),
        cmocka_unit_test(tasks_are_listed_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
