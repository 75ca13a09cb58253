#include "serve/json_out.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

void nln_text_free(nln_text *text)
{
    nln_free(text->bytes);
    *text = (nln_text){0};
}

static char *reserve(nln_text *text, size_t n)
{
    if (!text->failed && n <= text->room - text->n)
        return text->bytes + text->n;
    if (!text->failed && NLN_ARRAY_RESERVE(text->bytes, text->room, text->n + n + 256))
        return text->bytes + text->n;
    text->failed = 1;
    return NULL;
}

void nln_text_add(nln_text *text, const char *bytes, size_t n)
{
    char *to = reserve(text, n);
    if (to && n) {
        memcpy(to, bytes, n);
        text->n += n;
    }
}

void nln_text_format(nln_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *to = n >= 0 ? reserve(text, (size_t)n + 1) : NULL;
    if (!to)
        return;
    va_start(arguments, format);
    vsnprintf(to, (size_t)n + 1, format, arguments);
    va_end(arguments);
    text->n += (size_t)n;
}

/* One character of a string; returns the number of bytes read. */
static size_t escape(nln_text *text, const char *at, size_t n)
{
    static const char *const named[] = {
        ['\b'] = "\\b", ['\t'] = "\\t", ['\n'] = "\\n", ['\f'] = "\\f", ['\r'] = "\\r"};
    unsigned char c = (unsigned char)*at;
    size_t length = nln_utf8_length(at, n);
    if (c == '"' || c == '\\') {
        char pair[2] = {'\\', *at};
        nln_text_add(text, pair, 2);
    } else if (c < 0x20 && c < sizeof named / sizeof *named && named[c])
        nln_text_add(text, named[c], 2);
    else if (c < 0x20 || c == 0x7f)
        nln_text_format(text, "\\u%04x", (unsigned)c);
    else if (length)
        nln_text_add(text, at, length);
    else
        nln_text_add(text, "\xef\xbf\xbd", 3);
    return length ? length : 1;
}

static void quote(nln_text *text, const char *value)
{
    size_t n = strlen(value);
    nln_text_add(text, "\"", 1);
    for (size_t i = 0; i < n;) {
        size_t plain = i;
        while (plain < n && (unsigned char)value[plain] >= 0x20 && value[plain] != '"' &&
               value[plain] != '\\' && (unsigned char)value[plain] < 0x7f)
            plain++;
        nln_text_add(text, value + i, plain - i);
        i = plain;
        if (i < n)
            i += escape(text, value + i, n - i);
    }
    nln_text_add(text, "\"", 1);
}

/* The comma before a value that is not the first, and the name of a member. */
static void begin(nln_text *text, const char *key)
{
    char last = text->n ? text->bytes[text->n - 1] : '[';
    if (text->failed)
        return;
    if (last != '{' && last != '[' && last != ':' && last != '\n')
        nln_text_add(text, ",", 1);
    if (key) {
        quote(text, key);
        nln_text_add(text, ":", 1);
    }
}

void nln_json_out_open(nln_text *text, const char *key, char bracket)
{
    begin(text, key);
    nln_text_add(text, &bracket, 1);
}

void nln_json_out_close(nln_text *text, char bracket)
{
    nln_text_add(text, &bracket, 1);
}

void nln_json_out_string(nln_text *text, const char *key, const char *value)
{
    begin(text, key);
    if (value)
        quote(text, value);
    else
        nln_text_add(text, "null", 4);
}

void nln_json_out_number(nln_text *text, const char *key, double value)
{
    char digits[NLN_NUMBER_ROOM];
    if (!isfinite(value)) {
        nln_json_out_null(text, key);
        return;
    }
    nln_number_round(digits, value, 9);
    begin(text, key);
    nln_text_add(text, digits, strlen(digits));
}

void nln_json_out_count(nln_text *text, const char *key, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    begin(text, key);
    nln_text_add(text, digits + at, sizeof digits - at);
}

void nln_json_out_whole(nln_text *text, const char *key, int64_t value)
{
    begin(text, key);
    nln_text_format(text, "%lld", (long long)value);
}

void nln_json_out_flag(nln_text *text, const char *key, int value)
{
    begin(text, key);
    nln_text_add(text, value ? "true" : "false", value ? 4 : 5);
}

void nln_json_out_null(nln_text *text, const char *key)
{
    begin(text, key);
    nln_text_add(text, "null", 4);
}
