#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <time.h>
#include <zlib.h>
#include <zstd.h>

#include "base/random.h"
#include "rows_text.h"
#include "scratch.h"

/* ---- helpers ---------------------------------------------------------------- */

static nln_ratings_rows rows_of(const char *text)
{
    nln_ratings_rows rows;
    nln_ratings_report report;
    nln_error err = {0};
    if (read_text(&rows, &report, text, strlen(text), &as_it_is, &err))
        fail_msg("%ld:%ld: %s", err.line, err.column, err.message);
    return rows;
}

static nln_options *options_of(const char *name, const char *value)
{
    nln_options *options;
    assert_int_equal(nln_options_create(&options, "ratings", NULL), NLN_OK);
    if (name)
        assert_int_equal(nln_options_set(options, name, value, NULL), NLN_OK);
    return options;
}

static nln_ratings *ratings_of(nln_ratings_report *report, const char *path, const char *name,
                               const char *value)
{
    nln_ratings *ratings;
    nln_error err = {0};
    nln_options *options = options_of(name, value);
    if (nln_ratings_read(&ratings, report, path, options, &err))
        fail_msg("%s:%ld:%ld: %s", err.file, err.line, err.column, err.message);
    nln_options_free(options);
    return ratings;
}

/* ---- what is left out ---- */

static void a_line_that_is_left_out_names_nobody(void **state)
{
    (void)state;
    nln_ratings_rows rows = rows_of("1\t2\t3\t4\n5\t6\t7\t8\n9\t10\tx\t8\n");
    assert_int_equal(nln_symbols_count(rows.users), 1);
    assert_int_equal(nln_symbols_count(rows.items), 1);
    nln_ratings_rows_free(&rows);
}

static void files_of_no_use_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long line;
        const char *message;
    } cases[] = {
        {"", 0, "the file has no ratings"},
        {"\n  \n\t\n", 0, "the file has no ratings"},
        {"userId,movieId,rating,timestamp\n", 0, "the file has no ratings"},
        {"word\n", 1, "expected a user, an item"},
        {"\nuser,item,rating\n1,2,x\n,,\n", 3, "none of the 2 lines can be used, here because"},
        {"user,item,rating\n1,2,x\n", 2, "the only line cannot be used, because expected a number"},
        {"user,film,rating\n", 1, "names no column of the item"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings *ratings;
        nln_error err = {0};
        const char *path = scratch_text("file", cases[i].text);
        assert_int_not_equal(nln_ratings_read(&ratings, NULL, path, NULL, &err), NLN_OK);
        assert_null(ratings);
        assert_string_equal(err.file, path);
        if (err.line != cases[i].line || !strstr(err.message, cases[i].message))
            fail_msg("%ld: %s", err.line, err.message);
    }
    nln_ratings *ratings;
    nln_error err = {0};
    assert_int_equal(nln_ratings_read(&ratings, NULL, scratch_path("none"), NULL, &err), NLN_IO);
    assert_int_equal(nln_ratings_read(&ratings, NULL, scratch_path("none"), NULL, NULL), NLN_IO);
}

static void repeated_pairs_have_a_place(void **state)
{
    (void)state;
    nln_ratings *ratings;
    nln_ratings_report report;
    nln_error err = {0};
    const char *path = scratch_text("file", "bad\n1,7,3,10\n\n2,7,4,11\n1,8,4,12\n1,7,5,9\n");
    ratings = ratings_of(&report, path, "split", "none");
    assert_int_equal(report.bad, 1);
    assert_int_equal(report.duplicates, 1);
    assert_int_equal(report.first.line, 1);
    assert_true(ratings->rating[0] == 3); /* at the time 10, after 9 */
    nln_ratings_free(ratings);
    nln_options *options = options_of("strict", "true");
    path = scratch_text("file", "1,7,3,10\n\n2,7,4,11\n1,8,4,12\n1,7,5,9\n");
    assert_int_equal(nln_ratings_read(&ratings, NULL, path, options, &err), NLN_INVALID);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 5);
    assert_non_null(strstr(err.message, "user '1' has item '7' more than once"));
    unlink(path);
    scratch_text("train", "1,7,3,10\n1,8,4,12\n"); /* the next line would be the third */
    path = scratch_text("valid", "\n\n2,7,3,10\n2,7,4,11\n");
    scratch_text("test", "");
    assert_int_equal(nln_ratings_read(&ratings, NULL, scratch_folder, options, &err), NLN_INVALID);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 3);
    nln_options_free(options);
}

