#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "data/ratings.h"

enum { MOST = 400 };

/* A row as a test makes it, and its place in the file. */
typedef struct row {
    int32_t user, item;
    float rating;
    double time;
    uint8_t mark;
} row;

static uint8_t mark_of(int split, int liked)
{
    return (uint8_t)(split << NLN_MARK_SPLIT | liked);
}

static void name(nln_symbols *symbols, char letter, int n)
{
    for (int i = 0; i < n; i++) {
        char text[8] = {letter, (char)('a' + i / 26), (char)('a' + i % 26), 0};
        assert_int_equal(nln_symbols_intern(symbols, text, 3), i);
    }
}

static nln_ratings_rows make_rows(const row *rows, size_t n, int n_users, int n_items)
{
    nln_ratings_rows out;
    assert_int_equal(nln_ratings_rows_create(&out, NULL), NLN_OK);
    name(out.users, 'u', n_users);
    name(out.items, 'i', n_items);
    for (size_t i = 0; i < n; i++) {
        const row *r = &rows[i];
        assert_int_equal(
            nln_ratings_rows_add(&out, r->user, r->item, r->rating, r->time, r->mark, NULL),
            NLN_OK);
        out.has_time |= !isnan(r->time);
        out.has_rating |= !isnan(r->rating);
    }
    return out;
}

static size_t random_rows(row *out, nln_random *r, int n_users, int n_items, int with_time)
{
    size_t n = 1 + nln_random_below(r, MOST - 1);
    for (size_t i = 0; i < n; i++) {
        double time = nln_random_below(r, 9) ? (double)nln_random_below(r, 20) : NAN;
        out[i] = (row){(int32_t)nln_random_below(r, (uint64_t)n_users),
                       (int32_t)nln_random_below(r, (uint64_t)n_items),
                       (float)nln_random_below(r, 6), with_time ? time : NAN,
                       mark_of((int)nln_random_below(r, 3), (int)nln_random_below(r, 2))};
    }
    return n;
}

static double time_of(const row *r)
{
    return isnan(r->time) ? -INFINITY : r->time;
}

/* Whether a precedes b, which lies behind it so far. */
static int in_order(const row *a, const row *b)
{
    if (a->user != b->user)
        return a->user < b->user;
    if (a->mark >> NLN_MARK_SPLIT != b->mark >> NLN_MARK_SPLIT)
        return a->mark >> NLN_MARK_SPLIT < b->mark >> NLN_MARK_SPLIT;
    return time_of(a) <= time_of(b);
}

/* The naive twin: insertion, which is stable, and a look ahead for each row. */
static void sort_naively(row *rows, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && !in_order(&rows[k - 1], &rows[k]); k--) {
            row swap = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = swap;
        }
}

static size_t drop_naively(row *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        int replaced = 0;
        for (size_t k = i + 1; k < n; k++)
            replaced |= rows[k].user == rows[i].user && rows[k].item == rows[i].item;
        if (!replaced)
            rows[kept++] = rows[i];
    }
    return kept;
}

static void expect_same(const nln_ratings *r, const row *rows, size_t n)
{
    assert_int_equal(r->n, n);
    assert_int_equal(r->start[0], 0);
    assert_int_equal(r->start[nln_ratings_users(r)], n);
    for (size_t u = 0, i = 0; u < nln_ratings_users(r); u++)
        for (; i < r->start[u + 1]; i++) {
            assert_int_equal(rows[i].user, u);
            assert_int_equal(rows[i].item, r->item[i]);
            assert_int_equal(rows[i].mark, r->mark[i]);
            assert_true(rows[i].rating == r->rating[i]);
            if (r->time)
                assert_memory_equal(&rows[i].time, &r->time[i], sizeof *r->time);
        }
}

static void rows_are_sorted_as_the_naive_twin_does(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int turn = 0; turn < 200; turn++) {
        row rows[MOST];
        nln_ratings *ratings;
        nln_ratings_report report = {0};
        int n_users = 1 + (int)nln_random_below(&r, 30), n_items = 1 + turn;
        size_t n = random_rows(rows, &r, n_users, n_items, turn % 4);
        nln_ratings_rows in = make_rows(rows, n, n_users, n_items);
        int has_time = in.has_time;
        assert_int_equal(nln_ratings_from_rows(&ratings, &report, &in, 0, NULL), NLN_OK);
        assert_null(in.users);
        sort_naively(rows, n);
        size_t kept = drop_naively(rows, n);
        assert_int_equal(report.duplicates, n - kept);
        assert_int_equal(report.first.status, n > kept ? NLN_INVALID : NLN_OK);
        assert_int_equal(ratings->time != NULL, has_time);
        expect_same(ratings, rows, kept);
        for (size_t i = 0; i < kept; i++)
            ratings->mark[i] = rows[i].mark = mark_of((int)nln_random_below(&r, 3), turn % 2);
        assert_int_equal(nln_ratings_sort(ratings, NULL), NLN_OK);
        sort_naively(rows, kept);
        expect_same(ratings, rows, kept);
        nln_ratings_free(ratings);
    }
}

