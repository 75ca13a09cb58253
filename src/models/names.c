#include "models/names.h"

#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "base/utf8.h"

char *nln_names_text(const nln_symbols *symbols)
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

int nln_names_are_many(const nln_symbols *symbols)
{
    return count_bytes(symbols) > MOST_BYTES;
}

int32_t *nln_names_pack(size_t *n, const nln_symbols *symbols)
{
    *n = (count_bytes(symbols) + sizeof(int32_t) - 1) / sizeof(int32_t);
    int32_t *numbers = nln_array_zeroed(*n, sizeof *numbers);
    char *at = (char *)numbers;
    for (int32_t i = 0; numbers && i < nln_symbols_count(symbols); i++) {
        const char *name = nln_symbols_name(symbols, i);
        size_t length = strlen(name) + 1;
        memcpy(at, name, length);
        at += length;
    }
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

nln_status nln_names_parse(nln_symbols *symbols, const char **problem, const char *text)
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

nln_status nln_names_unpack(nln_symbols *symbols, const char **problem, const nln_tensor *packed)
{
    const char *bytes = (const char *)packed->whole;
    size_t n = packed->shape[0] * sizeof *packed->whole, end = n;
    *problem = "its list of names is not one row of bytes";
    if (packed->n_dims != 1 || !bytes)
        return NLN_FORMAT;
    while (end > 0 && !bytes[end - 1])
        end--;
    *problem = "its list of names has no end";
    if (end == 0 || n - end < 1 || n - end > sizeof *packed->whole)
        return NLN_FORMAT;
    nln_status status = NLN_OK;
    for (size_t at = 0, length; !status && at < end; at += length + 1) {
        length = strlen(bytes + at);
        status = add(symbols, problem, bytes + at, length);
    }
    return status;
}