/* ---- likes, times, splits ------------------------------------------------------------ */

static void likes_are_told_by_the_ratings(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double like_from;
        const char *likes;
        int stars;
    } cases[] = {
        {"a,1,0\na,2,1\n", NAN, "01", 0},   {"a,1,0\na,2,1\na,3,4\n", NAN, "001", 0},
        {"a,1,3.5\na,2,4\n", NAN, "01", 0}, {"a,1,3.3\na,2,3.2\n", 3.3, "10", 0},
        {"a,1,0\na,2,1\n", 0, "11", 0},     {"a,1\na,2\n", NAN, "11", 0},
        {"a,1,8\na,2,-9\n", NAN, "10", 0},  {"a,1,1\na,2,1\n", NAN, "11", 0},
        {"a,1,1\na,2,1\n", NAN, "00", 1},   {"a,1,1\na,2,0\n", NAN, "10", 1},
        {"a,1,5\na,2,1\n", NAN, "10", 1},   {"a,1\na,2\n", NAN, "11", 1},
        {"a,1,1\na,2,1\n", 1, "11", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_rows rows;
        nln_ratings_report report;
        nln_ratings_rules rules = as_it_is;
        rules.like_from = cases[i].like_from;
        rules.stars = cases[i].stars;
        assert_int_equal(
            read_text(&rows, &report, cases[i].text, strlen(cases[i].text), &rules, NULL), NLN_OK);
        for (size_t k = 0; k < rows.n; k++)
            assert_int_equal(rows.mark[k], cases[i].likes[k] - '0');
        nln_ratings_rows_free(&rows);
    }
}

/* So that others can be read alike. */
static void ratings_know_how_they_were_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *value, *known;
    } cases[] = {
        {"a,1,5\na,2,1\n", "split", "nlr", "nlr 1 stars"},
        {"a,1,0\na,2,1\n", "split-seed", "7", "paper 7 auto"},
        {"a,1,1\na,2,1\n", "like-from", "stars", "paper 1 stars"},
        {"a,1,0\na,2,1\n", "like-from", "0.50", "paper 1 0.5"},
    };
    char text[NLN_ORIGIN_ROOM];
    nln_ratings *r;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_report report;
        const char *path = scratch_text("file", cases[i].text);
        r = ratings_of(&report, path, cases[i].name, cases[i].value);
        nln_data_provenance_print(text, &r->origin);
        assert_string_equal(text, cases[i].known);
        nln_ratings_free(r);
        unlink(path);
    }
    scratch_text("train", "1,7,3,10\n");
    scratch_text("valid", "");
    scratch_text("test", "");
    assert_int_equal(nln_ratings_read(&r, NULL, scratch_folder, NULL, NULL), NLN_OK);
    nln_data_provenance_print(text, &r->origin);
    assert_string_equal(text, "folder 1 stars");
    nln_ratings_free(r);
}

/* A row without a time takes that of the row before it, or of the first that has one. */
static void rows_without_times_stay_where_they_are(void **state)
{
    (void)state;
    nln_ratings_rows rows = rows_of("a,1,3,\na,2,3,50\na,3,3\nb,4,3,20\na,5,3,\n");
    static const double times[] = {50, 50, 50, 20, 20};
    assert_int_equal(rows.n, 5);
    for (int i = 0; i < 5; i++)
        assert_true(rows.time[i] == times[i]);
    nln_ratings_rows_free(&rows);
    nln_ratings_report report;
    nln_ratings *none = NULL;
    nln_error err = {0};
    nln_options *strict = NULL;
    assert_int_equal(nln_options_create(&strict, "ratings", &err), NLN_OK);
    assert_int_equal(nln_options_set(strict, "strict", "true", &err), NLN_OK);
    const char *mixed = scratch_text("mixed", "a,1,3,50\na,2,3,\n");
    assert_int_equal(nln_ratings_read(&none, NULL, mixed, strict, &err), NLN_SYNTAX);
    assert_int_equal(err.line, 2);
    nln_options_free(strict);
    const char *path = scratch_text("file", "a,z,3\na,y,3\nb,z,3\na,x,3\n");
    nln_ratings *ratings = ratings_of(&report, path, "split", "none");
    assert_int_equal(report.without_time, 4);
    assert_null(ratings->time);
    static const int32_t items[] = {0, 1, 2, 0};
    assert_memory_equal(ratings->item, items, sizeof items);
    nln_ratings_free(ratings);
}

