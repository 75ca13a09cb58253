#include "models/safetensors.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/jansson_guard.h"
#include "base/memory.h"
#include "base/utf8.h"

#define HEADER_LIMIT ((size_t)100 * 1000 * 1000)
#define ALIGNMENT    64
#define METADATA     "__metadata__"

/* Of the header; a tensor takes up to eight. */
enum { MOST_VALUES = 1 << 16, MOST_TENSORS = MOST_VALUES / 8 };

struct nln_safetensors {
    json_t *header; /* owns the names and the metadata */
    nln_tensor *tensors;
    size_t n_tensors;
    void *data; /* the tensors, one after the other */
};

static nln_status check_finite(const nln_tensor *t, const char *path, nln_error *err)
{
    size_t n = t->data ? t->shape[0] * t->shape[1] : 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(t->data[i]))
            return nln_error_set(err, NLN_NUMERIC,
                                 "value %zu of the tensor '%s' of '%s' is not finite", i, t->name,
                                 path);
    return NLN_OK;
}

/* ---- writing ------------------------------------------------------------ */

/* The bytes of a tensor, or 0 with *fits = 0 when its size cannot be counted. */
static size_t count_bytes(int *fits, const size_t *shape)
{
    size_t most = (size_t)INT64_MAX / sizeof(float);
    *fits = shape[1] == 0 || shape[0] <= most / shape[1];
    return *fits ? shape[0] * shape[1] * sizeof(float) : 0;
}

static nln_status check_tensor(const nln_tensor *t, const json_t *header, const char *path,
                               nln_error *err)
{
    int fits;
    count_bytes(&fits, t->shape);
    if (t->n_dims < 1 || t->n_dims > 2 || !fits || (t->n_dims == 1 && t->shape[1] != 1))
        return nln_error_set(err, NLN_INVALID, "the tensor '%s' for '%s' has an impossible shape",
                             t->name, path);
    if (!strcmp(t->name, METADATA) || json_object_get(header, t->name))
        return nln_error_set(err, NLN_INVALID, "the name '%s' is taken: '%s' needs another one",
                             t->name, path);
    return check_finite(t, path, err);
}

static json_t *describe_tensor(const nln_tensor *t, size_t begin, size_t end)
{
    json_t *shape = json_array();
    int failed = !shape;
    for (int i = 0; i < t->n_dims; i++)
        failed |= json_array_append_new(shape, json_integer((json_int_t)t->shape[i]));
    if (failed) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", t->whole ? "I32" : "F32", "shape", shape,
                     "data_offsets", (json_int_t)begin, (json_int_t)end);
}

/* Why jansson refuses a name or its value. */
static nln_status not_text(const char *what, const char *name, const char *value, const char *path,
                           nln_error *err)
{
    if (nln_utf8_valid(name, strlen(name)) && nln_utf8_valid(value, strlen(value)))
        return nln_error_memory(err);
    return nln_error_set(err, NLN_INVALID, "cannot write the %s '%s' of '%s': it is not UTF-8 text",
                         what, name, path);
}

static nln_status add_metadata(json_t *header, const nln_pair *pairs, size_t n, const char *path,
                               nln_error *err)
{
    if (n == 0)
        return NLN_OK;
    json_t *metadata = json_object();
    if (json_object_set_new(header, METADATA, metadata))
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (json_object_get(metadata, pairs[i].key))
            return nln_error_set(err, NLN_INVALID, "the metadata '%s' of '%s' is given twice",
                                 pairs[i].key, path);
        if (json_object_set_new(metadata, pairs[i].key, json_string(pairs[i].value)))
            return not_text("metadata", pairs[i].key, pairs[i].value, path, err);
    }
    return NLN_OK;
}

static nln_status add_tensors(json_t *header, const nln_tensor *tensors, size_t n, const char *path,
                              nln_error *err)
{
    size_t begin = 0;
    if (n > MOST_TENSORS)
        return nln_error_set(err, NLN_LIMIT, "there are too many tensors for '%s'", path);
    for (size_t i = 0; i < n; i++) {
        int fits;
        nln_status status = check_tensor(&tensors[i], header, path, err);
        if (status)
            return status;
        size_t bytes = count_bytes(&fits, tensors[i].shape);
        if (bytes > (size_t)INT64_MAX - begin)
            return nln_error_set(err, NLN_LIMIT, "the tensors are too large for '%s'", path);
        json_t *entry = describe_tensor(&tensors[i], begin, begin + bytes);
        if (json_object_set_new(header, tensors[i].name, entry))
            return not_text("tensor", tensors[i].name, "", path, err);
        begin += bytes;
    }
    return NLN_OK;
}

