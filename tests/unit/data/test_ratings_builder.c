#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/random.h"
#include "data/ratings.h"
#include "scratch.h"

enum { N = 3000 };

static char user_names[N][16], item_names[N][16];
static const char *users[N], *items[N];
static int64_t user_numbers[N], item_numbers[N];
static double ratings[N], times[N];

/* Rows with repeated pairs; the times are whole or missing. */
static void draw_rows(uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 1);
    for (int i = 0; i < N; i++) {
        user_numbers[i] = (int64_t)nln_random_below(&random, 100) - 3;
        item_numbers[i] = (int64_t)nln_random_below(&random, 200);
        ratings[i] = 1 + 0.5 * (double)nln_random_below(&random, 9);
        times[i] =
            nln_random_below(&random, 50) ? 1e9 + (double)nln_random_below(&random, 500) : NAN;
        snprintf(user_names[i], sizeof *user_names, "%d", (int)user_numbers[i]);
        snprintf(item_names[i], sizeof *item_names, "%d", (int)item_numbers[i]);
        users[i] = user_names[i];
        items[i] = item_names[i];
    }
}

static const char *write_file(int with_ratings, int with_times)
{
    const char *path = scratch_path("ratings.tsv");
    FILE *file = fopen(path, "w");
    fprintf(file, "user\titem%s%s\n", with_ratings ? "\trating" : "", with_times ? "\ttime" : "");
    for (int i = 0; i < N; i++) {
        fprintf(file, "%s\t%s", users[i], items[i]);
        if (with_ratings)
            fprintf(file, "\t%g", ratings[i]);
        if (with_times && !isnan(times[i]))
            fprintf(file, "\t%.0f", times[i]);
        else if (with_times)
            fprintf(file, "\t");
        fprintf(file, "\n");
    }
    fclose(file);
    return path;
}

static nln_options *options_of(const char *split, const char *core)
{
    nln_options *o;
    assert_int_equal(nln_options_create(&o, "ratings", NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "split", split, NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "core", core, NULL), NLN_OK);
    return o;
}

static void assert_same(const nln_ratings *a, const nln_ratings *b)
{
    size_t n_users = nln_ratings_users(a);
    assert_int_equal(a->n, b->n);
    assert_int_equal(n_users, nln_ratings_users(b));
    assert_int_equal(nln_ratings_items(a), nln_ratings_items(b));
    for (size_t i = 0; i < n_users; i++)
        assert_string_equal(nln_ratings_user(a, i), nln_ratings_user(b, i));
    for (size_t i = 0; i < nln_ratings_items(a); i++)
        assert_string_equal(nln_ratings_item(a, i), nln_ratings_item(b, i));
    assert_memory_equal(a->start, b->start, (n_users + 1) * sizeof *a->start);
    assert_memory_equal(a->item, b->item, a->n * sizeof *a->item);
    assert_memory_equal(a->rating, b->rating, a->n * sizeof *a->rating);
    assert_memory_equal(a->mark, b->mark, a->n * sizeof *a->mark);
    assert_int_equal(!a->time, !b->time);
    if (a->time)
        assert_memory_equal(a->time, b->time, a->n * sizeof *a->time);
    assert_memory_equal(&a->origin, &b->origin, sizeof a->origin);
    assert_int_equal(a->has_rating, b->has_rating);
}

/* Bit for bit, with and without ratings and times, in one call or many, by names or numbers. */
static void memory_gives_what_a_file_gives(void **state)
{
    (void)state;
    static const char *const splits[] = {"paper", "nlr", "random", "none"};
    for (int kind = 0; kind < 16; kind++) {
        int with_ratings = kind & 1, with_times = kind >> 1 & 1, by_number = kind >> 2 & 1;
        draw_rows((uint64_t)kind);
        nln_options *o = options_of(splits[kind % 4], kind & 8 ? "5" : "0");
        const double *r = with_ratings ? ratings : NULL, *t = with_times ? times : NULL;
        nln_ratings *from_file, *from_memory;
        nln_ratings_report a, b;
        nln_error err = {0};
        nln_ratings_builder *builder;
        if (nln_ratings_read(&from_file, &a, write_file(with_ratings, with_times), o, &err))
            fail_msg("%s", err.message);
        assert_int_equal(nln_ratings_builder_create(&builder, o, &err), NLN_OK);
        for (size_t i = 0, n; i < N; i += n) {
            n = kind == 0 ? N : i % 7 + 1 < N - i ? i % 7 + 1 : N - i;
            nln_status status =
                by_number
                    ? nln_ratings_builder_add_numbers(builder, user_numbers + i, item_numbers + i,
                                                      r ? r + i : NULL, t ? t + i : NULL, n, &err)
                    : nln_ratings_builder_add(builder, users + i, items + i, r ? r + i : NULL,
                                              t ? t + i : NULL, n, &err);
            assert_int_equal(status, NLN_OK);
        }
        if (nln_ratings_builder_finish(&from_memory, &b, builder, &err))
            fail_msg("%s", err.message);
        assert_same(from_file, from_memory);
        assert_int_equal(a.lines, b.lines);
        assert_int_equal(a.duplicates, b.duplicates);
        assert_int_equal(a.without_time, b.without_time);
        assert_int_equal(a.has_rating, b.has_rating);
        assert_int_equal(a.has_time, b.has_time);
        assert_true(a.like_from == b.like_from || isnan(a.like_from));
        nln_ratings_free(from_file);
        nln_ratings_free(from_memory);
        nln_options_free(o);
    }
}