/* The times of two rows, of which the second may have none. */
static void times_have_many_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int has_rating, has_time;
        double first;
        size_t without_time;
    } cases[] = {
        {"user,item,rating,ts\na,1,3,50\na,2,3,60\n", 1, 1, 50, 0},
        {"user,item,rating,Date\na,1,3,1970-01-02\na,2,3,1970-01-03\n", 1, 1, 86400, 0},
        {"user,item,timestamp\na,1,1970-01-01T00:01:00Z\na,2,1970-01-03\n", 0, 1, 60, 0},
        {"user,item,rating,date\na,1,3,\na,2,3,\n", 1, 0, NAN, 2},
        {"user,item,rating,date\na,1,3,5\na,2,3,\n", 1, 1, 5, 1},
        {"user,item,rating,when\na,1,3,5\na,2,3,6\n", 1, 0, NAN, 2},
        {"user,item,date,time\na,1,7,8\na,2,7,9\n", 0, 1, 8, 0},
        {"{\"user\":1,\"item\":2,\"reviewTime\":\"3 4, 2014\",\"unixReviewTime\":5}\n"
         "{\"user\":1,\"item\":3,\"date\":\"2014-01-01\",\"unixReviewTime\":6}\n",
         0, 1, 5, 0},
        {"{\"user\":1,\"item\":2,\"date\":\"1970-01-01 00:00:09\"}\n"
         "{\"user\":1,\"item\":3,\"date\":null}\n",
         0, 1, 9, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings_rows rows;
        nln_ratings_report report;
        const char *text = cases[i].text;
        assert_int_equal(read_text(&rows, &report, text, strlen(text), &as_it_is, NULL), NLN_OK);
        assert_int_equal(rows.n, 2);
        assert_int_equal(report.has_rating, cases[i].has_rating);
        assert_int_equal(report.has_time, cases[i].has_time);
        assert_int_equal(report.without_time, cases[i].without_time);
        assert_true(cases[i].has_time ? rows.time[0] == cases[i].first : isnan(rows.time[0]));
        nln_ratings_rows_free(&rows);
    }
}

/* Lines of the first text and then of the second; the rarer are left out, and name nobody. */
static void ratings_may_come_late(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second; /* %d is the item */
        int n_first, n_second, rated;
        size_t n;
        long line; /* of the first that is left out */
        int has_time;
    } cases[] = {
        {"ann,%d\n", "bob,%d,2,7\n", 80, 90, 1, 90, 1, 1},
        {"ann,%d\n", "bob,%d,2,7\n", 80, 79, 0, 80, 81, 0},
        {"ann,%d\n", "bob,%d,2\n", 80, 80, 1, 80, 1, 0},
        {"ann,%d\n", "bob,%d,tea\n", 80, 90, 0, 170, 0, 0},
        {"ann,%d\n", "bob,%d,\n", 80, 90, 0, 170, 0, 0},
        {"ann,%d,2\n", "bob,%d,2,7\n", 80, 90, 1, 170, 0, 1},
        {"{\"user\":\"ann\",\"item\":%d}\n", "{\"user\":\"bob\",\"item\":%d,\"stars\":\"2\"}\n", 70,
         468, 1, 468, 1, 0},
        {"{\"user\":\"ann\",\"item\":%d}\n", "{\"user\":\"bob\",\"item\":%d,\"time\":1}\n", 80, 90,
         0, 170, 0, 1},
        {"{\"user\":\"ann\",\"item\":%d}\n", "{\"user\":\"bob\",\"item\":%d,\"stars\":null}\n", 80,
         90, 0, 170, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[30000], *at = text;
        nln_ratings_rows rows;
        nln_ratings_report report;
        nln_ratings_rules strict = as_it_is;
        nln_error err = {0};
        int n_lines = cases[i].n_first + cases[i].n_second;
        strict.strict = 1;
        for (int k = 0; k < n_lines; k++)
            at += sprintf(at, k < cases[i].n_first ? cases[i].first : cases[i].second, k);
        assert_int_equal(read_text(&rows, &report, text, strlen(text), &as_it_is, NULL), NLN_OK);
        assert_int_equal(rows.n, cases[i].n);
        assert_int_equal(report.bad, (size_t)n_lines - cases[i].n);
        assert_int_equal(report.bad ? report.first.line : 0, cases[i].line);
        assert_int_equal(report.has_rating, cases[i].rated);
        assert_int_equal(report.has_time, cases[i].has_time);
        assert_int_equal(rows.mark[0], !cases[i].rated);
        assert_int_equal(nln_symbols_count(rows.users), report.bad ? 1 : 2);
        assert_int_equal(nln_symbols_count(rows.items), rows.n);
        long line;
        assert_string_equal(nln_ratings_rows_where(&line, &rows, 3), "text");
        assert_int_equal(line, (cases[i].line == 1 ? cases[i].n_first : 0) + 4);
        nln_ratings_rows_free(&rows);
        if (!cases[i].line)
            continue;
        nln_status status = read_text(&rows, &report, text, strlen(text), &strict, &err);
        assert_int_equal(status, NLN_SYNTAX);
        assert_int_equal(err.line, cases[i].line);
        assert_non_null(strstr(err.message, "rating, though most lines have"));
        nln_ratings_rows_free(&rows);
    }
}

