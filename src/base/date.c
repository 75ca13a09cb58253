#include "base/date.h"

#include <string.h>

typedef struct rest {
    const char *at, *end;
} rest;

/* Reads a number of `count` digits, from `least` to `most`. */
static int take_digits(int *out, rest *in, int count, int least, int most)
{
    *out = 0;
    for (int i = 0; i < count; i++, in->at++) {
        if (in->at == in->end || *in->at < '0' || *in->at > '9')
            return 0;
        *out = *out * 10 + (*in->at - '0');
    }
    return *out >= least && *out <= most;
}

static int take(rest *in, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0)
        return 0;
    in->at += n;
    return 1;
}

/* The days since 1970-01-01 in the Gregorian calendar: years begin in March, so that a leap day
 * is the last of its year. */
static int take_day(double *seconds, rest *in)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (!take_digits(&year, in, 4, 1, 9999) || !take(in, "-") ||
        !take_digits(&month, in, 2, 1, 12) || !take(in, "-") || !take_digits(&day, in, 2, 1, 31))
        return 0;
    int leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    long y = year - (month <= 2);
    long day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    *seconds = 86400.0 * (double)(y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468);
    return day <= lengths[month - 1] + leap;
}

/* A second of 60 is a leap second. */
static int take_clock(double *seconds, rest *in)
{
    int hour, minute, second = 0, digit;
    double unit = 0.1;
    if (!take_digits(&hour, in, 2, 0, 24) || !take(in, ":") ||
        !take_digits(&minute, in, 2, 0, 59) ||
        (take(in, ":") && !take_digits(&second, in, 2, 0, 60)))
        return 0;
    *seconds += 3600.0 * hour + 60.0 * minute + second;
    if (!take(in, "."))
        return 1;
    for (; in->at < in->end && take_digits(&digit, in, 1, 0, 9); unit /= 10)
        *seconds += unit * digit;
    return unit < 0.1;
}

static int take_zone(double *seconds, rest *in)
{
    int hour, minute, east;
    take(in, " ");
    if (take(in, "Z") || take(in, "UTC"))
        return 1;
    east = take(in, "+");
    if ((!east && !take(in, "-")) || !take_digits(&hour, in, 2, 0, 23))
        return 0;
    take(in, ":");
    if (!take_digits(&minute, in, 2, 0, 59))
        return 0;
    *seconds -= (east ? 60.0 : -60.0) * (60 * hour + minute);
    return 1;
}

int nln_date_read(double *out, const char *text, size_t n)
{
    rest in = {text, text + n};
    double seconds = 0;
    if (!take_day(&seconds, &in))
        return 0;
    if (in.at < in.end && ((!take(&in, "T") && !take(&in, " ")) || !take_clock(&seconds, &in) ||
                           (in.at < in.end && !take_zone(&seconds, &in)) || in.at < in.end))
        return 0;
    *out = seconds;
    return 1;
}
