#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/options.h"
#include "rows_text.h"

static nln_ratings_rows rows_of(const char *text)
{
    nln_ratings_rows rows;
    nln_ratings_report report;
    assert_int_equal(read_text(&rows, &report, text, strlen(text), &as_it_is, NULL), NLN_OK);
    return rows;
}

static void options_become_rules(void **state)
{
    (void)state;
    nln_options *o;
    nln_ratings_rules rules;
    nln_error err = {0};
    assert_int_equal(nln_ratings_rules_read(&rules, NULL, NULL), NLN_OK);
    assert_true(isnan(rules.like_from) && isnan(rules.least) && !rules.strict);
    assert_int_equal(nln_options_create(&o, "ratings", NULL), NLN_OK);
    nln_options_set(o, "like-from", "3.5", NULL);
    nln_options_set(o, "rating-range", "1:10", NULL);
    nln_options_set(o, "strict", "true", NULL);
    assert_int_equal(nln_ratings_rules_read(&rules, o, NULL), NLN_OK);
    assert_true(rules.like_from == 3.5 && rules.least == 1 && rules.most == 10 && rules.strict);
    nln_options_set(o, "rating-range", "10:1", NULL);
    assert_int_equal(nln_ratings_rules_read(&rules, o, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "LEAST:MOST"));
    nln_options_free(o);
    assert_int_equal(nln_options_create(&o, "train", NULL), NLN_OK);
    assert_int_equal(nln_ratings_rules_read(&rules, o, NULL), NLN_INVALID);
    nln_options_free(o);
}

/* Of rows with and without ratings the rarer kind goes, whichever it is. */
static void the_rarer_kind_is_left_out(void **state)
{
    (void)state;
    for (int n_rated = 0; n_rated <= 5; n_rated++) {
        nln_ratings_rows rows = rows_of("a\tx\nb\tx\nc\tx\nd\tx\ne\tx\n");
        nln_ratings_report report = {0};
        nln_error first = {0};
        for (int i = 0; i < n_rated; i++)
            rows.rating[4 - i] = 3;
        assert_int_equal(nln_ratings_rows_agree(&rows, &report, &first, 0, &as_it_is, NULL),
                         NLN_OK);
        int stay = n_rated > 2 ? n_rated : 5 - n_rated;
        assert_int_equal(rows.n, stay);
        assert_int_equal(report.bad, 5 - stay);
        assert_int_equal(rows.has_rating, n_rated > 2);
        assert_int_equal(first.line, n_rated % 5 == 0 ? 0 : n_rated > 2 ? 1 : 6 - n_rated);
        nln_ratings_rows_free(&rows);
    }
}

static void missing_times_and_likes_are_filled_in(void **state)
{
    (void)state;
    nln_ratings_rows rows = rows_of("a\tx\t1\nb\tx\t5\nc\tx\t4\n");
    nln_ratings_report report = {0};
    nln_ratings_rules strict = as_it_is;
    strict.strict = 1;
    rows.time[1] = 7;
    assert_int_equal(nln_ratings_rows_complete(&rows, &report, 0, &as_it_is, NULL), NLN_OK);
    assert_true(rows.time[0] == 7 && rows.time[2] == 7 && report.has_time);
    assert_true(report.like_from == 4 && report.least == 1 && report.most == 5);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rows.mark[i] & NLN_MARK_LIKED, i > 0);
    rows.time[1] = NAN;
    assert_int_equal(nln_ratings_rows_complete(&rows, &report, 0, &strict, NULL), NLN_SYNTAX);
    nln_ratings_rows_free(&rows);
}

/* Rows that are split already stay so; others follow the option. */
static void rows_become_ratings_in_splits(void **state)
{
    (void)state;
    static const char text[] = "a\tb\na\tc\na\td\na\te\na\tf\na\tg\na\th\na\ti\n";
    for (int is_split = 0; is_split < 2; is_split++) {
        nln_ratings_rows rows = rows_of(text);
        nln_ratings_report report = {0};
        nln_ratings *ratings;
        assert_int_equal(
            nln_ratings_settle(&ratings, &report, &rows, &as_it_is, NULL, is_split, NULL), NLN_OK);
        assert_int_equal(nln_ratings_size(ratings, NLN_TEST), !is_split);
        assert_string_equal(ratings->origin.split, is_split ? "folder" : "paper");
        assert_int_equal(rows.n, 0);
        nln_ratings_free(ratings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_become_rules),
        cmocka_unit_test(the_rarer_kind_is_left_out),
        cmocka_unit_test(missing_times_and_likes_are_filled_in),
        cmocka_unit_test(rows_become_ratings_in_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
