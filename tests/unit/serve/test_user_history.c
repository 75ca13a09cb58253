#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "scratch.h"
#include "serve/user_history.h"

static nln_serve *server;

static int open_server(void **state)
{
    char settings[600];
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "store=%s", scratch_path("events"));
    server = asking_loaded(scratch_path("model"), settings);
    return 0;
}

static int close_server(void **state)
{
    nln_serve_free(server);
    return scratch_teardown(state);
}

static void say(const char *user, const char *item, nln_event_kind kind, double rating, double time)
{
    nln_error err = {0};
    nln_verdict verdict;
    nln_event e = {.user = user, .item = item, .kind = kind, .rating = rating, .time = time};
    tiny_need(nln_store_append(&verdict, server->store, &e, 1, &err), &err);
    assert_int_equal(verdict.kind, NLN_STORED);
}

/* The history as words: +tea, -milk. */
static void expect(const char *user, const char *wanted, int wanted_known)
{
    nln_literal *list = NULL;
    size_t n = 0;
    int known = -1;
    char text[200] = "";
    nln_error err = {0};
    nln_served *served = nln_model_slot_take(&server->slot);
    tiny_need(nln_user_history(&list, &n, &known, served, server->store, user, &err), &err);
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%c%s ",
                 list[i].liked ? '+' : '-', nln_model_variable(served->model, list[i].item));
    assert_string_equal(text, wanted);
    assert_int_equal(known, wanted_known);
    nln_free(list);
    nln_served_release(served);
}

static void test_the_model_comes_first_and_events_replace(void **state)
{
    (void)state;
    expect("ann", "+tea -milk +cake +jam +nut ", 1);
    say("ann", "milk", NLN_EVENT_LIKE, 0, 10);
    expect("ann", "+tea +cake +jam +nut +milk ", 1);
    say("ann", "tea", NLN_EVENT_RETRACT, 0, 11);
    expect("ann", "+cake +jam +nut +milk ", 1);
    say("ann", "jam", NLN_EVENT_RATING, 1, 5);
    expect("ann", "+cake +nut -jam +milk ", 1);
    say("ann", "unknown item", NLN_EVENT_LIKE, 0, 20);
    expect("ann", "+cake +nut -jam +milk ", 1);
}

static void test_users_of_the_store_alone(void **state)
{
    (void)state;
    expect("eve", "", 0);
    say("eve", "jam", NLN_EVENT_DISLIKE, 0, 1);
    say("eve", "tea", NLN_EVENT_RATING, 5, 2);
    expect("eve", "-jam +tea ", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_model_comes_first_and_events_replace),
        cmocka_unit_test(test_users_of_the_store_alone),
    };
    return cmocka_run_group_tests(tests, open_server, close_server);
}
