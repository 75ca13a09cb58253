#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listening.h"

static void test_requests_are_answered(void **state)
{
    nln_serve *s = start("");
    (void)state;
    assert_int_equal(get(s, "/health/live"), 200);
    assert_non_null(strstr(reply, "X-Content-Type-Options: nosniff"));
    assert_int_equal(post(s, "/api/v1/recommend", "{\"history\":[],\"k\":2}"), 200);
    assert_int_equal(post(s, "/api/v1/recommend",
                          "{\"history\":[{\"item\":\"tea\",\"liked\":true}],\"reasons\":true}"),
                     200);
    assert_int_equal(get(s, "/api/v1/items?query=te%61"), 200);
    assert_non_null(strstr(reply, "\"found\":1"));
    assert_int_equal(get(s, "/api/v1/recommend"), 405);
    assert_non_null(strstr(reply, "Allow: POST"));
    assert_int_equal(post(s, "/none", "{}"), 404);
    assert_int_equal(post(s, "/api/none", "{}"), 404);
    assert_int_equal(get(s, "/"), 200);
    assert_non_null(strstr(reply, "Content-Security-Policy: default-src 'none'"));
    nln_serve_free(s);
}

static void test_large_bodies_are_refused(void **state)
{
    enum { N = 100000 };
    nln_serve *s = start("body-limit=2000");
    char *body = malloc(N + 1);
    (void)state;
    memset(body, ' ', N);
    body[N] = '\0';
    assert_int_equal(post(s, "/api/v1/predict", body), 413);
    /* The same in pieces, without a length. */
    int fd = client_connect(nln_serve_port(s));
    client_write(fd, "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\n"
                     "Transfer-Encoding: chunked\r\n\r\n1000\r\n");
    body[0x1000] = '\0';
    client_write(fd, body);
    client_write(fd, "\r\n0\r\n\r\n");
    assert_int_equal(client_read(reply, sizeof reply, fd), 413);
    close(fd);
    free(body);
    assert_int_equal(get(s, "/health/live"), 200);
    nln_serve_free(s);
}

/* ---- a worker that is held ------------------------------------------------- */

/* Whoever asks for the laws waits on the worker until it is let go. */
static nln_served *hold(nln_serve *s)
{
    nln_served *served = nln_model_slot_take(&s->slot);
    pthread_mutex_lock(&served->laws.lock);
    return served;
}

static void let_go(nln_served *served)
{
    pthread_mutex_unlock(&served->laws.lock);
    nln_served_release(served);
}

/* Returns when `under_way` requests have come, of which `waiting` wait for the worker. */
static int ask_laws(nln_serve *s, size_t under_way, size_t waiting)
{
    int fd = client_connect(nln_serve_port(s));
    client_write(fd, "GET /api/v1/laws HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < 1000 && (nln_http_count(s->http).requests != under_way ||
                                 nln_work_queue_waiting(s->queue) != waiting);
         i++)
        client_sleep(5);
    assert_int_equal(nln_http_count(s->http).requests, under_way);
    assert_int_equal(nln_work_queue_waiting(s->queue), waiting);
    return fd;
}

static void test_a_full_queue_refuses(void **state)
{
    nln_serve *s = start("workers=1 queue=1");
    (void)state;
    nln_served *held = hold(s);
    int first = ask_laws(s, 1, 0), second = ask_laws(s, 2, 1);
    assert_int_equal(get(s, "/api/v1/laws"), 503);
    assert_non_null(strstr(reply, "Retry-After: 1"));
    assert_int_equal(get(s, "/health/ready"), 200); /* which does not queue */
    let_go(held);
    assert_int_equal(client_read(reply, sizeof reply, first), 200);
    assert_int_equal(client_read(reply, sizeof reply, second), 200);
    close(first);
    close(second);
    nln_serve_free(s);
}

static void test_a_client_that_has_gone_is_not_computed_for(void **state)
{
    nln_serve *s = start("workers=1");
    (void)state;
    nln_served *held = hold(s);
    int first = ask_laws(s, 1, 0), second = ask_laws(s, 2, 1);
    close(second);
    client_sleep(20);
    let_go(held);
    assert_int_equal(client_read(reply, sizeof reply, first), 200);
    for (int i = 0; i < 1000 && nln_http_count(s->http).requests; i++)
        client_sleep(5);
    assert_int_equal(nln_http_count(s->http).gone, 1);
    close(first);
    nln_serve_free(s);
}

static void *stop(void *server)
{
    nln_serve_stop(server);
    return NULL;
}

static void test_a_stop_waits_for_what_is_under_way(void **state)
{
    nln_serve *s = start("workers=1");
    int port = nln_serve_port(s), late = 0;
    pthread_t stopping;
    (void)state;
    nln_served *held = hold(s);
    int first = ask_laws(s, 1, 0), second = ask_laws(s, 2, 1);
    assert_int_equal(pthread_create(&stopping, NULL, stop, s), 0);
    for (int i = 0; i < 1000 && (late = client_connect(port)) >= 0; i++) {
        close(late);
        client_sleep(5);
    }
    assert_int_equal(late, -1);
    client_sleep(50);
    let_go(held);
    assert_int_equal(client_read(reply, sizeof reply, first), 200);
    assert_non_null(strstr(reply, "Connection: close"));
    assert_int_equal(client_read(reply, sizeof reply, second), 200);
    close(first);
    close(second);
    pthread_join(stopping, NULL);
    nln_serve_free(s);
}

