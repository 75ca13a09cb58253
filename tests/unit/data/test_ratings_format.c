#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/ratings_format.h"

/* Detects from the lines of a text. */
static nln_status detect(nln_ratings_format *out, const char *text, nln_format format,
                         nln_error *err)
{
    char copy[4096], *lines[NLN_LAYOUT_LINES];
    int n = 0;
    strcpy(copy, text);
    for (char *at = strtok(copy, "\n"); at; at = strtok(NULL, "\n"))
        lines[n++] = at;
    return nln_ratings_format_detect(out, lines, n, format, NULL, err);
}

/* A table of 63 rows whose third column has `different` values from `first` on in no order, and
 * whose fourth has dates. */
static void make_table(char out[4096], int first, int different)
{
    int n = sprintf(out, "user,item,column 3,column 4\n");
    for (int i = 0; i < NLN_LAYOUT_LINES - 1; i++)
        n += sprintf(out + n, "u%d,i%d,%d,2024-02-%02d\n", i, i * 7 % 5, first + i * 29 % different,
                     1 + i % 28);
}

/* Grades to 10, stars and shares of a hundred are asked about; numbers of orders are not. */
static void columns_that_look_like_ratings_are_told(void **state)
{
    (void)state;
    static const struct {
        int first, different, looks;
    } cases[] = {{1, 5, 1}, {2, 9, 1}, {20, 43, 1}, {1, 63, 0}, {7, 1, 0}, {1000, 5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_format out;
        nln_error err = {0};
        char text[4096];
        make_table(text, cases[i].first, cases[i].different);
        assert_int_equal(detect(&out, text, NLN_FORMAT_AUTO, &err), NLN_OK);
        assert_string_equal(out.looks[NLN_ROLE_RATING], cases[i].looks ? "column 3" : "");
        assert_string_equal(out.looks[NLN_ROLE_TIME], "column 4");
        assert_string_equal(out.unused, "'column 3', 'column 4'");
    }
}

#define REVIEW "{\"reviewerID\": \"A\", \"asin\": \"B\", \"overall\": 5.0, \"unixReviewTime\": 1}"

/* The columns of user, item, rating and time, - where there is none. */
static void layouts_are_told_from_the_content(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *columns;
        int has_header;
    } cases[] = {
        {"196\t242\t3\t881250949\n", "movielens", "0123", 0},
        {"1::1193::5::978300760\n", "dat", "0123", 0},
        {"userId,movieId,rating,timestamp\n1,31,2.5,1260759144\n", "csv", "0123", 1},
        {"\"timestamp\",\"movieId\",\"userId\"\n", "csv", "21-0", 1},
        {"user_id:token\titem_id:token\trating:float\ttimestamp:float\n", "inter", "0123", 1},
        {"item_id:token\tage:float\tuser_id:token\n", "inter", "20--", 1},
        {"user_id\titem_id\ttime\n1\t2\t3\n", "rechorus", "01-2", 1},
        {"user_id,item_id,time\n1,2,3\n", "rechorus", "01-2", 1},
        {"uid\tiid\tlabel\ttime\n1\t2\t1\t3\n", "rechorus", "0123", 1},
        {REVIEW, "amazon", "0000", 0},
        {"{\"asin\": \"B\", \"user_id\": \"A\", \"timestamp\": 5}", "amazon", "00-0", 0},
        {"alice,book\n", "plain", "01--", 0},
        {"alice;book;3\n", "plain", "012-", 0},
        {"alice book 3 17\n", "plain", "0123", 0},
        {"alice\tbook\t3\t17\n", "plain", "0123", 0},
        {"User,Item,Rating\n", "plain", "012-", 1},
        {"\"User-ID\";\"ISBN\";\"Book-Rating\"\n1;2;3\n", "plain", "012-", 1},
        {"user,item,rating,ts\n", "plain", "0123", 1},
        {"user,item,created_at\n", "plain", "01-2", 1},
        {"date,user,item,timestamp,reviewTime\n", "rechorus", "12-3", 1},
        {"isbn,user,item,movie\n", "plain", "12--", 1}, /* some names are fallbacks */
        {"RATING; Item_ID; USER-ID\n", "plain", "210-", 1},
        {"user,item,3\n", "plain", "012-", 0},
        {"[\n1,2,3\n", "plain", "012-", 0},
        {"[{x},item,3\n", "plain", "012-", 0},
        {"{x},item,3\n", "plain", "012-", 0},
        {"\"a,b\";2;3;4;5\n", "plain", "0123", 0},
        /* words are ids, unless they stand above numbers */
        {"ann,movie\nbob,tea\nbob,rum\n", "plain", "01--", 0},
        {"ann,tea,5\nbob,rum,4\n", "plain", "012-", 0},
        {"ann,tea,\nbob,rum,4\n", "plain", "012-", 0},
        {"ann,Dune\nbob,1984\ncid,Emma\n", "plain", "01--", 0},
        {"ann,tea,five\nbob,7,x\nbob,8,y\ncid,rum,4\n", "plain", "012-", 0},
        /* some of the first lines are bad */
        {"196\t242\n1\t2\t3\t4\n1\t2\t3\t5\n", "movielens", "0123", 0},
        {"garbage\n1,2,3\n", "plain", "012-", 0},
        {"{\"asin\": 5\n" REVIEW "\n", "amazon", "0000", 0},
        {"a,\"b\nc,d,4\n", "plain", "012-", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_format layout;
        nln_error err = {0};
        if (detect(&layout, cases[i].text, NLN_FORMAT_AUTO, &err))
            fail_msg("%s: %s", cases[i].text, err.message);
        char columns[NLN_ROLES + 1] = "";
        int last = -1;
        for (int role = 0; role < NLN_ROLES; role++) {
            int column = layout.column[role];
            columns[role] = (char)(column < 0 ? '-' : '0' + column);
            last = column > last ? column : last;
            assert_int_equal(layout.unseen >> role & 1, column < 0 && !layout.has_header);
        }
        if (strcmp(layout.name, cases[i].name) || strcmp(columns, cases[i].columns) ||
            layout.has_header != cases[i].has_header ||
            layout.n_columns != (layout.unseen ? NLN_ROLES : last + 1))
            fail_msg("%s: %s, columns %s", cases[i].text, layout.name, columns);
    }
}

static void a_given_format_is_kept_to(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        nln_format format;
        nln_status status;
        const char *message;
    } cases[] = {
        {"a b\tc d\t3\t4\n", NLN_FORMAT_MOVIELENS, NLN_OK, ""},
        {"user\titem\n", NLN_FORMAT_MOVIELENS, NLN_OK, ""},
        {"1,2,3\n", NLN_FORMAT_MOVIELENS, NLN_SYNTAX, "user TAB item"},
        {"1,2,3\n", NLN_FORMAT_CSV, NLN_OK, ""},
        {"1::2::3\n", NLN_FORMAT_DAT, NLN_OK, ""},
        {"1\t2\n", NLN_FORMAT_DAT, NLN_SYNTAX, "user::item"},
        {"1\t2\t3\t4\n", NLN_FORMAT_INTER, NLN_FORMAT, "must name its columns"},
        {"1,2,3\n", NLN_FORMAT_RECHORUS, NLN_FORMAT, "must name its columns"},
        {"1\t2\t3\t4\n", NLN_FORMAT_PLAIN, NLN_OK, ""},
        {"1,2\n", NLN_FORMAT_AMAZON, NLN_SYNTAX, "reviewerID"},
        {REVIEW, NLN_FORMAT_AMAZON, NLN_OK, ""},
        {REVIEW, NLN_FORMAT_PLAIN, NLN_OK, ""},
        {"word\nword\n", NLN_FORMAT_AUTO, NLN_SYNTAX, "expected a user, an item"},
        {"{}\n", NLN_FORMAT_AUTO, NLN_SYNTAX, "has no member of the user: call it user, userid"},
        {"{\"user\": 1, \"business_id\": 2}\n", NLN_FORMAT_AUTO, NLN_SYNTAX,
         "the JSON object has no member of the item: call it item, itemid"},
        {"{\"asin\": 1, \"by\": 2}\n", NLN_FORMAT_AMAZON, NLN_SYNTAX, "no member of the user"},
        {"{\"asin\": 1\n", NLN_FORMAT_AUTO, NLN_SYNTAX, "expected a user, an item"},
        {"[\n {\n  \"user\": 1,\n  \"item\": 2\n }\n]\n", NLN_FORMAT_AUTO, NLN_SYNTAX,
         "one object on"},
        {"[" REVIEW ", " REVIEW "]\n", NLN_FORMAT_AUTO, NLN_SYNTAX, "one object on each line"},
        {"[" REVIEW ",\n" REVIEW "]\n", NLN_FORMAT_AMAZON, NLN_SYNTAX, "one object on each line"},
        {"{\n\"user\": 1,\n\"item\": 2\n}\n", NLN_FORMAT_AUTO, NLN_SYNTAX,
         "one object on each line"},
        {"[\n1,2,3\n", NLN_FORMAT_PLAIN, NLN_OK, ""},
        {"[a],{b},3\n", NLN_FORMAT_PLAIN, NLN_OK, ""},
        {"userId,title,rating\n", NLN_FORMAT_AUTO, NLN_FORMAT, "names no column of the item"},
        {"rating,itemId\n", NLN_FORMAT_AUTO, NLN_FORMAT, "user: call it user, userid,"},
        {"person,thing\n1,2\n3,4\n", NLN_FORMAT_AUTO, NLN_FORMAT, "item: call it item, itemid"},
        {"person,thing\n1,2\n3,4\n", NLN_FORMAT_PLAIN, NLN_FORMAT, "'person,thing' names no"},
        {"person,thing\n1,2\n3,4\n", NLN_FORMAT_CSV, NLN_FORMAT, "'person,thing' names no"},
        {"person\tthing\n1\t2\n3\t4\n", NLN_FORMAT_MOVIELENS, NLN_OK, ""},
        {"user,sku\nann,2\nbob,4\n", NLN_FORMAT_AUTO, NLN_FORMAT, "names no column of the item"},
        {"sku,client,points\nx,ann,5\n", NLN_FORMAT_AUTO, NLN_FORMAT, "or visitorid; and no col"},
        {"a b c d\n1 2 3 4\n", NLN_FORMAT_AUTO, NLN_FORMAT, "or artistid, or say --columns"},
        {"user id;sku;points\nx;y;1\nx;z;\nx;u;2\n", NLN_FORMAT_AUTO, NLN_FORMAT, "of the item"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_format layout;
        nln_error err = {0};
        assert_int_equal(detect(&layout, cases[i].text, cases[i].format, &err), cases[i].status);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s: %s", cases[i].text, err.message);
        if (!cases[i].status)
            assert_int_equal(layout.format, cases[i].format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_look_like_ratings_are_told),
        cmocka_unit_test(layouts_are_told_from_the_content),
        cmocka_unit_test(a_given_format_is_kept_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
