#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data_folder.h"
#include "scratch.h"

static void names_tell_the_parts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int part; /* NLN_PARTS for none */
    } cases[] = {
        {"train", NLN_TRAIN},
        {"train.tsv", NLN_TRAIN},
        {"x.train.csv.gz", NLN_TRAIN},
        {"x-train.tsv", NLN_TRAIN},
        {"x_train.csv", NLN_TRAIN},
        {"a.b-c_train.txt.zst", NLN_TRAIN},
        {"train.gz", NLN_TRAIN},
        {"valid.tsv", NLN_VALID},
        {"x.validation.csv.gz", NLN_VALID},
        {"dev", NLN_VALID},
        {"test.txt", NLN_TEST},
        {"ml.test.inter", NLN_TEST},
        {"variables.tsv", NLN_PART_VARIABLES},
        {"x.variable.csv.gz", NLN_PART_VARIABLES},
        {"my-variables-all.csv", NLN_PART_VARIABLES},
        {"variable.train.csv", NLN_TRAIN},
        {"strain.tsv", NLN_PARTS},
        {"train.tsv.bak", NLN_PARTS},
        {"train.json", NLN_PARTS},
        {".train.tsv", NLN_PARTS},
        {"._train.tsv", NLN_PARTS},
        {"trainer", NLN_PARTS},
        {"variables.md", NLN_PARTS},
        {".tsv", NLN_PARTS},
        {"README", NLN_PARTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_folder folder;
        nln_error err = {0};
        scratch_empty(scratch_folder);
        scratch_text(cases[i].name, "");
        assert_int_equal(nln_folder_list(&folder, scratch_folder, &err), NLN_OK);
        for (int part = 0; part < NLN_PARTS; part++) {
            if ((part == cases[i].part) != (folder.names[part] != NULL))
                fail_msg("%s", cases[i].name);
            assert_int_equal(nln_folder_need(&folder, part, &err),
                             folder.names[part] ? NLN_OK : NLN_INVALID);
        }
        nln_folder_free(&folder);
    }
}

static void two_files_for_one_part_are_named(void **state)
{
    (void)state;
    nln_folder folder;
    nln_error err = {0};
    scratch_text("b.train.tsv", "");
    scratch_text("a.train.tsv.gz", "");
    assert_int_equal(nln_folder_list(&folder, scratch_folder, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "both 'a.train.tsv.gz' and 'b.train.tsv'"));
    assert_non_null(strstr(err.message, "train file"));
    assert_null(folder.path);
}

static void folders_inside_are_no_parts(void **state)
{
    (void)state;
    nln_folder folder;
    nln_error err = {0};
    assert_int_equal(mkdir(scratch_path("train"), 0700), 0);
    scratch_text("x.train.tsv", "a\n");
    assert_int_equal(nln_folder_list(&folder, scratch_folder, &err), NLN_OK);
    assert_string_equal(folder.names[NLN_TRAIN], "x.train.tsv");
    nln_folder_free(&folder);
}

static void parts_open_or_say_what_is_missing(void **state)
{
    (void)state;
    nln_folder folder;
    nln_input *in;
    nln_error err = {0};
    char *line;
    size_t length;
    scratch_text("train.tsv", "hello\n");
    assert_int_equal(nln_folder_list(&folder, scratch_folder, &err), NLN_OK);
    assert_int_equal(nln_folder_open(&in, &folder, NLN_TRAIN, &err), NLN_OK);
    assert_int_equal(nln_input_line(&line, &length, in, &err), NLN_OK);
    assert_string_equal(line, "hello");
    nln_input_close(in);
    assert_int_equal(nln_folder_open(&in, &folder, NLN_VALID, &err), NLN_INVALID);
    assert_null(in);
    assert_non_null(strstr(err.message, "no valid file"));
    assert_non_null(strstr(err.message, "valid, validation or dev"));
    assert_non_null(strstr(err.message, ".tsv, .csv, .txt"));
    nln_folder_free(&folder);
}

static void what_is_no_folder_says_so(void **state)
{
    (void)state;
    nln_folder folder;
    nln_error err = {0};
    assert_int_equal(nln_folder_list(&folder, scratch_path("none"), &err), NLN_IO);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(nln_folder_list(&folder, scratch_text("file", ""), &err), NLN_IO);
    assert_non_null(strstr(err.message, "Not a directory"));
    assert_non_null(strstr(err.message, "train, valid and test"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_tell_the_parts),        TEST(two_files_for_one_part_are_named),
        TEST(folders_inside_are_no_parts), TEST(parts_open_or_say_what_is_missing),
        TEST(what_is_no_folder_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
