#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "data/ratings_format.h"
#include "rows_text.h"

typedef struct row {
    char user[24], item[24];
    double rating, time;
} row;

typedef void writer(char *out, const row *r);

static void write_plainly(char *out, const row *r, const char *separator)
{
    sprintf(out, "%s%s%s%s%.1f%s%.0f", r->user, separator, r->item, separator, r->rating, separator,
            r->time);
}

static void write_tabs(char *out, const row *r)
{
    write_plainly(out, r, "\t");
}

static void write_colons(char *out, const row *r)
{
    write_plainly(out, r, "::");
}

static void write_spaces(char *out, const row *r)
{
    write_plainly(out, r, "  ");
}

static void write_pair(char *out, const row *r)
{
    sprintf(out, "%s\t%s", r->user, r->item);
}

static void write_timed(char *out, const row *r)
{
    sprintf(out, "%.0f\t%s\t%s", r->time, r->item, r->user);
}

static char *quote(char *out, const char *text)
{
    *out++ = '"';
    for (; *text; text++) {
        if (*text == '"')
            *out++ = '"';
        *out++ = *text;
    }
    *out++ = '"';
    return out;
}

static void write_quoted(char *out, const row *r)
{
    out = quote(out, r->user);
    *out++ = ',';
    out = quote(out, r->item);
    sprintf(out, ",%.1f,\"%.0f\"", r->rating, r->time);
}

/* Every other letter as \uXXXX, quotes and backslashes behind a backslash. */
static char *escape(char *out, const char *text)
{
    for (int i = 0; text[i]; i++)
        if ((unsigned char)text[i] < 0x80 && i % 2)
            out += sprintf(out, "\\u%04X", (unsigned)text[i]);
        else
            out += sprintf(out, "%s%c", strchr("\"\\", text[i]) ? "\\" : "", text[i]);
    return out;
}

static void write_json(char *out, const row *r)
{
    out += sprintf(out, "{\"asin\": \"");
    out = escape(out, r->item);
    out += sprintf(out,
                   "\", \"helpful\": [1, {\"overall\": 9}], \"reviewText\": \"a \\\"b\\\\\", "
                   "\"overall\": %.1f, \"reviewerID\":\"",
                   r->rating);
    out = escape(out, r->user);
    sprintf(out, "\",\"verified\":true,\"unixReviewTime\" : %.0f }", r->time);
}

static const struct dialect {
    nln_format format;
    const char *name, *header, *letters; /* that ids may have besides a to z */
    writer *write;
    int has_rating, has_time;
} dialects[] = {
    {NLN_FORMAT_MOVIELENS, "movielens", "", "0123456789", write_tabs, 1, 1},
    {NLN_FORMAT_DAT, "dat", "", "0123456789-, ", write_colons, 1, 1},
    {NLN_FORMAT_CSV, "csv", "userId,movieId,rating,timestamp\n", ",;\"' |", write_quoted, 1, 1},
    {NLN_FORMAT_INTER, "inter", "user_id:token\titem_id:token\trating:float\ttimestamp:float\n",
     ",:\" ", write_tabs, 1, 1},
    {NLN_FORMAT_RECHORUS, "rechorus", "time\titem_id\tuser_id\n", "0123456789", write_timed, 0, 1},
    {NLN_FORMAT_RECHORUS, "rechorus", "uid\tiid\tlabel\ttime\n", "_:#", write_tabs, 1, 1},
    {NLN_FORMAT_AMAZON, "amazon", "", "\"\\/{}[], \xc3\xa9", write_json, 1, 1},
    {NLN_FORMAT_PLAIN, "plain", "", ".:\"", write_spaces, 1, 1},
    {NLN_FORMAT_PLAIN, "plain", "User\tItem\n", ", \"", write_pair, 0, 0},
};
enum { N_DIALECTS = sizeof dialects / sizeof *dialects, N_ROWS = 300 };

/* Ids of one to ten letters.  The first is a letter, or a digit for MovieLens, so that none is
 * a name of a column; two bytes make the one letter that is no ASCII. */
static void random_id(char *out, nln_random *r, const struct dialect *d)
{
    size_t n = 1 + nln_random_below(r, 10), special = strlen(d->letters);
    int digits = d->write == write_tabs && !*d->header;
    for (size_t i = 0; i < n; i++) {
        char special_letter = d->letters[nln_random_below(r, special)];
        int ends = i == 0 || i + 1 == n;
        if (digits)
            *out++ = (char)('0' + nln_random_below(r, 10));
        else if (ends || nln_random_below(r, 2))
            *out++ = (char)('a' + nln_random_below(r, 26));
        else if ((unsigned char)special_letter < 0x80)
            *out++ = special_letter;
        else
            *out++ = '\xc3', *out++ = '\xa9';
    }
    *out = '\0';
}

