#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/random.h"
#include "models/safetensors.h"
#include "scratch.h"

static const float numbers[] = {1, -2, 3.5f, 0, 1e-30f, -0.0f, 7, 8, 3e38f, 10, 11, 12};
/* The first six in a file, on every machine. */
static const unsigned char in_file[] = {0, 0, 0x80, 0x3f, 0,    0,    0,    0xc0, 0, 0, 0x60, 0x40,
                                        0, 0, 0,    0,    0x60, 0x42, 0xa2, 0x0d, 0, 0, 0,    0x80};
static const nln_tensor tensors[] = {
    {"zeta", 2, {2, 3}, numbers, NULL},
    {"alpha", 1, {5, 1}, numbers + 6, NULL},
    {"empty", 2, {0, 4}, NULL, NULL},
    {"one \"quoted\" \xc3\xa9", 2, {1, 1}, numbers + 11, NULL},
};
enum { N_TENSORS = sizeof tensors / sizeof *tensors };
static const nln_pair metadata[] = {
    {"format", "nln"}, {"empty", ""}, {"names", "a\nb\t\"c\" \xe2\x88\xa7"}};

static const char *write_sample(void)
{
    nln_error err = {0};
    const char *path = scratch_path("model.safetensors");
    assert_int_equal(nln_safetensors_write(path, tensors, N_TENSORS, metadata, 3, &err), NLN_OK);
    return path;
}

static void expect_sample(const nln_safetensors *file)
{
    for (size_t i = 0; i < N_TENSORS; i++) {
        const nln_tensor *t = nln_safetensors_tensor(file, tensors[i].name);
        size_t n = tensors[i].shape[0] * tensors[i].shape[1];
        assert_non_null(t);
        assert_int_equal(t->n_dims, tensors[i].n_dims);
        assert_memory_equal(t->shape, tensors[i].shape, sizeof t->shape);
        if (n > 0)
            assert_memory_equal(t->data, tensors[i].data, n * sizeof(float));
    }
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(nln_safetensors_metadata(file, metadata[i].key), metadata[i].value);
    assert_null(nln_safetensors_tensor(file, "beta"));
    assert_null(nln_safetensors_tensor(file, "__metadata__"));
    assert_null(nln_safetensors_metadata(file, "zeta"));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    nln_safetensors *file;
    nln_error err = {0};
    size_t n;
    assert_int_equal(nln_safetensors_read(&file, write_sample(), &err), NLN_OK);
    expect_sample(file);
    nln_safetensors_free(file);
    char *bytes = scratch_read(&n, "model.safetensors");
    for (size_t shift = 0; shift < 4; shift++) { /* whatever the alignment of the bytes */
        char *moved = malloc(n + shift);
        memcpy(moved + shift, bytes, n);
        assert_int_equal(nln_safetensors_parse(&file, moved + shift, n, "x", &err), NLN_OK);
        free(moved);
        expect_sample(file);
        nln_safetensors_free(file);
    }
    free(bytes);
    nln_safetensors_free(NULL);
}

static void nothing_at_all_is_a_file_too(void **state)
{
    (void)state;
    nln_safetensors *file;
    nln_error err = {0};
    const char *path = scratch_path("none");
    assert_int_equal(nln_safetensors_write(path, NULL, 0, NULL, 0, &err), NLN_OK);
    assert_int_equal(nln_safetensors_read(&file, path, &err), NLN_OK);
    assert_null(nln_safetensors_metadata(file, "x"));
    nln_safetensors_free(file);
}

static void tensors_start_at_a_multiple_of_64(void **state)
{
    (void)state;
    nln_error err = {0};
    char value[200];
    size_t n;
    for (int length = 0; length < 130; length++) {
        memset(value, 'v', sizeof value);
        value[length] = '\0';
        nln_pair pair = {"k", value};
        const char *path = scratch_path("padded");
        assert_int_equal(nln_safetensors_write(path, tensors, 1, &pair, 1, &err), NLN_OK);
        char *bytes = scratch_read(&n, "padded");
        size_t header = (unsigned char)bytes[0] + 256u * (unsigned char)bytes[1];
        assert_int_equal((header + 8) % 64, 0);
        assert_int_equal(n, header + 8 + 24);
        assert_memory_equal(bytes + header + 8, in_file, sizeof in_file);
        assert_int_equal(bytes[8], '{');
        free(bytes);
    }
}

