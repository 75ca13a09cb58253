/* Layer normalization (Ba et al., 2016): y = gain (x - mean) / sqrt(variance + 1e-8) + offset, with
 * the mean and variance of each row. */
#ifndef NLN_NET_LAYER_NORM_H
#define NLN_NET_LAYER_NORM_H

#include "math/real.h"

/* y [n, dim] of x [n, dim]; scaled [n, dim] and inverse [n], which backward needs, are x without
 * its mean and in units of its deviation, and 1 over that. */
void nln_layer_norm_forward(real *y, real *scaled, real *inverse, const real *x, const real *gain,
                            const real *offset, int n, int dim);
/* dx += the gradient of x, and so for gain and offset, given dy. */
void nln_layer_norm_backward(real *dx, real *dgain, real *doffset, const real *dy,
                             const real *scaled, const real *inverse, const real *gain, int n,
                             int dim);

#endif
