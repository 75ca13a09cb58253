#include "serve/json_value.h"

#include <string.h>

#include "base/json_unescape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

/* A text that is being read.  Every function leaves `at` behind what it has read, and returns 0 or
 * NULL after a failure, at which `at` stays. */
typedef struct reader {
    const char *text, *at, *end;
    nln_json_value *values; /* [n], with room for all */
    size_t n;
    char *strings;                        /* where the next one goes */
    nln_json_value *open[NLN_JSON_DEPTH]; /* [depth]: the arrays and objects around `at` */
    int depth;
    const char *why; /* of the failure */
} reader;

static int fail(reader *r, const char *why)
{
    r->why = r->at < r->end ? why : "it ends too early";
    return 0;
}

/* The next character that is not blank; 0 at the end. */
static char look(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t'))
        r->at++;
    return r->at < r->end ? *r->at : '\0';
}

/* ---- strings ------------------------------------------------------------ */

/* An escape, or a character of several bytes.  Returns the number of bytes that it takes. */
static size_t read_character(char *to, reader *r)
{
    const char *behind = r->at + 1;
    if (*r->at == '\\') {
        int32_t character = nln_json_unescape(&behind, r->end);
        if (character <= 0)
            return (size_t)fail(r, "this escape is no character");
        r->at = behind;
        return nln_utf8_put(to, (uint32_t)character);
    }
    size_t n = nln_utf8_length(r->at, (size_t)(r->end - r->at));
    if (!n || (unsigned char)*r->at < 0x20)
        return (size_t)fail(r, n ? "a control character must be escaped" : "this is not UTF-8");
    memcpy(to, r->at, n);
    r->at += n;
    return n;
}

/* Strings become shorter, if anything: an escape is longer than its character, and the quotes leave
 * room for the 0 at the end. */
static const char *read_string(reader *r)
{
    char *first = r->strings, *to = first;
    if (look(r) != '"') {
        fail(r, "a string was expected");
        return NULL;
    }
    const char *at = r->at + 1;
    while (at < r->end && *at != '"') {
        unsigned char c = (unsigned char)*at;
        if (c >= 0x20 && c < 0x80 && c != '\\') {
            *to++ = *at++;
            continue;
        }
        r->at = at;
        size_t n = read_character(to, r);
        if (!n)
            return NULL;
        to += n;
        at = r->at;
    }
    r->at = at;
    if (at == r->end) {
        fail(r, "");
        return NULL;
    }
    *to++ = '\0';
    r->at++;
    r->strings = to;
    return first;
}

/* ---- numbers ------------------------------------------------------------ */

static size_t skip_digits(reader *r)
{
    const char *first = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - first);
}

/* Digits with a sign before them; 0 where the number does not fit.  Negative ones reach further. */
static int read_whole(int64_t *out, const char *at, const char *end)
{
    int negative = *at == '-';
    int64_t x = 0;
    for (at += negative; at < end; at++) {
        int digit = *at - '0';
        if (x < (INT64_MIN + digit) / 10)
            return 0;
        x = 10 * x - digit;
    }
    *out = negative ? x : -(x + (x == INT64_MIN));
    return negative || x > INT64_MIN;
}

static int read_number(nln_json_value *out, reader *r)
{
    const char *first = r->at;
    int is_whole = 1;
    r->at += r->at < r->end && *r->at == '-';
    if (r->at < r->end && *r->at == '0')
        r->at++;
    else if (!skip_digits(r))
        return fail(r, "a value was expected");
    if (r->at < r->end && *r->at == '.') {
        is_whole = 0;
        r->at++;
        if (!skip_digits(r))
            return fail(r, "a digit was expected");
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        is_whole = 0;
        r->at++;
        r->at += r->at < r->end && (*r->at == '+' || *r->at == '-');
        if (!skip_digits(r))
            return fail(r, "a digit was expected");
    }
    out->type = is_whole ? NLN_JSON_TYPE_WHOLE : NLN_JSON_TYPE_REAL;
    int fits = is_whole ? read_whole(&out->whole, first, r->at)
                        : nln_number_read(&out->real, first, (size_t)(r->at - first));
    if (!fits)
        r->why = "a number is too large";
    return fits;
}

/* ---- values ------------------------------------------------------------- */