static void what_cannot_be_read_back_is_not_written(void **state)
{
    (void)state;
    const float bad[] = {1, NAN}, worse[] = {-INFINITY};
    const struct {
        nln_tensor tensors[2];
        size_t n;
        nln_pair pairs[2];
        size_t n_pairs;
        nln_status status;
    } cases[] = {
        {{{"a", 1, {1, 1}, numbers, NULL}, {"a", 1, {1, 1}, numbers, NULL}},
         2,
         {{0}},
         0,
         NLN_INVALID},
        {{{"__metadata__", 1, {1, 1}, numbers, NULL}}, 1, {{0}}, 0, NLN_INVALID},
        {{{"\xff", 1, {1, 1}, numbers, NULL}}, 1, {{0}}, 0, NLN_INVALID},
        {{{"a", 3, {1, 1}, numbers, NULL}}, 1, {{0}}, 0, NLN_INVALID},
        {{{"a", 1, {1, 2}, numbers, NULL}}, 1, {{0}}, 0, NLN_INVALID},
        {{{"a", 2, {SIZE_MAX, 2}, numbers, NULL}}, 1, {{0}}, 0, NLN_INVALID},
        {{{"a", 1, {2, 1}, bad, NULL}}, 1, {{0}}, 0, NLN_NUMERIC},
        {{{"a", 1, {1, 1}, worse, NULL}}, 1, {{0}}, 0, NLN_NUMERIC},
        {{{0}}, 0, {{"k", "\xc3"}}, 1, NLN_INVALID},
        {{{0}}, 0, {{"\xc3", "v"}}, 1, NLN_INVALID},
        {{{0}}, 0, {{"k", "v"}, {"k", "w"}}, 2, NLN_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        const char *path = scratch_path("bad");
        assert_int_equal(nln_safetensors_write(path, cases[i].tensors, cases[i].n, cases[i].pairs,
                                               cases[i].n_pairs, &err),
                         cases[i].status);
        assert_non_null(strstr(err.message, path));
        assert_int_equal(scratch_count(), 0);
    }
}

/* Parses a file made of this header, in a block of exactly its size. */
static nln_status parse_header(const char *header, size_t n_data, nln_error *err)
{
    size_t n = strlen(header);
    unsigned char *bytes = calloc(1, 8 + n + n_data);
    nln_safetensors *file = (nln_safetensors *)bytes;
    bytes[0] = (unsigned char)n;
    bytes[1] = (unsigned char)(n >> 8);
    memcpy(bytes + 8, header, n);
    nln_status status = nln_safetensors_parse(&file, bytes, 8 + n + n_data, "m.st", err);
    assert_int_equal(status != NLN_OK, file == NULL);
    nln_safetensors_free(file);
    free(bytes);
    return status;
}

static void each_malformation_has_its_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t n_data;
        const char *message; /* NULL when it is fine */
    } cases[] = {
#define A(shape, offsets) \
    "\"a\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define B(shape, offsets) \
    "\"b\":{\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
        {"{}", 0, NULL},
        {"  {}  ", 0, NULL},
        {"{" A("[2]", "[0,8]") "}", 8, NULL},
        {"{" A("[2]", "[4,12]") "," B("[1,1]", "[0,4]") "}", 12, NULL},
        {"{" A("[2,0]", "[4,4]") "," B("[1]", "[0,4]") "}", 4, NULL},
        {"", 0, "not valid JSON"},
        {"[]", 0, "not a JSON object"},
        {"{} x", 0, "not valid JSON"},
        {"{" A("[1]", "[0,4]") "," A("[1]", "[4,8]") "}", 8, "duplicate"},
        {"{\"__metadata__\":[]}", 0, "metadata of 'm.st' are not"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "metadata 'k' of 'm.st' is not a string"},
        {"{\"a\":1}", 0, "not described by a JSON object"},
        {"{\"a\":{}}", 0, "neither of type F32"},
        {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2,
         "neither of type F32"},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "has no shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "no data_offsets"},
        {"{" A("[]", "[0,4]") "}", 4, "neither one dimension nor two"},
        {"{" A("[1,1,1]", "[0,4]") "}", 4, "neither one dimension nor two"},
        {"{" A("[-1]", "[0,4]") "}", 4, "whole numbers"},
        {"{" A("[1.0]", "[0,4]") "}", 4, "whole numbers"},
        {"{" A("[\"1\"]", "[0,4]") "}", 4, "whole numbers"},
        {"{" A("[1]", "[0]") "}", 4, "no data_offsets"},
        {"{" A("[1]", "[-4,0]") "}", 4, "no data_offsets"},
        {"{" A("[1]", "[4,0]") "}", 4, "ends before it begins"},
        {"{" A("[2]", "[0,8]") "}", 4, "beyond the end of the file"},
        {"{" A("[1]", "[0,9223372036854775807]") "}", 4, "beyond the end of the file"},
        {"{" A("[1]", "[0,99999999999999999999]") "}", 4, "not valid JSON"},
        {"{" A("[4294967296,4294967296]", "[0,0]") "}", 0, "too large"},
        {"{" A("[4611686018427387904]", "[0,0]") "}", 0, "too large"},
        {"{" A("[2]", "[0,4]") "}", 4, "does not fit"},
        {"{" A("[2]", "[0,8]") "," B("[2]", "[4,12]") "}", 12, "overlaps"},
        {"{" A("[1]", "[0,4]") "," B("[1]", "[0,4]") "}", 4, "overlaps"},
        {"{" A("[1]", "[4,8]") "}", 8, "belong to no tensor"},
        {"{" A("[1]", "[0,4]") "}", 7, "the last 3 bytes"},
        {"{\"a\\u0000\":{}}", 0, "not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_error err = {0};
        nln_status status = parse_header(cases[i].header, cases[i].n_data, &err);
        assert_int_equal(status, cases[i].message ? NLN_FORMAT : NLN_OK);
        if (cases[i].message &&
            (!strstr(err.message, cases[i].message) || !strstr(err.message, "m.st")))
            fail_msg("case %zu: %s", i, err.message);
    }
}

