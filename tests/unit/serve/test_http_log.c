#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "listening.h"

static char lines[1 << 16];
static pthread_mutex_t lines_lock = PTHREAD_MUTEX_INITIALIZER;

static void keep_line(void *context, const char *line)
{
    size_t n = strlen(lines);
    (void)context;
    pthread_mutex_lock(&lines_lock);
    snprintf(lines + n, sizeof lines - n, "%s\n", line);
    pthread_mutex_unlock(&lines_lock);
}

static void log_of(const char *settings)
{
    char all[200];
    nln_error err = {0};
    lines[0] = '\0';
    snprintf(all, sizeof all, "listen=127.0.0.1:0 threads=1 %s", settings);
    nln_serve *s = asking_server(scratch_path("model"), all);
    nln_serve_log(s, keep_line, NULL);
    tiny_need(nln_serve_start(s, &err), &err);
    client_ask(reply, sizeof reply, nln_serve_port(s), "GET", "/health/live?secret=1",
               "Authorization: Bearer hush\r\n", "");
    assert_int_equal(post(s, "/api/v1/predict", "{\"private\":1}"), 422);
    nln_serve_stop(s);
    nln_serve_free(s);
}

static const char *line_with(const char *words)
{
    static char line[2000];
    const char *at = strstr(lines, words);
    if (!at)
        return NULL;
    while (at > lines && at[-1] != '\n')
        at--;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

static void every_request_has_a_line(void **state)
{
    (void)state;
    log_of("log=requests");
    const char *line = line_with("/health/live");
    assert_non_null(line);
    json_t *object = json_loads(line, 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(object, "status")), 200);
    assert_string_equal(json_string_value(json_object_get(object, "method")), "GET");
    assert_string_equal(json_string_value(json_object_get(object, "address")), "127.0.0.1");
    assert_true(json_number_value(json_object_get(object, "ms")) >= 0);
    json_decref(object);
    assert_null(strstr(lines, "hush"));
    assert_null(strstr(lines, "secret"));
    assert_null(strstr(lines, "private"));
}

static void problems_alone(void **state)
{
    (void)state;
    log_of("log=problems");
    assert_null(line_with("/health/live"));
    assert_non_null(line_with("\"status\":422"));
    log_of("log=none");
    assert_null(line_with("\"status\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_has_a_line),
        cmocka_unit_test(problems_alone),
    };
    return cmocka_run_group_tests(tests, make_model, scratch_teardown);
}
