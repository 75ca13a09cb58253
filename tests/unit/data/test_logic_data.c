#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <time.h>

#include "data/logic_data.h"
#include "logic/parse.h"
#include "random_expr.h"
#include "same_expr.h"
#include "scratch.h"

static nln_data *read_folder(const char *path)
{
    nln_data *data;
    nln_error err = {0};
    if (nln_data_read(&data, path, &err))
        fail_msg("%s:%ld:%ld: %s", err.file, err.line, err.column, err.message);
    return data;
}

static void expect_same(const nln_data *a, const nln_data *b)
{
    assert_int_equal(nln_data_variables(a), nln_data_variables(b));
    for (int32_t i = 0; i < nln_symbols_count(a->symbols); i++)
        assert_string_equal(nln_symbols_name(a->symbols, i), nln_symbols_name(b->symbols, i));
    assert_int_equal(a->truth == NULL, b->truth == NULL);
    if (a->truth)
        assert_memory_equal(a->truth, b->truth, nln_data_variables(a));
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++) {
        size_t n = nln_data_size(a, (nln_split)split);
        assert_int_equal(n, nln_data_size(b, (nln_split)split));
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(a->split[split].labels[i], b->split[split].labels[i]);
            assert_true(same_expr(nln_exprs_get(&a->split[split].exprs, i),
                                  nln_exprs_get(&b->split[split].exprs, i)));
        }
    }
}

/* A data set of random expressions over v1..vN, all of them named up front. */
static nln_data *random_data(nln_random *r, int32_t n_variables, const size_t *sizes, int truth)
{
    nln_data *data = calloc(1, sizeof *data);
    data->symbols = nln_symbols_create();
    data->truth = truth ? malloc((size_t)n_variables) : NULL;
    for (int32_t i = 0; i < n_variables; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i + 1);
        assert_int_equal(nln_symbols_intern(data->symbols, name, strlen(name)), i);
        if (truth)
            data->truth[i] = (int8_t)((int)nln_random_below(r, 3) - 1);
    }
    if (truth)
        data->truth[0] = 1;
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (size_t i = 0; i < sizes[split]; i++) {
            int32_t variables[6], n = 1 + (int32_t)nln_random_below(r, 6);
            for (int32_t j = 0; j < n; j++)
                variables[j] = (int32_t)nln_random_below(r, (uint64_t)n_variables);
            nln_labelled *set = &data->split[split];
            assert_int_equal(push_random_expr(&set->exprs, r, variables, n), NLN_OK);
            assert_int_equal(nln_labelled_add(set, (int)nln_random_below(r, 2), 1, NULL), NLN_OK);
        }
    return data;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    static const size_t sizes[] = {200, 0, 50};
    for (int truth = 0; truth < 2; truth++) {
        nln_error err = {0};
        nln_data *written = random_data(&r, 300, sizes, truth);
        assert_int_equal(nln_data_write(written, scratch_path("set"), &err), NLN_OK);
        nln_data *again = read_folder(scratch_path("set"));
        expect_same(written, again);
        nln_data_free(written);
        nln_data_free(again);
    }
}

static void the_layout_is_read(void **state)
{
    (void)state;
    scratch_text("train.tsv", "# made by hand\n\nb & a\tT\n  # more\n!a | b\t0\r\nc\tfalse\n");
    scratch_text("dev.txt", "expression\tlabel\nlate -> a\ttrue\n");
    scratch_text("x-test", "T\t1\nF\t F \n");
    nln_data *data = read_folder(scratch_folder);
    static const char *const names[] = {"b", "a", "c", "late"};
    assert_int_equal(nln_data_variables(data), 4);
    for (int32_t i = 0; i < 4; i++)
        assert_string_equal(nln_symbols_name(data->symbols, i), names[i]);
    assert_null(data->truth);
    assert_int_equal(nln_data_size(data, NLN_TRAIN), 3);
    assert_int_equal(nln_data_size(data, NLN_VALID), 1);
    assert_int_equal(nln_data_size(data, NLN_TEST), 2);
    assert_int_equal(nln_data_size(data, (nln_split)7), 0);
    assert_memory_equal(data->split[NLN_TRAIN].labels, "\1\0\0", 3);
    assert_memory_equal(data->split[NLN_VALID].labels, "\1", 1);
    assert_memory_equal(data->split[NLN_TEST].labels, "\1\0", 2);
    nln_data_free(data);
    nln_data_free(NULL);
}

