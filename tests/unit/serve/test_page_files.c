#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "serve/page_files.h"

static const nln_page_file *find(const char *path)
{
    for (const nln_page_file *file = nln_page_files; file->path; file++)
        if (!strcmp(file->path, path))
            return file;
    return NULL;
}

static void paths_are_sorted_and_the_first_is_the_page(void **state)
{
    (void)state;
    assert_string_equal(nln_page_files[0].path, "/");
    assert_string_equal(nln_page_files[0].type, "text/html; charset=utf-8");
    for (const nln_page_file *file = nln_page_files; file[1].path; file++)
        assert_true(strcmp(file[0].path, file[1].path) < 0);
    assert_null(find("/index.html"));
    assert_string_equal(find("/page.js")->type, "text/javascript; charset=utf-8");
    assert_string_equal(find("/page.css")->type, "text/css; charset=utf-8");
}

static void the_bytes_are_those_of_the_folder(void **state)
{
    (void)state;
    for (const nln_page_file *file = nln_page_files; file->path; file++) {
        char path[4096];
        const char *name = strcmp(file->path, "/") ? file->path : "/index.html";
        unsigned char *bytes = malloc(file->size + 1);
        FILE *stream = NULL;

        snprintf(path, sizeof path, NLN_TEST_DATA "/../page%s", name);
        stream = fopen(path, "rb");
        assert_non_null(stream);
        assert_non_null(bytes);
        assert_int_equal(fread(bytes, 1, file->size + 1, stream), file->size);
        assert_memory_equal(bytes, file->bytes, file->size);
        fclose(stream);
        free(bytes);
    }
}

static void gzip_unpacks_to_the_same_bytes(void **state)
{
    (void)state;
    size_t packed = 0;
    for (const nln_page_file *file = nln_page_files; file->path; file++) {
        z_stream z = {0};
        unsigned char *bytes = NULL;

        if (!file->gzip)
            continue;
        packed++;
        assert_true(file->gzip_size < file->size);
        bytes = malloc(file->size + 1);
        assert_non_null(bytes);
        assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
        z.next_in = (unsigned char *)(uintptr_t)file->gzip;
        z.avail_in = (uInt)file->gzip_size;
        z.next_out = bytes;
        z.avail_out = (uInt)file->size + 1;
        assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
        assert_int_equal(z.total_out, file->size);
        assert_memory_equal(bytes, file->bytes, file->size);
        inflateEnd(&z);
        free(bytes);
    }
    assert_true(packed > 0);
}

static void etags_are_quoted_and_differ(void **state)
{
    (void)state;
    for (const nln_page_file *file = nln_page_files; file->path; file++) {
        assert_int_equal(strlen(file->etag), 20);
        assert_memory_equal(file->etag, "W/\"", 3);
        assert_int_equal(file->etag[19], '"');
        for (const nln_page_file *other = file + 1; other->path; other++)
            assert_string_not_equal(file->etag, other->etag);
    }
}

static int contains(const nln_page_file *file, const char *text)
{
    size_t n = strlen(text);

    for (size_t i = 0; i + n <= file->size; i++)
        if (!memcmp(file->bytes + i, text, n))
            return 1;
    return 0;
}

/* The policy of the server allows neither inline script and style nor other hosts. */
static void nothing_is_inline_and_nothing_elsewhere(void **state)
{
    (void)state;
    static const char *const forbidden[] = {
        "<style",   " style=",   " onclick=", " onload=",     "javascript:",
        "@import",  "innerHTML", "eval(",     "src=\"http",   "href=\"http",
        "src=\"//", "href=\"//", "url(http",  "fetch(\"http",
    };
    for (const nln_page_file *file = nln_page_files; file->path; file++)
        for (size_t i = 0; i < sizeof forbidden / sizeof forbidden[0]; i++)
            if (contains(file, forbidden[i]))
                fail_msg("%s has %s", file->path, forbidden[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_sorted_and_the_first_is_the_page),
        cmocka_unit_test(the_bytes_are_those_of_the_folder),
        cmocka_unit_test(gzip_unpacks_to_the_same_bytes),
        cmocka_unit_test(etags_are_quoted_and_differ),
        cmocka_unit_test(nothing_is_inline_and_nothing_elsewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
