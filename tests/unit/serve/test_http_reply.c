#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listening.h"

static void headers_say_what_a_reply_is(void **state)
{
    nln_serve *s = start("allow-origin=http://shop.test");
    int port = nln_serve_port(s);
    (void)state;
    assert_int_equal(get(s, "/api/v1/model"), 200);
    assert_non_null(strstr(reply, "Content-Type: application/json"));
    assert_non_null(strstr(reply, "X-Content-Type-Options: nosniff"));
    assert_non_null(strstr(reply, "Cache-Control: no-store"));
    assert_null(strstr(reply, "Access-Control-Allow-Origin"));
    assert_int_equal(get(s, "/"), 200);
    assert_non_null(strstr(reply, "frame-ancestors 'none'"));
    assert_non_null(strstr(reply, "Cache-Control: no-cache"));
    assert_int_equal(client_ask(reply, sizeof reply, port, "GET", "/api/v1/model",
                                "Origin: http://shop.test\r\n", ""),
                     200);
    assert_non_null(strstr(reply, "Access-Control-Allow-Origin: http://shop.test"));
    client_ask(reply, sizeof reply, port, "GET", "/api/v1/model", "Origin: http://evil.test\r\n",
               "");
    assert_null(strstr(reply, "evil"));
    assert_int_equal(post(s, "/health/live", "{}"), 405);
    assert_non_null(strstr(reply, "Allow: GET"));
    nln_serve_free(s);
}

/* A page that the client has is not sent again. */
static void an_etag_saves_the_page(void **state)
{
    nln_serve *s = start("");
    char header[200];
    (void)state;
    assert_int_equal(get(s, "/"), 200);
    const char *etag = strstr(reply, "ETag: ");
    assert_non_null(etag);
    snprintf(header, sizeof header, "If-None-Match: %.*s\r\n", (int)strcspn(etag + 6, "\r"),
             etag + 6);
    assert_int_equal(client_ask(reply, sizeof reply, nln_serve_port(s), "GET", "/", header, ""),
                     304);
    nln_serve_free(s);
}

/* A stream that waits for more is counted, and let go when its client leaves. */
static void streams_end(void **state)
{
    nln_serve *s = start("ping=0.1");
    nln_error err = {0};
    nln_training_job job = {.data = "u,i\n", .task = "topk"};
    static char text[20000];
    size_t n = 0;
    (void)state;
    n += (size_t)snprintf(text, sizeof text, "user,item,rating,time\n");
    for (int i = 0; i < 600; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "u%d,i%d,%d,%d\n", i / 10, i * 7 % 31,
                              i % 5 + 1, i);
    job.data = text;
    job.epochs = 1000000;
    tiny_need(nln_trainer_service_begin(s->trainer, &job, &err), &err);
    int fd = client_connect(nln_serve_port(s));
    client_write(fd, "GET /api/v1/train/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < 500 && !nln_http_count(s->http).streams; i++)
        client_sleep(10);
    assert_int_equal(nln_http_count(s->http).streams, 1);
    close(fd);
    for (int i = 0; i < 1000 && nln_http_count(s->http).streams; i++)
        client_sleep(10);
    assert_int_equal(nln_http_count(s->http).streams, 0);
    nln_trainer_service_stop(s->trainer);
    nln_serve_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_say_what_a_reply_is),
        cmocka_unit_test(an_etag_saves_the_page),
        cmocka_unit_test(streams_end),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
