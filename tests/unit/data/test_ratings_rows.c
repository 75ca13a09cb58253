#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "data/ratings.h"

static void add(nln_ratings_rows *rows, const char *user, const char *item, float rating, long line,
                nln_split file)
{
    int32_t u = nln_symbols_intern(rows->users, user, strlen(user));
    int32_t i = nln_symbols_intern(rows->items, item, strlen(item));
    assert_int_equal(nln_ratings_rows_locate(rows, line, file, NULL), NLN_OK);
    assert_int_equal(nln_ratings_rows_add(rows, u, i, rating, 7, 1, NULL), NLN_OK);
}

static nln_ratings_rows create(void)
{
    nln_ratings_rows rows;
    assert_int_equal(nln_ratings_rows_create(&rows, NULL), NLN_OK);
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++)
        rows.path[s] = nln_memory_copy(s == NLN_TRAIN   ? "train"
                                       : s == NLN_VALID ? "valid"
                                                        : "test");
    return rows;
}

/* Consecutive lines share one entry; gaps and other files begin another. */
static void rows_know_their_lines(void **state)
{
    (void)state;
    static const struct {
        long line;
        nln_split file;
    } places[] = {{2, NLN_TRAIN}, {3, NLN_TRAIN}, {4, NLN_TRAIN}, {9, NLN_TRAIN},
                  {1, NLN_VALID}, {2, NLN_VALID}, {3, NLN_TEST}};
    enum { N = sizeof places / sizeof *places };
    nln_ratings_rows rows = create();
    long line;
    for (size_t i = 0; i < N; i++)
        add(&rows, "u", "i", 1, places[i].line, places[i].file);
    assert_int_equal(rows.n_sources, 4);
    for (size_t i = 0; i < N; i++) {
        assert_ptr_equal(nln_ratings_rows_where(&line, &rows, i), rows.path[places[i].file]);
        assert_int_equal(line, places[i].line);
    }
    assert_null(nln_ratings_rows_where(&line, &rows, N));
    assert_int_equal(line, 0);
    nln_ratings_rows_free(&rows);
    assert_int_equal(rows.n, 0);
}

/* Of the rows from the second on; users and items of dropped rows lose their names. */
static void rows_are_kept_by_their_ratings(void **state)
{
    (void)state;
    for (int rated = 0; rated < 2; rated++) {
        nln_ratings_rows rows = create();
        long line;
        add(&rows, "ann", "tea", NAN, 1, NLN_TRAIN);
        add(&rows, "bob", "tea", 4, 2, NLN_TRAIN);
        add(&rows, "cid", "jam", NAN, 3, NLN_TRAIN);
        add(&rows, "ann", "egg", 5, 5, NLN_TRAIN);
        assert_int_equal(nln_ratings_rows_keep(&rows, 1, rated, NULL), NLN_OK);
        assert_int_equal(rows.n, rated ? 3 : 2);
        assert_true((nln_symbols_find(rows.users, "bob", 3) >= 0) == rated);
        assert_true((nln_symbols_find(rows.users, "cid", 3) >= 0) != rated);
        assert_true((nln_symbols_find(rows.items, "egg", 3) >= 0) == rated);
        assert_string_equal(nln_symbols_name(rows.users, rows.user[0]), "ann");
        assert_true(isnan(rows.rating[0]) && rows.time[1] == 7 && rows.mark[1] == 1);
        assert_string_equal(nln_ratings_rows_where(&line, &rows, rows.n - 1), "train");
        assert_int_equal(line, rated ? 5 : 3);
        nln_ratings_rows_free(&rows);
    }
}

/* Without memory nothing is added and all rows stay. */
static void a_failure_changes_nothing(void **state)
{
    (void)state;
    nln_ratings_rows rows = create();
    nln_error err = {0};
    for (int i = 0; i < 16; i++)
        add(&rows, "u", "i", (float)i, i + 1, NLN_TRAIN);
    nln_memory_limit(1);
    assert_int_equal(nln_ratings_rows_add(&rows, 0, 0, 1, 1, 0, &err), NLN_MEMORY);
    assert_int_equal(nln_ratings_rows_keep(&rows, 0, 0, &err), NLN_MEMORY);
    nln_memory_limit(0);
    assert_int_equal(rows.n, 16);
    assert_true(rows.rating[15] == 15);
    nln_ratings_rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_know_their_lines),
        cmocka_unit_test(rows_are_kept_by_their_ratings),
        cmocka_unit_test(a_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