static char *random_file(row *rows, nln_random *r, const struct dialect *d, const char *ending)
{
    char *text = malloc(1 << 18), *at = text + sprintf(text, "%s", d->header);
    for (int i = 0; i < N_ROWS; i++) {
        random_id(rows[i].user, r, d);
        random_id(rows[i].item, r, d);
        rows[i].rating = (double)nln_random_below(r, 11) / 2;
        rows[i].time = (double)nln_random_below(r, 2000000000);
        d->write(at, &rows[i]);
        at += strlen(at);
        at += sprintf(at, "%s", ending);
    }
    return text;
}

static void expect_rows(const nln_ratings_rows *rows, const row *wanted, const struct dialect *d)
{
    assert_int_equal(rows->n, N_ROWS);
    assert_int_equal(rows->has_rating, d->has_rating);
    assert_int_equal(rows->has_time, d->has_time);
    for (size_t i = 0; i < N_ROWS; i++) {
        assert_string_equal(nln_symbols_name(rows->users, rows->user[i]), wanted[i].user);
        assert_string_equal(nln_symbols_name(rows->items, rows->item[i]), wanted[i].item);
        if (d->has_rating)
            assert_true(rows->rating[i] == (float)wanted[i].rating);
        else
            assert_true(isnan(rows->rating[i]));
        assert_true(d->has_time ? rows->time[i] == wanted[i].time : isnan(rows->time[i]));
        assert_int_equal(rows->mark[i], !d->has_rating || wanted[i].rating >= 4);
    }
}

static void any_rows_are_read_in_any_format(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int turn = 0; turn < 10 * N_DIALECTS; turn++) {
        const struct dialect *d = &dialects[turn % N_DIALECTS];
        row wanted[N_ROWS];
        nln_ratings_rows rows;
        nln_ratings_report report;
        nln_error err = {0};
        char *text = random_file(wanted, &r, d, turn % 2 ? "\n" : "\r\n\n");
        if (read_text(&rows, &report, text, strlen(text), &as_it_is, &err))
            fail_msg("%s %ld:%ld: %s", d->name, err.line, err.column, err.message);
        assert_string_equal(report.format, d->name);
        assert_int_equal(report.lines, N_ROWS);
        if (report.bad + report.out_of_range > 0)
            fail_msg("%s, line %ld: %s", d->name, report.first.line, report.first.message);
        assert_int_equal(report.without_time, d->has_time ? 0 : N_ROWS);
        expect_rows(&rows, wanted, d);
        nln_ratings_rows_free(&rows);
        free(text);
    }
}

static void a_given_format_reads_the_same(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    for (int k = 0; k < N_DIALECTS; k++) {
        row wanted[N_ROWS];
        nln_ratings_rows rows;
        nln_ratings_report report;
        nln_ratings_rules rules = as_it_is;
        char *text = random_file(wanted, &r, &dialects[k], "\n");
        rules.format = (int)dialects[k].format;
        assert_int_equal(read_text(&rows, &report, text, strlen(text), &rules, NULL), NLN_OK);
        expect_rows(&rows, wanted, &dialects[k]);
        nln_ratings_rows_free(&rows);
        assert_int_equal(report.lines, N_ROWS);
        assert_int_equal(report.bad + report.out_of_range, 0);
        assert_string_equal(report.format, dialects[k].name);
        free(text);
    }
}

