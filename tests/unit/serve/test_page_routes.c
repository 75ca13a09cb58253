#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/memory.h"
#include "serve/page_files.h"
#include "serve/routes.h"

static nln_http_request get(const char *path, int takes_gzip, const char *etag)
{
    nln_http_request r = {.status = 200, .takes_gzip = takes_gzip, .if_none_match = etag};
    r.path = nln_memory_copy(path);
    nln_answer_page(&r);
    return r;
}

static void test_every_file_in_both_encodings(void **state)
{
    (void)state;
    for (const nln_page_file *file = nln_page_files; file->path; file++) {
        nln_http_request plain = get(file->path, 0, NULL),
                         packed = get(file->path, 1, "W/\"other\"");
        assert_true(plain.status == 200 && packed.status == 200);
        assert_ptr_equal(plain.constant, file->bytes);
        assert_null(plain.encoding);
        if (file->gzip) {
            assert_ptr_equal(packed.constant, file->gzip);
            assert_string_equal(packed.encoding, "gzip");
        }
        nln_http_request again = get(file->path, 1, file->etag);
        assert_int_equal(again.status, 304);
        assert_null(again.constant);
        nln_http_request_clear(&plain);
        nln_http_request_clear(&packed);
        nln_http_request_clear(&again);
    }
}

static void test_other_paths_are_not_found(void **state)
{
    static const char *const paths[] = {"/none", "/../page.css", "//", ""};
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        nln_http_request r = get(paths[i], 1, NULL);
        assert_int_equal(r.status, 404);
        nln_http_request_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_in_both_encodings),
        cmocka_unit_test(test_other_paths_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
