#include "models/candidate_scores.h"

#include <math.h>

#include "base/array.h"
#include "math/scalar.h"

void nln_candidate_scores_free(nln_candidate_scores *m)
{
    nln_free(m->own);
    nln_free(m->shared);
    *m = (nln_candidate_scores){0};
}

nln_status nln_candidate_scores_fit(nln_candidate_scores *m, const nln_request *request,
                                    nln_error *err)
{
    int pairs =
        request->loss_kind == NLN_LOSS_PAIRS || request->loss_kind == NLN_LOSS_PROBABILITY_PAIRS;
    m->n = request->n;
    m->n_own = pairs ? 1 + request->n_candidates : 1;
    m->n_shared = request->loss_kind == NLN_LOSS_SOFTMAX ? request->n_candidates : 0;
    size_t n = (size_t)m->n;
    if (!NLN_ARRAY_RESERVE(m->own, m->own_room, n * (size_t)m->n_own) ||
        !NLN_ARRAY_RESERVE(m->shared, m->shared_room, n * (size_t)m->n_shared))
        return nln_error_memory(err);
    return NLN_OK;
}

int32_t nln_candidate_scores_item(const nln_candidate_scores *m, const nln_request *request,
                                  int32_t i, int32_t j)
{
    return j ? request->candidate[(int64_t)i * (m->n_own - 1) + j - 1]
             : request->queries->list[i].target;
}

/* log(1 + exp(x)) without overflow. */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* Cross-entropy of a label, which counts as much as `share`; a share `noise` of all is taken to be
 * flipped.  Returns the derivative by the mark. */
static double label_term(nln_loss *loss, double mark, int label, double share, double noise)
{
    double sign = label ? 1 : -1, z = sign * mark, q = nln_sigmoid(z);
    if (noise == 0) {
        loss->data += share * softplus(-z);
        return -share * sign * nln_sigmoid(-z);
    }
    double likelihood = (1 - noise) * q + noise * (1 - q);
    loss->data -= share * log(likelihood);
    loss->flips += share * noise * (1 - q) / likelihood;
    return -share * sign * (1 - 2 * noise) * q * (1 - q) / likelihood;
}

/* A label in doubt is both. */
static void label_loss(nln_loss *loss, real *mark, double truth, double noise)
{
    double of_true = truth > 0 ? label_term(loss, (double)*mark, 1, truth, noise) : 0;
    double of_false = truth < 1 ? label_term(loss, (double)*mark, 0, 1 - truth, noise) : 0;
    *mark = (real)(of_true + of_false);
}

/* -log sigmoid of the difference between the target and each of its negatives. */
static void pair_loss(nln_loss *loss, real *mark, int32_t n)
{
    double target = (double)mark[0], sum = 0;
    for (int32_t j = 1; j < n; j++) {
        double z = target - (double)mark[j], by = nln_sigmoid(-z);
        loss->data += softplus(-z);
        mark[j] = (real)by;
        sum -= by;
    }
    mark[0] = (real)sum;
}

/* The same of the probabilities. */
static void chance_loss(nln_loss *loss, real *mark, int32_t n)
{
    double p = nln_sigmoid((double)mark[0]), sum = 0;
    for (int32_t j = 1; j < n; j++) {
        double r = nln_sigmoid((double)mark[j]), by = nln_sigmoid(r - p);
        loss->data += softplus(r - p);
        mark[j] = (real)(by * r * (1 - r));
        sum -= by;
    }
    mark[0] = (real)(sum * p * (1 - p));
}

/* exp(mark - most) in place of each mark, 0 where refused; returns their sum. */
static double exponentials(real *mark, const uint8_t *refused, int32_t n, double most)
{
    double sum = 0;
    for (int32_t j = 0; j < n; j++) {
#ifdef NLN_DOUBLE
        mark[j] = refused[j] ? 0 : exp(mark[j] - most);
#else
        mark[j] = refused[j] ? 0 : expf(mark[j] - (real)most);
#endif
        sum += (double)mark[j];
    }
    return sum;
}

/* -log of what a softmax gives the target. */
static void choice_loss(nln_loss *loss, real *target, real *mark, const uint8_t *refused, int32_t n)
{
    double most = (double)*target;
    for (int32_t j = 0; j < n; j++)
        if (!refused[j] && (double)mark[j] > most)
            most = (double)mark[j];
    double of_target = exp((double)*target - most);
    double sum = of_target + exponentials(mark, refused, n, most);
    loss->data += log(sum) + most - (double)*target;
    *target = (real)(of_target / sum - 1);
    real share = (real)(1 / sum);
    for (int32_t j = 0; j < n; j++)
        mark[j] *= share;
}

static void scale(nln_candidate_scores *m, double by)
{
    for (int64_t i = 0; i < (int64_t)m->n * m->n_own; i++)
        m->own[i] *= (real)by;
    for (int64_t i = 0; i < (int64_t)m->n * m->n_shared; i++)
        m->shared[i] *= (real)by;
}

nln_loss nln_candidate_scores_loss(nln_candidate_scores *m, const nln_request *request,
                                   const nln_config *c, double noise)
{
    nln_loss loss = {0};
    for (int32_t i = 0; i < m->n; i++) {
        real *own = m->own + (int64_t)i * m->n_own;
        int64_t at = (int64_t)i * m->n_shared;
        if (request->loss_kind == NLN_LOSS_LABELS)
            label_loss(&loss, own, (double)request->truth[request->exprs ? request->index[i] : i],
                       noise);
        else if (request->loss_kind == NLN_LOSS_PAIRS)
            pair_loss(&loss, own, m->n_own);
        else if (request->loss_kind == NLN_LOSS_PROBABILITY_PAIRS)
            chance_loss(&loss, own, m->n_own);
        else
            choice_loss(&loss, own, m->shared + at, request->refused + at, m->n_shared);
    }
    if (c->reduce && m->n) {
        loss.data /= m->n;
        scale(m, 1.0 / m->n);
    }
    return loss;
}
