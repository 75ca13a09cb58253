#include "net/objective.h"

#include <math.h>
#include <string.h>

#include "math/kernels.h"
#include "net/compound_laws.h"
#include "net/law_rows.h"
#include "net/laws.h"

/* The cosine of a vector and T; then the gradient of that vector for a slope. */
static real cosine_to_truth(real *inverse, const nln_workspace *work, const nln_net *net,
                            const real *w)
{
    real cosine;
    nln_kernels_get()->cosine(&cosine, inverse, w, net->truth, &work->inverse_length[NLN_ROW_TRUE],
                              0, 1, net->dim);
    return cosine;
}

/* dw += slope * the gradient of cos(w, T) by w; scratch is [dim], and dX is free for it
 * until backward. */
static void add_cosine_gradient(real *dw, real *scratch, const nln_workspace *work,
                                const nln_net *net, const real *w, double slope, real cosine,
                                real inverse)
{
    const nln_kernels *k = nln_kernels_get();
    real dcos = (real)slope;
    memcpy(scratch, w, (size_t)net->dim * sizeof(real));
    k->cosine_back(scratch, NULL, &dcos, &cosine, &inverse, net->truth,
                   &work->inverse_length[NLN_ROW_TRUE], 0, 1, net->dim);
    k->axpy(dw, 1, scratch, (size_t)net->dim);
}

void nln_objective_scores(double *score, const nln_workspace *work, const nln_net *net,
                          const nln_plan *plan)
{
    for (int32_t i = 0; i < plan->n_roots; i++) {
        const real *e = work->H + (size_t)plan->root[i] * (size_t)net->dim;
        real inverse;
        score[i] = (double)net->alpha * (double)cosine_to_truth(&inverse, work, net, e);
    }
}

void nln_objective_add_score_gradients(nln_workspace *work, const nln_net *net,
                                       const nln_plan *plan, const double *slope)
{
    for (int32_t i = 0; i < plan->n_roots; i++) {
        size_t at = (size_t)plan->root[i] * (size_t)net->dim;
        real inverse, cosine = cosine_to_truth(&inverse, work, net, work->H + at);
        add_cosine_gradient(work->dH + at, work->dX, work, net, work->H + at,
                            slope[i] * (double)net->alpha, cosine, inverse);
    }
}

/* Expressions may share a root, so this runs in their order. */
static double label_terms(double *flips, nln_workspace *work, const nln_net *net,
                          const nln_plan *plan, const nln_request *r, double noise, double scale)
{
    size_t d = (size_t)net->dim;
    double loss = 0, alpha = (double)net->alpha;
    for (int32_t i = 0; i < plan->n_roots; i++) {
        const real *e = work->H + (size_t)plan->root[i] * d;
        double slope, flipped;
        int32_t at = r->index[i % r->n]; /* each member has all units */
        real truth = r->truth[at];
        double weight = r->weight ? (double)r->weight[at] : 1, each = scale * weight;
        real inverse, cosine = cosine_to_truth(&inverse, work, net, e);
        loss +=
            each * nln_losses_label(&slope, &flipped, alpha * (double)cosine, (double)truth, noise);
        *flips += weight * flipped;
        add_cosine_gradient(work->dH + (size_t)plan->root[i] * d, work->dX, work, net, e,
                            each * slope * alpha, cosine, inverse);
    }
    return loss;
}

static double pair_terms(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                         nln_loss_kind kind, double scale)
{
    size_t d = (size_t)net->dim;
    double loss = 0, alpha = (double)net->alpha;
    for (int32_t i = 0; i + 1 < plan->n_roots; i += 2) {
        double score[2], slope[2];
        real inverse[2], cosine[2];
        for (int side = 0; side < 2; side++) {
            const real *e = work->H + (size_t)plan->root[i + side] * d;
            cosine[side] = cosine_to_truth(&inverse[side], work, net, e);
            score[side] = alpha * (double)cosine[side];
        }
        loss += scale * nln_losses_pair(slope, score, kind);
        for (int side = 0; side < 2; side++) {
            size_t at = (size_t)plan->root[i + side] * d;
            add_cosine_gradient(work->dH + at, work->dX, work, net, work->H + at,
                                scale * slope[side] * alpha, cosine[side], inverse[side]);
        }
    }
    return loss;
}

