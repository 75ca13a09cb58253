/* One file dealt to three splits: every line once, the same for the same seed; folds cover the
 * file as test; a model finds its own file again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/logic_data.h"
#include "scratch.h"

enum { LINES = 57 };

/* Line i is the variable v<i>, so that every expression tells where it comes from. */
static void write_lines(void)
{
    char text[LINES * 16] = "";
    for (int i = 0; i < LINES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "v%d\t%c\n", i, "FT"[i % 2]);
    scratch_text("one", text);
}

static nln_data *read_with(const char *name, const char *value, const char *other,
                           const char *other_value)
{
    nln_options *o;
    nln_data *data;
    nln_error err = {0};
    assert_int_equal(nln_options_create(&o, "expressions", &err), NLN_OK);
    assert_int_equal(nln_options_set(o, name, value, &err), NLN_OK);
    assert_int_equal(nln_options_set(o, other, other_value, &err), NLN_OK);
    if (nln_data_read_with(&data, scratch_path("one"), o, &err))
        fail_msg("%s", err.message);
    nln_options_free(o);
    return data;
}

/* Adds 1 to count[i] for each line i of the split. */
static void count_lines(int *count, const nln_data *data, nln_split split)
{
    const nln_labelled *set = &data->split[split];
    for (size_t i = 0; i < set->exprs.n; i++) {
        nln_expr e = nln_exprs_get(&set->exprs, i);
        int line = atoi(nln_symbols_name(data->symbols, e.nodes[0].arg) + 1);
        assert_int_equal(set->labels[i], line % 2);
        count[line]++;
    }
}

static void every_line_is_dealt_once(void **state)
{
    (void)state;
    write_lines();
    for (int seed = 1; seed <= 3; seed++) {
        char text[8];
        int count[LINES] = {0};
        snprintf(text, sizeof text, "%d", seed);
        nln_data *data = read_with("holdout-seed", text, "holdout", "0.2");
        assert_int_equal(nln_data_size(data, NLN_TEST), 11);
        assert_int_equal(nln_data_size(data, NLN_VALID), 11);
        for (int s = NLN_TRAIN; s <= NLN_TEST; s++)
            count_lines(count, data, (nln_split)s);
        for (int i = 0; i < LINES; i++)
            assert_int_equal(count[i], 1);
        nln_data_free(data);
    }
}

static void seeds_decide(void **state)
{
    (void)state;
    int a[LINES] = {0}, b[LINES] = {0}, c[LINES] = {0};
    write_lines();
    nln_data *first = read_with("holdout-seed", "1", "holdout", "0.1"), *second, *third;
    nln_error err = {0};
    assert_int_equal(nln_data_read(&second, scratch_path("one"), &err), NLN_OK);
    third = read_with("holdout-seed", "2", "holdout", "0.1");
    count_lines(a, first, NLN_TEST);
    count_lines(b, second, NLN_TEST);
    count_lines(c, third, NLN_TEST);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    assert_string_equal(first->origin.fingerprint, third->origin.fingerprint);
    assert_string_equal(first->origin.split, NLN_ORIGIN_FILE);
    nln_data_free(first);
    nln_data_free(second);
    nln_data_free(third);
}

static void folds_cover_the_file(void **state)
{
    (void)state;
    int tested[LINES] = {0}, chosen[LINES] = {0};
    write_lines();
    for (int fold = 1; fold <= 5; fold++) {
        char text[8];
        int count[LINES] = {0};
        snprintf(text, sizeof text, "%d", fold);
        nln_data *data = read_with("folds", "5", "fold", text);
        count_lines(tested, data, NLN_TEST);
        count_lines(chosen, data, NLN_VALID);
        for (int s = NLN_TRAIN; s <= NLN_TEST; s++)
            count_lines(count, data, (nln_split)s);
        for (int i = 0; i < LINES; i++)
            assert_int_equal(count[i], 1);
        nln_data_free(data);
    }
    for (int i = 0; i < LINES; i++)
        assert_true(tested[i] == 1 && chosen[i] == 1);
}

static void impossible_folds_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"2", "1"}, {"5", "0"}, {"3", "4"}, {"58", "1"}};
    write_lines();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_options *o;
        nln_data *data;
        nln_error err = {0};
        assert_int_equal(nln_options_create(&o, "expressions", &err), NLN_OK);
        assert_int_equal(nln_options_set(o, "folds", bad[i][0], &err), NLN_OK);
        assert_int_equal(nln_options_set(o, "fold", bad[i][1], &err), NLN_OK);
        assert_int_equal(nln_data_read_with(&data, scratch_path("one"), o, &err), NLN_INVALID);
        assert_null(data);
        assert_non_null(strstr(err.message, "--fold"));
        nln_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_line_is_dealt_once, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(seeds_decide, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(folds_cover_the_file, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(impossible_folds_are_refused, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