/* ---- odd requests ---------------------------------------------------------- */

#define LINE "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\n"
#define LIVE "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
#define BODY "Content-Length: 22\r\n\r\n{\"expressions\": [\"T\"]}"

/* Reads to the end of the connection; returns the number of replies, or -1 if it stays open long
 * after the time of a request. */
static int count_replies(int fd)
{
    double end = nln_clock_now() + 5;
    size_t n = 0;
    int replies = 0;
    while (1) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (nln_clock_now() > end || poll(&p, 1, 5000) <= 0)
            return -1;
        ssize_t got = recv(fd, reply + n, sizeof reply - 1 - n, 0);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    reply[n] = '\0';
    for (const char *at = reply; (at = strstr(at, "HTTP/1.1 ")); at++)
        replies += at == reply || at[-1] == '}' || at[-1] == '\n';
    return replies;
}

/* Every connection ends in time, whatever came on it, and also if its client sends no more but
 * waits; nobody else is harmed. */
static void test_odd_requests_come_to_an_end(void **state)
{
    static const struct {
        const char *text;
        int status, replies; /* -1: whatever the library says */
    } rows[] = {
        {"", 0, 0},
        {"\r\n\r\n", 0, 0},
        {"GET\r\n\r\n", 0, -1},
        {"GET /he", 0, 0},
        {"GET / HTTP/9.9\r\n\r\n", 505, -1},
        {"\x16\x03\x01\x02 a handshake of TLS", 0, 0},
        {"GET / HTTP/1.1\r\nHost: localhost\r\n", 408, 1},
        {LINE "Content-Length: -5\r\n\r\n", 400, -1},
        {LINE "Content-Length: 99999999999999999999\r\n\r\n", 413, -1},
        {LINE "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, -1},
        {LINE "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"expr", 408, 1},
        {LINE "Content-Length: 50\r\n\r\n{\"expressions\"", 408, 1},
        {LINE BODY LINE BODY LINE BODY, 200, 3},
        {LIVE LIVE LIVE "GET /api/v1/laws HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, 4},
        {"GET /health/live HTTP/1.0\r\nHost: localhost\r\n\r\n", 200, 1},
        {"GET /health/live HTTP/1.0\r\n\r\n", 200, 1},
        {"GET /%00%ff%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, 1},
        {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 408,
         1},
        {"POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Length: 22\r\n\r\n{", 408, 1},
    };
    enum { N = sizeof rows / sizeof *rows };
    nln_serve *s = start("request-time=0.5");
    int fd[N][2];
    (void)state;
    for (size_t i = 0; i < N; i++)
        for (int half_closed = 0; half_closed < 2; half_closed++) {
            fd[i][half_closed] = client_connect(nln_serve_port(s));
            client_write(fd[i][half_closed], rows[i].text);
            if (half_closed)
                shutdown(fd[i][half_closed], SHUT_WR);
        }
    for (size_t i = 0; i < N; i++) {
        int n = count_replies(fd[i][0]);
        int status = strncmp(reply, "HTTP/1.1 ", 9) == 0 ? atoi(reply + 9) : 0;
        if (status != rows[i].status || n < 0 || (rows[i].replies >= 0 && n != rows[i].replies))
            fail_msg("%s: status %d, %d replies", rows[i].text, status, n);
        /* The server may answer such a client or take it for gone. */
        if (count_replies(fd[i][1]) < 0)
            fail_msg("%s: half closed, stays open", rows[i].text);
        close(fd[i][0]);
        close(fd[i][1]);
    }
    assert_int_equal(get(s, "/health/live"), 200);
    nln_serve_free(s);
}

static void test_long_headers_are_refused(void **state)
{
    enum { N = 100000 };
    nln_serve *s = start("request-time=0.5");
    char *long_text = malloc(N + 1);
    (void)state;
    memset(long_text, 'a', N);
    long_text[N] = '\0';
    static const char *const heads[] = {"GET /", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: "};
    static const int status[] = {414, 431};
    for (int i = 0; i < 2; i++) {
        int fd = client_connect(nln_serve_port(s));
        client_write(fd, heads[i]);
        client_write(fd, long_text);
        client_write(fd, "\r\n\r\n");
        assert_int_equal(client_read(reply, sizeof reply, fd), status[i]);
        close(fd);
    }
    free(long_text);
    assert_int_equal(get(s, "/health/live"), 200);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_are_answered),
        cmocka_unit_test(test_large_bodies_are_refused),
        cmocka_unit_test(test_a_full_queue_refuses),
        cmocka_unit_test(test_a_client_that_has_gone_is_not_computed_for),
        cmocka_unit_test(test_a_stop_waits_for_what_is_under_way),
        cmocka_unit_test(test_odd_requests_come_to_an_end),
        cmocka_unit_test(test_long_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
