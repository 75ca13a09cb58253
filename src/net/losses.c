#include "net/losses.h"

#include <math.h>

#include "math/scalar.h"

static double cross_entropy(double *slope, double *flipped, double score, int label, double noise)
{
    double p = nln_sigmoid(score), q = nln_sigmoid(-score);
    double sign = label ? 1 : -1, right = label ? p : q, wrong = label ? q : p;
    *flipped = 0;
    if (noise <= 0) {
        *slope = p - label;
        return label == (score > 0) ? log1p(exp(-fabs(score))) : fabs(score) - log(fmax(p, q));
    }
    double likelihood = (1 - noise) * right + noise * wrong;
    *slope = -sign * (1 - 2 * noise) * p * q / likelihood;
    *flipped = noise * wrong / likelihood;
    return -log(likelihood);
}

double nln_losses_label(double *slope, double *flipped, double score, double truth, double noise)
{
    double share[2] = {1 - truth, truth}, loss = 0;
    *slope = *flipped = 0;
    for (int label = 0; label < 2; label++) {
        double by, flips;
        if (share[label] <= 0)
            continue;
        loss += share[label] * cross_entropy(&by, &flips, score, label, noise);
        *slope += share[label] * by;
        *flipped += share[label] * flips;
    }
    return loss;
}

double nln_losses_pair(double slope[2], const double score[2], nln_loss_kind kind)
{
    double x[2] = {score[0], score[1]}, by[2] = {1, 1}, flipped;
    if (kind == NLN_LOSS_BINARY_PAIRS)
        return cross_entropy(&slope[0], &flipped, score[0], 1, 0) +
               cross_entropy(&slope[1], &flipped, score[1], 0, 0);
    for (int i = 0; kind == NLN_LOSS_PROBABILITY_PAIRS && i < 2; i++) {
        x[i] = nln_sigmoid(score[i]);
        by[i] = x[i] * (1 - x[i]);
    }
    double lead = x[0] - x[1], wrong = nln_sigmoid(-lead);
    slope[0] = -wrong * by[0];
    slope[1] = wrong * by[1];
    return lead > 0 ? log1p(exp(-lead)) : -lead + log1p(exp(lead));
}

static double exponential(double x, int single)
{
#ifdef NLN_DOUBLE
    single = 0;
#endif
    return single ? (double)expf((float)x) : exp(x);
}

double nln_losses_softmax(double *sum, real *target, real *score, const uint8_t *refused, int32_t n,
                          double factor, int single)
{
    double most = factor * (double)*target;
    for (int32_t j = 0; j < n; j++)
        if (!refused[j])
            most = fmax(most, factor * (double)score[j]);
    double of_target = factor * (double)*target - most, e = exp(of_target);
    *target = (real)e;
    *sum = e;
    for (int32_t j = 0; j < n; j++) {
        e = refused[j] ? 0 : exponential(factor * (double)score[j] - most, single);
        score[j] = (real)e;
        *sum += e;
    }
    return log(*sum) - of_target;
}
