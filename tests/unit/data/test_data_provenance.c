#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "data/data_provenance.h"

static void what_is_printed_is_read(void **state)
{
    (void)state;
    static const nln_data_provenance origins[] = {
        {"paper", "1", "stars", "", "", "", ""},
        {"random", "9007199254740991", "3.5", "5", "", "", ""},
        {"folder", "1", "auto", "", "", "", ""},
        {"likes", "1", "auto", "", "", "", "user=the user,item=2"},
        {"nlr", "1", "auto", "5", "", "", "rating=note"},
        {"file", "1", "-", "-", "2/5", "0123456789abcdef", ""}};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        char text[NLN_ORIGIN_ROOM];
        nln_data_provenance again;
        nln_data_provenance_print(text, &origins[i]);
        assert_true(nln_data_provenance_parse(&again, text));
        assert_string_equal(again.split, origins[i].split);
        assert_string_equal(again.split_seed, origins[i].split_seed);
        assert_string_equal(again.like_from, origins[i].like_from);
        assert_string_equal(again.core, origins[i].core);
        assert_string_equal(again.holdout, origins[i].holdout);
        assert_string_equal(again.fingerprint, origins[i].fingerprint);
        assert_string_equal(again.columns, origins[i].columns);
    }
}

/* The longest words that there is room for, and those with a letter more. */
static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      " ",
                                      "paper",
                                      "paper 1",
                                      "paper 1 ",
                                      " 1 stars",
                                      "paper  4",
                                      "a b c d e f g",
                                      "a b c ",
                                      "paper 1\t4",
                                      "a b c d e f columns:"};
    char word[NLN_ORIGIN_WORD + 1], text[4 * sizeof word];
    nln_data_provenance out;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(nln_data_provenance_parse(&out, bad[i]));
    memset(word, 'x', sizeof word);
    word[NLN_ORIGIN_WORD - 1] = '\0';
    snprintf(text, sizeof text, "%s %s %s", word, word, word);
    assert_true(nln_data_provenance_parse(&out, text));
    assert_string_equal(out.like_from, word);
    snprintf(text, sizeof text, "a bx%s c", word);
    assert_false(nln_data_provenance_parse(&out, text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