/* The length is that of the padded header: what follows starts at a multiple of
 * ALIGNMENT bytes from the beginning of the file. */
static void write_header(nln_output *out, const char *text)
{
    unsigned char length[8];
    size_t n = strlen(text), padded = (n + 8 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - 8;
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)padded >> (8 * i));
    nln_output_write(out, length, sizeof length);
    nln_output_printf(out, "%s%*s", text, (int)(padded - n), "");
}

/* Numbers of 32 bits, the least byte first on every machine. */
static void write_numbers(nln_output *out, const void *numbers, size_t n)
{
    const unsigned char *from = numbers;
    unsigned char bytes[1 << 14];
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t x;
        memcpy(&x, from + i * sizeof x, sizeof x);
        for (int b = 0; b < 4; b++)
            bytes[used++] = (unsigned char)(x >> (8 * b));
        if (used == sizeof bytes || i + 1 == n) {
            nln_output_write(out, bytes, used);
            used = 0;
        }
    }
}

nln_status nln_safetensors_write(const char *path, const nln_tensor *tensors, size_t n_tensors,
                                 const nln_pair *metadata, size_t n_metadata, nln_error *err)
{
    nln_output *out = NULL;
    char *text = NULL;
    json_t *header = json_object();
    nln_status status = header ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = add_metadata(header, metadata, n_metadata, path, err);
    if (!status)
        status = add_tensors(header, tensors, n_tensors, path, err);
    if (!status && !(text = nln_json_write(header, JSON_COMPACT)))
        status = nln_error_memory(err);
    if (!status && strlen(text) > HEADER_LIMIT - ALIGNMENT)
        status = nln_error_set(err, NLN_LIMIT, "the header of '%s' would exceed 100 MB", path);
    if (!status)
        status = nln_output_open(&out, path, err);
    if (!status) {
        write_header(out, text);
        for (size_t i = 0; i < n_tensors; i++)
            write_numbers(out, tensors[i].whole ? (const void *)tensors[i].whole : tensors[i].data,
                          tensors[i].shape[0] * tensors[i].shape[1]);
        status = nln_output_finish(out, err);
    }
    nln_free(text);
    json_decref(header);
    return status;
}

/* ---- reading ------------------------------------------------------------ */

/* What is left of a file or of a block of memory. */
typedef struct source {
    FILE *stream;               /* NULL for memory */
    const unsigned char *bytes; /* NULL for a file */
    size_t left;
    const char *path;
} source;

static nln_status take(void *to, source *from, size_t n, nln_error *err)
{
    if (from->stream && fread(to, 1, n, from->stream) != n)
        return nln_error_set(err, NLN_IO, "cannot read '%s': %s", from->path,
                             ferror(from->stream) ? strerror(errno) : "it became shorter");
    if (from->bytes && n > 0) {
        memcpy(to, from->bytes, n);
        from->bytes += n;
    }
    from->left -= n;
    return NLN_OK;
}

static nln_status parse_header(json_t **header, const char *text, size_t n, const char *path,
                               nln_error *err)
{
    json_error_t why;
    nln_status status = nln_json_load(header, &why, text, n, MOST_VALUES, MOST_VALUES);
    if (status == NLN_MEMORY)
        return nln_error_memory(err);
    if (status)
        return nln_error_set(err, NLN_FORMAT, "the header of '%s' is not valid JSON: %s", path,
                             why.text);
    if (!json_is_object(*header))
        return nln_error_set(err, NLN_FORMAT, "the header of '%s' is not a JSON object", path);
    return NLN_OK;
}

static nln_status take_header(nln_safetensors *file, source *from, nln_error *err)
{
    unsigned char bytes[8] = {0};
    uint64_t n = 0;
    if (from->left < sizeof bytes)
        return nln_error_set(err, NLN_FORMAT, "'%s' is no safetensors file: it has only %zu bytes",
                             from->path, from->left);
    nln_status status = take(bytes, from, sizeof bytes, err);
    if (status)
        return status;
    for (int i = 0; i < 8; i++)
        n |= (uint64_t)bytes[i] << (8 * i);
    if (n > from->left || n > HEADER_LIMIT)
        return nln_error_set(err, NLN_FORMAT,
                             "'%s' is no model, or not a whole one: as a safetensors file its "
                             "header would have %llu bytes; nln train DATA --out MODEL makes one",
                             from->path, (unsigned long long)n);
    char *text = nln_memory_take((size_t)n + 1);
    if (!text)
        return nln_error_memory(err);
    status = take(text, from, (size_t)n, err);
    if (!status)
        status = parse_header(&file->header, text, (size_t)n, from->path, err);
    nln_free(text);
    return status;
}

