#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "serve/request_metrics.h"

static const char *method(int route)
{
    return route ? "POST" : "GET";
}
static const char *path(int route)
{
    return route ? "/b" : "/a";
}

static void test_counts_and_quantiles(void **state)
{
    nln_request_metrics *m = nln_request_metrics_create(2);
    (void)state;
    for (int i = 0; i < 90; i++)
        nln_request_metrics_add(m, 0, 200, .0008);
    for (int i = 0; i < 9; i++)
        nln_request_metrics_add(m, 0, 422, .04);
    nln_request_metrics_add(m, 0, 503, 20);
    nln_request_metrics_add(m, 1, 418, .0001);
    nln_route_times t = nln_request_metrics_read(m, 0), all = nln_request_metrics_read(m, -1);
    assert_int_equal(t.requests, 100);
    assert_int_equal(t.client_errors, 9);
    assert_int_equal(t.server_errors, 1);
    assert_true(t.p50 > .0005 && t.p50 <= .001 && t.p90 <= .001);
    assert_true(t.p99 > .025 && t.p99 <= .05);
    assert_true(fabs(t.seconds - (90 * .0008 + 9 * .04 + 20)) < 1e-6);
    assert_int_equal(all.requests, 101);
    nln_request_metrics_free(m);
}

static void test_a_route_without_requests_has_no_quantiles(void **state)
{
    nln_request_metrics *m = nln_request_metrics_create(1);
    (void)state;
    assert_true(isnan(nln_request_metrics_read(m, 0).p50));
    nln_request_metrics_free(m);
}

/* Buckets of Prometheus hold everything below their bound, so the last one holds all. */
static void test_the_histogram_adds_up(void **state)
{
    nln_request_metrics *m = nln_request_metrics_create(2);
    nln_text t = {0};
    (void)state;
    nln_request_metrics_add(m, 1, 200, .0001);
    nln_request_metrics_add(m, 1, 200, .3);
    nln_request_metrics_print(&t, m, method, path);
    nln_text_add(&t, "", 1);
    const char *labels = "{method=\"POST\",route=\"/b\",status=\"200\"";
    char line[200];
    strcat(strcat(strcpy(line, "nln_request_seconds_bucket"), labels), ",le=\"0.0001\"} 1\n");
    assert_non_null(strstr(t.bytes, line));
    strcat(strcat(strcpy(line, "nln_request_seconds_bucket"), labels), ",le=\"0.25\"} 1\n");
    assert_non_null(strstr(t.bytes, line));
    strcat(strcat(strcpy(line, "nln_request_seconds_bucket"), labels), ",le=\"+Inf\"} 2\n");
    assert_non_null(strstr(t.bytes, line));
    strcat(strcat(strcpy(line, "nln_request_seconds_count"), labels), "} 2\n");
    assert_non_null(strstr(t.bytes, line));
    assert_null(strstr(t.bytes, "route=\"/a\""));
    nln_text_free(&t);
    nln_request_metrics_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_quantiles),
        cmocka_unit_test(test_a_route_without_requests_has_no_quantiles),
        cmocka_unit_test(test_the_histogram_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
