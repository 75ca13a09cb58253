#include "logic/token.h"

#include <string.h>

#include "base/utf8.h"

const nln_operator nln_operators[] = {
    [NLN_OP_FALSE] = {7, NLN_SIDE_NONE, "F"},
    [NLN_OP_TRUE] = {7, NLN_SIDE_NONE, "T"},
    [NLN_OP_VAR] = {7, NLN_SIDE_NONE, NULL},
    [NLN_OP_NOT] = {6, NLN_SIDE_RIGHT, "!"},
    [NLN_OP_AND] = {5, NLN_SIDE_NONE, " & "},
    [NLN_OP_OR] = {4, NLN_SIDE_NONE, " | "},
    [NLN_OP_XOR] = {3, NLN_SIDE_LEFT, " xor "},
    [NLN_OP_IMPLIES] = {2, NLN_SIDE_RIGHT, " -> "},
    [NLN_OP_IFF] = {1, NLN_SIDE_LEFT, " <-> "},
    [NLN_OP_ATOM] = {7, NLN_SIDE_NONE, NULL},
    [NLN_OP_FORALL] = {0, NLN_SIDE_RIGHT, "forall "},
    [NLN_OP_EXISTS] = {0, NLN_SIDE_RIGHT, "exists "},
};

enum { TEXT = 1 << NLN_DIALECT_TEXT, PUBLISHED = 1 << NLN_DIALECT_PUBLISHED };

typedef struct spelling {
    const char *text;
    nln_token_kind kind;
    nln_op op;
    int dialects;
} spelling;