static void deep_headers_are_refused(void **state)
{
    (void)state;
    static char header[60001];
    nln_error err = {0};
    memset(header, '[', sizeof header - 1);
    assert_int_equal(parse_header(header, 0, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "depth"));
}

static void short_files_and_long_headers_are_refused(void **state)
{
    (void)state;
    static const unsigned char lengths[][8] = {
        {1}, {255, 255, 255, 255, 255, 255, 255, 255}, {0, 0, 0, 0, 0, 0, 0, 128}, {8}};
    nln_safetensors *file;
    nln_error err = {0};
    for (size_t n = 0; n < 8; n++) {
        assert_int_equal(nln_safetensors_parse(&file, lengths, n, "m.st", &err), NLN_FORMAT);
        assert_non_null(strstr(err.message, "no safetensors file"));
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        assert_int_equal(nln_safetensors_parse(&file, lengths[i], 8, "m.st", &err), NLN_FORMAT);
        assert_non_null(strstr(err.message, "header would have"));
    }
    assert_int_equal(nln_safetensors_read(&file, scratch_text("short", "1234567"), &err),
                     NLN_FORMAT);
}

/* A header of 100 MB and a byte, in a sparse file, is refused by its length. */
static void headers_have_a_limit(void **state)
{
    (void)state;
    static const unsigned char length[8] = {0x01, 0xe1, 0xf5, 0x05};
    nln_safetensors *file;
    nln_error err = {0};
    const char *path = scratch_bytes("large", length, 8);
    assert_int_equal(truncate(path, 200000000), 0);
    assert_int_equal(nln_safetensors_read(&file, path, &err), NLN_FORMAT);
    assert_non_null(strstr(err.message, "100000001 bytes"));
}

static void values_must_be_finite(void **state)
{
    (void)state;
    /* A NaN and both infinities, as they are in a file. */
    static const unsigned char bad[][4] = {
        {0, 0, 0xc0, 0x7f}, {0, 0, 0x80, 0x7f}, {0, 0, 0x80, 0xff}};
    write_sample();
    size_t n;
    char *bytes = scratch_read(&n, "model.safetensors");
    for (size_t i = 0; i < 3; i++) {
        nln_safetensors *file;
        nln_error err = {0};
        memcpy(bytes + n - 3 * sizeof bad[i], bad[i], sizeof bad[i]);
        assert_int_equal(nln_safetensors_parse(&file, bytes, n, "m.st", &err), NLN_NUMERIC);
        assert_non_null(strstr(err.message, "value 3 of the tensor 'alpha' of 'm.st'"));
    }
    free(bytes);
}

static void unreadable_paths_say_why(void **state)
{
    (void)state;
    nln_safetensors *file;
    nln_error err = {0};
    assert_int_equal(nln_safetensors_read(&file, scratch_path("none"), &err), NLN_IO);
    assert_non_null(strstr(err.message, strerror(ENOENT)));
    assert_int_equal(nln_safetensors_read(&file, scratch_folder, &err), NLN_IO);
    assert_non_null(strstr(err.message, "not a plain file"));
    assert_null(file);
}