static void a_folder_keeps_its_splits(void **state)
{
    (void)state;
    nln_ratings_report report;
    scratch_text("x.train.csv", "user_id,item_id,time\nb,1,30\nb,2,10\na,1,20\n");
    scratch_text("dev.tsv", "uid\tiid\tlabel\ttime\nb\t3\t0\t5\n");
    scratch_text("test", "a\t3\t5\t1\na\t4\t1\t1\n");
    nln_ratings *r = ratings_of(&report, scratch_folder, NULL, NULL);
    static const int32_t items[] = {1, 0, 2, 0, 2, 3};
    static const uint8_t marks[] = {1, 1, 2, 1, 5, 4};
    assert_int_equal(report.lines, 6);
    assert_string_equal(report.format, "rechorus");
    assert_int_equal(r->n, 6);
    assert_int_equal(r->start[1], 3);
    assert_memory_equal(r->item, items, sizeof items);
    assert_memory_equal(r->mark, marks, sizeof marks);
    assert_true(r->has_rating && r->rating[0] == 1 && r->rating[4] == 5);
    nln_ratings_free(r);
    scratch_text("test", "uid\tiid\tlabel\ttime\n");
    scratch_text("dev.tsv", "");
    r = ratings_of(&report, scratch_folder, NULL, NULL);
    assert_int_equal(nln_ratings_size(r, NLN_TRAIN), 3);
    assert_int_equal(nln_ratings_size(r, NLN_VALID) + nln_ratings_size(r, NLN_TEST), 0);
    nln_ratings_free(r);
    nln_error err = {0};
    unlink(scratch_path("test"));
    assert_int_equal(nln_ratings_read(&r, NULL, scratch_folder, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "no test file"));
}

static void options_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        int right;
    } cases[] = {
        {"like-from", "3.5", 1},      {"like-from", "high", 0},      {"like-from", "", 0},
        {"rating-range", "1:10", 1},  {"rating-range", "-10:10", 1}, {"rating-range", "1", 0},
        {"rating-range", "5:1", 0},   {"rating-range", "a:b", 0},    {"rating-range", "1:1e99", 0},
        {"rating-range", "1:2:3", 0}, {"rating-range", "auto", 1},
    };
    const char *path = scratch_text("file", "1\t2\t3\t4\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_ratings *ratings;
        nln_error err = {0};
        nln_options *options = options_of(cases[i].name, cases[i].value);
        nln_status status = nln_ratings_read(&ratings, NULL, path, options, &err);
        assert_int_equal(status, cases[i].right ? NLN_OK : NLN_INVALID);
        assert_true(cases[i].right || strstr(err.message, cases[i].name));
        nln_ratings_free(ratings);
        nln_options_free(options);
    }
    nln_ratings_report report;
    nln_ratings_free(ratings_of(&report, scratch_text("file", "1\t2\t9\t4\n1\t3\t11\t4\n"),
                                "rating-range", "1:10"));
    assert_int_equal(report.out_of_range, 1);
}

/* ---- packed, large and published files --------------------------------------------------- */

