#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listening.h"

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

static void test_connections_beyond_the_limit(void **state)
{
    nln_serve *s = start("connections=2");
    int fd[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        fd[i] = client_connect(nln_serve_port(s));
        client_write(fd[i], "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_int_equal(client_read(reply, sizeof reply, fd[i]), 200);
    }
    assert_int_equal(get(s, "/health/live"), 503);
    assert_non_null(strstr(reply, "Retry-After"));
    for (int i = 0; i < 2; i++)
        close(fd[i]);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_that_trickles_in_is_given_up),
        cmocka_unit_test(test_limits_of_connections),
        cmocka_unit_test(test_connections_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
