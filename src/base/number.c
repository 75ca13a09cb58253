#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_EXACT = 22, MOST_EXPONENT = 100000 };

/* Powers of ten up to MOST_EXACT are exact. */
static const double powers_of_ten[MOST_EXACT + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* `digits` times ten to the `exponent`. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads digits with at most one point; digits beyond those that fit only move the exponent. Returns
 * the place behind them, or NULL when there is no digit. */
static const char *read_digits(decimal *out, const char *at, const char *end)
{
    int point = 0, seen = 0;
    for (; at < end && (is_digit(*at) || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = 1;
            continue;
        }
        seen = 1;
        int fits = out->digits < UINT64_C(100000000000000000);
        if (fits)
            out->digits = out->digits * 10 + (uint64_t)(*at - '0');
        out->exponent += !fits - point;
    }
    return seen ? at : NULL;
}

/* One exact division or product where that is enough, else one in steps. */
static double scale(decimal d)
{
    double x = (double)d.digits;
    for (; d.exponent > MOST_EXACT && isfinite(x) && x > 0; d.exponent -= MOST_EXACT)
        x *= powers_of_ten[MOST_EXACT];
    for (; d.exponent < -MOST_EXACT && x > 0; d.exponent += MOST_EXACT)
        x /= powers_of_ten[MOST_EXACT];
    if (!(isfinite(x) && x > 0))
        return x;
    return d.exponent < 0 ? x / powers_of_ten[-d.exponent] : x * powers_of_ten[d.exponent];
}

int nln_number_read(double *out, const char *text, size_t n)
{
    decimal d = {0, 0};
    const char *end = text + n;
    int negative = n > 0 && *text == '-';
    const char *at = read_digits(&d, text + (n > 0 && (*text == '-' || *text == '+')), end);
    if (at && at < end && (*at == 'e' || *at == 'E')) {
        int exponent = 0, below_one = ++at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        if (at == end)
            return 0;
        for (; at < end && is_digit(*at); at++)
            if (exponent < MOST_EXPONENT)
                exponent = exponent * 10 + (*at - '0');
        d.exponent += below_one ? -exponent : exponent;
    }
    if (at != end)
        return 0;
    double x = scale(d);
    *out = negative ? -x : x;
    return isfinite(x);
}

/* The C library reads and prints with the decimal point of the thread's locale: so the plain one
 * is set and the old one restored.  Without memory for a locale, the thread's stays. */
static locale_t enter(locale_t *plain)
{
    *plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return *plain ? uselocale(*plain) : (locale_t)0;
}

static void leave(locale_t before, locale_t plain)
{
    if (!plain)
        return;
    uselocale(before);
    freelocale(plain);
}

double nln_number_parse(const char *text, char **end)
{
    locale_t plain, before = enter(&plain);
    double x = strtod(text, end);
    leave(before, plain);
    return x;
}

/* Writes |x| in [1e-4, 1e9) with up to nine digits as %g does, for printf takes ten times as long;
 * returns 0 where x lies elsewhere, or so near the middle of two such numbers that only printf
 * knows which is the nearer one. */
static int print_short(char *text, double x, int digits)
{
    int exponent = x >= 1 ? 0 : -1; /* of the first digit that is not 0 */
    if (!(x >= 1e-4 && x < 1e9) || digits < 1 || digits > 9)
        return 0;
    while (exponent >= 0 && x >= powers_of_ten[exponent + 1])
        exponent++;
    while (exponent < 0 && x * powers_of_ten[-exponent] < 1)
        exponent--;
    int decimals = digits - 1 - exponent; /* behind the point */
    if (decimals < 0)
        return 0;
    long double scaled = (long double)x * (long double)powers_of_ten[decimals];
    uint64_t whole = (uint64_t)scaled;
    double rest = (double)(scaled - (long double)whole);
    if (fabs(rest - .5) < 1e-6)
        return 0;
    whole += rest > .5;
    if (!decimals && whole >= (uint64_t)powers_of_ten[digits])
        return 0; /* rounded up to a number with an exponent */
    for (; decimals > 0 && whole % 10 == 0; decimals--)
        whole /= 10;
    char reversed[NLN_NUMBER_ROOM];
    int n = 0;
    for (int i = 0; whole || i <= decimals; i++, whole /= 10) {
        if (i == decimals && decimals > 0)
            reversed[n++] = '.';
        reversed[n++] = (char)('0' + whole % 10);
    }
    while (n)
        *text++ = reversed[--n];
    *text = '\0';
    return 1;
}

void nln_number_round(char text[NLN_NUMBER_ROOM], double x, int digits)
{
    text[0] = '-';
    if (print_short(text + (x < 0), fabs(x), digits))
        return;
    locale_t plain, before = enter(&plain);
    snprintf(text, NLN_NUMBER_ROOM, "%.*g", digits, x);
    leave(before, plain);
}

void nln_number_print(char text[NLN_NUMBER_ROOM], double x)
{
    nln_number_round(text, x, 17);
}

int nln_number_format(char *text, size_t room, const char *format, va_list args)
{
    locale_t plain, before = enter(&plain);
    int n = vsnprintf(text, room, format, args);
    leave(before, plain);
    return n;
}