static void bad_lines_are_counted_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t bad, out_of_range;
        long line, column;
        const char *message;
    } cases[] = {
        {"1\t2\t3\t4\n1\t3\n", 1, 0, 2, 4, "the line has no rating"},
        {"1\t2\t3\t4\n1\t3\tfive\t4\n1\n", 2, 0, 2, 5, "number as the rating, not 'five'"},
        {"1\t2\t3\t4\n\n\t3\t3\t4\n", 1, 0, 3, 1, "the line has no user"},
        {"1\t2\t3\t4\n1\t\t3\t4\n", 1, 0, 2, 3, "the line has no item"},
        {"1\t2\t3\t4\n1\t3\t3\tnoon\n", 1, 0, 2, 7, "ignores it), not 'noon'"},
        {"x,date\na,b,3,4\na,c,3,noon\n", 2, 0, 1, 7, "no rating"}, /* a name, but no header */
        {"1\t2\t3\t4\n1\t3\tnan\t4\n", 1, 0, 2, 5, "not 'nan'"},
        {"1\t2\t3\t4\n1\t3\t6\t4\n1\t4\t-1\t4\n", 0, 2, 2, 5, "the rating 6 is outside 0:5"},
        {"1::2::3::4\n1::2::5.5::4\nx\n", 1, 1, 2, 7, "outside 0:5; set rating-range"},
        {"\xc3\xa9,2,3\n\xc3\xa9,3,\n", 1, 0, 2, 5, "number as the rating, not ''"},
        {"\xc3\xa9,2,3\n\xe9,3,4\n", 1, 0, 2, 1, "the user is not UTF-8 text"},
        {"a,2,3\na,\"x\ty\",4\n", 1, 0, 2, 4, "the item is not UTF-8 text without control"},
        {"a,2,3\na,\"x,4\n", 1, 0, 2, 3, "the quote is not closed"},
        {"a,2,3\n\"a, b\",\"x\ny\",5,1\nc,2,3\n", 1, 0, 2, 9,
         "item is a quoted field that goes on"},
        {"a,2,3\na,\"x,4\nb,y,3\n", 1, 0, 2, 3, "the quote is not closed"},
        {"rating,user,item,text\n5,a,b,\"so\nc,d,so\"\nx,c,d,\n", 1, 0, 4, 1, "not 'x'"},
        {"user,item,text,rating\na,b,c,3\na,b,\"so\nc\",x\n", 1, 0, 3, 0, "not 'x'"},
        {"a,2,3\n\" \",x,4\n", 1, 0, 2, 2, "the line has no user"},
        {"user,item,rating\nonly\n1,2,3\n", 1, 0, 2, 5, "the line has no item"},
        {"bad\n1,2,3\n", 1, 0, 1, 4, "the line has no item"},
        {"{\"asin\":\"a\",\"user_id\":\"b\",\"rating\":5}\n{\"asin\":\"a\",\"rating\":5}\n", 1, 0,
         2, 24, "the line has no user"},
        {"{\"asin\":\"a\",\"user_id\":\"b\"}\n{\"asin\":\"a\" \"user_id\":\"b\"}\n", 1, 0, 2, 13,
         "the line is not a JSON object"},
        {"{\"asin\":\"a\",\"user_id\":\"b\"}\n{\"asin\":\"\\q\",\"user_id\":\"b\"}\n", 1, 0, 2, 10,
         "malformed escape"},
        {"{\"asin\":\"a\",\"user_id\":\"b\"}\n{\"asin\":null,\"user_id\":\"b\"}\n", 1, 0, 2, 28,
         "the line has no item"},
        {"{\"asin\":\"a\",\"user_id\":\"b\"}\n{\"asin\":\"x\\ny\",\"user_id\":\"b\"}\n", 1, 0, 2,
         10, "the item is not UTF-8 text without control"},
        {"a,b,1e38\na,c,1e39\n", 0, 1, 2, 5, "the rating 1e+39 is outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_rows rows;
        nln_ratings_report report;
        nln_ratings_rules strict = as_it_is;
        nln_error err = {0};
        const char *text = cases[i].text;
        strict.strict = 1;
        assert_int_equal(read_text(&rows, &report, text, strlen(text), &as_it_is, &err), NLN_OK);
        const nln_error *first = &report.first;
        if (report.bad != cases[i].bad || report.out_of_range != cases[i].out_of_range ||
            first->line != cases[i].line || first->column != cases[i].column ||
            !strstr(first->message, cases[i].message) || strcmp(first->file, "text"))
            fail_msg("case %zu: %zu, %zu, %s:%ld:%ld: %s", i, report.bad, report.out_of_range,
                     first->file, first->line, first->column, first->message);
        assert_int_equal(rows.n, report.lines - report.bad - report.out_of_range);
        nln_ratings_rows_free(&rows);
        nln_status status = read_text(&rows, &report, text, strlen(text), &strict, &err);
        assert_int_equal(status, strstr(err.message, "outside") ? NLN_INVALID : NLN_SYNTAX);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        assert_non_null(strstr(err.message, cases[i].message));
        nln_ratings_rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_rows_are_read_in_any_format),
        cmocka_unit_test(a_given_format_reads_the_same),
        cmocka_unit_test(bad_lines_are_counted_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