static nln_status check_metadata(json_t *metadata, const char *path, nln_error *err)
{
    if (!json_is_object(metadata))
        return nln_error_set(err, NLN_FORMAT, "the metadata of '%s' are not a JSON object", path);
    for (void *i = json_object_iter(metadata); i; i = json_object_iter_next(metadata, i))
        if (!json_is_string(json_object_iter_value(i)))
            return nln_error_set(err, NLN_FORMAT, "the metadata '%.100s' of '%s' is not a string",
                                 json_object_iter_key(i), path);
    return NLN_OK;
}

/* A tensor as the header has it, its bytes at data[begin, end). */
typedef struct entry {
    nln_tensor tensor;
    int is_whole; /* I32 */
    size_t begin, end;
} entry;

static nln_status bad_tensor(const char *what, const entry *e, const char *path, nln_error *err)
{
    return nln_error_set(err, NLN_FORMAT, "the tensor '%.100s' of '%s' %s", e->tensor.name, path,
                         what);
}

/* Reads an array of n whole numbers >= 0; returns 0 if it is anything else. */
static int take_numbers(size_t *numbers, const json_t *array, size_t n)
{
    if (!json_is_array(array) || json_array_size(array) != n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, i);
        if (!json_is_integer(item) || json_integer_value(item) < 0)
            return 0;
        numbers[i] = (size_t)json_integer_value(item);
    }
    return 1;
}

static nln_status take_shape(entry *e, const json_t *shape, const char *path, nln_error *err)
{
    nln_tensor *t = &e->tensor;
    size_t n_dims = json_array_size(shape);
    if (!json_is_array(shape))
        return bad_tensor("has no shape", e, path, err);
    if (n_dims < 1 || n_dims > 2)
        return bad_tensor("has neither one dimension nor two", e, path, err);
    t->n_dims = (int)n_dims;
    t->shape[1] = 1;
    if (!take_numbers(t->shape, shape, n_dims))
        return bad_tensor("has a shape that is not made of whole numbers from 0", e, path, err);
    return NLN_OK;
}