static void the_variables_file_gives_order_and_truth(void **state)
{
    (void)state;
    scratch_text("train.tsv", "late & b\tT\n");
    scratch_text("valid.tsv", "");
    scratch_text("test.tsv", "");
    scratch_text("variables.tsv", "variable\tvalue\na\tT\n# x\nb\t0\nc\t?\n");
    nln_data *data = read_folder(scratch_folder);
    assert_int_equal(nln_data_variables(data), 4);
    assert_string_equal(nln_symbols_name(data->symbols, 0), "a");
    assert_string_equal(nln_symbols_name(data->symbols, 3), "late");
    assert_memory_equal(data->truth, "\1\0\xff\xff", 4);
    nln_data_free(data);
    nln_error err = {0};
    scratch_text("variables.tsv", "a\tT\nb\tF\na\tT\n");
    assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_INVALID);
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.message, "'a' has a value already"));
}

static void spaces_around_names_are_no_part_of_them(void **state)
{
    (void)state;
    scratch_text("train.tsv", "rain & sun & wind\tT\n");
    scratch_text("valid.tsv", "");
    scratch_text("test.tsv", "");
    scratch_text("variables.tsv", "rain \tT\n  sun\t F \n wind  \tT\n");
    nln_data *data = read_folder(scratch_folder);
    int8_t truth[3] = {5, 5, 5};
    assert_int_equal(nln_data_variables(data), 3);
    assert_memory_equal(data->truth, "\1\0\1", 3);
    assert_int_equal(nln_truth_read(truth, data->symbols, scratch_folder, NULL), NLN_OK);
    assert_memory_equal(truth, "\1\0\1", 3);
    nln_data_free(data);
    nln_error err = {0};
    scratch_text("variables.tsv", "rain \tT\nrain\tF\n");
    assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_INVALID);
    assert_int_equal(err.line, 2);
}

static void the_dialect_is_told_file_by_file(void **state)
{
    (void)state;
    scratch_text("train.tsv", "sent\tlabel\n~5^7v9\t1\n");
    scratch_text("valid.tsv", "9 & !5\tF\n");
    scratch_text("test.tsv", "# a comment first\nsent\tlabel\n7v5\t0\n");
    nln_data *data = read_folder(scratch_folder);
    assert_int_equal(nln_data_variables(data), 3);
    nln_expr e = nln_exprs_get(&data->split[NLN_TRAIN].exprs, 0);
    assert_int_equal(e.nodes[e.n_nodes - 1].op, NLN_OP_OR);
    e = nln_exprs_get(&data->split[NLN_VALID].exprs, 0);
    assert_int_equal(e.nodes[e.n_nodes - 1].op, NLN_OP_AND);
    e = nln_exprs_get(&data->split[NLN_TEST].exprs, 0);
    assert_int_equal(e.nodes[e.n_nodes - 1].op, NLN_OP_OR);
    nln_data_free(data);
}

static void malformed_lines_have_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text;
        long line, column;
        const char *message;
    } cases[] = {
        {"train.tsv", "a\tT\na & b\n", 2, 6, "expected an expression, a TAB and then T, F"},
        {"train.tsv", "\xc3\xa9 & b\tmaybe\n", 1, 7,
         "number between 0 and 1 after the TAB, not 'maybe'"},
        {"train.tsv", "a\t\n", 1, 3, "expected T, F"},
        {"train.tsv", "a\tT\tT\n", 1, 5, "expected a weight"},
        {"train.tsv", "a\t?\n", 1, 3, "not '?'"},
        {"train.tsv", "a\tT\n\n#\na & & b\tT\n", 4, 5, ""},
        {"valid.tsv", "a &\tT\n", 1, 4, ""},
        {"test.tsv", "a)\tT\n", 1, 2, ""},
        {"test.tsv", "sent\tlabel\n5w7\t1\n", 2, 2, ""},
        {"test.tsv", "\tT\n", 1, 1, ""},
        {"variables.tsv", "a\t2\n", 1, 3, "not '2'"},
        {"variables.tsv", "variable\tvalue\n\tT\n", 2, 1, "name of a variable"},
        {"variables.tsv", "a\tT\n  \tT\n", 2, 1, "name of a variable"},
        {"variables.tsv", "a\tT\nT\tT\n", 2, 1, "no expression can hold a variable named 'T'"},
        {"variables.tsv", "and\tF\n", 1, 1, "named 'and'"},
        {"variables.tsv", "a b\tF\n", 1, 1, "named 'a b'"},
        {"variables.tsv", "!a\tF\n", 1, 1, "named '!a'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_data *data;
        nln_error err = {0};
        scratch_text("train.tsv", "a\tT\n");
        scratch_text("valid.tsv", "a\tT\n");
        scratch_text("test.tsv", "a\tT\n");
        scratch_text("variables.tsv", "");
        const char *path = scratch_text(cases[i].file, cases[i].text);
        assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_SYNTAX);
        assert_null(data);
        assert_string_equal(err.file, path);
        if (err.line != cases[i].line || err.column != cases[i].column ||
            !strstr(err.message, cases[i].message))
            fail_msg("%s:%ld:%ld: %s", err.file, err.line, err.column, err.message);
        assert_int_equal(nln_data_read(&data, scratch_folder, NULL), NLN_SYNTAX);
    }
}

