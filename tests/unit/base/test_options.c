#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>

#include "base/options.h"
#include "nln_lab.h"
#include "scratch.h"

static const nln_option table[] = {
    {"dimension", NLN_OPTION_INT, "64", 1, 4096, NULL, "length of the vectors"},
    {"seed", NLN_OPTION_INT, "1", 0, INFINITY, NULL, "seed"},
    {"learning-rate", NLN_OPTION_REAL, "0.001", 0, 1, NULL, "step"},
    {"shift", NLN_OPTION_REAL, "-1e-3", -INFINITY, INFINITY, NULL, "any number"},
    {"verbose", NLN_OPTION_FLAG, "false", 0, 0, NULL, "talk"},
    {"model", NLN_OPTION_CHOICE, "nln", 0, 0, "nln|birnn|bilstm", "kind"},
    {"out", NLN_OPTION_TEXT, "", 0, 0, NULL, "where"},
    {"k", NLN_OPTION_INT, "10", 1, 100, NULL, "how many"},
    {"config", NLN_OPTION_TEXT, "", 0, 0, NULL, "another file"},
};
enum { N_ROWS = sizeof table / sizeof *table };

static nln_options *create(void)
{
    nln_options *o;
    nln_error err = {0};
    assert_int_equal(nln_options_create_from(&o, table, N_ROWS, &err), NLN_OK);
    return o;
}

static void defaults_are_in_force(void **state)
{
    (void)state;
    int n;
    nln_options *o = create();
    assert_ptr_equal(nln_options_table(&n, o), table);
    assert_int_equal(n, N_ROWS);
    for (int i = 0; i < n; i++) {
        assert_string_equal(nln_options_text(o, table[i].name), table[i].initial);
        assert_int_equal(nln_options_source(o, table[i].name), NLN_FROM_DEFAULT);
    }
    assert_true(nln_options_number(o, "dimension") == 64);
    assert_true(nln_options_number(o, "learning-rate") == 0.001);
    assert_true(nln_options_number(o, "verbose") == 0);
    assert_true(nln_options_number(o, "model") == 0);
    assert_null(nln_options_text(o, "nothing"));
    assert_true(nln_options_number(o, "nothing") == 0);
    nln_options_free(o);
    nln_options_free(NULL);
}

static void a_bad_default_is_refused(void **state)
{
    (void)state;
    nln_option row = {"k", NLN_OPTION_INT, "0", 1, 9, NULL, ""};
    nln_error err = {0};
    nln_options *o = (nln_options *)&err;
    assert_int_equal(nln_options_create_from(&o, &row, 1, &err), NLN_INVALID);
    assert_null(o);
    assert_int_equal(nln_options_create_from(&o, NULL, -1, &err), NLN_INVALID);
    assert_int_equal(nln_options_create_from(&o, NULL, 0, &err), NLN_OK);
    nln_options_free(o);
}

static void good_values_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        double number;
    } cases[] = {
        {"dimension", "1", 1},
        {"dimension", "4096", 4096},
        {"seed", "9007199254740992", 9007199254740992.0},
        {"learning-rate", "1e-2", 0.01},
        {"learning_rate", "0", 0},
        {"shift", "-1e300", -1e300},
        {"verbose", "true", 1},
        {"verbose", "false", 0},
        {"model", "nln", 0},
        {"model", "bilstm", 2},
        {"out", "", 0},
        {"out", "a b\tc", 0},
    };
    nln_options *o = create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        assert_int_equal(nln_options_set(o, cases[i].name, cases[i].text, &err), NLN_OK);
        assert_string_equal(nln_options_text(o, cases[i].name), cases[i].text);
        assert_true(nln_options_number(o, cases[i].name) == cases[i].number);
        assert_int_equal(nln_options_source(o, cases[i].name), NLN_FROM_CALLER);
    }
    nln_options_free(o);
}

static void bad_values_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *message;
    } cases[] = {
        {"dimension", "-3", "option --dimension must be a whole number from 1 to 4096, not '-3'"},
        {"dimension", "0", "from 1 to 4096"},
        {"dimension", "4097", "from 1 to 4096"},
        {"dimension", "", "not ''"},
        {"dimension", "1.5", "whole number"},
        {"dimension", "1e3", "whole number"},
        {"dimension", " 5", "not ' 5'"},
        {"dimension", "5 ", "not '5 '"},
        {"dimension", "nan", "whole number"},
        {"seed", "99999999999999999999999", "from 0 to 9007199254740992"},
        {"seed", "9007199254740994", "from 0 to 9007199254740992"},
        {"learning-rate", "1.0001",
         "option --learning-rate must be a number from 0 to 1, not '1.0001'"},
        {"learning-rate", "nan", "must be a number from 0 to 1, not 'nan'"},
        {"learning-rate", "0.1x", "not '0.1x'"},
        {"shift", "inf", "option --shift must be a number, not 'inf'"},
        {"shift", "-nan", "not '-nan'"},
        {"shift", "1e999", "not '1e999'"},
        {"verbose", "yes", "option --verbose must be true or false, not 'yes'"},
        {"model", "lstm", "option --model must be one of nln|birnn|bilstm, not 'lstm'"},
        {"model", "nln|birnn", "one of"},
        {"model", "", "one of"},
    };
    nln_options *o = create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        assert_int_equal(nln_options_set(o, cases[i].name, cases[i].text, &err), NLN_INVALID);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s", err.message);
        assert_int_equal(nln_options_source(o, cases[i].name), NLN_FROM_DEFAULT);
        assert_int_equal(nln_options_set(o, cases[i].name, cases[i].text, NULL), NLN_INVALID);
    }
    nln_options_free(o);
}

