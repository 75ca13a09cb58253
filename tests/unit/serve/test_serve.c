#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static int make_model(void **state)
{
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    return 0;
}

static void test_a_server_that_cannot_start_says_why(void **state)
{
    nln_serve *s = NULL;
    nln_error err = {0};
    (void)state;
    tiny_need(nln_serve_create(&s, scratch_path("none"), &err), &err);
    assert_int_equal(nln_serve_set(s, "lisen", "x", &err), NLN_UNKNOWN);
    assert_int_equal(nln_serve_start(s, &err), NLN_IO);
    assert_int_equal(nln_serve_port(s), 0);
    nln_serve_free(s);
    tiny_need(nln_serve_create(&s, scratch_path("model"), &err), &err);
    tiny_need(nln_serve_set(s, "listen", "0.0.0.0:0", &err), &err);
    assert_int_equal(nln_serve_start(s, &err), NLN_INVALID);
    nln_serve_free(s);
}

static void test_two_servers_cannot_have_one_port(void **state)
{
    nln_serve *a = asking_server(scratch_path("model"), "listen=127.0.0.1:0"), *b = NULL;
    nln_error err = {0};
    char address[40];
    (void)state;
    tiny_need(nln_serve_start(a, &err), &err);
    snprintf(address, sizeof address, "listen=127.0.0.1:%d", nln_serve_port(a));
    b = asking_server(scratch_path("model"), address);
    assert_int_equal(nln_serve_start(b, &err), NLN_IO);
    nln_serve_free(b);
    nln_serve_free(a);
}

/* Asks until told to stop, and counts what failed. */
typedef struct load {
    int port;
    atomic_int stop, asked, failed;
} load;

static void *ask_on(void *context)
{
    load *l = context;
    char reply[8192];
    while (!atomic_load(&l->stop)) {
        int status = client_ask(reply, sizeof reply, l->port, "POST", "/api/v1/recommend", "",
                                "{\"history\":[{\"item\":\"tea\",\"liked\":true}],\"k\":3}");
        atomic_fetch_add(&l->asked, 1);
        atomic_fetch_add(&l->failed, status != 200);
    }
    return NULL;
}

static void test_a_swap_under_load_fails_nobody(void **state)
{
    nln_serve *s = asking_server(scratch_path("model"), "listen=127.0.0.1:0 threads=2");
    nln_error err = {0};
    pthread_t threads[3];
    (void)state;
    tiny_need(nln_serve_start(s, &err), &err);
    load l = {.port = nln_serve_port(s)};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, ask_on, &l);
    for (int i = 0; i < 20; i++) {
        tiny_need(nln_serve_reload(s, &err), &err);
        client_sleep(2);
    }
    atomic_store(&l.stop, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_true(atomic_load(&l.asked) > 20);
    assert_int_equal(atomic_load(&l.failed), 0);
    assert_int_equal(atomic_load(&s->slot.swaps), 20);
    nln_serve_free(s);
}

static void test_it_stops_and_starts_again_and_leaks_nothing(void **state)
{
    nln_error err = {0};
    (void)state;
    size_t before = nln_memory_used();
    nln_serve *s = asking_server(scratch_path("model"), "listen=127.0.0.1:0 drain=1");
    for (int i = 0; i < 3; i++) {
        char reply[2000];
        tiny_need(nln_serve_start(s, &err), &err);
        int idle = client_connect(nln_serve_port(s)); /* a connection that says nothing */
        assert_int_equal(
            client_ask(reply, sizeof reply, nln_serve_port(s), "GET", "/health/ready", "", ""),
            200);
        nln_serve_stop(s);
        close(idle);
    }
    nln_serve_free(s);
    assert_int_equal(nln_memory_used(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_that_cannot_start_says_why),
        cmocka_unit_test(test_two_servers_cannot_have_one_port),
        cmocka_unit_test(test_a_swap_under_load_fails_nobody),
        cmocka_unit_test(test_it_stops_and_starts_again_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
