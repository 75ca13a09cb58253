/* Functions of one number. */
#ifndef NLN_MATH_SCALAR_H
#define NLN_MATH_SCALAR_H

#include <math.h>

static inline double nln_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The inverse, for a mean of probabilities: rounding may take it above 1. */
static inline double nln_log_odds(double p)
{
    return p > 1 ? INFINITY : log(p / (1 - p));
}

#endif