/* Under a locale whose decimal point is a comma, too, where the machine has one. */
static void ranges_have_points_in_any_locale(void **state)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    static const nln_option half[] = {{"noise", NLN_OPTION_REAL, "0", 0, 0.49, NULL, "share"}};
    (void)state;
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        nln_options *o = NULL;
        nln_error err = {0};
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        assert_int_equal(nln_options_create_from(&o, half, 1, &err), NLN_OK);
        assert_int_equal(nln_options_set(o, "noise", "2", &err), NLN_INVALID);
        assert_non_null(strstr(err.message, "from 0 to 0.49, not '2'"));
        nln_error_set(&err, NLN_INVALID, "%g and %.2f", 0.5, 1.25);
        assert_string_equal(err.message, "0.5 and 1.25");
        nln_options_free(o);
    }
    setlocale(LC_ALL, "C");
}

static void unknown_names_suggest_a_near_one(void **state)
{
    (void)state;
    static const struct {
        const char *name, *meant;
    } cases[] = {
        {"dimensoin", "--dimension?"},
        {"dim", "--dimension?"},
        {"dimensions", "--dimension?"},
        {"sed", "--seed?"},
        {"learning", "--learning-rate?"},
        {"learning_rat", "--learning-rate?"},
        {"epochs", NULL},
        {"cuts", NULL},
        {"outs", "--out?"},
        {"q", NULL},
        {"", NULL},
        {"xy", NULL},
        {"outdoors", NULL},
    };
    nln_options *o = create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        assert_int_equal(nln_options_set(o, cases[i].name, "1", &err), NLN_UNKNOWN);
        assert_non_null(strstr(err.message, "there is no option --"));
        if (cases[i].meant ? !strstr(err.message, cases[i].meant)
                           : !!strstr(err.message, "did you mean"))
            fail_msg("%s", err.message);
    }
    nln_options_free(o);
}

static void the_stronger_source_wins_in_any_order(void **state)
{
    (void)state;
    static const char *const values[] = {"1", "2", "3", "4", "5"};
    for (int a = NLN_FROM_DEFAULT; a <= NLN_FROM_CALLER; a++) {
        for (int b = NLN_FROM_DEFAULT; b <= NLN_FROM_CALLER; b++) {
            nln_options *o = create();
            nln_error err = {0};
            nln_option_source first = (nln_option_source)a, second = (nln_option_source)b;
            int winner = b >= a ? b : a;
            assert_int_equal(nln_options_assign(o, "k", values[a], first, &err), NLN_OK);
            assert_int_equal(nln_options_assign(o, "k", values[b], second, &err), NLN_OK);
            assert_string_equal(nln_options_text(o, "k"), values[winner]);
            assert_int_equal(nln_options_source(o, "k"), winner);
            assert_int_equal(nln_options_assign(o, "k", "0", second, &err), NLN_INVALID);
            nln_options_free(o);
        }
    }
}

static void a_copy_has_everything_and_its_own_values(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_options *o = create(), *copy;
    assert_int_equal(nln_options_set(o, "model", "birnn", &err), NLN_OK);
    assert_int_equal(nln_options_assign(o, "k", "7", NLN_FROM_RECIPE, &err), NLN_OK);
    assert_int_equal(nln_options_copy(&copy, o, &err), NLN_OK);
    assert_int_equal(nln_options_set(o, "model", "nln", &err), NLN_OK);
    nln_options_free(o);
    assert_string_equal(nln_options_text(copy, "model"), "birnn");
    assert_true(nln_options_number(copy, "model") == 1);
    assert_int_equal(nln_options_source(copy, "model"), NLN_FROM_CALLER);
    assert_int_equal(nln_options_source(copy, "k"), NLN_FROM_RECIPE);
    assert_string_equal(nln_options_text(copy, "learning-rate"), "0.001");
    nln_options_free(copy);
}

