#include "models/candidate_losses.h"

#include "base/array.h"
#include "net/losses.h"

void nln_candidate_losses_free(nln_candidate_losses *m)
{
    nln_free(m->own);
    nln_free(m->shared);
    *m = (nln_candidate_losses){0};
}

nln_status nln_candidate_losses_fit(nln_candidate_losses *m, const nln_request *request,
                                    nln_error *err)
{
    int pairs = nln_loss_kind_is_pairs(request->loss_kind);
    m->n = request->n;
    m->n_own = pairs ? 1 + request->n_candidates : 1;
    m->n_shared = request->loss_kind == NLN_LOSS_SOFTMAX ? request->n_candidates : 0;
    size_t n = (size_t)m->n;
    if (!NLN_ARRAY_RESERVE(m->own, m->own_room, n * (size_t)m->n_own) ||
        !NLN_ARRAY_RESERVE(m->shared, m->shared_room, n * (size_t)m->n_shared))
        return nln_error_memory(err);
    return NLN_OK;
}

int32_t nln_candidate_losses_item(const nln_candidate_losses *m, const nln_request *request,
                                  int32_t i, int32_t j)
{
    return j ? request->candidate[(int64_t)i * (m->n_own - 1) + j - 1]
             : request->queries->list[i].target;
}

static void label_loss(nln_loss *loss, real *score, double truth, double weight, double noise)
{
    double slope, flipped;
    loss->data += weight * nln_losses_label(&slope, &flipped, (double)*score, truth, noise);
    loss->flips += weight * flipped;
    *score = (real)(weight * slope);
}

/* The target against each of its candidates. */
static void pair_loss(nln_loss *loss, real *score, int32_t n, nln_loss_kind kind)
{
    double sum = 0, target = (double)score[0];
    for (int32_t j = 1; j < n; j++) {
        double slope[2];
        loss->data += nln_losses_pair(slope, (double[]){target, (double)score[j]}, kind);
        score[j] = (real)slope[1];
        sum += slope[0];
    }
    score[0] = (real)sum;
}

static void softmax_loss(nln_loss *loss, real *target, real *score, const uint8_t *refused,
                         int32_t n)
{
    double sum;
    loss->data += nln_losses_softmax(&sum, target, score, refused, n, 1, 1);
    *target = (real)((double)*target / sum - 1);
    real share = (real)(1 / sum);
    for (int32_t j = 0; j < n; j++)
        score[j] *= share;
}

static void scale(nln_candidate_losses *m, double by)
{
    for (int64_t i = 0; i < (int64_t)m->n * m->n_own; i++)
        m->own[i] *= (real)by;
    for (int64_t i = 0; i < (int64_t)m->n * m->n_shared; i++)
        m->shared[i] *= (real)by;
}

nln_loss nln_candidate_losses_loss(nln_candidate_losses *m, const nln_request *request,
                                   const nln_learner *learner)
{
    nln_loss loss = {0};
    for (int32_t i = 0; i < m->n; i++) {
        real *own = m->own + (int64_t)i * m->n_own;
        int64_t at = (int64_t)i * m->n_shared;
        int32_t unit = request->exprs ? request->index[i] : i;
        if (request->loss_kind == NLN_LOSS_LABELS)
            label_loss(&loss, own, (double)request->truth[unit],
                       request->weight ? (double)request->weight[unit] : 1, learner->noise);
        else if (request->loss_kind == NLN_LOSS_SOFTMAX)
            softmax_loss(&loss, own, m->shared + at, request->refused + at, m->n_shared);
        else
            pair_loss(&loss, own, m->n_own, request->loss_kind);
    }
    loss.data *= learner->per_unit;
    if (learner->per_unit != 1)
        scale(m, learner->per_unit);
    return loss;
}
