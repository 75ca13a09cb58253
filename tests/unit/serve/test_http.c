#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static char reply[1 << 17];

static int make_model(void **state)
{
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    return 0;
}

static nln_serve *start(const char *settings)
{
    char all[700];
    snprintf(all, sizeof all, "listen=127.0.0.1:0 threads=2 %s", settings);
    nln_serve *s = asking_server(scratch_path("model"), all);
    nln_error err = {0};
    tiny_need(nln_serve_start(s, &err), &err);
    return s;
}

static int get(nln_serve *s, const char *path)
{
    return client_ask(reply, sizeof reply, nln_serve_port(s), "GET", path, "", "");
}

static int post(nln_serve *s, const char *path, const char *body)
{
    return client_ask(reply, sizeof reply, nln_serve_port(s), "POST", path, "", body);
}

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

static void test_a_request_that_trickles_in_is_given_up(void **state)
{
    nln_serve *s = start("request-time=0.5");
    (void)state;
    int fd = client_connect(nln_serve_port(s));
    client_write(fd,
                 "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{");
    for (int i = 0; i < 10; i++) { /* it never pauses for long */
        client_sleep(100);
        client_write(fd, " ");
    }
    assert_int_equal(client_read(reply, sizeof reply, fd), 408);
    close(fd);
    assert_int_equal(nln_http_count(s->http).late, 1);
    nln_serve_free(s);
}

static void test_limits_of_connections(void **state)
{
    nln_serve *s = start("connections=4 per-address=3");
    int fd[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        fd[i] = client_connect(nln_serve_port(s));
        client_write(fd[i], "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_int_equal(client_read(reply, sizeof reply, fd[i]), 200);
    }
    assert_int_equal(get(s, "/health/live"), 429);
    assert_non_null(strstr(reply, "Retry-After"));
    for (int i = 0; i < 3; i++)
        close(fd[i]);
    for (int i = 0; i < 100 && nln_http_count(s->http).connections; i++)
        client_sleep(10);
    assert_int_equal(get(s, "/health/live"), 200);
    nln_serve_free(s);
}

/* Broken requests harm nobody. */
static void test_what_is_no_http(void **state)
{
    static const char *const texts[] = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999"
        "\r\n\r\n",
        "POST /api/v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz"
        "\r\n",
        "GET /%00%ff%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    };
    nln_serve *s = start("");
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int fd = client_connect(nln_serve_port(s));
        client_write(fd, texts[i]);
        shutdown(fd, SHUT_WR);
        int status = client_read(reply, sizeof reply, fd);
        assert_true(status == 0 || status == 200 || status >= 400);
        close(fd);
    }
    assert_int_equal(get(s, "/health/live"), 200);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests_are_answered),
        cmocka_unit_test(test_large_bodies_are_refused),
        cmocka_unit_test(test_a_request_that_trickles_in_is_given_up),
        cmocka_unit_test(test_limits_of_connections),
        cmocka_unit_test(test_what_is_no_http),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
