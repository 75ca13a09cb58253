#include "base/json_unescape.h"

#include <string.h>

/* The number of the four hexadecimal digits at `at`, or -1. */
static int32_t read_hex(const char *at, const char *end)
{
    int32_t x = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef";
        int c = at[i] >= 'A' && at[i] <= 'F' ? at[i] + ('a' - 'A') : at[i];
        const char *digit = c ? strchr(digits, c) : NULL;
        if (!digit)
            return -1;
        x = x * 16 + (int32_t)(digit - digits);
    }
    return x;
}

int32_t nln_json_unescape(const char **at, const char *end)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (*at == end)
        return -1;
    char c = *(*at)++;
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c != 'u')
        return letter ? meanings[letter - letters] : -1;
    int32_t high = read_hex(*at, end);
    *at += 4;
    if (high < 0xd800 || high > 0xdfff)
        return high;
    if (high > 0xdbff || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
        return -1;
    int32_t low = read_hex(*at + 2, end);
    *at += 6;
    return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}
