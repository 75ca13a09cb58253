#include "training/calibration.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

static size_t size_of(const nln_parameter *p)
{
    return p->n * (size_t)p->width;
}

nln_status nln_snapshot_create(nln_snapshot *s, const nln_learner *l, nln_error *err)
{
    *s = (nln_snapshot){0};
    for (int i = 0; i < l->n_parameters; i++)
        s->n += size_of(&l->parameter[i]);
    s->block = nln_array_zeroed(s->n, sizeof(real));
    return s->block ? NLN_OK : nln_error_memory(err);
}

void nln_snapshot_free(nln_snapshot *s)
{
    nln_free(s->block);
    *s = (nln_snapshot){0};
}

void nln_snapshot_take(nln_snapshot *s, const nln_learner *l)
{
    real *to = s->block;
    for (int i = 0; i < l->n_parameters; to += size_of(&l->parameter[i++]))
        memcpy(to, l->parameter[i].x, size_of(&l->parameter[i]) * sizeof(real));
}

void nln_snapshot_mix(nln_snapshot *s, const nln_learner *l, double share)
{
    real *to = s->block, old = (real)share, new = (real)(1 - share);
    for (int i = 0; i < l->n_parameters; to += size_of(&l->parameter[i++]))
        for (size_t j = 0; j < size_of(&l->parameter[i]); j++)
            to[j] = old * to[j] + new * l->parameter[i].x[j];
}

void nln_snapshot_restore(nln_learner *l, const nln_snapshot *s)
{
    const real *from = s->block;
    for (int i = 0; i < l->n_parameters; from += size_of(&l->parameter[i++]))
        memcpy(l->parameter[i].x, from, size_of(&l->parameter[i]) * sizeof(real));
    if (l->changed)
        l->changed(l);
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
    const double *x, *surprise;
    nln_truths truths;
    size_t n;
    double noise;
} sample;

static double cost_of(double p, int label, double noise)
{
    double of_label = label ? p : 1 - p;
    double likelihood = (1 - noise) * of_label + noise * (1 - of_label);
    return -log(likelihood > 1e-12 ? likelihood : 1e-12);
}

static double cost(double p, const sample *s, size_t i)
{
    double truth = nln_truths_label(&s->truths, i), weight = nln_truths_weight(&s->truths, i);
    if (truth <= 0 || truth >= 1)
        return weight * cost_of(p, truth > 0, s->noise);
    return weight * (truth * cost_of(p, 1, s->noise) + (1 - truth) * cost_of(p, 0, s->noise));
}

static double under_temperature(double logarithm, const void *context)
{
    const sample *s = context;
    double sum = logarithm * logarithm / 2, factor = exp(logarithm);
    for (size_t i = 0; i < s->n; i++)
        sum += cost(1 / (1 + exp(-factor * s->x[i])), s, i);
    return sum;
}

double nln_calibration_temperature(const double *score, nln_truths truths, size_t n, double noise)
{
    sample s = {score, NULL, truths, n, noise};
    return n ? exp(least(under_temperature, &s, -2.3, 2.3)) : 1;
}

static double under_carry(double carry, const void *context)
{
    const sample *s = context;
    double sum = carry * carry / 8;
    for (size_t i = 0; i < s->n; i++)
        sum += cost(1 / (1 + exp(-s->x[i] - carry * s->surprise[i])), s, i);
    return sum;
}

double nln_calibration_carry(const double *score, const double *surprise, nln_truths truths,
                             size_t n, double noise)
{
    sample s = {score, surprise, truths, n, noise};
    double found = n ? least(under_carry, &s, 0, 10) : 0;
    return under_carry(found, &s) < under_carry(0, &s) ? found : 0;
}