static nln_status take_entry(entry *e, const char *name, const json_t *object, size_t n_bytes,
                             const char *path, nln_error *err)
{
    size_t offsets[2];
    int fits;
    e->tensor.name = name;
    if (!json_is_object(object))
        return bad_tensor("is not described by a JSON object", e, path, err);
    const char *type = json_string_value(json_object_get(object, "dtype"));
    if (!type || (strcmp(type, "F32") && strcmp(type, "I32")))
        return bad_tensor("is neither of type F32 nor of type I32", e, path, err);
    e->is_whole = type[0] == 'I';
    nln_status status = take_shape(e, json_object_get(object, "shape"), path, err);
    if (status)
        return status;
    if (!take_numbers(offsets, json_object_get(object, "data_offsets"), 2))
        return bad_tensor("has no data_offsets of two whole numbers from 0", e, path, err);
    e->begin = offsets[0];
    e->end = offsets[1];
    if (e->begin > e->end)
        return bad_tensor("ends before it begins", e, path, err);
    if (e->end > n_bytes)
        return bad_tensor("reaches beyond the end of the file", e, path, err);
    size_t bytes = count_bytes(&fits, e->tensor.shape);
    if (!fits)
        return bad_tensor("has a shape too large to count", e, path, err);
    if (e->end - e->begin != bytes)
        return bad_tensor("has a shape that does not fit its data_offsets", e, path, err);
    return NLN_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Together the tensors must cover the data exactly, which with sizes that are
 * multiples of four also puts every one of them at a whole float. */
static nln_status check_cover(entry *entries, size_t n, size_t n_bytes, const char *path,
                              nln_error *err)
{
    size_t at = 0;
    qsort(entries, n, sizeof *entries, compare_entries);
    for (size_t i = 0; i < n; i++) {
        if (entries[i].begin < at)
            return bad_tensor("overlaps another one", &entries[i], path, err);
        if (entries[i].begin > at)
            return bad_tensor("lies behind bytes that belong to no tensor", &entries[i], path, err);
        at = entries[i].end;
    }
    if (at != n_bytes)
        return nln_error_set(err, NLN_FORMAT,
                             "the last %zu bytes of '%s' belong to no tensor: the file is damaged",
                             n_bytes - at, path);
    return NLN_OK;
}

/* Fills entries[], with room for every key of the header, from the header. */
static nln_status take_entries(entry *entries, size_t *n, json_t *header, size_t n_bytes,
                               const char *path, nln_error *err)
{
    *n = 0;
    for (void *i = json_object_iter(header); i; i = json_object_iter_next(header, i)) {
        const char *name = json_object_iter_key(i);
        json_t *item = json_object_iter_value(i);
        nln_status status = strcmp(name, METADATA)
                                ? take_entry(&entries[(*n)++], name, item, n_bytes, path, err)
                                : check_metadata(item, path, err);
        if (status)
            return status;
    }
    return check_cover(entries, *n, n_bytes, path, err);
}

/* Numbers of 32 bits, whose bytes are as in a file, become the machine's own. */
static void order_bytes(unsigned char *data, size_t n_bytes)
{
    for (size_t i = 0; i + 4 <= n_bytes; i += 4) {
        const unsigned char *b = data + i;
        uint32_t x = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        memcpy(data + i, &x, sizeof x);
    }
}

static nln_status take_tensors(nln_safetensors *file, source *from, nln_error *err)
{
    size_t n = json_object_size(file->header), n_bytes = from->left;
    entry *entries = nln_array_zeroed(n, sizeof *entries);
    file->tensors = nln_array_zeroed(n, sizeof *file->tensors);
    nln_status status = entries && file->tensors ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = take_entries(entries, &file->n_tensors, file->header, n_bytes, from->path, err);
    if (!status && !(file->data = nln_array_zeroed(n_bytes, 1)))
        status = nln_error_memory(err);
    if (!status)
        status = take(file->data, from, n_bytes, err);
    if (!status)
        order_bytes(file->data, n_bytes);
    for (size_t i = 0; !status && i < file->n_tensors; i++) {
        const char *at = (const char *)file->data + entries[i].begin;
        file->tensors[i] = entries[i].tensor;
        if (entries[i].is_whole)
            file->tensors[i].whole = (const int32_t *)(const void *)at;
        else
            file->tensors[i].data = (const float *)(const void *)at;
        status = check_finite(&file->tensors[i], from->path, err);
    }
    nln_free(entries);
    return status;
}

static nln_status load(nln_safetensors **out, source *from, nln_error *err)
{
    nln_safetensors *file = nln_memory_zeroed(1, sizeof *file);
    *out = NULL;
    if (!file)
        return nln_error_memory(err);
    nln_status status = take_header(file, from, err);
    if (!status)
        status = take_tensors(file, from, err);
    if (status)
        nln_safetensors_free(file);
    else
        *out = file;
    return status;
}

nln_status nln_safetensors_parse(nln_safetensors **out, const void *bytes, size_t n_bytes,
                                 const char *path, nln_error *err)
{
    source from = {NULL, bytes, n_bytes, path};
    return load(out, &from, err);
}

nln_status nln_safetensors_read(nln_safetensors **out, const char *path, nln_error *err)
{
    struct stat info;
    nln_status status;
    *out = NULL;
    FILE *stream = fopen(path, "rb");
    if (!stream || fstat(fileno(stream), &info)) {
        status = errno == ENOMEM
                     ? nln_error_memory(err)
                     : nln_error_set(err, NLN_IO, "cannot open '%s': %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        status = nln_error_set(
            err, NLN_IO,
            "cannot read '%s': it is not a plain file, but a model is; nln train DATA --out "
            "MODEL makes one",
            path);
    } else {
        source from = {stream, NULL, (size_t)info.st_size, path};
        status = load(out, &from, err);
    }
    if (stream)
        fclose(stream);
    return status;
}

void nln_safetensors_free(nln_safetensors *file)
{
    if (!file)
        return;
    json_decref(file->header);
    nln_free(file->tensors);
    nln_free(file->data);
    nln_free(file);
}

const nln_tensor *nln_safetensors_tensor(const nln_safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->n_tensors; i++)
        if (!strcmp(file->tensors[i].name, name))
            return &file->tensors[i];
    return NULL;
}

const char *nln_safetensors_metadata(const nln_safetensors *file, const char *key)
{
    return json_string_value(json_object_get(json_object_get(file->header, METADATA), key));
}