static void incomplete_folders_are_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"train.tsv", "valid.tsv", "test.tsv"};
    static const char *const wanted[] = {"no train file", "no valid file", "no test file"};
    nln_data *data;
    nln_error err = {0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_INVALID);
        assert_non_null(strstr(err.message, wanted[i]));
        scratch_text(files[i], "");
    }
    assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "no expressions to train on"));
    assert_non_null(strstr(err.message, "train.tsv"));
    assert_int_equal(nln_data_read(&data, scratch_path("none"), &err), NLN_IO);
    remove(scratch_path("train.tsv"));
    scratch_text("facts.tsv", "# nothing yet\n");
    assert_int_equal(nln_data_read(&data, scratch_folder, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "facts and rules"));
    remove(scratch_path("facts.tsv"));
}

static void truth_is_read_from_a_file_or_a_folder(void **state)
{
    (void)state;
    nln_symbols *symbols = nln_symbols_create();
    nln_error err = {0};
    int8_t truth[3] = {5, 5, 5};
    nln_symbols_intern(symbols, "a", 1);
    nln_symbols_intern(symbols, "b", 1);
    nln_symbols_intern(symbols, "c", 1);
    const char *path = scratch_text("variables.tsv", "c\tT\nother\tF\na\tfalse\n");
    assert_int_equal(nln_truth_read(truth, symbols, path, &err), NLN_OK);
    assert_memory_equal(truth, "\0\xff\1", 3);
    memset(truth, 5, 3);
    assert_int_equal(nln_truth_read(truth, symbols, scratch_folder, &err), NLN_OK);
    assert_memory_equal(truth, "\0\xff\1", 3);
    path = scratch_text("variables.tsv", "c\tT\nc\tF\n");
    assert_int_equal(nln_truth_read(truth, symbols, path, &err), NLN_INVALID);
    assert_int_equal(err.line, 2);
    unlink(path);
    assert_int_equal(nln_truth_read(truth, symbols, path, &err), NLN_IO);
    assert_int_equal(nln_truth_read(truth, symbols, scratch_folder, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "no variables file"));
    nln_symbols_free(symbols);
}

static void unwritable_folders_say_why(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    static const size_t sizes[] = {1, 1, 1};
    nln_data *data = random_data(&r, 3, sizes, 1);
    nln_error err = {0};
    assert_int_equal(nln_data_write(data, scratch_path("no/parent"), &err), NLN_IO);
    assert_non_null(strstr(err.message, "cannot create the folder"));
    assert_non_null(strstr(err.message, strerror(ENOENT)));
    assert_int_equal(nln_data_write(data, scratch_text("file", ""), &err), NLN_IO);
    assert_non_null(strstr(err.message, strerror(ENOTDIR)));
    nln_data_free(data);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The bound is ten times what is wanted, for slow machines and sanitizers. */
static void large_sets_are_read_quickly(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(3, 0);
    static const size_t sizes[] = {50000, 100, 100};
    nln_data *data = random_data(&r, 10000, sizes, 1);
    nln_error err = {0};
    assert_int_equal(nln_data_write(data, scratch_path("large"), &err), NLN_OK);
    double begin = seconds();
    nln_data *again = read_folder(scratch_path("large"));
    double taken = seconds() - begin;
    print_message("50,000 expressions read in %.3f s\n", taken);
    assert_true(taken < 5);
    expect_same(data, again);
    nln_data_free(data);
    nln_data_free(again);
}

/* Every label of the published set is the exact value under its truth. */
static void the_published_set_is_exact(void **state)
{
    (void)state;
    const char *folder = getenv("NLN_DATA");
    if (!folder) {
        print_message("SKIP: set NLN_DATA to the folder of nlr-logic to test the published set\n");
        skip();
    }
    char path[4096];
    static const size_t sizes[] = {2400, 300, 300};
    snprintf(path, sizeof path, "%s/nlr-logic", folder);
    nln_data *data = read_folder(path);
    uint8_t value[1000], stack[1000];
    assert_int_equal(nln_data_variables(data), 1000);
    for (size_t i = 0; i < 1000; i++) {
        assert_in_range(data->truth[i], 0, 1);
        value[i] = (uint8_t)data->truth[i];
    }
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++) {
        assert_int_equal(nln_data_size(data, (nln_split)split), sizes[split]);
        for (size_t i = 0; i < sizes[split]; i++) {
            nln_expr e = nln_exprs_get(&data->split[split].exprs, i);
            assert_in_range(e.n_nodes, 1, sizeof stack);
            assert_int_equal(nln_expr_evaluate(e, value, stack), data->split[split].labels[i]);
        }
    }
    nln_error err = {0};
    assert_int_equal(nln_data_write(data, scratch_path("copy"), &err), NLN_OK);
    nln_data *copy = read_folder(scratch_path("copy"));
    expect_same(data, copy);
    nln_data_free(copy);
    nln_data_free(data);
}