/* Whatever happens to the bytes: a sentence, or a file whose every value is
 * finite and within reach. */
static void damage_is_an_error_or_a_valid_file(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(5, 0);
    size_t n, n_errors = 0, n_trials = 20000;
    write_sample();
    char *bytes = scratch_read(&n, "model.safetensors");
    for (size_t trial = 0; trial < n_trials; trial++) {
        nln_safetensors *file;
        nln_error err = {0};
        size_t kept = trial % 4 ? n : nln_random_below(&r, n), flips = 1 + trial % 3;
        char *copy = malloc(kept ? kept : 1);
        memcpy(copy, bytes, kept);
        for (size_t i = 0; i < flips && kept; i++)
            copy[nln_random_below(&r, kept)] ^= (char)(1 << nln_random_below(&r, 8));
        nln_status status = nln_safetensors_parse(&file, copy, kept, "m.st", &err);
        free(copy);
        n_errors += status != NLN_OK;
        if (status) {
            assert_int_equal(err.status, status);
            assert_true(strlen(err.message) > 10);
        } else {
            const nln_tensor *t = nln_safetensors_tensor(file, "zeta");
            for (size_t i = 0; t && i < t->shape[0] * t->shape[1]; i++)
                assert_true(isfinite(t->data[i]));
        }
        nln_safetensors_free(file);
    }
    free(bytes);
    assert_in_range(n_errors, n_trials / 2, n_trials - 1);
}

/* The file is read by a program that knows only the format. */
static void python_reads_it(void **state)
{
    (void)state;
    char command[2048];
    if (system("python3 --version >/dev/null 2>&1")) {
        print_message("SKIP: python3 is not installed, so read_model.py was not run\n");
        skip();
    }
    snprintf(command, sizeof command, "python3 '" NLN_TEST_DATA "/read_model.py' '%s' > '%s'",
             write_sample(), scratch_path("seen"));
    assert_int_equal(system(command), 0);
    size_t n;
    char *seen = scratch_read(&n, "seen");
    assert_non_null(strstr(seen, "zeta\t[2, 3]\t1 -2 3.5 0"));
    assert_non_null(strstr(seen, "alpha\t[5]\t7 8"));
    assert_non_null(strstr(seen, "format = nln"));
    free(seen);
    assert_int_equal(truncate(scratch_path("model.safetensors"), 300), 0);
    assert_int_not_equal(system(strcat(command, " 2>/dev/null")), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/* Bits that would not be finite as a float are fine as whole numbers. */
static void whole_numbers_come_back(void **state)
{
    (void)state;
    static const int32_t whole[] = {0, -1, INT32_MIN, INT32_MAX, 0x7f800000, 0x7fc00001};
    const nln_tensor out[] = {{"f", 1, {2, 1}, numbers, NULL}, {"i", 2, {3, 2}, NULL, whole}};
    nln_safetensors *file = NULL;
    nln_error err = {0};
    assert_int_equal(nln_safetensors_write(scratch_path("w"), out, 2, NULL, 0, &err), NLN_OK);
    assert_int_equal(nln_safetensors_read(&file, scratch_path("w"), &err), NLN_OK);
    const nln_tensor *i = nln_safetensors_tensor(file, "i"), *f = nln_safetensors_tensor(file, "f");
    assert_null(i->data);
    assert_null(f->whole);
    assert_memory_equal(i->whole, whole, sizeof whole);
    assert_memory_equal(f->data, numbers, 2 * sizeof *numbers);
    nln_safetensors_free(file);
    size_t n;
    char *bytes = scratch_read(&n, "w");
    assert_memory_equal(bytes + n - 8, "\0\0\x80\x7f\x01\0\xc0\x7f", 8); /* on every machine */
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(nothing_at_all_is_a_file_too),
        TEST(tensors_start_at_a_multiple_of_64),
        TEST(what_cannot_be_read_back_is_not_written),
        TEST(each_malformation_has_its_sentence),
        TEST(deep_headers_are_refused),
        TEST(short_files_and_long_headers_are_refused),
        TEST(headers_have_a_limit),
        TEST(values_must_be_finite),
        TEST(unreadable_paths_say_why),
        TEST(damage_is_an_error_or_a_valid_file),
        TEST(python_reads_it),
        TEST(whole_numbers_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
