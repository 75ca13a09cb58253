/* Faults under the store of events, and under ratings and expressions from memory. */
#include "trials.h"

#include <string.h>

#include "scratch.h"
#include "store/store_ratings.h"
#include "tiny.h"

static nln_options *for_ratings;

static int make_options(void **state)
{
    (void)state;
    for_ratings = tiny_options("ratings", "split=random");
    return 0;
}

static int free_options(void **state)
{
    (void)state;
    nln_options_free(for_ratings);
    return 0;
}

/* Everything that a store does, from opening to closing. */
static nln_status use_store(const char *path, nln_error *err)
{
    static const nln_event events[] = {
        {.user = "ann", .item = "tea", .time = 1},
        {.user = "ann", .item = "rum", .kind = NLN_EVENT_RATING, .rating = 2, .time = 2},
        {.user = "bob", .item = "tea", .kind = NLN_EVENT_DISLIKE, .time = 3},
    };
    nln_store *store;
    nln_events list = {0};
    nln_ratings *ratings = NULL;
    nln_verdict verdicts[3];
    char *text = NULL;
    size_t n = 0, room = 0;
    nln_status status = nln_store_open(&store, path, NULL, err);
    if (status) {
        assert_null(store);
        return status;
    }
    if (!(status = nln_store_append(verdicts, store, events, 3, err)) &&
        !(status = nln_store_history(&list, store, "ann", NLN_STORE_ALL, err)) &&
        !(status = nln_store_export_lines(&text, &n, &room, &list, (nln_store_scale){1, 5}, err)))
        status = nln_store_ratings(&ratings, NULL, store, NLN_STORE_ALL, for_ratings, err);
    if (status)
        assert_null(ratings);
    if (!status)
        status = nln_store_forget(&n, store, "ann", err);
    nln_free(text);
    nln_ratings_free(ratings);
    nln_events_free(&list);
    nln_store_close(store);
    return status;
}

static nln_status build_ratings(const char *settings, nln_error *err)
{
    static const char *const users[] = {"ann", "ann", "bob"}, *const items[] = {"x", "y", "x"};
    static const int64_t numbers[] = {1, 2, 3};
    static const double values[] = {1, 2, 3};
    nln_ratings_builder *builder;
    nln_ratings *ratings = NULL;
    (void)settings;
    nln_status status = nln_ratings_builder_create(&builder, for_ratings, err);
    if (status) {
        assert_null(builder);
        return status;
    }
    if ((status = nln_ratings_builder_add(builder, users, items, values, values, 3, err)) ||
        (status = nln_ratings_builder_add_numbers(builder, numbers, numbers, values, NULL, 3, err)))
        nln_ratings_builder_free(builder);
    else
        status = nln_ratings_builder_finish(&ratings, NULL, builder, err);
    if (status)
        assert_null(ratings);
    nln_ratings_free(ratings);
    return status;
}

static nln_status build_data(const char *settings, nln_error *err)
{
    static const char *const expressions[] = {"a & b", "!a | c", "d"};
    nln_data *data;
    (void)settings;
    nln_status status = nln_data_create(&data, err);
    if (status)
        assert_null(data);
    else
        status = nln_data_add(data, NLN_TRAIN, expressions, (const int[]){1, 0, 1}, 3, err);
    nln_data_free(data);
    return status;
}

/* Events that were stored before a fault are there after it; the store can be used again. */
static void memory_and_threads(void **state)
{
    (void)state;
    const trial trials[] = {{"store", use_store, scratch_path("events.db")},
                            {"ratings", build_ratings, NULL},
                            {"data", build_data, NULL}};
    for (int i = 0; i < 3; i++)
        trials_each(&trials[i], FAULTS_MEMORY, NLN_MEMORY, 1, NULL);
    trials_each(&trials[0], FAULTS_THREAD, NLN_MEMORY, 0, NULL);
    nln_error err = {0};
    tiny_need(use_store(scratch_path("events.db"), &err), &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_and_threads, scratch_setup, scratch_teardown),
    };
    trials_fail_jansson(1);
    return trials_tell(cmocka_run_group_tests(tests, make_options, free_options));
}