/* What was read, added again as text, is the same set. */
static void memory_gives_what_a_folder_gives(void **state)
{
    (void)state;
    nln_options *o;
    nln_data *written, *data;
    nln_error err = {0};
    assert_int_equal(nln_options_create(&o, "generate logic", NULL), NLN_OK);
    nln_options_set(o, "variables", "20", NULL);
    nln_options_set(o, "expressions", "200", NULL);
    assert_int_equal(nln_data_generate(&written, o, NULL), NLN_OK);
    nln_options_free(o);
    assert_int_equal(nln_data_write(written, scratch_path("set"), NULL), NLN_OK);
    nln_data_free(written);
    unlink(scratch_path("set/variables.tsv"));
    nln_data *read = read_folder(scratch_path("set"));
    assert_int_equal(nln_data_create(&data, &err), NLN_OK);
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (size_t i = 0; i < nln_data_size(read, (nln_split)split); i++) {
            char *text;
            const int label = read->split[split].labels[i];
            assert_int_equal(nln_print(&text, nln_exprs_get(&read->split[split].exprs, i),
                                       &(nln_vocabulary){.variables = read->symbols}, NULL),
                             NLN_OK);
            assert_int_equal(
                nln_data_add(data, (nln_split)split, (const char *const[]){text}, &label, 1, &err),
                NLN_OK);
            nln_free(text);
        }
    expect_same(read, data);
    nln_data_free(read);
    nln_data_free(data);
}

static void bad_additions_have_their_number(void **state)
{
    (void)state;
    nln_data *data;
    nln_error err = {0};
    const char *const expressions[] = {"a", "a & b", "a &"};
    assert_int_equal(nln_data_create(&data, &err), NLN_OK);
    assert_int_equal(nln_data_add(data, NLN_TRAIN, expressions, (const int[]){1, 0, 1}, 3, &err),
                     NLN_SYNTAX);
    assert_int_equal(err.line, 3);
    assert_int_equal(nln_data_size(data, NLN_TRAIN), 2);
    assert_int_equal(nln_data_add(data, NLN_TEST, expressions, (const int[]){2}, 1, &err),
                     NLN_INVALID);
    assert_int_equal(err.line, 1);
    assert_int_equal(nln_data_add(data, (nln_split)7, expressions, (const int[]){1}, 1, &err),
                     NLN_INVALID);
    assert_int_equal(nln_data_size(data, NLN_TEST), 0);
    nln_data_free(data);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(the_layout_is_read),
        TEST(the_variables_file_gives_order_and_truth),
        TEST(spaces_around_names_are_no_part_of_them),
        TEST(the_dialect_is_told_file_by_file),
        TEST(malformed_lines_have_a_place),
        TEST(incomplete_folders_are_refused),
        TEST(truth_is_read_from_a_file_or_a_folder),
        TEST(unwritable_folders_say_why),
        TEST(large_sets_are_read_quickly),
        TEST(memory_gives_what_a_folder_gives),
        TEST(bad_additions_have_their_number),
        TEST(the_published_set_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
