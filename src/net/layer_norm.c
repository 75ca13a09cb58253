#include "net/layer_norm.h"

#include <math.h>
#include <stddef.h>

void nln_layer_norm_forward(real *y, real *scaled, real *inverse, const real *x, const real *gain,
                            const real *offset, int n, int dim)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)dim;
        double sum = 0, squares = 0;
        for (int k = 0; k < dim; k++)
            sum += (double)x[at + (size_t)k];
        real mean = (real)(sum / dim);
        for (int k = 0; k < dim; k++) {
            scaled[at + (size_t)k] = x[at + (size_t)k] - mean;
            squares += (double)scaled[at + (size_t)k] * (double)scaled[at + (size_t)k];
        }
        inverse[i] = (real)(1 / sqrt(squares / dim + 1e-8));
        for (int k = 0; k < dim; k++) {
            scaled[at + (size_t)k] *= inverse[i];
            y[at + (size_t)k] = gain[k] * scaled[at + (size_t)k] + offset[k];
        }
    }
}

void nln_layer_norm_backward(real *dx, real *dgain, real *doffset, const real *dy,
                             const real *scaled, const real *inverse, const real *gain, int n,
                             int dim)
{
    for (int i = 0; i < n; i++) {
        size_t at = (size_t)i * (size_t)dim;
        double mean = 0, along = 0; /* of gain dy: its mean, and its part along the row */
        for (int k = 0; k < dim; k++) {
            real g = dy[at + (size_t)k], z = scaled[at + (size_t)k];
            dgain[k] += g * z;
            doffset[k] += g;
            mean += (double)(gain[k] * g);
            along += (double)(gain[k] * g * z);
        }
        real less = (real)(mean / dim), turn = (real)(along / dim);
        for (int k = 0; k < dim; k++)
            dx[at + (size_t)k] +=
                inverse[i] * (gain[k] * dy[at + (size_t)k] - less - turn * scaled[at + (size_t)k]);
    }
}
