#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "scratch.h"
#include "store/store_ratings.h"

#include <cmocka.h>

static nln_store *open_store(void)
{
    nln_store *store;
    nln_error err = {0};
    if (nln_store_open(&store, scratch_path("events.db"), NULL, &err))
        fail_msg("%s", err.message);
    return store;
}

static void append(nln_store *store, const char *user, const char *item, nln_event_kind kind,
                   double rating, double time)
{
    nln_event event = {.user = user, .item = item, .kind = kind, .rating = rating, .time = time};
    nln_verdict verdict;
    assert_int_equal(nln_store_append(&verdict, store, &event, 1, NULL), NLN_OK);
    assert_int_equal(verdict.kind, NLN_STORED);
}

static void assert_scale(nln_store *store, double worst, double best)
{
    nln_store_scale scale;
    assert_int_equal(nln_store_scale_find(&scale, store, NULL), NLN_OK);
    assert_true(scale.worst == worst && scale.best == best);
}

static void the_scale_holds_every_rating(void **state)
{
    (void)state;
    static const struct {
        double rating, worst, best;
    } steps[] = {{0.5, 0, 1},  {0, 0, 1},     {4, 0, 5},    {6, 0, 10},
                 {77, 0, 100}, {101, 0, 101}, {-3, -3, 101}};
    nln_store *store = open_store();
    append(store, "ann", "tea", NLN_EVENT_LIKE, 0, 1);
    assert_scale(store, 0, 1);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        append(store, "ann", "tea", NLN_EVENT_RATING, steps[i].rating, 1);
        assert_scale(store, steps[i].worst, steps[i].best);
    }
    nln_store_close(store);
}

static void whole_stars_are_one_to_five(void **state)
{
    (void)state;
    nln_store *store = open_store();
    append(store, "ann", "tea", NLN_EVENT_RATING, 4, 1);
    append(store, "ann", "rum", NLN_EVENT_RATING, 5, 1);
    assert_scale(store, 1, 5);
    nln_store_scale scale = {1, 5};
    nln_event event = {.kind = NLN_EVENT_LIKE};
    assert_true(nln_store_scale_rating(scale, &event) == 5);
    event.kind = NLN_EVENT_DISLIKE;
    assert_true(nln_store_scale_rating(scale, &event) == 1);
    event.kind = NLN_EVENT_RATING;
    event.rating = 2.5;
    assert_true(nln_store_scale_rating(scale, &event) == 2.5);
    nln_store_close(store);
}

/* Writes the export of a store as a file, page by page. */
static void export(nln_store *store, const char *name)
{
    nln_store_scale scale;
    int64_t cursor = 0;
    int more = 1;
    char *text = NULL;
    size_t n = 0, room = 0;
    FILE *file = fopen(scratch_path(name), "w");
    fputs(NLN_STORE_EXPORT_HEADER, file);
    assert_int_equal(nln_store_scale_find(&scale, store, NULL), NLN_OK);
    while (more) {
        nln_events page;
        assert_int_equal(nln_store_histories(&page, &cursor, &more, store, NLN_STORE_ALL, 50, NULL),
                         NLN_OK);
        assert_int_equal(nln_store_export_lines(&text, &n, &room, &page, scale, NULL), NLN_OK);
        nln_events_free(&page);
    }
    assert_int_equal(fwrite(text, 1, n, file), n);
    fclose(file);
    nln_free(text);
}

static void the_text_is_what_is_known(void **state)
{
    (void)state;
    nln_store *store = open_store();
    append(store, "ann", "tea", NLN_EVENT_LIKE, 0, 1700000000.125);
    append(store, "böb", "tea", NLN_EVENT_DISLIKE, 0, 7);
    append(store, "ann", "rum", NLN_EVENT_RATING, 3.5, 5);
    append(store, "ann", "gin", NLN_EVENT_LIKE, 0, 6);
    append(store, "ann", "gin", NLN_EVENT_RETRACT, 0, 8);
    export(store, "export.tsv");
    size_t n;
    char *text = scratch_read(&n, "export.tsv");
    assert_string_equal(text, "user\titem\trating\ttime\n"
                              "ann\trum\t3.5\t5\n"
                              "ann\ttea\t5\t1700000000.125\n"
                              "böb\ttea\t1\t7\n");
    free(text);
    nln_store_close(store);
}

