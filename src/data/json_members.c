#include "data/json_members.h"

#include <stdint.h>
#include <string.h>

#include "base/json_unescape.h"
#include "base/utf8.h"

enum { MOST_NESTING = 64 };

static void skip_spaces(nln_json_members *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
}

static int take(nln_json_members *in, char letter)
{
    skip_spaces(in);
    if (in->at == in->end || *in->at != letter)
        return 0;
    in->at++;
    return 1;
}

int nln_json_members_likely(char *line, size_t length)
{
    nln_json_members in = nln_json_members_begin(line, length);
    if (!take(&in, '{'))
        return 0;
    skip_spaces(&in);
    return in.at < in.end && (*in.at == '"' || *in.at == '}');
}

nln_json_members nln_json_members_begin(char *line, size_t length)
{
    return (nln_json_members){line, line + length, 0};
}

/* Reads the string at in->at: it ends at the first quote with an even number of backslashes
 * before it. */
static int read_string(nln_field *out, nln_json_members *in)
{
    if (!take(in, '"'))
        return 0;
    char *begin = in->at, *from = begin;
    while ((from = memchr(from, '"', (size_t)(in->end - from)))) {
        const char *backslash = from;
        while (backslash > begin && backslash[-1] == '\\')
            backslash--;
        if ((from - backslash) % 2 == 0)
            break;
        from++;
    }
    if (!from)
        return 0;
    *out = (nln_field){begin, (size_t)(from - begin), 0};
    out->escaped = memchr(begin, '\\', out->n) != NULL;
    in->at = from + 1;
    return 1;
}

/* Skips an object or an array.  Bit i of `kinds` is set when level i is an array. */
static int skip_nested(nln_json_members *in)
{
    uint64_t kinds = 0;
    int depth = 0;
    nln_field ignored;
    do {
        if (in->at == in->end)
            return 0;
        char c = *in->at;
        if (c == '"') {
            if (!read_string(&ignored, in))
                return 0;
            continue;
        }
        in->at++;
        if ((c == '{' || c == '[') && depth++ < MOST_NESTING)
            kinds = kinds << 1 | (c == '[');
        else if (c == '{' || c == '[')
            return 0;
        else if (c == '}' || c == ']') {
            if ((kinds & 1) != (c == ']'))
                return 0;
            kinds >>= 1;
            depth--;
        }
    } while (depth > 0);
    return 1;
}

/* Reads any value.  The digits of a number are checked by the caller that uses it. */
static int read_value(nln_json_member *out, nln_json_members *in)
{
    static const char *const words[] = {"true", "false", "null"};
    skip_spaces(in);
    char *begin = in->at, c = begin < in->end ? *begin : '\0';
    out->value = (nln_field){begin, 0, 0};
    out->kind = c == '"' ? NLN_JSON_STRING : NLN_JSON_OTHER;
    if (c == '"')
        return read_string(&out->value, in);
    if (c == '{' || c == '[')
        return skip_nested(in);
    while (in->at < in->end && !strchr(",]} \t", *in->at))
        in->at++;
    size_t n = out->value.n = (size_t)(in->at - begin);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (n == strlen(words[i]) && !memcmp(begin, words[i], n))
            return 1;
    out->kind = NLN_JSON_NUMBER;
    for (size_t i = 0; i < n; i++)
        if (!strchr("0123456789+-.eE", begin[i])) {
            in->at = begin;
            return 0;
        }
    return n > 0;
}

int nln_json_members_next(nln_json_member *out, nln_json_members *in)
{
    int first = !in->begun;
    if (first && !take(in, '{'))
        return -1;
    in->begun = 1;
    if (take(in, '}')) {
        skip_spaces(in);
        return in->at == in->end ? 0 : -1;
    }
    if (!first && !take(in, ','))
        return -1;
    skip_spaces(in);
    return read_string(&out->key, in) && take(in, ':') && read_value(out, in) ? 1 : -1;
}

/* No escape is shorter than what it stands for, so the text only moves down. */
int nln_json_members_unescape(nln_field *value)
{
    const char *at = value->text, *end = at + value->n;
    char *to = value->text;
    if (!value->escaped)
        return 1;
    while (at < end) {
        if (*at != '\\') {
            *to++ = *at++;
            continue;
        }
        at++;
        int32_t character = nln_json_unescape(&at, end);
        if (character <= 0)
            return 0;
        to += nln_utf8_put(to, (uint32_t)character);
    }
    value->n = (size_t)(to - value->text);
    value->escaped = 0;
    return 1;
}
