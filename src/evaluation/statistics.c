#include "evaluation/statistics.h"

#include <float.h>
#include <math.h>

/* Of a[i] - b[i], or of a[i] if b is NULL.  All numbers are taken relative to the first, so that
 * equal ones have exactly their mean and a deviation of exactly 0. */
static nln_summary summarise(const double *a, const double *b, size_t n)
{
    nln_summary s = {n, NAN, NAN, NAN};
    double first = n ? a[0] - (b ? b[0] : 0) : 0, shift = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        shift += a[i] - (b ? b[i] : 0) - first;
    if (n > 0) {
        shift /= (double)n;
        s.mean = first + shift;
    }
    for (size_t i = 0; i < n; i++) {
        double x = a[i] - (b ? b[i] : 0) - first - shift;
        squares += x * x;
    }
    if (n > 1) {
        s.deviation = sqrt(squares / (double)(n - 1));
        s.error = s.deviation / sqrt((double)n);
    }
    return s;
}

nln_summary nln_statistics_summary(const double *x, size_t n)
{
    return summarise(x, NULL, n);
}

/* ---- Student's distribution ------------------------------------------------------ */

/* ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi) / 2 + this, for x >= 20. */
static double stirling_rest(double x)
{
    double z = 1 / (x * x);
    return (1. / 12 - z * (1. / 360 - z * (1. / 1260 - z * (1. / 1680 - z / 1188)))) / x;
}

/* Gamma(a + 1/2) / Gamma(a).  The difference of two values of lgamma would lose the digits that
 * these have before the point. */
static double gamma_step(double a)
{
    double b = a + 0.5;
    if (a < 20)
        return tgamma(b) / tgamma(a);
    return exp((a - 0.5) * log1p(0.5 / a) + 0.5 * log(b) - 0.5 + stirling_rest(b) -
               stirling_rest(a));
}

static double away_from_zero(double x)
{
    return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/* The continued fraction of the incomplete beta function by Lentz's method, in about
 * sqrt(max(a, b)) steps if x < (a + 1) / (a + b + 2). */
static double fraction(double a, double b, double x)
{
    enum { MOST_STEPS = 1000000 };
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
    for (int i = 1; i <= MOST_STEPS; i++) {
        double m = i, even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        result *= d * c;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        result *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return result;
}

/* The regularised incomplete beta function I_x(a, 1/2).  y = 1 - x is given too, since the smaller
 * of the two has digits that the other has lost. */
static double incomplete_beta(double a, double x, double y)
{
    static const double root_of_pi = 1.7724538509055160273;
    double log_x = x > 0.5 ? log1p(-y) : log(x);
    double front = exp(a * log_x) * sqrt(y) * gamma_step(a) / root_of_pi;
    if (x < (a + 1) / (a + 2.5))
        return front * fraction(a, 0.5, x) / a;
    return 1 - front * fraction(0.5, a, y) / 0.5;
}

double nln_statistics_student(double t, double degrees)
{
    double square = t * t, sum = degrees + square;
    if (isnan(t) || square == 0)
        return isnan(t) ? t : 1;
    if (isinf(sum))
        return 0;
    return incomplete_beta(degrees / 2, degrees / sum, square / sum);
}

nln_paired nln_statistics_paired(const double *a, const double *b, size_t n)
{
    nln_paired test = {summarise(a, b, n), NAN, NAN, NAN};
    if (n < 2)
        return test;
    test.degrees = (double)(n - 1);
    test.t = test.difference.mean == 0 ? 0 : test.difference.mean / test.difference.error;
    test.p = nln_statistics_student(test.t, test.degrees);
    return test;
}
