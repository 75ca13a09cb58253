#include "task/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The trained tensors of the network, in order; T is not among them. */
static int part(real **x, size_t *n, const nln_net *net, int index)
{
    nln_net_tensor parts[3] = {
        {NULL, 1, nln_modules_size(net->dim, net->hidden), net->weights},
        {NULL, 1, (size_t)net->n_variables, net->logit},
        {NULL, (size_t)net->n_variables, (size_t)net->dim, net->vector},
    };
    if (index >= 3)
        return 0;
    *x = parts[index].data;
    *n = parts[index].data ? parts[index].rows * parts[index].columns : 0;
    return 1;
}

nln_status nln_snapshot_create(nln_snapshot *s, const nln_net *net, nln_error *err)
{
    real *x;
    size_t n;
    *s = (nln_snapshot){0};
    for (int i = 0; part(&x, &n, net, i); i++)
        s->n += n;
    s->block = nln_array_zeroed(s->n, sizeof(real));
    return s->block ? NLN_OK : nln_error_memory(err);
}

void nln_snapshot_free(nln_snapshot *s)
{
    free(s->block);
    *s = (nln_snapshot){0};
}

void nln_snapshot_take(nln_snapshot *s, const nln_net *net)
{
    real *x, *to = s->block;
    size_t n;
    for (int i = 0; part(&x, &n, net, i); to += n, i++)
        if (n)
            memcpy(to, x, n * sizeof(real));
}

void nln_snapshot_mix(nln_snapshot *s, const nln_net *net, double share)
{
    real *x, *to = s->block, old = (real)share, new = (real)(1 - share);
    size_t n;
    for (int i = 0; part(&x, &n, net, i); to += n, i++)
        for (size_t j = 0; j < n; j++)
            to[j] = old * to[j] + new *x[j];
}

void nln_snapshot_restore(nln_net *net, const nln_snapshot *s)
{
    real *x;
    const real *from = s->block;
    size_t n;
    for (int i = 0; part(&x, &n, net, i); from += n, i++)
        if (n)
            memcpy(x, from, n * sizeof(real));
    nln_net_transpose(net);
}

/* The place of the least value of a unimodal function in [low, high]. */
static double least(double (*value)(double x, const void *context), const void *context, double low,
                    double high)
{
    const double golden = 0.6180339887498949;
    for (int i = 0; i < 40; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (value(a, context) < value(b, context))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}

typedef struct sample {
    const double *x;
    const uint8_t *labels;
    size_t n;
    double noise;
} sample;

static double surprise(double p, int label, double noise)
{
    double of_label = label ? p : 1 - p;
    double likelihood = (1 - noise) * of_label + noise * (1 - of_label);
    return -log(likelihood > 1e-12 ? likelihood : 1e-12);
}

static double under_temperature(double logarithm, const void *context)
{
    const sample *s = context;
    double sum = logarithm * logarithm / 2, factor = exp(logarithm);
    for (size_t i = 0; i < s->n; i++)
        sum += surprise(1 / (1 + exp(-factor * s->x[i])), s->labels[i], s->noise);
    return sum;
}

double nln_fit_temperature(const double *score, const uint8_t *labels, size_t n, double noise)
{
    sample s = {score, labels, n, noise};
    return n ? exp(least(under_temperature, &s, -2.3, 2.3)) : 1;
}
