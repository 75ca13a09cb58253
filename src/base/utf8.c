#include "base/utf8.h"

/* The forms of a character by its first byte: how many bytes follow, and the range of the
 * second byte.  The others are 0x80 to 0xbf. */
static const struct form {
    unsigned char first, last;
    unsigned char n_more, least, most;
} forms[] = {
    {0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

size_t nln_utf8_length(const char *text, size_t n)
{
    const unsigned char *at = (const unsigned char *)text;
    const struct form *f = forms, *end = forms + sizeof forms / sizeof *forms;
    while (f < end && !(at[0] >= f->first && at[0] <= f->last))
        f++;
    if (f == end || n <= f->n_more)
        return 0;
    if (f->n_more > 0 && (at[1] < f->least || at[1] > f->most))
        return 0;
    for (size_t i = 2; i <= f->n_more; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    return 1u + f->n_more;
}

size_t nln_utf8_decode(uint32_t *character, const char *text, size_t n)
{
    size_t length = nln_utf8_length(text, n);
    uint32_t c = (unsigned char)text[0] & (length > 1 ? 0x7fu >> length : 0x7fu);
    for (size_t i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3fu);
    if (length)
        *character = c;
    return length;
}

int nln_utf8_valid(const char *text, size_t n)
{
    for (const char *at = text, *end = text + n; at < end;) {
        size_t length = (unsigned char)*at < 0x80 ? 1 : nln_utf8_length(at, (size_t)(end - at));
        if (length == 0)
            return 0;
        at += length;
    }
    return 1;
}

size_t nln_utf8_put(char out[4], uint32_t character)
{
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (character < 0x80) {
        out[0] = (char)character;
        return 1;
    }
    size_t n = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, character >>= 6)
        out[i] = (char)(0x80 | (character & 0x3f));
    out[0] = (char)(first[n] | character);
    return n;
}