static int read_word(nln_json_value *out, reader *r, const char *word, nln_json_type type)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return fail(r, "a value was expected");
    r->at += n;
    out->type = type;
    return 1;
}

/* An array or an object, whose entries are still to be read. */
static int open_value(nln_json_value *out, reader *r, nln_json_type type)
{
    if (r->depth == NLN_JSON_DEPTH)
        return fail(r, "it is nested too deeply");
    out->type = type;
    r->open[r->depth++] = out;
    r->at++;
    return 1;
}

static int read_value(reader *r, const char *name)
{
    nln_json_value *out = &r->values[r->n++];
    *out = (nln_json_value){.name = name, .size = 1};
    switch (look(r)) {
    case '{':
        return open_value(out, r, NLN_JSON_TYPE_OBJECT);
    case '[':
        return open_value(out, r, NLN_JSON_TYPE_ARRAY);
    case '"':
        out->type = NLN_JSON_TYPE_STRING;
        out->string = read_string(r);
        return out->string != NULL;
    case 't':
        return read_word(out, r, "true", NLN_JSON_TYPE_TRUE);
    case 'f':
        return read_word(out, r, "false", NLN_JSON_TYPE_FALSE);
    case 'n':
        return read_word(out, r, "null", NLN_JSON_TYPE_NULL);
    default:
        return read_number(out, r);
    }
}

/* The next entry of the array or object that was opened last, or its end. */
static int read_entry(reader *r)
{
    nln_json_value *in = r->open[r->depth - 1];
    int is_object = in->type == NLN_JSON_TYPE_OBJECT;
    char c = look(r);
    const char *name = NULL;
    if (c == (is_object ? '}' : ']')) {
        in->size = (unsigned)(r->values + r->n - in);
        r->depth--;
        r->at++;
        return 1;
    }
    if (in->n && c != ',')
        return fail(r, "a comma was expected");
    r->at += in->n > 0;
    if (is_object) {
        name = read_string(r);
        if (!name)
            return 0;
        if (look(r) != ':')
            return fail(r, "a colon was expected");
        r->at++;
    }
    in->n++;
    return read_value(r, name);
}

/* ---- texts -------------------------------------------------------------- */

/* At least as many values as there are: every one but the first follows a comma, a bracket or a
 * brace outside strings. */
static size_t count_values(const char *text, size_t n)
{
    size_t values = 1;
    for (size_t i = 0; i < n; i++) {
        values += (size_t)(text[i] == ',' || text[i] == '[' || text[i] == '{');
        if (text[i] == '"')
            for (i++; i < n && text[i] != '"'; i++)
                i += text[i] == '\\';
    }
    return values;
}

/* The line and the column of `at`, in characters. */
static nln_status refuse(nln_error *err, const reader *r)
{
    long line = 1, column = 1;
    for (const char *c = r->text; c < r->at; c++) {
        column = *c == '\n' ? 1 : column + ((*c & 0xc0) != 0x80);
        line += *c == '\n';
    }
    return nln_error_at(err, NLN_FORMAT, "", line, column, "%s", r->why);
}

nln_status nln_json_value_read(nln_json_value **out, const char *text, size_t n, size_t most,
                               nln_error *err)
{
    size_t room = count_values(text, n);
    *out = NULL;
    if (room > most)
        return nln_error_set(err, NLN_FORMAT, "it has more than %zu values", most);
    nln_json_value *values = nln_memory_take(room * sizeof *values + n);
    if (!values)
        return nln_error_memory(err);
    reader r = {.text = text,
                .at = text,
                .end = text + n,
                .values = values,
                .strings = (char *)(values + room)};
    int ok = read_value(&r, NULL);
    while (ok && r.depth)
        ok = read_entry(&r);
    if (ok && (look(&r), r.at < r.end))
        ok = fail(&r, "there is more behind the value");
    if (!ok) {
        nln_free(values);
        return refuse(err, &r);
    }
    *out = values;
    return NLN_OK;
}

const nln_json_value *nln_json_value_member(const nln_json_value *object, const char *name)
{
    const nln_json_value *value = object + 1;
    size_t n = object->type == NLN_JSON_TYPE_OBJECT ? object->n : 0;
    for (size_t i = 0; i < n; i++, value += value->size)
        if (strcmp(value->name, name) == 0)
            return value;
    return NULL;
}