static void packed_files_are_read_and_damage_is_an_error(void **state)
{
    (void)state;
    nln_ratings_report report;
    char text[20000], packed[20000];
    size_t n = 0;
    for (int i = 0; i < 1000; i++)
        n += (size_t)sprintf(text + n, "%d\t%d\t%d\t%d\n", i % 7, i * 37 % 1009, i % 6, i);
    gzFile gz = gzopen(scratch_path("file.gz"), "wb");
    assert_int_equal(gzwrite(gz, text, (unsigned)n), n);
    gzclose(gz);
    size_t size = ZSTD_compress(packed, sizeof packed, text, n, 3);
    scratch_bytes("file.zst", packed, size);
    static const char *const names[] = {"file.gz", "file.zst"};
    for (int i = 0; i < 2; i++) {
        nln_ratings *r = ratings_of(&report, scratch_path(names[i]), NULL, NULL);
        assert_int_equal(report.lines, 1000);
        nln_ratings_free(r);
        char *bytes = scratch_read(&size, names[i]);
        nln_error err = {0};
        const char *path = scratch_bytes("damaged", bytes, size * 2 / 3);
        assert_int_equal(nln_ratings_read(&r, &report, path, NULL, &err), NLN_FORMAT);
        assert_non_null(strstr(err.message, "damaged"));
        assert_null(r);
        free(bytes);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The bound is ten times what is wanted, for slow machines and sanitizers. */
static void large_files_are_read_quickly(void **state)
{
    (void)state;
    enum { N = 300000 };
    nln_random r = nln_random_seed(3, 0);
    FILE *file = fopen(scratch_path("large"), "w");
    for (int i = 0; i < N; i++)
        fprintf(file, "%d\t%d\t%d\t%d\n", (int)nln_random_below(&r, 40000) + 1,
                (int)nln_random_below(&r, 20000) + 1, (int)nln_random_below(&r, 6),
                874724710 + (int)nln_random_below(&r, 20000000));
    fclose(file);
    nln_ratings_report report;
    double begin = seconds();
    nln_ratings *ratings = ratings_of(&report, scratch_path("large"), NULL, NULL);
    double taken = seconds() - begin;
    print_message("%d ratings read in %.3f s\n", N, taken);
    assert_true(taken < 3);
    assert_int_equal(ratings->n + report.duplicates, N);
    nln_ratings_free(ratings);
}

static void the_published_sets_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *path, *format;
        size_t users, items, train, valid, test, valid_likes, test_likes;
    } sets[] = {
        {"ml-100k/u.data.gz", "movielens", 943, 1682, 100000, 0, 0, 0, 0},
        {"nlr-ml100k", "rechorus", 943, 1682, 94780, 2253, 2967, 928, 933},
        {"amazon-grocery-5core", "rechorus", 14681, 8713, 121892, 14681, 14681, 14681, 14681},
    };
    const char *folder = getenv("NLN_DATA");
    if (!folder) {
        print_message("SKIP: set NLN_DATA to the folder of ml-100k to test the published sets\n");
        skip();
    }
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char path[4096];
        nln_ratings_report report;
        snprintf(path, sizeof path, "%s/%s", folder, sets[i].path);
        nln_ratings *r = ratings_of(&report, path, "split", "none");
        assert_string_equal(report.format, sets[i].format);
        assert_int_equal(report.bad + report.out_of_range + report.duplicates, 0);
        assert_int_equal(report.without_time, 0);
        assert_int_equal(nln_ratings_users(r), sets[i].users);
        assert_int_equal(nln_ratings_items(r), sets[i].items);
        assert_int_equal(nln_ratings_size(r, NLN_TRAIN), sets[i].train);
        assert_int_equal(nln_ratings_size(r, NLN_VALID), sets[i].valid);
        assert_int_equal(nln_ratings_size(r, NLN_TEST), sets[i].test);
        assert_int_equal(nln_ratings_likes(r, NLN_VALID), sets[i].valid_likes);
        assert_int_equal(nln_ratings_likes(r, NLN_TEST), sets[i].test_likes);
        nln_ratings_free(r);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_line_that_is_left_out_names_nobody),
        TEST(files_of_no_use_are_errors),
        TEST(repeated_pairs_have_a_place),
        TEST(likes_are_told_by_the_ratings),
        TEST(ratings_know_how_they_were_read),
        TEST(rows_without_times_stay_where_they_are),
        TEST(times_have_many_names),
        TEST(ratings_may_come_late),
        TEST(a_folder_keeps_its_splits),
        TEST(options_are_checked),
        TEST(packed_files_are_read_and_damage_is_an_error),
        TEST(large_files_are_read_quickly),
        TEST(the_published_sets_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