/* Rows that cannot be used are counted; in `strict` they are errors with their number. */
static void bad_rows_are_counted(void **state)
{
    (void)state;
    static const char *const u[] = {"a", "", "b", NULL, "c", "d", "e", "f"};
    static const char *const i[] = {"x", "x", "\xff", "x", "x", "x", "x\n", "y"};
    const double r[] = {1, 2, 3, 4, INFINITY, 99, 4, 5}, t[] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int strict = 0; strict < 2; strict++) {
        nln_options *o = options_of("none", "0");
        nln_ratings_builder *builder;
        nln_ratings *out;
        nln_ratings_report report;
        nln_error err = {0};
        nln_options_set(o, "rating-range", "1:5", NULL);
        nln_options_set(o, "strict", strict ? "true" : "false", NULL);
        assert_int_equal(nln_ratings_builder_create(&builder, o, &err), NLN_OK);
        nln_status status = nln_ratings_builder_add(builder, u, i, r, t, 8, &err);
        if (strict) {
            assert_int_equal(status, NLN_SYNTAX);
            assert_int_equal(err.line, 2);
            assert_string_equal(err.message, "the row has no user");
            nln_ratings_builder_free(builder);
        } else {
            assert_int_equal(status, NLN_OK);
            assert_int_equal(nln_ratings_builder_finish(&out, &report, builder, &err), NLN_OK);
            assert_int_equal(report.lines, 8);
            assert_int_equal(report.bad, 5);
            assert_int_equal(report.out_of_range, 1);
            assert_int_equal(report.first.line, 2);
            assert_string_equal(report.format, "memory");
            assert_int_equal(nln_ratings_size(out, NLN_TRAIN), 2);
            assert_int_equal(nln_ratings_users(out), 2);
            nln_ratings_free(out);
        }
        nln_options_free(o);
    }
}

static void numbers_are_their_digits(void **state)
{
    (void)state;
    static const int64_t numbers[] = {0, 7, -1, 1000000007, INT64_MAX, INT64_MIN};
    static const char *const names[] = {
        "0", "7", "-1", "1000000007", "9223372036854775807", "-9223372036854775808"};
    nln_ratings_builder *builder;
    nln_ratings *out;
    assert_int_equal(nln_ratings_builder_create(&builder, NULL, NULL), NLN_OK);
    assert_int_equal(
        nln_ratings_builder_add_numbers(builder, numbers, numbers, NULL, NULL, 6, NULL), NLN_OK);
    assert_int_equal(nln_ratings_builder_finish(&out, NULL, builder, NULL), NLN_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(nln_ratings_user(out, i), names[i]);
        assert_string_equal(nln_ratings_item(out, i), names[i]);
    }
    nln_ratings_free(out);
}

static void nothing_gives_nothing(void **state)
{
    (void)state;
    nln_ratings_builder *builder;
    nln_ratings *out;
    nln_error err = {0};
    const char *none = "";
    assert_int_equal(nln_ratings_builder_create(&builder, NULL, &err), NLN_OK);
    assert_int_equal(nln_ratings_builder_finish(&out, NULL, builder, &err), NLN_FORMAT);
    assert_null(out);
    assert_int_equal(nln_ratings_builder_create(&builder, NULL, &err), NLN_OK);
    assert_int_equal(nln_ratings_builder_add(builder, &none, &none, NULL, NULL, 1, &err), NLN_OK);
    assert_int_equal(nln_ratings_builder_finish(&out, NULL, builder, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "the row has no user"));
    nln_ratings_builder_free(NULL);
    assert_int_equal(nln_memory_used(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_gives_what_a_file_gives, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(bad_rows_are_counted),
        cmocka_unit_test(numbers_are_their_digits),
        cmocka_unit_test(nothing_gives_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
