#include "net/softmax_loss.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "net/hidden_cosine.h"
#include "net/losses.h"

struct nln_softmax {
    int dim, hidden;
    size_t room;  /* histories + negatives */
    real *X;      /* [room, dim] gathered histories, or targets and negatives */
    real *dX;     /* [room, dim] */
    real *P, *dP; /* [n, hidden] histories as first operands, with the bias */
    real *Q, *dQ; /* [n + negatives, hidden] targets, then negatives, as second operands */
    real *z, *s;  /* [1 + negatives, hidden] of one history: the target, then the negatives */
    real *linear, *square, *by, *less; /* [1 + negatives] */

    real *aims;                  /* the memory of ... */
    nln_hidden_cosine aim, daim; /* ... the aim at T and its gradient */
};

nln_status nln_softmax_create(nln_softmax **out, const nln_net *net, nln_error *err)
{
    size_t h = (size_t)net->hidden;
    nln_softmax *c = nln_memory_zeroed(1, sizeof *c);
    if (!c)
        return nln_error_memory(err);
    c->dim = net->dim;
    c->hidden = net->hidden;
    c->aims = nln_array_zeroed(2 * h * h + 2 * h, sizeof(real));
    if (!c->aims) {
        nln_softmax_free(c);
        return nln_error_memory(err);
    }
    c->aim = (nln_hidden_cosine){c->aims, c->aims + 2 * h * h};
    c->daim = (nln_hidden_cosine){c->aims + h * h, c->aims + 2 * h * h + h};
    *out = c;
    return NLN_OK;
}

void nln_softmax_free(nln_softmax *c)
{
    if (!c)
        return;
    nln_free(c->X);
    nln_free(c->aims);
    nln_free(c);
}

nln_status nln_softmax_fit(nln_softmax *c, int32_t n, int32_t n_candidates, nln_error *err)
{
    size_t room = (size_t)n + (size_t)n_candidates + 1, d = (size_t)c->dim, h = (size_t)c->hidden;
    if (room <= c->room)
        return NLN_OK;
    nln_free(c->X);
    c->room = 0;
    c->X = nln_array_zeroed(room * (2 * d + 6 * h + 4), sizeof(real));
    if (!c->X)
        return nln_error_memory(err);
    real **views[] = {&c->dX, &c->P, &c->dP, &c->Q, &c->dQ, &c->z, &c->s, &c->linear};
    size_t widths[] = {d, d, h, h, h, h, h, h};
    real *at = c->X;
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        at += room * widths[i];
        *views[i] = at;
    }
    c->square = c->linear + room;
    c->by = c->square + room;
    c->less = c->by + room;
    c->room = room;
    return NLN_OK;
}

/* ---- projections --------------------------------------------------------------- */

static void gather(real *out, const nln_workspace *work, const int32_t *rows, int32_t n)
{
    size_t d = (size_t)work->dim;
    for (int32_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * d, work->H + (size_t)rows[i] * d, d * sizeof(real));
}

static void scatter(nln_workspace *work, const real *from, const int32_t *rows, int32_t n)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)work->dim;
    for (int32_t i = 0; i < n; i++)
        k->axpy(work->dH + (size_t)rows[i] * d, 1, from + (size_t)i * d, d);
}

/* The weights of OR's first (side 0) or second operand. */
static size_t side_at(const nln_softmax *c, int side)
{
    return (size_t)side * (size_t)c->dim * (size_t)c->hidden;
}

static void project(real *out, nln_softmax *c, const nln_workspace *work, const nln_net *net,
                    const int32_t *rows, int32_t n, int side)
{
    const real *in = net->modules.of[NLN_MODULE_CANDIDATE].in + side_at(c, side);
    gather(c->X, work, rows, n);
    nln_blas_nn(out, c->hidden, c->X, c->dim, in, c->hidden, n, c->hidden, c->dim);
}

static void project_back(const real *dout, nln_softmax *c, nln_workspace *work, const nln_net *net,
                         const int32_t *rows, int32_t n, int side)
{
    int d = c->dim, h = c->hidden;
    real *grad = work->gradient->modules.of[NLN_MODULE_CANDIDATE].in + side_at(c, side);
    const real *transposed = net->transposed.of[NLN_MODULE_CANDIDATE].in + (size_t)side * (size_t)d;
    gather(c->X, work, rows, n);
    nln_blas_tn_add(grad, h, c->X, d, dout, h, d, h, n);
    nln_blas_nn(c->dX, d, dout, h, transposed, 2 * d, n, d, h);
    scatter(work, c->dX, rows, n);
}

/* p gets OR's bias.  A dropped unit gets one that no q can lift above 0; what is kept need
 * not be scaled, since a cosine does not change with it. */
static void add_bias(nln_softmax *c, const nln_net *net, int32_t n, nln_softmax_dropout dropout,
                     int32_t first)
{
    const real *bias = net->modules.of[NLN_MODULE_CANDIDATE].bias;
    uint64_t threshold = (uint64_t)((double)dropout.share * 0x1p32);
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < c->hidden; j++) {
            size_t at = (size_t)i * (size_t)c->hidden + (size_t)j;
            uint64_t place = (uint64_t)(first + i) << 20 | (uint64_t)j;
            c->P[at] += bias[j];
            if (dropout.share > 0 &&
                nln_random_mix(dropout.key ^ nln_random_mix(place)) >> 32 < threshold)
                c->P[at] = NLN_REAL(-1e30);
        }
}

