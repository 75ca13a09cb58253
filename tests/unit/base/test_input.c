#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <zlib.h>
#include <zstd.h>

#include "base/input.h"
#include "base/random.h"
#include "scratch.h"

/* ---- packing: each returns a malloced block ----------------------------- */

static unsigned char *pack_plain(size_t *n, const void *bytes, size_t n_bytes)
{
    unsigned char *out = malloc(n_bytes + 1);
    memcpy(out, bytes, n_bytes);
    *n = n_bytes;
    return out;
}

static unsigned char *pack_gzip(size_t *n, const void *bytes, size_t n_bytes)
{
    z_stream z = {0};
    uLong room = compressBound(n_bytes) + 64;
    unsigned char *out = malloc(room);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)bytes;
    z.avail_in = (uInt)n_bytes;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    *n = z.total_out;
    deflateEnd(&z);
    return out;
}

static unsigned char *pack_zstd(size_t *n, const void *bytes, size_t n_bytes)
{
    size_t room = ZSTD_compressBound(n_bytes);
    unsigned char *out = malloc(room);
    *n = ZSTD_compress(out, room, bytes, n_bytes, 1);
    assert_false(ZSTD_isError(*n));
    return out;
}

typedef unsigned char *packer(size_t *n, const void *bytes, size_t n_bytes);
static packer *const packers[] = {pack_plain, pack_gzip, pack_zstd};

/* ---- helpers ------------------------------------------------------------ */

static char *next(nln_input *in)
{
    char *line;
    size_t length;
    nln_error err = {0};
    assert_int_equal(nln_input_line(&line, &length, in, &err), NLN_OK);
    if (line)
        assert_int_equal(strlen(line), length);
    return line;
}

/* Reads to the end; the status of the first failure and, in *n, the lines before. */
static nln_status drain(long *n, const void *bytes, size_t n_bytes, nln_error *err)
{
    nln_input *in;
    char *line;
    size_t length;
    *n = 0;
    nln_status status = nln_input_memory(&in, bytes, n_bytes, "bytes", err);
    while (!status && !(status = nln_input_line(&line, &length, in, err)) && line)
        *n = nln_input_line_number(in);
    nln_input_close(in);
    return status;
}

/* A text of random lines, some empty, some longer than the reader's buffers. */
static char *random_text(size_t *n, nln_random *r)
{
    char *text = malloc(3 << 20);
    *n = 0;
    for (int i = 0; i < 300; i++) {
        size_t length = nln_random_below(r, i % 100 == 7 ? 400000 : 60);
        for (size_t j = 0; j < length; j++)
            text[(*n)++] = (char)('a' + nln_random_below(r, 26));
        text[(*n)++] = '\n';
    }
    text[*n] = '\0';
    return text;
}

static void expect_text(nln_input *in, const char *text, size_t n)
{
    const char *at = text, *line;
    long number = 0;
    while ((line = next(in))) {
        assert_int_equal(nln_input_line_number(in), ++number);
        assert_memory_equal(line, at, strlen(line));
        at += strlen(line);
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(at - text, n);
}

/* ---- tests -------------------------------------------------------------- */

static void lines_are_those_of_the_text(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    size_t n, packed;
    char *text = random_text(&n, &r);
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        nln_input *in;
        nln_error err = {0};
        unsigned char *bytes = packers[i](&packed, text, n);
        const char *path = scratch_bytes("text", bytes, packed);
        assert_int_equal(nln_input_open(&in, path, &err), NLN_OK);
        assert_string_equal(nln_input_path(in), path);
        expect_text(in, text, n);
        nln_input_close(in);
        assert_int_equal(nln_input_memory(&in, bytes, packed, "bytes", &err), NLN_OK);
        expect_text(in, text, n);
        nln_input_close(in);
        free(bytes);
    }
    free(text);
}

static void streams_may_follow_each_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        nln_input *in;
        nln_error err = {0};
        size_t n1, n2, n3;
        unsigned char *one = packers[i](&n1, "a\nb", 3), *none = packers[i](&n2, "", 0);
        unsigned char *two = packers[i](&n3, "c\nd\n", 4), *all = malloc(n1 + n2 + n3);
        memcpy(all, one, n1);
        memcpy(all + n1, none, n2);
        memcpy(all + n1 + n2, two, n3);
        assert_int_equal(nln_input_memory(&in, all, n1 + n2 + n3, "x", &err), NLN_OK);
        assert_string_equal(next(in), "a");
        assert_string_equal(next(in), "bc");
        assert_string_equal(next(in), "d");
        assert_null(next(in));
        assert_null(next(in));
        nln_input_close(in);
        free(one), free(none), free(two), free(all);
    }
}

