#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "nln_serve.h"
#include "serve/serve_options.h"

static nln_status read_with(nln_serve_settings *s, nln_options **o, const char *name,
                            const char *value, const char *name_2, const char *value_2)
{
    int n;
    nln_error err = {0};
    const nln_option *rows = nln_serve_options(&n);
    assert_int_equal(nln_options_create_from(o, rows, n, &err), NLN_OK);
    assert_int_equal(nln_options_set(*o, name, value, &err), NLN_OK);
    if (name_2)
        assert_int_equal(nln_options_set(*o, name_2, value_2, &err), NLN_OK);
    nln_status status = nln_serve_settings_read(s, *o, &err);
    assert_true(!status == !err.message[0]);
    return status;
}

static void test_addresses(void **state)
{
    static const struct {
        const char *text, *host, *port;
    } good[] = {{"127.0.0.1:8080", "127.0.0.1", "8080"},
                {"[::1]:0", "::1", "0"},
                {"localhost:99", "localhost", "99"},
                {"8081", "127.0.0.1", "8081"}};
    static const char *const bad[] = {"",
                                      "localhost",
                                      "127.0.0.1:",
                                      "127.0.0.1:x",
                                      "127.0.0.1:70000",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:1.5"};
    nln_serve_settings s;
    nln_options *o;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(read_with(&s, &o, "listen", good[i].text, NULL, NULL), NLN_OK);
        assert_string_equal(s.host, good[i].host);
        assert_string_equal(s.port, good[i].port);
        nln_options_free(o);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_with(&s, &o, "listen", bad[i], NULL, NULL), NLN_INVALID);
        nln_options_free(o);
    }
}

static void test_other_machines_need_keys_or_open(void **state)
{
    nln_serve_settings s;
    nln_options *o;
    (void)state;
    assert_int_equal(read_with(&s, &o, "listen", "0.0.0.0:80", NULL, NULL), NLN_INVALID);
    nln_options_free(o);
    assert_int_equal(read_with(&s, &o, "listen", ":80", NULL, NULL), NLN_INVALID);
    nln_options_free(o);
    assert_int_equal(read_with(&s, &o, "listen", "0.0.0.0:80", "open", "true"), NLN_OK);
    nln_options_free(o);
    assert_int_equal(read_with(&s, &o, "listen", "10.0.0.1:80", "keys", "file"), NLN_OK);
    nln_options_free(o);
    assert_true(nln_serve_is_loopback("127.9.9.9") && nln_serve_is_loopback("::1"));
    assert_false(nln_serve_is_loopback("127.evil.example") || nln_serve_is_loopback("0.0.0.0"));
}

static void test_intervals(void **state)
{
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"every 6h", 21600}, {"90s", 90}, {"every 1.5m", 90}, {"2d", 172800}};
    static const char *const bad[] = {"every", "6", "6 h x", "every 0s", "-1h", "every 6w"};
    nln_serve_settings s;
    nln_options *o;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(read_with(&s, &o, "retrain", good[i].text, "store", "x"), NLN_OK);
        assert_true(s.retrain == good[i].seconds);
        nln_options_free(o);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_with(&s, &o, "retrain", bad[i], "store", "x"), NLN_INVALID);
        nln_options_free(o);
    }
    assert_int_equal(read_with(&s, &o, "retrain", "6h", NULL, NULL), NLN_INVALID);
    nln_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_other_machines_need_keys_or_open),
        cmocka_unit_test(test_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
