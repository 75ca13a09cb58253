#include "models/model_file_symbols.h"

#include <string.h>

#include "base/array.h"
#include "base/jansson_guard.h"
#include "base/utf8.h"

char *nln_model_file_symbols_text(const nln_symbols *symbols)
{
    json_t *names = json_array();
    int32_t n = nln_symbols_count(symbols);
    int ok = names != NULL;
    for (int32_t i = 0; ok && i < n; i++)
        ok = !json_array_append_new(names, json_string_nocheck(nln_symbols_name(symbols, i)));
    char *text = ok ? nln_json_write(names, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(names);
    return text;
}

/* In the header a byte becomes seven at most, \\u0001, and a name has five more around it. */
enum { MOST_BYTES = 6000000 };

static size_t count_bytes(const nln_symbols *symbols)
{
    size_t n = 0;
    for (int32_t i = 0; i < nln_symbols_count(symbols); i++)
        n += strlen(nln_symbols_name(symbols, i)) + 1;
    return n;
}

int nln_model_file_symbols_are_many(const nln_symbols *symbols)
{
    return count_bytes(symbols) > MOST_BYTES;
}

/* Sets the i-th byte, which is 0; in a file the least byte of a number comes first. */
static void put_byte(int32_t *numbers, size_t i, char byte)
{
    uint32_t x = (uint32_t)(unsigned char)byte << 8 * (i % 4);
    numbers[i / 4] = (int32_t)((uint32_t)numbers[i / 4] | x);
}

static char get_byte(const int32_t *numbers, size_t i)
{
    return (char)((uint32_t)numbers[i / 4] >> 8 * (i % 4) & 0xff);
}

int32_t *nln_model_file_symbols_pack(size_t *n, const nln_symbols *symbols)
{
    *n = (count_bytes(symbols) + sizeof(int32_t) - 1) / sizeof(int32_t);
    int32_t *numbers = nln_array_zeroed(*n, sizeof *numbers);
    size_t at = 0;
    for (int32_t i = 0; numbers && i < nln_symbols_count(symbols); i++, at++)
        for (const char *name = nln_symbols_name(symbols, i); *name; name++)
            put_byte(numbers, at++, *name);
    return numbers;
}

/* Adds one more name, which must be a text of its own. */
static nln_status add(nln_symbols *symbols, const char **problem, const char *name, size_t length)
{
    int32_t known = nln_symbols_count(symbols);
    *problem = "a name in it is not a text";
    if (!length || strlen(name) != length || !nln_utf8_valid(name, length))
        return NLN_FORMAT;
    *problem = "two names in it are the same";
    int32_t id = nln_symbols_intern(symbols, name, length);
    return id < 0 ? NLN_MEMORY : id < known ? NLN_FORMAT : NLN_OK;
}

nln_status nln_model_file_symbols_parse(nln_symbols *symbols, const char **problem,
                                        const char *text)
{
    json_t *names = NULL;
    json_error_t why;
    size_t n = text ? strlen(text) : 0, most = n / 4 + 1; /* a letter, quotes and a comma */
    nln_status status = text ? nln_json_load(&names, &why, text, n, most, 1) : NLN_FORMAT;
    *problem = "it has no list of names in JSON";
    if (!status && !json_is_array(names))
        status = NLN_FORMAT;
    for (size_t i = 0; !status && i < json_array_size(names); i++) {
        const json_t *name = json_array_get(names, i);
        const char *value = json_string_value(name);
        status = add(symbols, problem, value ? value : "", json_string_length(name));
    }
    json_decref(names);
    return status;
}

static nln_status add_all(nln_symbols *symbols, const char **problem, const char *bytes, size_t n)
{
    size_t end = n;
    while (end > 0 && !bytes[end - 1])
        end--;
    *problem = "its list of names has no end";
    if (end == 0 || n - end < 1 || n - end > sizeof(int32_t))
        return NLN_FORMAT;
    nln_status status = NLN_OK;
    for (size_t at = 0, length; !status && at < end; at += length + 1) {
        length = strlen(bytes + at);
        status = add(symbols, problem, bytes + at, length);
    }
    return status;
}

nln_status nln_model_file_symbols_unpack(nln_symbols *symbols, const char **problem,
                                         const nln_tensor *packed)
{
    size_t n = packed->shape[0] * sizeof *packed->whole;
    *problem = "its list of names is not one row of bytes";
    if (packed->n_dims != 1 || !packed->whole)
        return NLN_FORMAT;
    char *bytes = nln_array_zeroed(n, 1);
    if (!bytes)
        return NLN_MEMORY;
    for (size_t i = 0; i < n; i++)
        bytes[i] = get_byte(packed->whole, i);
    nln_status status = add_all(symbols, problem, bytes, n);
    nln_free(bytes);
    return status;
}