static void files_are_read(void **state)
{
    (void)state;
    nln_options *o = create();
    nln_error err = {0};
    assert_int_equal(nln_options_set(o, "k", "5", &err), NLN_OK);
    const char *path = scratch_text("config", "# a comment\n"
                                              "\n"
                                              "  dimension=128   # more\n"
                                              "learning_rate\t=\t0.5\r\n"
                                              "k = 9\n"
                                              "model = \"birnn\"#x\n"
                                              "out = 'a # b \"c\"'\n"
                                              "seed = 3");
    assert_int_equal(nln_options_read(o, path, &err), NLN_OK);
    assert_string_equal(nln_options_text(o, "dimension"), "128");
    assert_string_equal(nln_options_text(o, "learning-rate"), "0.5");
    assert_string_equal(nln_options_text(o, "k"), "5");
    assert_string_equal(nln_options_text(o, "model"), "birnn");
    assert_string_equal(nln_options_text(o, "out"), "a # b \"c\"");
    assert_string_equal(nln_options_text(o, "seed"), "3");
    assert_int_equal(nln_options_source(o, "seed"), NLN_FROM_FILE);
    assert_int_equal(nln_options_set(o, "seed", "4", &err), NLN_OK);
    assert_string_equal(nln_options_text(o, "seed"), "4");
    assert_int_equal(nln_options_read(o, scratch_text("config", "out = \"\""), &err), NLN_OK);
    assert_string_equal(nln_options_text(o, "out"), "");
    nln_options_free(o);
}

static void bad_files_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nln_status status;
        long line, column;
        const char *message;
    } cases[] = {
        {"k = 1\ndimension = -3\n", NLN_INVALID, 2, 13, "whole number from 1 to 4096, not '-3'"},
        {"k = 1\n out = '\xc3\xa9' x\n", NLN_SYNTAX, 2, 12, "end of the line"},
        {"\n\n  dimensio = 3\n", NLN_UNKNOWN, 3, 3, "did you mean --dimension?"},
        {"dimension: 3\n", NLN_SYNTAX, 1, 12, "expected '='"},
        {"dimension\n", NLN_SYNTAX, 1, 10, "expected '='"},
        {"= 3\n", NLN_SYNTAX, 1, 1, "expected an option"},
        {"k =\n", NLN_SYNTAX, 1, 4, "expected a value"},
        {"k = # 3\n", NLN_SYNTAX, 1, 5, "expected a value"},
        {"out = \"abc\n", NLN_SYNTAX, 1, 7, "no closing quote"},
        {"k = 1\n\n k = 1\n", NLN_INVALID, 3, 2, "k has a value on line 1 already"},
        {"#\nlearning-rate = 1\nlearning_rate = 0\n", NLN_INVALID, 3, 1, "on line 2 already"},
        {"k = 1\nconfig = other\n", NLN_INVALID, 2, 1, "cannot name another"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_options *o = create();
        nln_error err = {0};
        const char *path = scratch_text("config", cases[i].text);
        assert_int_equal(nln_options_read(o, path, &err), cases[i].status);
        assert_string_equal(err.file, path);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s", err.message);
        assert_int_equal(nln_options_read(o, path, NULL), cases[i].status);
        nln_options_free(o);
    }
}

static void a_missing_file_is_an_error(void **state)
{
    (void)state;
    nln_options *o = create();
    nln_error err = {0};
    assert_int_equal(nln_options_read(o, scratch_path("none"), &err), NLN_IO);
    nln_options_free(o);
}

#define FILE_TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/* Options of one command are no use to another. */
static void options_know_their_command(void **state)
{
    (void)state;
    nln_options *o = NULL, *own = NULL;
    nln_error err = {0};
    static const nln_option row = {"a", NLN_OPTION_FLAG, "true", 0, 1, NULL, "a"};
    nln_data *data = NULL;
    nln_model *model = NULL;
    assert_int_equal(nln_options_create(&o, "predict", &err), NLN_OK);
    assert_int_equal(nln_options_create_from(&own, &row, 1, &err), NLN_OK);
    assert_int_equal(nln_data_generate(&data, o, &err), NLN_INVALID);
    assert_string_equal(
        err.message, "options of \"generate logic\" are needed here, and these are of \"predict\"");
    assert_int_equal(nln_data_generate(&data, own, &err), NLN_INVALID);
    assert_int_equal(nln_data_generate(&data, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_ratings_generate("/dev/null", NULL, o, &err), NLN_INVALID);
    assert_int_equal(nln_train(&model, NULL, NULL, o, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_train(&model, NULL, NULL, NULL, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_train_ratings(&model, NULL, NULL, o, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_tsne(NULL, NULL, NULL, 5, 5, o, NULL, &err), NLN_INVALID);
    nln_options_free(o);
    nln_options_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_in_force),
        cmocka_unit_test(a_bad_default_is_refused),
        cmocka_unit_test(good_values_are_taken),
        cmocka_unit_test(bad_values_are_refused_and_change_nothing),
        cmocka_unit_test(ranges_have_points_in_any_locale),
        cmocka_unit_test(unknown_names_suggest_a_near_one),
        cmocka_unit_test(the_stronger_source_wins_in_any_order),
        cmocka_unit_test(a_copy_has_everything_and_its_own_values),
        FILE_TEST(files_are_read),
        FILE_TEST(bad_files_say_where),
        FILE_TEST(a_missing_file_is_an_error),
        cmocka_unit_test(options_know_their_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
