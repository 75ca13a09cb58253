#include "task/metrics.h"

#include <math.h>

#define LEAST 1e-12

/* Comparisons with NaN are false: a NaN passes through instead of becoming a hit
 * or a miss, or a bound. */

static double hit(double p, int label)
{
    return isnan(p) ? p : (p > 0.5) == label;
}

static double surprise(double p, int label)
{
    double held = p < LEAST ? LEAST : p > 1 - LEAST ? 1 - LEAST : p;
    return label ? -log(held) : -log1p(-held);
}

nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n)
{
    double hits = 0, squares = 0, surprises = 0;
    if (n == 0)
        return (nln_metrics){0};
    for (size_t i = 0; i < n; i++) {
        int label = labels[i] != 0;
        hits += hit(p[i], label);
        squares += (p[i] - label) * (p[i] - label);
        surprises += surprise(p[i], label);
    }
    double count = (double)n;
    return (nln_metrics){n, hits / count, sqrt(squares / count), surprises / count};
}
