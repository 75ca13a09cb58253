#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "asking.h"
#include "data/ratings.h"
#include "models/model.h"
#include "scratch.h"
#include "serve/retraining_data.h"

/* The model in service has learned everything up to this time. */
enum { SINCE = 1000, NOW = 100000 };

static nln_store *store;
static nln_served *served;

static int open_store(void **state)
{
    nln_error err = {0};
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    tiny_need(nln_served_load(&served, scratch_path("model"), "", &err), &err);
    tiny_need(nln_store_open(&store, scratch_path("events"), NULL, &err), &err);
    served->model->record.newest = SINCE;
    return 0;
}

static int close_store(void **state)
{
    nln_store_close(store);
    nln_served_release(served);
    return scratch_teardown(state);
}

static void tell(int user, const char *item, double when)
{
    char name[16];
    nln_verdict verdict;
    nln_error err = {0};
    snprintf(name, sizeof name, "s%d", user);
    nln_event e = {.user = name, .item = item, .kind = NLN_EVENT_LIKE, .time = when};
    tiny_need(nln_store_append(&verdict, store, &e, 1, &err), &err);
}

/* Five items of each user, one a second. */
static double tell_many(int n_users, double from)
{
    static const char *const items[] = {"tea", "milk", "cake", "jam", "nut"};
    for (int i = 0; i < 5; i++)
        for (int u = 0; u < n_users; u++)
            tell(u, items[(u + i) % 5], from++);
    return from;
}

static void range(double *least, double *most, const nln_ratings *r, int test)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (size_t i = 0; i < r->n; i++)
        if ((nln_ratings_split(r, i) == NLN_TEST) == test) {
            *least = fmin(*least, r->time[i]);
            *most = fmax(*most, r->time[i]);
        }
}

static void the_newest_events_of_all_users_are_held_out(void **state)
{
    nln_retraining_data d;
    nln_error err = {0};
    double learned[2], held[2];
    (void)state;
    tell_many(4, 500); /* 20 that the model may have learned */
    tell(20, "tea", 600);
    tell_many(12, 2000); /* 60 that it has not; those of four users replace the ones above */
    tiny_need(nln_retraining_data_read(&d, store, "", served, NOW, &err), &err);
    assert_int_equal(d.n_held_out, 12);
    assert_int_equal(d.n_compared, 12);
    assert_int_equal(d.learned->n, 60 + 1 - 12);
    assert_int_equal(nln_ratings_size(d.learned, NLN_TEST), 0);
    range(&learned[0], &learned[1], d.learned, 0);
    range(&held[0], &held[1], d.compared, 1);
    assert_true(held[0] == 2048 && held[1] == 2059 && learned[1] == 2047);
    assert_string_equal(d.learned->name, "store");
    assert_non_null(strstr(d.account, "49 interactions of store"));
    nln_retraining_data_free(&d);
}

static void events_of_one_moment_are_divided_too(void **state)
{
    static const char *const items[] = {"tea", "milk", "cake", "jam", "nut"};
    nln_retraining_data d;
    nln_error err = {0};
    (void)state;
    for (int u = 0; u < 20; u++)
        for (int i = 0; i < 5; i++)
            tell(u, items[i], 2000);
    tell(30, "tea", 2001);
    tiny_need(nln_retraining_data_read(&d, store, "", served, NOW, &err), &err);
    assert_int_equal(d.n_held_out, 20); /* a fifth of 101, with the last one */
    assert_int_equal(d.learned->n, 81);
    assert_int_equal(nln_ratings_users(d.learned), 20);
    for (size_t u = 0; u < 20; u++) /* about one of each */
        assert_in_range(d.learned->start[u + 1] - d.learned->start[u], 4, 5);
    nln_retraining_data_free(&d);
}

static void too_few_new_events_are_said(void **state)
{
    nln_retraining_data d;
    nln_error err = {0};
    (void)state;
    assert_int_equal(nln_retraining_data_read(&d, store, "", served, NOW, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "no likes"));
    tell_many(8, 100);
    for (int i = 0; i < 9; i++)
        tell(100 + i, "tea", 3000 + i);
    tell(200, "tea", 2 * NOW); /* of the future */
    assert_int_equal(nln_retraining_data_read(&d, store, "", served, NOW, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "9 events of the store are newer"));
    tell(300, "tea", 3100);
    tiny_need(nln_retraining_data_read(&d, store, "", served, NOW, &err), &err);
    assert_int_equal(d.n_held_out, 10);
    nln_retraining_data_free(&d);
}

static void a_file_is_learned_with_the_store(void **state)
{
    nln_retraining_data d;
    nln_error err = {0};
    (void)state;
    FILE *file = fopen(scratch_path("base.csv"), "w");
    fputs("user,item,rating,time\n", file);
    for (int u = 0; u < 10; u++)
        fprintf(file, "s%d,%s,%d,%d\n", u, u % 2 ? "tea" : "plum", u % 5 + 1, 2500 + u);
    fclose(file);
    tell_many(10, 2000); /* 9 of the 50 are newer than the file */
    tell_many(0, 0);
    nln_status status =
        nln_retraining_data_read(&d, store, scratch_path("base.csv"), served, NOW, &err);
    assert_int_equal(status, NLN_LIMIT);
    for (int i = 0; i < 12; i++)
        tell(50 + i, i < 2 ? "plum" : "jam", 4000 + i);
    tiny_need(nln_retraining_data_read(&d, store, scratch_path("base.csv"), served, NOW, &err),
              &err);
    assert_string_equal(d.learned->name, "base.csv and the store");
    assert_int_equal(d.n_held_out, 10); /* of the 12 that are newer than the file, too */
    assert_true(nln_symbols_find(d.learned->items, "plum", 4) >= 0);
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < d.learned->n; i++) {
        least = fmin(least, (double)d.learned->rating[i]);
        most = fmax(most, (double)d.learned->rating[i]);
    }
    assert_true(least == 1 && most == 5); /* likes are the best of the file's scale */
    nln_retraining_data_free(&d);
}

static void items_that_the_old_model_does_not_know_are_not_compared(void **state)
{
    nln_retraining_data d;
    nln_error err = {0};
    (void)state;
    tell_many(8, 100);
    for (int i = 0; i < 10; i++)
        tell(i, i < 4 ? "plum" : "jam", 5000 + i);
    tiny_need(nln_retraining_data_read(&d, store, "", served, NOW, &err), &err);
    assert_int_equal(d.n_held_out, 10);
    assert_int_equal(d.n_compared, 6);
    assert_true(nln_symbols_find(d.learned->items, "plum", 4) < 0);
    nln_retraining_data_free(&d);
}

static void a_model_that_does_not_tell(void **state)
{
    (void)state;
    served->modified = 5000;
    assert_true(nln_retraining_data_since(served) == SINCE);
    served->model->record.newest = 9000; /* a time that had not come */
    assert_true(nln_retraining_data_since(served) == 5000);
    served->model->record.newest = NAN;
    assert_true(nln_retraining_data_since(served) == 5000);
    served->model->has_record = 0;
    assert_true(nln_retraining_data_since(served) == 5000);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_store, close_store)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_newest_events_of_all_users_are_held_out),
        TEST(events_of_one_moment_are_divided_too),
        TEST(too_few_new_events_are_said),
        TEST(a_file_is_learned_with_the_store),
        TEST(items_that_the_old_model_does_not_know_are_not_compared),
        TEST(a_model_that_does_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
