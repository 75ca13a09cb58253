/* The modules and the laws by their formulas, one vector at a time; for tests. */
#ifndef NLN_TESTS_NAIVE_NET_H
#define NLN_TESTS_NAIVE_NET_H

#include <math.h>

#include "net/law_table.h"
#include "net/net.h"

enum { NAIVE_MOST = 32 };

/* y = relu([a|b] in + bias) out; b is not read for one operand. */
static inline void naive_module(real *y, const nln_net *net, nln_module_id id, const real *a,
                                const real *b)
{
    const nln_module *m = &net->modules.of[id];
    double z[NAIVE_MOST];
    int d = net->dim, h = net->hidden;
    for (int j = 0; j < h; j++) {
        z[j] = (double)m->bias[j];
        for (int i = 0; i < m->inputs * d; i++)
            z[j] += (double)(i < d ? a[i] : b[i - d]) * (double)m->in[i * h + j];
        z[j] = z[j] > 0 ? z[j] : 0;
    }
    for (int i = 0; i < d; i++) {
        double sum = 0;
        for (int j = 0; j < h; j++)
            sum += z[j] * (double)m->out[j * d + i];
        y[i] = (real)sum;
    }
}

static inline double naive_cosine(const real *a, const real *b, int d)
{
    double ab = 0, aa = 0, bb = 0;
    for (int i = 0; i < d; i++) {
        ab += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return aa * bb > 0 ? ab / sqrt(aa * bb) : 0; /* a vector of zeros has no direction */
}

/* The cosine of both sides of a law, for w. */
static inline double naive_law(const nln_net *net, int law, const real *w, const real *T,
                               const real *F)
{
    real not_w[NAIVE_MOST], y[NAIVE_MOST];
    int is_or = law >= NLN_LAW_or_annihilator;
    nln_module_id module = is_or ? NLN_MODULE_OR : NLN_MODULE_AND;
    const real *second = w, *result = w;
    naive_module(not_w, net, NLN_MODULE_NOT, w, NULL);
    switch (law) {
    case NLN_LAW_negation:
        return naive_cosine(not_w, w, net->dim);
    case NLN_LAW_double_negation:
        naive_module(y, net, NLN_MODULE_NOT, not_w, NULL);
        return naive_cosine(y, w, net->dim);
    case NLN_LAW_and_identity:
    case NLN_LAW_or_identity:
        second = is_or ? F : T;
        break;
    case NLN_LAW_and_annihilator:
    case NLN_LAW_or_annihilator:
        second = result = is_or ? T : F;
        break;
    case NLN_LAW_and_complementation:
    case NLN_LAW_or_complementation:
        second = not_w;
        result = is_or ? T : F;
        break;
    default:
        break;
    }
    naive_module(y, net, module, w, second);
    return naive_cosine(y, result, net->dim);
}

/* Its term: Sim where the sides should be far apart, else 1 - Sim. */
static inline double naive_term(const nln_net *net, int law, double cosine)
{
    double sign = nln_law_table[law].far_apart ? -1 : 1;
    return 1 / (1 + exp(sign * (double)net->alpha * cosine));
}

#endif
