#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static nln_serve *server;

static void store_events(void)
{
    nln_error err = {0};
    const double begin = (double)time(NULL) - 60; /* one second for all */
    for (int u = 0; u < 12; u++)
        for (int i = 0; i < 5; i++) {
            static const char *const items[] = {"tea", "milk", "cake", "jam", "nut"};
            char user[16];
            nln_verdict verdict;
            snprintf(user, sizeof user, "s%d", u);
            nln_event e = {.user = user,
                           .item = items[(u + i) % 5],
                           .kind = (u + i) % 3 ? NLN_EVENT_LIKE : NLN_EVENT_DISLIKE,
                           .time = begin + i};
            tiny_need(nln_store_append(&verdict, server->store, &e, 1, &err), &err);
        }
}

static int open_server(void **state)
{
    char settings[600];
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    snprintf(settings, sizeof settings, "store=%s", scratch_path("events"));
    server = asking_loaded(scratch_path("model"), settings);
    server->slot.served->modified -= 3600; /* so that the events are newer */
    store_events();
    return 0;
}

static int close_server(void **state)
{
    nln_serve_free(server);
    return scratch_teardown(state);
}

/* Waits for the end; the state is in `out`. */
static void wait_for_end(char *out, size_t room)
{
    for (int i = 0; i < 3000; i++) {
        nln_text t = {0};
        nln_json_out_open(&t, NULL, '{');
        nln_trainer_service_print(&t, server->trainer);
        nln_json_out_close(&t, '}');
        snprintf(out, room, "%.*s", (int)t.n, t.bytes);
        nln_text_free(&t);
        if (!strstr(out, "\"state\":\"running\""))
            return;
        client_sleep(10);
    }
    fail_msg("the training does not end: %s", out);
}

/* Every note of a stream once, in order, from where it is told to begin. */
static int read_stream(char *out, size_t room, int64_t after)
{
    nln_stream s = {0};
    size_t n = 0;
    if (!nln_trainer_service_follow(&s, server->trainer, after))
        return 0;
    for (ptrdiff_t got; (got = s.read(s.context, out + n, 50)) >= 0 && n + 60 < room;)
        n += (size_t)got;
    out[n] = '\0';
    s.free(s.context);
    return 1;
}

static void test_a_training_from_the_store_is_measured_and_told(void **state)
{
    static char text[1 << 16], end[1 << 16];
    nln_error err = {0};
    (void)state;
    assert_false(read_stream(text, sizeof text, -1)); /* nothing has happened yet */
    tiny_need(nln_trainer_service_begin(server->trainer, &(nln_training_job){.epochs = 3}, &err),
              &err);
    assert_int_equal(
        nln_trainer_service_begin(server->trainer, &(nln_training_job){.epochs = 1}, &err),
        NLN_LIMIT);
    wait_for_end(text, sizeof text);
    if (!strstr(text, "\"state\":\"done\"") && !strstr(text, "\"state\":\"kept\""))
        fail_msg("%s", text);
    assert_non_null(strstr(text, "12 newest events, which neither has learned"));
    /* The file of the old model stays beside that of a new one. */
    char previous[600];
    snprintf(previous, sizeof previous, "%s.previous", server->model_path);
    int is_done = strstr(text, "\"state\":\"done\"") != NULL;
    assert_int_equal(access(previous, R_OK) == 0, is_done);
    assert_int_equal(strstr(text, "with the ending .previous") != NULL, is_done);
    assert_non_null(strstr(text, "learning from 48 interactions of store"));
    assert_non_null(strstr(text, "\"epoch\":3"));
    assert_true(read_stream(text, sizeof text, -1));
    assert_non_null(strstr(text, "event: state\n"));
    assert_non_null(strstr(text, "event: epoch\n"));
    const char *last = strstr(text, "event: end\n");
    assert_non_null(last);
    /* From Last-Event-ID on only what is new. */
    while (last > text && strncmp(last, "id: ", 4) != 0)
        last--;
    int64_t id = strtoll(last + 4, NULL, 10);
    assert_true(read_stream(end, sizeof end, id - 1));
    assert_string_equal(end, last);
    assert_false(read_stream(end, sizeof end, id));
}

static void test_a_training_is_stopped(void **state)
{
    static char text[1 << 16];
    nln_error err = {0};
    (void)state;
    assert_false(nln_trainer_service_stop(server->trainer));
    tiny_need(
        nln_trainer_service_begin(server->trainer, &(nln_training_job){.epochs = 1000000}, &err),
        &err);
    client_sleep(100);
    assert_true(nln_trainer_service_stop(server->trainer));
    wait_for_end(text, sizeof text);
    assert_non_null(strstr(text, "\"state\":\"stopped\""));
}

static void test_data_that_are_sent(void **state)
{
    static char text[1 << 16];
    nln_error err = {0};
    char before[24];
    (void)state;
    nln_served *served = nln_model_slot_take(&server->slot);
    memcpy(before, served->version, sizeof before);
    nln_served_release(served);
    const char *logic = "a & b\tT\na | !c\tF\n!a\tF\nb\tT\nc\tT\na\tT\nb & c\tT\na & !c\tF\n"
                        "b\tT\na | c\tT\n";
    nln_training_job job = {.data = logic, .task = "logic", .epochs = 2};
    tiny_need(nln_trainer_service_begin(server->trainer, &job, &err), &err);
    wait_for_end(text, sizeof text);
    assert_non_null(strstr(text, "\"state\":\"kept\""));
    job.data = "a & b\n";
    tiny_need(nln_trainer_service_begin(server->trainer, &job, &err), &err);
    wait_for_end(text, sizeof text);
    assert_non_null(strstr(text, "\"state\":\"failed\""));
    assert_non_null(strstr(text, "a line must be"));
    served = nln_model_slot_take(&server->slot);
    assert_string_equal(served->version, before);
    nln_served_release(served);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_that_are_sent),
        cmocka_unit_test(test_a_training_is_stopped),
    };
    const struct CMUnitTest first[] = {
        cmocka_unit_test(test_a_training_from_the_store_is_measured_and_told),
    };
    int failed = cmocka_run_group_tests(first, open_server, close_server);
    return failed + cmocka_run_group_tests(tests, open_server, close_server);
}