static char *written(const nln_ratings *ratings, const char *folder)
{
    size_t n[3];
    char *parts[3];
    assert_int_equal(nln_ratings_write(ratings, scratch_path(folder), NULL), NLN_OK);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"train", "valid", "test"};
        char name[64];
        snprintf(name, sizeof name, "%s/%s.tsv", folder, names[i]);
        parts[i] = scratch_read(&n[i], name);
    }
    char *all = calloc(1, n[0] + n[1] + n[2] + 4);
    for (int i = 0; i < 3; i++) {
        strcat(all, parts[i]);
        strcat(all, "\n");
        free(parts[i]);
    }
    return all;
}

/* A model that learns from the store learns from the same rows as one that reads the export. */
static void ratings_are_those_of_the_export(void **state)
{
    (void)state;
    enum { N = 2000 };
    static nln_event events[N];
    static nln_verdict verdicts[N];
    static char users[N][8], items[N][8];
    nln_store *store = open_store();
    nln_random random = nln_random_seed(3, 1);
    for (int i = 0; i < N; i++) {
        snprintf(users[i], sizeof *users, "u%d", (int)nln_random_below(&random, 60));
        snprintf(items[i], sizeof *items, "i%d", (int)nln_random_below(&random, 90));
        events[i] =
            (nln_event){.user = users[i],
                        .item = items[i],
                        .kind = (nln_event_kind)nln_random_below(&random, NLN_EVENT_KINDS),
                        .rating = 1 + 0.1 * (double)nln_random_below(&random, 41),
                        .time = i % 3 ? 1e9 + (double)nln_random_below(&random, 1000) / 7 : NAN};
    }
    assert_int_equal(nln_store_append(verdicts, store, events, N, NULL), NLN_OK);
    export(store, "export.tsv");
    nln_options *o;
    nln_ratings *from_store = NULL, *from_file = NULL;
    nln_ratings_report a, b;
    nln_error err = {0};
    assert_int_equal(nln_options_create(&o, "ratings", NULL), NLN_OK);
    nln_options_set(o, "split", "nlr", NULL);
    if (nln_store_ratings(&from_store, &a, store, NLN_STORE_ALL, o, &err) ||
        nln_ratings_read(&from_file, &b, scratch_path("export.tsv"), o, &err))
        fail_msg("%s", err.message);
    char *x = written(from_store, "store"), *y = written(from_file, "file");
    assert_string_equal(x, y);
    free(x);
    free(y);
    assert_string_equal(a.format, "store");
    assert_int_equal(a.lines, b.lines);
    assert_int_equal(a.bad + a.out_of_range + a.duplicates + a.without_time, 0);
    assert_true(a.like_from == 4 && b.like_from == 4 && a.least == 1 && a.most == 5);
    nln_ratings_free(from_store);
    nln_ratings_free(from_file);

    /* Up to an earlier event. */
    assert_int_equal(nln_store_ratings(&from_store, &a, store, 500, o, &err), NLN_OK);
    assert_true(a.lines < 500 && a.lines > 200);
    nln_ratings_free(from_store);
    nln_options_free(o);
    nln_store_close(store);
}

static void an_empty_store_says_so(void **state)
{
    (void)state;
    nln_store *store = open_store();
    nln_ratings *ratings;
    nln_error err = {0};
    assert_int_equal(nln_store_ratings(&ratings, NULL, store, NLN_STORE_ALL, NULL, &err),
                     NLN_INVALID);
    append(store, "ann", "gin", NLN_EVENT_RETRACT, 0, 8);
    assert_int_equal(nln_store_ratings(&ratings, NULL, store, NLN_STORE_ALL, NULL, &err),
                     NLN_INVALID);
    assert_null(ratings);
    assert_non_null(strstr(err.message, "no likes"));
    nln_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_scale_holds_every_rating, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(whole_stars_are_one_to_five, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_text_is_what_is_known, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(ratings_are_those_of_the_export, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(an_empty_store_says_so, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
