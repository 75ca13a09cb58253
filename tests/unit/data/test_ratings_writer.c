#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>

#include "base/random.h"
#include "data/ratings.h"
#include "scratch.h"

/* How the ratings of a made-up set look. */
typedef struct kind {
    int has_rating, has_time;
    int labels;    /* the ratings are 0 or 1 */
    int fractions; /* of ratings and times */
} kind;

/* Names with what a reader might take for syntax. */
static const char *const endings[] = {"",    "\"",  "\"quoted\"", ",comma",   ";x",
                                      "::y", "a b", "'",          "|bar",     "#",
                                      "{",   "\\",  "\"\"",       "\xc3\xa9", "=1+1"};
enum { ENDINGS = sizeof endings / sizeof *endings };

static int32_t intern(nln_symbols *symbols, const char *prefix, int number)
{
    char name[64];
    int n = snprintf(name, sizeof name, "%s%d%s", prefix, number, endings[number % ENDINGS]);
    int32_t id = nln_symbols_intern(symbols, name, (size_t)n);
    assert_true(id >= 0);
    return id;
}

static nln_ratings *random_ratings(kind k, uint64_t seed)
{
    enum { USERS = 90, ITEMS = 50 };
    nln_random random = nln_random_seed(seed, 0);
    nln_ratings_rows rows;
    nln_ratings *r = NULL;
    assert_int_equal(nln_ratings_rows_create(&rows, NULL), NLN_OK);
    for (int u = 0; u < USERS; u++)
        for (int i = 0; i < ITEMS; i++) {
            if (nln_random_below(&random, 3))
                continue;
            float rating = (float)nln_random_below(&random, k.labels ? 2 : 6);
            double time = (double)nln_random_below(&random, 100) + 1e9;
            if (k.fractions) {
                rating = fminf(rating + (float)nln_random_uniform(&random), 5);
                time += (double)nln_random_below(&random, 100000) / 1e5;
            }
            int liked = !k.has_rating || rating >= (float)(k.labels ? 1 : 4);
            int32_t user = intern(rows.users, u % 2 ? "\"u" : "u", u);
            int32_t item = intern(rows.items, i % 2 ? "'i" : "i", i);
            assert_int_equal(nln_ratings_rows_add(&rows, user, item, k.has_rating ? rating : NAN,
                                                  k.has_time ? time : NAN, (uint8_t)liked, NULL),
                             NLN_OK);
        }
    rows.has_rating = k.has_rating;
    rows.has_time = k.has_time;
    assert_int_equal(nln_ratings_from_rows(&r, NULL, &rows, 1, NULL), NLN_OK);
    return r;
}

static nln_ratings *read_folder(const char *name)
{
    nln_error err = {0};
    nln_options *o = NULL;
    nln_ratings *r = NULL;
    assert_int_equal(nln_options_create(&o, "ratings", &err), NLN_OK);
    assert_int_equal(nln_options_set(o, "strict", "true", &err), NLN_OK);
    if (nln_ratings_read(&r, NULL, scratch_path(name), o, &err))
        fail_msg("%s:%ld: %s", err.file, err.line, err.message);
    nln_options_free(o);
    return r;
}

static void write_folder(const nln_ratings *r, const char *name)
{
    nln_error err = {0};
    assert_int_equal(nln_ratings_write(r, scratch_path(name), &err), NLN_OK);
}

/* The same interactions of the same names in the same order; users may be numbered anew. */
static void expect_same(const nln_ratings *a, const nln_ratings *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->has_rating, b->has_rating);
    assert_int_equal(a->time != NULL, b->time != NULL);
    assert_int_equal(nln_ratings_users(a), nln_ratings_users(b));
    for (size_t u = 0; u < nln_ratings_users(a); u++) {
        const char *name = nln_ratings_user(a, u);
        int32_t v = nln_symbols_find(b->users, name, strlen(name));
        assert_true(v >= 0);
        size_t j = b->start[v];
        assert_int_equal(a->start[u + 1] - a->start[u], b->start[v + 1] - j);
        for (size_t i = a->start[u]; i < a->start[u + 1]; i++, j++) {
            assert_string_equal(nln_ratings_item(a, (size_t)a->item[i]),
                                nln_ratings_item(b, (size_t)b->item[j]));
            assert_int_equal(a->mark[i], b->mark[j]);
            assert_true(a->rating[i] == b->rating[j]);
            assert_true(!a->time || a->time[i] == b->time[j]);
        }
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    static const nln_split_method splittings[] = {NLN_SPLIT_NONE, NLN_SPLIT_PAPER, NLN_SPLIT_NLR,
                                                  NLN_SPLIT_RANDOM};
    for (int i = 0; i < 16; i++) {
        kind k = {i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1};
        k.fractions &= !k.labels;
        nln_ratings *r = random_ratings(k, (uint64_t)i);
        assert_int_equal(nln_ratings_split_by(r, splittings[i % 4], 1, NULL), NLN_OK);
        write_folder(r, "out");
        nln_ratings *again = read_folder("out");
        expect_same(r, again);
        nln_ratings_free(r);
        nln_ratings_free(again);
    }
}

