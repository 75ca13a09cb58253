#include "logic/token.h"

#include <string.h>

const nln_operator nln_operators[] = {
    [NLN_OP_FALSE] = {7, NLN_SIDE_NONE, "F"},   [NLN_OP_TRUE] = {7, NLN_SIDE_NONE, "T"},
    [NLN_OP_VAR] = {7, NLN_SIDE_NONE, NULL},    [NLN_OP_NOT] = {6, NLN_SIDE_RIGHT, "!"},
    [NLN_OP_AND] = {5, NLN_SIDE_NONE, " & "},   [NLN_OP_OR] = {4, NLN_SIDE_NONE, " | "},
    [NLN_OP_XOR] = {3, NLN_SIDE_LEFT, " xor "}, [NLN_OP_IMPLIES] = {2, NLN_SIDE_RIGHT, " -> "},
    [NLN_OP_IFF] = {1, NLN_SIDE_LEFT, " <-> "},
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
};

/* Names of the text dialect that are not variables. */
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
};

/* The characters outside ASCII that may be part of a name. */
static const uint32_t letters[][2] = {
    {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x167f},   {0x1681, 0x1fff},   {0x2080, 0x209c},
    {0x2c00, 0x2dff}, {0x3040, 0xd7ff}, {0xf900, 0xfdff}, {0x20000, 0x3ffff},
};

size_t nln_token_decode(uint32_t *code, const char *text, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)text[0];
    size_t n = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (n == 0 || n > length || lead >= 0xf8)
        return 0;
    uint32_t c = n == 1 ? lead : lead & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (byte & 0x3fu);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *code = c;
    return n;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_ascii_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == ':';
}

/* Bytes of the name character at text[0], 0 if it is none. */
static size_t letter_length(const char *text, size_t length)
{
    uint32_t code = 0;
    if ((unsigned char)text[0] < 0x80)
        return (size_t)is_ascii_letter(text[0]);
    size_t n = nln_token_decode(&code, text, length);
    for (size_t i = 0; n && i < sizeof letters / sizeof *letters; i++)
        if (code >= letters[i][0] && code <= letters[i][1])
            return n;
    return 0;
}

static size_t name_length(const char *text, size_t length, nln_dialect dialect)
{
    size_t n = 0, step = 1;
    while (n < length && step > 0) {
        step = dialect == NLN_DIALECT_PUBLISHED ? (size_t)is_digit(text[n])
                                                : letter_length(text + n, length - n);
        n += step;
    }
    return n;
}

/* Whether the spelling stands at text[0]; most are ruled out by their first byte. */
static int begins_with(const char *text, size_t length, const char *spelled)
{
    size_t n = 0;
    while (n < length && spelled[n] && text[n] == spelled[n])
        n++;
    return !spelled[n];
}

static nln_token name_token(const char *text, size_t start, size_t length, nln_dialect dialect)
{
    size_t n_words = dialect == NLN_DIALECT_TEXT ? sizeof words / sizeof *words : 0;
    for (size_t i = 0; i < n_words; i++)
        if (begins_with(text + start, length, words[i].text) && strlen(words[i].text) == length)
            return (nln_token){words[i].kind, words[i].op, start, length};
    return (nln_token){NLN_TOKEN_NAME, NLN_OP_VAR, start, length};
}

static nln_token symbol_token(const char *text, size_t length, size_t start, nln_dialect dialect)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if ((symbols[i].dialects & 1 << dialect) &&
            begins_with(text + start, length - start, symbols[i].text))
            return (nln_token){symbols[i].kind, symbols[i].op, start, strlen(symbols[i].text)};
    uint32_t code = 0;
    size_t n = nln_token_decode(&code, text + start, length - start);
    return (nln_token){NLN_TOKEN_STRANGE, 0, start, n ? n : 1};
}

nln_token nln_token_next(const char *text, size_t length, size_t from, nln_dialect dialect)
{
    while (from < length && (text[from] == ' ' || (text[from] >= '\t' && text[from] <= '\r')))
        from++;
    if (from == length)
        return (nln_token){NLN_TOKEN_END, 0, from, 0};
    size_t n = name_length(text + from, length - from, dialect);
    return n ? name_token(text, from, n, dialect) : symbol_token(text, length, from, dialect);
}
