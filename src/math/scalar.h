/* Functions of one number. */
#ifndef NLN_MATH_SCALAR_H
#define NLN_MATH_SCALAR_H

#include <math.h>

#include "math/real.h"

static inline double nln_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The inverse, for a mean of probabilities: rounding may take it above 1. */
static inline double nln_log_odds(double p)
{
    return p > 1 ? INFINITY : log(p / (1 - p));
}

/* 1 / |x| from |x|^2.  A vector too short to have a direction has 0, so that its cosine is 0 and
 * passes no gradient.  Lengths beyond the range are told: a NaN. */
static inline real nln_inverse_length(real squared)
{
    if (!(squared < (real)INFINITY))
        return (real)NAN;
    return squared > NLN_REAL(1e-18) ? 1 / (real)sqrt(squared) : 0;
}

#endif
