/* Labels, soft labels and weights: read, kept lazily, copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "data/labelled.h"
#include "data/logic_data.h"
#include "scratch.h"

static nln_status read_text(nln_labelled *set, nln_data *data, const char *text, nln_error *err)
{
    nln_input *in = NULL;
    nln_vocabulary names = nln_data_names(data);
    scratch_text("lines", text);
    assert_int_equal(nln_input_open(&in, scratch_path("lines"), err), NLN_OK);
    nln_status status = nln_labelled_read(set, &names, in, err);
    nln_input_close(in);
    return status;
}

static void whole_labels_take_no_room(void **state)
{
    (void)state;
    nln_data *data;
    nln_labelled set = {0};
    nln_error err = {0};
    assert_int_equal(nln_data_create(&data, &err), NLN_OK);
    assert_int_equal(read_text(&set, data,
                               "expression\tlabel\na & b\tT\n# no\na\t0\n!a\t1.0\nb\tfalse\t1\n",
                               &err),
                     NLN_OK);
    assert_int_equal(set.exprs.n, 4);
    assert_true(!set.soft && !set.weights);
    assert_memory_equal(set.labels, ((uint8_t[]){1, 0, 1, 0}), 4);
    nln_labelled_free(&set);
    nln_data_free(data);
}

/* What a spreadsheet or pandas writes is the same set, and messages count its columns. */
static void tables_with_commas_are_read(void **state)
{
    (void)state;
    static const char *const same[] = {
        "formula,label\na & b,1\n\"likes(ann, tea)\" ,0\n\"\"\"wet day\"\" | a\",true\n",
        "a & b , 1\n\"likes(ann, tea)\",0\n \"\"\"wet day\"\" | a\",T\n",
        "formula;label;weight\na & b;1;1\nlikes(ann, tea);F;1\n\"\"\"wet day\"\" | a\";1;1\n",
        "any name\tlabel\na & b\t1\nlikes(ann, tea)\t0\n\"wet day\" | a\tT\n"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        nln_data *data;
        nln_labelled set = {0};
        nln_error err = {0};
        assert_int_equal(nln_data_create(&data, &err), NLN_OK);
        assert_int_equal(read_text(&set, data, same[i], &err), NLN_OK);
        assert_int_equal(set.exprs.n, 3);
        assert_memory_equal(set.labels, ((uint8_t[]){1, 0, 1}), 3);
        assert_true(!set.soft && !set.weights);
        assert_int_equal(nln_symbols_find(data->symbols, "wet day", 7), 2);
        nln_labelled_free(&set);
        nln_data_free(data);
    }
    static const struct {
        const char *text;
        long line, column;
    } bad[] = {{"f,label\n\"a & b\",1\n\"a & )\",1\n", 3, 6},
               {"a & b,1\na & b,2\n", 2, 7},
               {"a & b,1\na,b,1,1\n", 2, 8},
               {"a,1\n", 1, 4},
               {"user,item,label\nu,i,1\n", 1, 16}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_data *data;
        nln_labelled set = {0};
        nln_error err = {0};
        assert_int_equal(nln_data_create(&data, &err), NLN_OK);
        assert_int_equal(read_text(&set, data, bad[i].text, &err), NLN_SYNTAX);
        assert_int_equal(err.line, bad[i].line);
        assert_int_equal(err.column, bad[i].column);
        nln_labelled_free(&set);
        nln_data_free(data);
    }
}

static void soft_labels_and_weights_begin_late(void **state)
{
    (void)state;
    nln_data *data;
    nln_labelled set = {0}, copy = {0};
    nln_error err = {0};
    static const float soft[] = {1, 0, .25F, .5F, 1}, weights[] = {1, 1, 1, 3, 0};
    assert_int_equal(nln_data_create(&data, &err), NLN_OK);
    assert_int_equal(read_text(&set, data,
                               "expression\tlabel\tweight\na & b\tT\na\tF\na | b\t0.25\n"
                               "b\t.5\t3\n!b\ttrue\t 0 \n",
                               &err),
                     NLN_OK);
    for (size_t i = 0; i < 5; i++) {
        nln_truths truths = nln_labelled_truths(&set);
        assert_true(nln_truths_label(&truths, i) == (double)soft[i]);
        assert_true(nln_truths_weight(&truths, i) == (double)weights[i]);
        assert_int_equal(set.labels[i], soft[i] >= .5F);
        assert_int_equal(nln_labelled_copy(&copy, &set, 4 - i, &err), NLN_OK);
    }
    for (size_t i = 0; i < 5; i++)
        assert_true(copy.soft[i] == soft[4 - i] && copy.weights[i] == weights[4 - i]);
    nln_labelled_free(&set);
    nln_labelled_free(&copy);
    nln_data_free(data);
}

static void what_is_no_label_is_placed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        long line, column;
    } bad[] = {
        {"a\t1.5\n", "between 0 and 1", 1, 3},
        {"a\t-0.1\n", "between 0 and 1", 1, 3},
        {"a\tT\nb\tnan\n", "between 0 and 1", 2, 3},
        {"a\tT\t-1\n", "weight", 1, 5},
        {"a\tT\tx\n", "weight", 1, 5},
        {"a b\n", "a TAB", 1, 4},
        {"a\tT\t1e10\n", "weight", 1, 5},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_data *data;
        nln_labelled set = {0};
        nln_error err = {0};
        assert_int_equal(nln_data_create(&data, &err), NLN_OK);
        assert_int_equal(read_text(&set, data, bad[i].text, &err), NLN_SYNTAX);
        assert_non_null(strstr(err.message, bad[i].message));
        assert_int_equal(err.line, bad[i].line);
        assert_int_equal(err.column, bad[i].column);
        nln_labelled_free(&set);
        nln_data_free(data);
    }
}

/* From memory, and to files and back. */
static void they_survive_a_folder(void **state)
{
    (void)state;
    static const char *const texts[] = {"a & b", "a | b", "!a"};
    nln_data *data, *again;
    nln_error err = {0};
    assert_int_equal(nln_data_create(&data, &err), NLN_OK);
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++)
        assert_int_equal(nln_data_add_weighted(data, (nln_split)s, texts, (double[]){1, .7, .2},
                                               s == NLN_TEST ? NULL : (double[]){2, 1, .5}, 3,
                                               &err),
                         NLN_OK);
    assert_int_equal(
        nln_data_add_weighted(data, NLN_TRAIN, texts, (double[]){2, 0, 0}, NULL, 1, &err),
        NLN_INVALID);
    assert_int_equal(
        nln_data_add_weighted(data, NLN_TRAIN, texts, (double[]){1}, (double[]){-1}, 1, &err),
        NLN_INVALID);
    assert_int_equal(nln_data_write(data, scratch_path("soft"), &err), NLN_OK);
    assert_int_equal(nln_data_read(&again, scratch_path("soft"), &err), NLN_OK);
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        const nln_labelled *a = &data->split[s], *b = &again->split[s];
        assert_int_equal(b->exprs.n, 3);
        assert_memory_equal(a->soft, b->soft, 3 * sizeof *a->soft);
        assert_int_equal(b->weights == NULL, s == NLN_TEST);
        if (a->weights)
            assert_memory_equal(a->weights, b->weights, 3 * sizeof *a->weights);
    }
    nln_data_free(data);
    nln_data_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whole_labels_take_no_room, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(tables_with_commas_are_read, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(soft_labels_and_weights_begin_late, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_label_is_placed, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(they_survive_a_folder, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