static void endings_and_marks_are_stripped(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "one\r\n\r\ntw\ro\n\xef\xbb\xbf\n\nlast";
    nln_input *in;
    nln_error err = {0};
    assert_int_equal(nln_input_memory(&in, text, sizeof text - 1, "x", &err), NLN_OK);
    assert_string_equal(next(in), "one");
    assert_string_equal(next(in), "");
    assert_string_equal(next(in), "tw\ro");
    assert_string_equal(next(in), "\xef\xbb\xbf");
    assert_string_equal(next(in), "");
    assert_string_equal(next(in), "last");
    assert_null(next(in));
    nln_input_close(in);
    long n;
    assert_int_equal(drain(&n, text, 3, &err), NLN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(drain(&n, "", 0, &err), NLN_OK);
    assert_int_equal(n, 0);
    assert_int_equal(drain(&n, "\n", 1, &err), NLN_OK);
    assert_int_equal(n, 1);
}

static void truncation_is_seen_wherever_it_cuts(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(2, 0);
    char text[6000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = nln_random_below(&r, 30) ? (char)('a' + nln_random_below(&r, 26)) : '\n';
    for (size_t i = 1; i < sizeof packers / sizeof *packers; i++) {
        size_t packed;
        unsigned char *bytes = packers[i](&packed, text, sizeof text);
        for (size_t cut = 4; cut < packed; cut++) {
            nln_error err = {0};
            long n;
            unsigned char *part = malloc(cut); /* so that a sanitizer sees overruns */
            memcpy(part, bytes, cut);
            assert_int_equal(drain(&n, part, cut, &err), NLN_FORMAT);
            assert_string_equal(err.file, "bytes");
            assert_int_equal(err.line, n + 1);
            assert_non_null(strstr(err.message, "damaged"));
            free(part);
        }
        free(bytes);
    }
}

static void damage_is_an_error_or_harmless(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(3, 0);
    size_t n_text, packed, n_errors = 0;
    char *text = random_text(&n_text, &r);
    n_text = 3000;
    for (size_t i = 1; i < sizeof packers / sizeof *packers; i++) {
        unsigned char *bytes = packers[i](&packed, text, n_text);
        for (int k = 0; k < 1000; k++) {
            nln_error err = {0};
            long n;
            size_t at = nln_random_below(&r, packed);
            unsigned char old = bytes[at];
            bytes[at] ^= (unsigned char)(1 + nln_random_below(&r, 255));
            n_errors += drain(&n, bytes, packed, &err) != NLN_OK;
            bytes[at] = old;
        }
        free(bytes);
    }
    free(text);
    assert_true(n_errors > 900);
}

static void nul_bytes_have_a_place(void **state)
{
    (void)state;
    static const char text[] = "one\nt\xc3\xa4w\0o\n";
    nln_error err = {0};
    long n;
    assert_int_equal(drain(&n, text, sizeof text - 1, &err), NLN_FORMAT);
    assert_int_equal(n, 1);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 4);
    assert_non_null(strstr(err.message, "NUL"));
}

static void lines_have_a_limit(void **state)
{
    (void)state;
    size_t n_text = ((size_t)64 << 20) + 5, packed;
    char *text = malloc(n_text);
    memset(text, 'a', n_text);
    memcpy(text, "one\n", 4);
    unsigned char *bytes = pack_zstd(&packed, text, n_text);
    nln_error err = {0};
    long n;
    assert_int_equal(drain(&n, bytes, packed, &err), NLN_LIMIT);
    assert_int_equal(n, 1);
    assert_int_equal(err.line, 2);
    free(bytes);
    text[n_text - 1] = '\n'; /* one byte less in the line: just allowed */
    bytes = pack_zstd(&packed, text, n_text);
    assert_int_equal(drain(&n, bytes, packed, &err), NLN_OK);
    assert_int_equal(n, 2);
    free(bytes);
    free(text);
}

static void expect_unopened(const char *path, const char *part)
{
    nln_error err = {0};
    nln_input *in = (nln_input *)&err;
    assert_int_equal(nln_input_open(&in, path, &err), NLN_IO);
    assert_null(in);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, part));
    assert_int_equal(nln_input_open(&in, path, NULL), NLN_IO);
}

static void what_cannot_be_opened_says_why(void **state)
{
    (void)state;
    expect_unopened(scratch_path("none"), "No such file");
    expect_unopened(scratch_folder, "folder");
    const char *path = scratch_text("secret", "x\n");
    chmod(path, 0);
    if (access(path, R_OK)) /* the superuser may read it all the same */
        expect_unopened(path, "Permission denied");
}

static void standard_input_is_a_dash(void **state)
{
    (void)state;
    nln_input *in;
    nln_error err = {0};
    int saved = dup(STDIN_FILENO), ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "a\nb\n", 4), 4);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(nln_input_open(&in, "-", &err), NLN_OK);
    assert_string_equal(nln_input_path(in), "standard input");
    assert_string_equal(next(in), "a");
    assert_string_equal(next(in), "b");
    assert_null(next(in));
    nln_input_close(in);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void columns_count_characters(void **state)
{
    (void)state;
    const char *line = "a \xe2\x88\xa7 \xc3\xa9x";
    assert_int_equal(nln_input_column(line, line), 1);
    assert_int_equal(nln_input_column(line, strchr(line, 'x')), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lines_are_those_of_the_text, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(streams_may_follow_each_other),
        cmocka_unit_test(endings_and_marks_are_stripped),
        cmocka_unit_test(truncation_is_seen_wherever_it_cuts),
        cmocka_unit_test(damage_is_an_error_or_harmless),
        cmocka_unit_test(nul_bytes_have_a_place),
        cmocka_unit_test(lines_have_a_limit),
        cmocka_unit_test_setup_teardown(what_cannot_be_opened_says_why, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(standard_input_is_a_dash),
        cmocka_unit_test(columns_count_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