/* Every row once, no time before an earlier one, and equal times as they lie. */
static void a_timeline_knows_no_splits(void **state)
{
    (void)state;
    nln_random random = nln_random_seed(2, 0);
    for (int turn = 0; turn < 100; turn++) {
        row rows[MOST];
        nln_ratings *r;
        int n_users = 1 + (int)nln_random_below(&random, 9);
        size_t n = random_rows(rows, &random, n_users, 90, turn % 4), order[MOST], most = 0;
        nln_ratings_rows in = make_rows(rows, n, n_users, 90);
        assert_int_equal(nln_ratings_from_rows(&r, NULL, &in, 0, NULL), NLN_OK);
        for (size_t u = 0; u < nln_ratings_users(r); u++) {
            size_t begin = r->start[u], count = r->start[u + 1] - begin, sum = 0;
            most = count > most ? count : most;
            nln_ratings_timeline(order, r, u);
            for (size_t k = 0; k < count; k++) {
                assert_in_range(order[k], begin, begin + count - 1);
                sum += order[k] - begin;
                if (k == 0)
                    continue;
                row a = {.time = r->time ? r->time[order[k - 1]] : 0};
                row b = {.time = r->time ? r->time[order[k]] : 0};
                assert_true(time_of(&a) < time_of(&b) ||
                            (time_of(&a) <= time_of(&b) && order[k - 1] < order[k]));
            }
            assert_int_equal(sum, count ? count * (count - 1) / 2 : 0);
        }
        assert_int_equal(nln_ratings_longest(r), most);
        nln_ratings_free(r);
    }
}

static void what_is_in_them_is_counted(void **state)
{
    (void)state;
    static const row rows[] = {
        {1, 0, 5, 3, 1 << NLN_MARK_SPLIT},
        {0, 1, NAN, 1, 1},
        {1, 1, 2, 1, 0},
        {0, 0, 4, 2, 2 << NLN_MARK_SPLIT | 1},
        {1, 2, 4, 9, 2 << NLN_MARK_SPLIT | 1},
        {0, 2, 4, 0, 1},
    };
    nln_ratings *r;
    nln_ratings_rows in = make_rows(rows, 6, 2, 3);
    assert_int_equal(nln_ratings_from_rows(&r, NULL, &in, 1, NULL), NLN_OK);
    assert_int_equal(nln_ratings_users(r), 2);
    assert_int_equal(nln_ratings_items(r), 3);
    assert_string_equal(nln_ratings_user(r, 1), "uab");
    assert_string_equal(nln_ratings_item(r, 2), "iac");
    assert_null(nln_ratings_user(r, 2));
    assert_null(nln_ratings_item(r, SIZE_MAX));
    static const size_t sizes[] = {3, 1, 2}, likes[] = {2, 0, 2};
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++) {
        assert_int_equal(nln_ratings_size(r, (nln_split)split), sizes[split]);
        assert_int_equal(nln_ratings_likes(r, (nln_split)split), likes[split]);
    }
    assert_int_equal(r->item[0], 2);
    assert_int_equal(r->item[1], 1);
    assert_true(r->rating[1] == 1); /* where the file has none */
    assert_int_equal(nln_ratings_split(r, 4), NLN_VALID);
    nln_ratings_free(r);
    nln_ratings_free(NULL);
}

static void the_latest_of_a_pair_is_kept(void **state)
{
    (void)state;
    static const row rows[] = {{0, 0, 1, 5, 0}, {0, 1, 2, 4, 0}, {0, 0, 3, 9, 1}, {0, 0, 4, 7, 0}};
    nln_ratings *r;
    nln_ratings_report report = {0};
    nln_error err = {0};
    nln_ratings_rows in = make_rows(rows, 4, 1, 2);
    assert_int_equal(nln_ratings_from_rows(&r, &report, &in, 0, &err), NLN_OK);
    assert_int_equal(report.duplicates, 2);
    assert_non_null(strstr(report.first.message, "user 'uaa' has item 'iaa' more than once"));
    assert_int_equal(r->n, 2);
    assert_true(r->rating[0] == 2 && r->rating[1] == 3);
    nln_ratings_free(r);
    in = make_rows(rows, 4, 1, 2);
    assert_int_equal(nln_ratings_from_rows(&r, NULL, &in, 1, &err), NLN_INVALID);
    assert_null(r);
    assert_non_null(strstr(err.message, "more than once"));
}

static void no_rows_are_fine(void **state)
{
    (void)state;
    nln_ratings *r;
    nln_ratings_rows in = make_rows(NULL, 0, 0, 0);
    assert_int_equal(nln_ratings_from_rows(&r, NULL, &in, 1, NULL), NLN_OK);
    assert_int_equal(nln_ratings_sort(r, NULL), NLN_OK);
    assert_int_equal(nln_ratings_users(r) + nln_ratings_size(r, NLN_TRAIN), 0);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_as_the_naive_twin_does),
        cmocka_unit_test(a_timeline_knows_no_splits),
        cmocka_unit_test(what_is_in_them_is_counted),
        cmocka_unit_test(the_latest_of_a_pair_is_kept),
        cmocka_unit_test(no_rows_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