static double data_terms(double *flips, nln_workspace *work, const nln_net *net,
                         const nln_plan *plan, const nln_objective *o, nln_shard_context share,
                         uint64_t key)
{
    switch (o->loss_kind) {
    case NLN_LOSS_LABELS:
        return label_terms(flips, work, net, plan, share.request, o->noise, share.per_expression);
    case NLN_LOSS_PAIRS:
    case NLN_LOSS_PROBABILITY_PAIRS:
    case NLN_LOSS_BINARY_PAIRS:
        return pair_terms(work, net, plan, o->loss_kind, share.per_expression);
    default:
        return nln_softmax_gradient(share.softmax, work, net, plan, share.request,
                                    (nln_softmax_dropout){(real)o->dropout, key},
                                    share.per_expression);
    }
}

/* r_1 also runs over T itself: Sim(NOT(T), T). */
static double negation_of_truth(nln_workspace *work, const nln_net *net, double weight)
{
    size_t at = NLN_ROW_FALSE * (size_t)net->dim;
    const real *F = work->H + at;
    real inverse, cosine = cosine_to_truth(&inverse, work, net, F);
    double alpha = (double)net->alpha, sim = 1 / (1 + exp(-alpha * (double)cosine));
    add_cosine_gradient(work->dH + at, work->dX, work, net, F, weight * alpha * sim * (1 - sim),
                        cosine, inverse);
    return weight * sim;
}

static int shares_projections(const nln_objective *o, nln_shard_context share)
{
    return share.sharing && nln_objective_shares(o);
}

static double law_terms(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                        const nln_objective *o, nln_shard_context share, uint64_t key)
{
    if (!nln_objective_has_laws(o))
        return 0;
    nln_law_list_make(&work->law, plan,
                      (nln_law_selection){.H = work->H,
                                          .dim = net->dim,
                                          .weight = o->law_weight * share.per_vector,
                                          .sample = o->law_sample,
                                          .sharing = shares_projections(o, share),
                                          .tree_dropout = o->dropout > 0,
                                          .key = key});
    nln_profile_mark(&work->profile, NLN_PHASE_PLAN);
    double loss = 0;
    if (o->laws & NLN_ALL_LAWS)
        loss += nln_laws_gradient(work, net, o->laws);
    if (o->laws & NLN_ALL_COMPOUND_LAWS)
        loss += nln_compound_laws_gradient(work, net, plan->n_rows, o->laws, nln_random_mix(key));
    if (share.has_truth && o->laws & 1)
        loss += negation_of_truth(work, net, o->law_weight * share.per_vector);
    return loss;
}

/* The gradient of each row starts as that of its length. */
static double length_terms(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                           const nln_objective *o, double scale)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)net->dim;
    double loss = 0, weight = o->length_weight * scale;
    memset(work->dH, 0, (size_t)plan->n_rows * d * sizeof(real));
    for (int32_t r = NLN_ROW_LEAF; weight > 0 && r < plan->n_rows; r++) {
        const real *w = work->H + (size_t)r * d;
        double each = weight * plan->count[r];
        loss += each * (double)k->dot(w, w, net->dim);
        k->axpy(work->dH + (size_t)r * d, (real)(2 * each), w, d);
    }
    return loss;
}

int nln_objective_has_laws(const nln_objective *o)
{
    return o->law_weight > 0 && o->laws;
}

int nln_objective_shares(const nln_objective *o)
{
    return nln_objective_has_laws(o) && o->laws & NLN_ALL_LAWS && o->law_sample >= 1;
}

nln_loss nln_objective_gradient(nln_shard_gradient *gradient, nln_workspace *work,
                                const nln_net *net, const nln_plan *plan, const nln_objective *o,
                                nln_shard_context share, uint64_t key)
{
    nln_noise noise = {.hidden = (real)o->dropout,
                       .variables = (real)o->dropout_variables,
                       .logit = (real)o->logit_noise,
                       .key = nln_random_mix(key)};
    nln_loss loss = {0};
    work->gradient = gradient;
    nln_profile_start(&work->profile);
    memset(gradient->block, 0, nln_modules_size(net->dim, net->hidden) * sizeof(real));
    work->law.sharing = shares_projections(o, share);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
    nln_propagation_forward(work, net, plan, noise);
    nln_profile_start(&work->profile);
    loss.length = length_terms(work, net, plan, o, share.per_vector);
    loss.data = data_terms(&loss.flips, work, net, plan, o, share, nln_random_mix(key ^ 0xc0ffee));
    nln_profile_mark(&work->profile,
                     o->loss_kind == NLN_LOSS_SOFTMAX ? NLN_PHASE_GEMM : NLN_PHASE_ELEMENT);
    loss.laws = law_terms(work, net, plan, o, share, nln_random_mix(~key));
    nln_propagation_backward(work, net, plan, noise);
    work->gradient = NULL;
    return loss;
}