/* Found by prefix: a spelling stands after those that begin with it. */
static const spelling symbols[] = {
    {"(", NLN_TOKEN_OPEN, 0, TEXT | PUBLISHED},
    {")", NLN_TOKEN_CLOSE, 0, TEXT | PUBLISHED},
    {"~", NLN_TOKEN_NOT, NLN_OP_NOT, TEXT | PUBLISHED},
    {"!", NLN_TOKEN_NOT, NLN_OP_NOT, TEXT},
    {"¬", NLN_TOKEN_NOT, NLN_OP_NOT, TEXT},
    {"^", NLN_TOKEN_BINARY, NLN_OP_AND, PUBLISHED},
    {"&&", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"&", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"∧", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"v", NLN_TOKEN_BINARY, NLN_OP_OR, PUBLISHED},
    {"||", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"|", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"∨", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"⊕", NLN_TOKEN_BINARY, NLN_OP_XOR, TEXT},
    {"->", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"→", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"<->", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
    {"↔", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
    {"/\\", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"\\/", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"=>", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"⇒", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"<=>", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
    {"⇔", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
    {"⊤", NLN_TOKEN_CONSTANT, NLN_OP_TRUE, TEXT},
    {"⊥", NLN_TOKEN_CONSTANT, NLN_OP_FALSE, TEXT},
    {"∀", NLN_TOKEN_QUANTIFIER, NLN_OP_FORALL, TEXT},
    {"∃", NLN_TOKEN_QUANTIFIER, NLN_OP_EXISTS, TEXT},
    {",", NLN_TOKEN_COMMA, 0, TEXT},
    {"?", NLN_TOKEN_HOLE, 0, TEXT},
};

/* Names of the text dialect that are not variables; but those from `forall` on, which came later,
 * are also names where these are expected. */
static const spelling words[] = {
    {"T", NLN_TOKEN_CONSTANT, NLN_OP_TRUE, TEXT},
    {"F", NLN_TOKEN_CONSTANT, NLN_OP_FALSE, TEXT},
    {"true", NLN_TOKEN_CONSTANT, NLN_OP_TRUE, TEXT},
    {"false", NLN_TOKEN_CONSTANT, NLN_OP_FALSE, TEXT},
    {"TRUE", NLN_TOKEN_CONSTANT, NLN_OP_TRUE, TEXT},
    {"FALSE", NLN_TOKEN_CONSTANT, NLN_OP_FALSE, TEXT},
    {"not", NLN_TOKEN_NOT, NLN_OP_NOT, TEXT},
    {"NOT", NLN_TOKEN_NOT, NLN_OP_NOT, TEXT},
    {"and", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"AND", NLN_TOKEN_BINARY, NLN_OP_AND, TEXT},
    {"or", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"OR", NLN_TOKEN_BINARY, NLN_OP_OR, TEXT},
    {"xor", NLN_TOKEN_BINARY, NLN_OP_XOR, TEXT},
    {"XOR", NLN_TOKEN_BINARY, NLN_OP_XOR, TEXT},
    {"forall", NLN_TOKEN_QUANTIFIER, NLN_OP_FORALL, TEXT},
    {"FORALL", NLN_TOKEN_QUANTIFIER, NLN_OP_FORALL, TEXT},
    {"exists", NLN_TOKEN_QUANTIFIER, NLN_OP_EXISTS, TEXT},
    {"EXISTS", NLN_TOKEN_QUANTIFIER, NLN_OP_EXISTS, TEXT},
    {"implies", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"IMPLIES", NLN_TOKEN_BINARY, NLN_OP_IMPLIES, TEXT},
    {"iff", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
    {"IFF", NLN_TOKEN_BINARY, NLN_OP_IFF, TEXT},
};

/* The characters outside ASCII that may be part of a name. */
static const uint32_t letters[][2] = {
    {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x167f},   {0x1681, 0x1fff},   {0x2080, 0x209c},
    {0x2c00, 0x2dff}, {0x3040, 0xd7ff}, {0xf900, 0xfdff}, {0x20000, 0x3ffff},
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes of the name character at text[0]; 0 if it is none. */
static size_t letter_length(const char *text, size_t length)
{
    char c = text[0];
    uint32_t code = 0;
    if ((unsigned char)c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
               c == '.' || c == ':';
    size_t n = nln_utf8_decode(&code, text, length);
    for (size_t i = 0; n && i < sizeof letters / sizeof *letters; i++)
        if (code >= letters[i][0] && code <= letters[i][1])
            return n;
    return 0;
}

/* Whether text[0..length) begins with the spelling; most differ in their first byte. */
static int begins_with(const char *text, size_t length, const char *spelled)
{
    size_t n = 0;
    while (n < length && spelled[n] && text[n] == spelled[n])
        n++;
    return !spelled[n];
}

/* A name in quotes ends at the same quote; a backslash takes the next byte along. */
static nln_token quoted(const char *text, size_t length, size_t from)
{
    size_t n = 1, rest = length - from;
    const char *at = text + from;
    while (n < rest && at[n] != at[0])
        n += at[n] == '\\' && n + 1 < rest ? 2 : 1;
    return n < rest ? (nln_token){.kind = NLN_TOKEN_QUOTED, .start = from, .length = n + 1}
                    : (nln_token){.kind = NLN_TOKEN_OPEN_QUOTE, .start = from, .length = rest};
}

/* A run of n letters: a word, or a name. */
static nln_token word(const char *text, size_t from, size_t n)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins_with(text + from, n, words[i].text) && strlen(words[i].text) == n) {
            nln_op op = words[i].op;
            int later = op == NLN_OP_FORALL || op == NLN_OP_EXISTS || op == NLN_OP_IMPLIES ||
                        op == NLN_OP_IFF;
            return (nln_token){words[i].kind, op, from, n, later};
        }
    return (nln_token){NLN_TOKEN_NAME, NLN_OP_VAR, from, n, 1};
}

nln_token nln_token_next(const char *text, size_t length, size_t from, nln_dialect dialect)
{
    int is_text = dialect == NLN_DIALECT_TEXT;
    while (from < length && (text[from] == ' ' || (text[from] >= '\t' && text[from] <= '\r')))
        from++;
    if (from == length)
        return (nln_token){.kind = NLN_TOKEN_END, .start = from};
    size_t n = 0, step = 1, rest = length - from;
    const char *at = text + from;
    for (; n < rest && step > 0; n += step)
        step = is_text ? letter_length(at + n, rest - n) : (size_t)is_digit(at[n]);
    if (n > 0 && is_text)
        return word(text, from, n);
    if (n > 0)
        return (nln_token){NLN_TOKEN_NAME, NLN_OP_VAR, from, n, 1};
    if (is_text && (at[0] == '"' || at[0] == '\''))
        return quoted(text, length, from);
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if ((symbols[i].dialects & 1 << dialect) && begins_with(at, rest, symbols[i].text))
            return (nln_token){symbols[i].kind, symbols[i].op, from, strlen(symbols[i].text), 0};
    n = nln_utf8_length(at, rest);
    return (nln_token){.kind = NLN_TOKEN_STRANGE, .start = from, .length = n ? n : 1};
}

int nln_token_is_name(const char *text, size_t length)
{
    nln_token t = nln_token_next(text, length, 0, NLN_DIALECT_TEXT);
    return t.is_word && t.start == 0 && t.length == length;
}

long nln_token_unquote(char *out, const char *text, size_t length)
{
    static const char escapes[][2] = {{'\\', '\\'}, {'"', '"'},  {'\'', '\''},
                                      {'t', '\t'},  {'n', '\n'}, {'r', '\r'}};
    long n = 0;
    for (size_t i = 1; i + 1 < length; i++) {
        char c = text[i];
        size_t wide = nln_utf8_length(text + i, length - i);
        if (c == '\0' || wide == 0)
            return -1;
        if (c == '\\') {
            size_t k = 0;
            i++;
            while (k < sizeof escapes / sizeof *escapes && escapes[k][0] != text[i])
                k++;
            if (k == sizeof escapes / sizeof *escapes)
                return -1;
            out[n++] = escapes[k][1];
            continue;
        }
        for (size_t k = 0; k < wide; k++)
            out[n++] = text[i + k];
        i += wide - 1;
    }
    return n;
}