static void expect_text(const char *name, const char *wanted)
{
    size_t n;
    char *text = scratch_read(&n, name);
    assert_non_null(text);
    assert_string_equal(text, wanted);
    free(text);
}

/* Writes what the text of a file gives, dealt by NLR, as "out". */
static void write_text(const char *text)
{
    nln_error err = {0};
    nln_options *o = NULL;
    nln_ratings *r = NULL;
    scratch_text("in.csv", text);
    assert_int_equal(nln_options_create(&o, "ratings", &err), NLN_OK);
    assert_int_equal(nln_options_set(o, "split", "nlr", &err), NLN_OK);
    assert_int_equal(nln_ratings_read(&r, NULL, scratch_path("in.csv"), o, &err), NLN_OK);
    write_folder(r, "out");
    nln_options_free(o);
    nln_ratings_free(r);
}

static void the_columns_are_those_that_are_known(void **state)
{
    (void)state;
    write_text(
        "user,item,rating,time\n"
        "u,a,5,1\nu,b,4,2\nu,c,4.1,3\nu,d,5,4\nu,e,4,5.123456789\nu,f,5,6\nu,g,5,7\nu,h,1,-8\n");
    expect_text("out/train.tsv", "user_id\titem_id\trating\ttime\n"
                                 "u\th\t1\t-8\nu\ta\t5\t1\nu\tb\t4\t2\nu\tc\t4.1\t3\nu\td\t5\t4\n"
                                 "u\te\t4\t5.123456789\n");
    expect_text("out/valid.tsv", "user_id\titem_id\trating\ttime\nu\tf\t5\t6\n");
    expect_text("out/test.tsv", "user_id\titem_id\trating\ttime\nu\tg\t5\t7\n");
    write_text("user,item,label\nu,a,1\nu,b,0\n");
    expect_text("out/train.tsv", "user_id\titem_id\tlabel\nu\ta\t1\nu\tb\t0\n");
    expect_text("out/valid.tsv", "user_id\titem_id\tlabel\n");
    write_text("user,item,time\nu,a,20\nv,b,10\n");
    expect_text("out/train.tsv", "user_id\titem_id\ttime\nu\ta\t20\nv\tb\t10\n");
    write_text("user,item\nu,a\nv,b\n");
    expect_text("out/train.tsv", "user_id\titem_id\nu\ta\nv\tb\n");
    expect_text("out/test.tsv", "user_id\titem_id\n");
}

/* Also under a locale whose decimal point is a comma, where the machine has one. */
static void numbers_have_points_in_any_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    for (size_t l = 0; l < sizeof locales / sizeof *locales; l++) {
        if (!setlocale(LC_ALL, locales[l]))
            continue;
        write_text("user,item,rating,time\nu,a,0.5,1.25\nu,b,3.1,1e300\nu,c,4,12345678901.5\n");
        expect_text("out/train.tsv", "user_id\titem_id\trating\ttime\nu\ta\t0.5\t1.25\n"
                                     "u\tc\t4\t12345678901.5\nu\tb\t3.1\t1e+300\n");
    }
    setlocale(LC_ALL, "C");
}

static void unwritable_folders_say_why(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_ratings *r = random_ratings((kind){1, 1, 0, 0}, 1);
    scratch_text("file", "x");
    assert_int_equal(nln_ratings_write(r, scratch_path("none/such"), &err), NLN_IO);
    assert_non_null(strstr(err.message, "none/such"));
    assert_int_equal(nln_ratings_write(r, scratch_path("file"), &err), NLN_IO);
    assert_non_null(strstr(err.message, "file"));
    assert_int_equal(scratch_count(), 1);
    nln_ratings_free(r);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(the_columns_are_those_that_are_known),
        TEST(numbers_have_points_in_any_locale),
        TEST(unwritable_folders_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