/* ---- one history ------------------------------------------------------------------ */

/* Cosines to slopes by way of the softmax.  Returns the loss. */
static double compete(nln_softmax *c, const uint8_t *refused, int32_t n_candidates, double alpha,
                      double scale)
{
    double sum;
    for (int32_t r = 0; r <= n_candidates; r++) {
        double square = (double)c->square[r];
        c->square[r] = square <= 1e-18 ? 0 : (real)(1 / sqrt(square)); /* a NaN stays */
        c->by[r] = c->linear[r] * c->square[r];                        /* the cosine */
        c->linear[r] = c->by[r];
    }
    double loss =
        nln_losses_softmax(&sum, c->linear, c->linear + 1, refused, n_candidates, alpha, 0);
    for (int32_t r = 0; r <= n_candidates; r++) {
        double slope = scale * alpha * ((double)c->linear[r] / sum - (r == 0));
        double inverse = (double)c->square[r], cosine = (double)c->by[r];
        c->by[r] = (real)(slope * inverse);
        c->less[r] = (real)(slope * cosine * inverse * inverse);
    }
    return scale * loss;
}

static double one_history(nln_softmax *c, const nln_request *request, int32_t i, double alpha,
                          double scale)
{
    const nln_kernels *k = nln_kernels_get();
    int h = c->hidden, rows = 1 + request->n_candidates;
    size_t width = (size_t)h, n = (size_t)request->n;
    const real *p = c->P + (size_t)i * width;
    real *dp = c->dP + (size_t)i * width;
    k->relu(c->z, c->Q + (size_t)i * width, NULL, p, 1, h);
    k->relu(c->z + h, c->Q + n * width, NULL, p, rows - 1, h);
    nln_blas_nn_skip(c->s, h, c->z, h, c->aim.square, h, rows, h, h, NULL);
    k->form(c->linear, c->square, c->z, c->s, c->aim.toward, rows, h);
    double loss = compete(c, request->refused + (size_t)i * (size_t)request->n_candidates,
                          request->n_candidates, alpha, scale);
    k->form_back(c->s, c->dQ + (size_t)i * width, dp, c->daim.toward, c->by, c->less, c->z,
                 c->aim.toward, 1, h);
    k->form_back(c->s + h, c->dQ + n * width, dp, c->daim.toward, c->by + 1, c->less + 1, c->z + h,
                 c->aim.toward, rows - 1, h);
    nln_blas_tn_add(c->daim.square, h, c->z, h, c->s, h, h, h, rows);
    return loss;
}

/* ---- all of them -------------------------------------------------------------------- */

static double one_member(nln_softmax *c, nln_workspace *work, const nln_net *net,
                         const int32_t *roots, const nln_request *request,
                         nln_softmax_dropout dropout, int32_t first, double scale)
{
    int32_t n = request->n, n_second = n + request->n_candidates;
    size_t h = (size_t)c->hidden;
    double loss = 0;
    project(c->P, c, work, net, roots, n, 0);
    project(c->Q, c, work, net, roots + n, n_second, 1);
    add_bias(c, net, n, dropout, first);
    memset(c->dP, 0, (size_t)n * h * sizeof(real));
    memset(c->dQ, 0, (size_t)n_second * h * sizeof(real));
    for (int32_t i = 0; i < n; i++)
        loss += one_history(c, request, i, (double)net->alpha, scale);
    for (int32_t i = 0; i < n; i++)
        nln_kernels_get()->axpy(work->gradient->modules.of[NLN_MODULE_CANDIDATE].bias, 1,
                                c->dP + (size_t)i * h, h);
    project_back(c->dP, c, work, net, roots, n, 0);
    project_back(c->dQ, c, work, net, roots + n, n_second, 1);
    return loss;
}

double nln_softmax_gradient(nln_softmax *c, nln_workspace *work, const nln_net *net,
                            const nln_plan *plan, const nln_request *request,
                            nln_softmax_dropout dropout, double scale)
{
    size_t h = (size_t)c->hidden;
    real inverse = work->inverse_length[NLN_ROW_TRUE];
    double loss = 0;
    int32_t each = 2 * request->n + request->n_candidates;
    nln_hidden_cosine_set(c->aim, net, NLN_MODULE_CANDIDATE, net->truth, inverse);
    memset(c->daim.square, 0, h * h * sizeof(real));
    memset(c->daim.toward, 0, h * sizeof(real));
    for (int32_t m = 0; m < plan->n_roots / each; m++)
        loss += one_member(c, work, net, plan->root + (size_t)m * (size_t)each, request, dropout,
                           m * request->n, scale);
    nln_hidden_cosine_back(work->gradient->modules.of[NLN_MODULE_CANDIDATE].out, c->daim, net,
                           NLN_MODULE_CANDIDATE, net->truth, inverse);
    return loss;
}
