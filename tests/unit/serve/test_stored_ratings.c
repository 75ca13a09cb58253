#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "nln_serve.h"
#include "scratch.h"
#include "store/store.h"

#include <cmocka.h>

static void a_store_is_read_and_other_files_are_not(void **state)
{
    (void)state;
    nln_store *store;
    nln_ratings *ratings;
    nln_ratings_report report;
    nln_error err = {0};
    nln_event events[] = {{.user = "ann", .item = "tea", .time = 1},
                          {.user = "ann", .item = "rum", .kind = NLN_EVENT_DISLIKE, .time = 2},
                          {.user = "bob", .item = "tea", .kind = NLN_EVENT_RATING, .rating = 4}};
    nln_verdict verdicts[3];
    const char *text = scratch_text("ratings.tsv", "ann\ttea\t5\nbob\ttea\t3\n");
    assert_false(nln_serve_is_store(text));
    assert_int_equal(nln_serve_ratings(&ratings, NULL, text, NULL, &err), NLN_FORMAT);
    assert_null(ratings);
    const char *path = scratch_path("events.db");
    assert_int_equal(nln_serve_ratings(&ratings, NULL, path, NULL, &err), NLN_IO);
    assert_int_equal(nln_store_open(&store, path, NULL, NULL), NLN_OK);
    assert_int_equal(nln_serve_ratings(&ratings, NULL, path, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_store_append(verdicts, store, events, 3, NULL), NLN_OK);
    assert_true(nln_serve_is_store(path));
    /* While the store is open, too. */
    assert_int_equal(nln_serve_ratings(&ratings, &report, path, NULL, &err), NLN_OK);
    assert_int_equal(nln_ratings_users(ratings), 2);
    assert_int_equal(nln_ratings_size(ratings, NLN_TRAIN), 3);
    assert_int_equal(nln_ratings_likes(ratings, NLN_TRAIN), 2);
    assert_true(report.least == 1 && report.most == 5);
    nln_ratings_free(ratings);
    nln_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_is_read_and_other_files_are_not, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
