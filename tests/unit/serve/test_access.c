#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "scratch.h"
#include "serve/access.h"

static void test_keys_have_roles(void **state)
{
    nln_keys keys;
    nln_error err = {0};
    (void)state;
    const char *path =
        scratch_text("keys", "# who may ask\nread alpha\n  write\tbeta \ngamma admin\nread beta");
    assert_int_equal(nln_keys_read(&keys, path, &err), NLN_OK);
    assert_int_equal(nln_keys_role(&keys, "alpha"), NLN_ROLE_READ);
    assert_int_equal(nln_keys_role(&keys, "beta"), NLN_ROLE_WRITE);
    assert_int_equal(nln_keys_role(&keys, "gamma"), NLN_ROLE_ADMIN);
    /* Beginnings, repetitions and longer texts of a key are none. */
    static const char *const others[] = {"", "alph", "alphaa", "alphaalpha", "Alpha", "read"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(nln_keys_role(&keys, others[i]), NLN_ROLE_NONE);
    nln_keys_free(&keys);
}

static void test_bad_files_of_keys_are_told(void **state)
{
    static const char *const texts[] = {"", "# nothing\n", "read\n", "alpha\n", "reed alpha\n"};
    nln_keys keys;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nln_error err = {0};
        const char *path = scratch_text("keys", texts[i]);
        assert_true(nln_keys_read(&keys, path, &err) != NLN_OK);
        assert_true(err.message[0] && !strstr(err.message, "alpha"));
        assert_null(keys.rows);
    }
    assert_int_equal(nln_keys_read(&keys, "/nowhere", NULL), NLN_IO);
}

static void test_a_key_is_in_either_header(void **state)
{
    (void)state;
    assert_string_equal(nln_keys_given("Bearer abc", NULL), "abc");
    assert_string_equal(nln_keys_given("bearer  abc", "x"), "abc");
    assert_string_equal(nln_keys_given("Basic abc", "x"), "x");
    assert_null(nln_keys_given(NULL, NULL));
}

static void test_origins(void **state)
{
    const char *list = "https://shop.example, http://other.example:81";
    (void)state;
    assert_true(nln_access_origin(NULL, "127.0.0.1:80", ""));
    assert_true(nln_access_origin("http://127.0.0.1:80", "127.0.0.1:80", ""));
    assert_false(nln_access_origin("http://127.0.0.1:81", "127.0.0.1:80", ""));
    assert_false(nln_access_origin("http://evil.example", "127.0.0.1:80", ""));
    assert_false(nln_access_origin("null", "127.0.0.1:80", ""));
    assert_true(nln_access_origin("https://shop.example", "h", list));
    assert_true(nln_access_origin("http://other.example:81", "h", list));
    assert_false(nln_access_origin("http://other.example:8", "h", list));
    assert_false(nln_access_origin("https://shop.example.evil.example", "h", list));
}

static void test_names_of_this_machine(void **state)
{
    static const char *const ours[] = {"localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.1.2.3",
                                       "[::1]:80"};
    static const char *const others[] = {"evil.example", "127.0.0.1.evil.example", "10.0.0.1:80",
                                         "localhost.evil.example"};
    (void)state;
    assert_true(nln_access_local_name(NULL));
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        assert_true(nln_access_local_name(ours[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(nln_access_local_name(others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_have_roles),
        cmocka_unit_test(test_bad_files_of_keys_are_told),
        cmocka_unit_test(test_a_key_is_in_either_header),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_names_of_this_machine),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
