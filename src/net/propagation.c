#include "net/propagation.h"

#include <math.h>
#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "math/scalar.h"
#include "net/law_list.h"

/* ---- dropout --------------------------------------------------------------- */

/* Scales the numbers that are kept by 1 / (1 - share), and zeroes the others. */
static void drop_rows(real *x, int width, real share, uint64_t key, int32_t first, int32_t last)
{
    const nln_kernels *k = nln_kernels_get();
    uint32_t threshold = (uint32_t)((double)share * 65536.0);
    for (int32_t r = first; share > 0 && r < last; r++)
        k->drop(x + (size_t)r * (size_t)width, nln_random_mix(key ^ (uint64_t)r), threshold,
                1 / (1 - share), width);
}

/* Hidden layers, variable vectors and logits draw from different keys. */
static uint64_t hidden_key(nln_perturbation jitter)
{
    return jitter.key ^ 0x5bd1e995u;
}

static real logit_noise(nln_perturbation jitter, int32_t variable)
{
    if (!(jitter.logit > 0))
        return 0;
    nln_random random = nln_random_seed(jitter.key, (uint64_t)variable);
    return jitter.logit * (real)nln_random_normal(&random);
}

/* ---- T, F and the variables -------------------------------------------------- */

/* F = NOT(T), and its hidden layer z. */
static void falsehood(real *F, real *z, const nln_net *net)
{
    const nln_module *m = &net->modules.of[NLN_MODULE_NOT];
    int d = net->dim, h = net->hidden;
    nln_blas_nn(z, h, net->truth, d, m->in, h, 1, h, d);
    nln_kernels_get()->relu(z, z, NULL, m->bias, 1, h);
    nln_blas_nn(F, d, z, h, m->out, d, 1, d, h);
}

static void ends_forward(nln_workspace *work, const nln_net *net)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden;
    memcpy(work->H, net->truth, d * sizeof(real));
    falsehood(work->H + NLN_ROW_FALSE * d, work->Z + NLN_ROW_FALSE * h, net);
    nln_kernels_get()->inverse_length(work->end_inverse, work->H, 2, net->dim);
}

static void falsehood_backward(nln_workspace *work, const nln_net *net)
{
    const nln_module *t = &net->transposed.of[NLN_MODULE_NOT];
    nln_module *g = &work->yield->grad.of[NLN_MODULE_NOT];
    int d = net->dim, h = net->hidden;
    size_t at = (size_t)NLN_ROW_FALSE;
    real *dF = work->dH + at * (size_t)d, *z = work->Z + at * (size_t)h;
    real *dz = work->dZ + at * (size_t)h;
    nln_blas_tn_add(g->out, d, z, h, dF, d, h, d, 1);
    nln_blas_nn(dz, h, dF, d, t->out, h, 1, h, d);
    nln_kernels_get()->relu_back(dz, g->bias, z, 1, 1, h);
    nln_blas_tn_add(g->in, h, net->truth, d, dz, h, d, h, 1);
}

/* A point on the curve is v = a P + b Q: on the line P = T and Q = F, on the arc
 * P = T and Q = U.  da and db are the derivatives by the variable's number t. */
static nln_curve_point point_of(const nln_net *net, int32_t variable, nln_perturbation jitter)
{
    real t = net->logit[variable] + logit_noise(jitter, variable);
    if (!nln_embedding_is_arc(net->embedding)) {
        real s = (real)nln_sigmoid((double)t);
        return (nln_curve_point){s, 1 - s, s * (1 - s), -s * (1 - s)};
    }
    /* With c = tanh(x), sqrt(1 - c^2) = 1 / cosh(x). */
    double x = (double)t / 3, c = tanh(x), r = 1 / cosh(x);
    return (nln_curve_point){(real)c, (real)r, (real)(r * r / 3), (real)(-r * c / 3)};
}

static const real *second_end(const nln_net *net, const real *F)
{
    return nln_embedding_is_arc(net->embedding) ? net->axis : F;
}

/* Returns where the variable is, if it is on a curve. */
static nln_curve_point leaf_forward(real *v, const nln_net *net, const real *F, int32_t variable,
                                    nln_perturbation jitter)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)net->dim;
    nln_curve_point at = {0};
    if (net->vector)
        memcpy(v, net->vector + (size_t)variable * d, d * sizeof(real));
    else
        memset(v, 0, d * sizeof(real));
    if (net->logit) {
        at = point_of(net, variable, jitter);
        k->axpy(v, at.a, net->truth, d);
        k->axpy(v, at.b, second_end(net, F), d);
    }
    return at;
}

/* Returns the gradient of t; where F is an end of the curve, adds its own to dF. */
static real leaf_backward(real *dF, const real *dv, const nln_net *net, const real *F,
                          nln_curve_point at)
{
    const nln_kernels *k = nln_kernels_get();
    const real *Q = second_end(net, F);
    if (Q == F)
        k->axpy(dF, at.b, dv, (size_t)net->dim);
    return at.da * k->dot(dv, net->truth, net->dim) + at.db * k->dot(dv, Q, net->dim);
}

void nln_propagation_variables(real *out, const nln_net *net, int32_t first, int32_t n,
                               real *scratch)
{
    size_t d = (size_t)net->dim;
    falsehood(scratch, scratch + d, net);
    for (int32_t i = 0; i < n; i++)
        leaf_forward(out + (size_t)i * d, net, scratch, first + i, (nln_perturbation){0});
}

static void leaves_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                           nln_perturbation jitter)
{
    size_t d = (size_t)net->dim;
    int32_t last = NLN_ROW_LEAF + plan->n_leaves;
    nln_profile_start(&work->profile);
    for (int32_t r = NLN_ROW_LEAF; r < last; r++) {
        nln_curve_point at =
            leaf_forward(work->H + (size_t)r * d, net, work->H + d, plan->operand[0][r], jitter);
        if (work->point)
            work->point[r] = at;
    }
    drop_rows(work->H, net->dim, jitter.variables, jitter.key, NLN_ROW_LEAF, last);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
}

/* ---- groups of operations ----------------------------------------------------- */

static void gather(nln_workspace *work, const nln_plan *plan, nln_group g)
{
    size_t d = (size_t)work->dim, bytes = d * sizeof(real);
    for (int32_t r = g.first; r < g.first + g.count; r++) {
        real *x = work->X + (size_t)r * NLN_MOST_OPERANDS * d;
        for (int i = 0; i < nln_module_table[g.module].arity; i++)
            memcpy(x + (size_t)i * d, work->H + (size_t)plan->operand[i][r] * d, bytes);
    }
}

static int lends(const nln_workspace *work, nln_module_id module)
{
    return work->law.lending && nln_module_table[module].arity == 2;
}

/* The two halves of the first layer apart. */
static void project(nln_workspace *work, const nln_net *net, nln_group g)
{
    const real *in = net->modules.of[g.module].in;
    int d = net->dim, h = net->hidden;
    for (size_t side = 0; side < 2; side++)
        nln_blas_nn(work->P[side] + (size_t)g.first * (size_t)h, h,
                    work->X + (2 * (size_t)g.first + side) * (size_t)d, 2 * d,
                    in + side * (size_t)d * (size_t)h, h, g.count, h, d);
}

/* P becomes its gradient: dz, and what the laws of the operand have left there. */
static void collect_loans(nln_workspace *work, const nln_plan *plan, nln_group g, int side)
{
    const int32_t *operand = plan->operand[side];
    size_t h = (size_t)work->hidden;
    for (int32_t u = g.first; u < g.first + g.count; u++) {
        const real *dz = work->dZ + (size_t)u * h;
        real *dp = work->P[side] + (size_t)u * h;
        if (work->law.loan[operand[u]] == nln_loan(u, g.module, side))
            nln_kernels_get()->axpy(dp, 1, dz, h);
        else
            memcpy(dp, dz, h * sizeof(real));
    }
}

static void project_back(nln_workspace *work, const nln_net *net, const nln_plan *plan, nln_group g)
{
    real *din = work->yield->grad.of[g.module].in;
    int d = net->dim, h = net->hidden, n = g.count;
    collect_loans(work, plan, g, 0);
    collect_loans(work, plan, g, 1);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
    for (size_t side = 0; side < 2; side++) {
        const real *dp = work->P[side] + (size_t)g.first * (size_t)h;
        size_t x = (2 * (size_t)g.first + side) * (size_t)d;
        nln_blas_tn_add(din + side * (size_t)d * (size_t)h, h, work->X + x, 2 * d, dp, h, d, h, n);
        nln_blas_nn_skip(work->dX + x, 2 * d, dp, h,
                         net->transposed.of[g.module].in + side * (size_t)d, 2 * d, n, d, h,
                         &work->spared);
    }
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}

/* Bias, relu and dropout in one sweep: a row that is dropped from is done with while it is in the
 * innermost cache. */
static void activate(nln_workspace *work, const nln_net *net, nln_group g, nln_perturbation jitter)
{
    const nln_kernels *k = nln_kernels_get();
    const real *bias = net->modules.of[g.module].bias;
    int h = net->hidden, few = jitter.hidden > 0 ? 1 : g.count;
    for (int32_t r = g.first; r < g.first + g.count; r += few) {
        size_t at = (size_t)r * (size_t)h;
        real *z = work->Z + at;
        if (lends(work, g.module))
            k->relu(z, work->P[0] + at, work->P[1] + at, bias, few, h);
        else
            k->relu(z, z, NULL, bias, few, h);
        drop_rows(work->Z, h, jitter.hidden, hidden_key(jitter), r, r + few);
    }
}

static void group_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                          nln_group g, nln_perturbation jitter)
{
    const nln_module *m = &net->modules.of[g.module];
    int d = net->dim, h = net->hidden, n = g.count;
    real *x = work->X + (size_t)g.first * 2 * (size_t)d, *z = work->Z + (size_t)g.first * (size_t)h;
    nln_profile_start(&work->profile);
    gather(work, plan, g);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
    if (lends(work, g.module))
        project(work, net, g);
    else
        nln_blas_nn(z, h, x, 2 * d, m->in, h, n, h, m->inputs * d);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    activate(work, net, g, jitter);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
    nln_blas_nn_skip(work->H + (size_t)g.first * (size_t)d, d, z, h, m->out, d, n, d, h,
                     &work->spared);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}

/* Adds to dH of each row the gradients that its users left in dX. */
static void collect(nln_workspace *work, const nln_plan *plan, int32_t first, int32_t last)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)work->dim;
    nln_profile_start(&work->profile);
    for (int32_t r = first; r < last; r++)
        for (int32_t u = plan->user_start[r]; u < plan->user_start[r + 1]; u++)
            k->axpy(work->dH + (size_t)r * d, 1, work->dX + (size_t)plan->user[u] * d, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
}

static void group_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                           nln_group g, nln_perturbation jitter)
{
    const nln_module *t = &net->transposed.of[g.module];
    nln_module *grad = &work->yield->grad.of[g.module];
    int d = net->dim, h = net->hidden, n = g.count;
    size_t at = (size_t)g.first;
    real *x = work->X + at * 2 * (size_t)d, *dx = work->dX + at * 2 * (size_t)d;
    real *z = work->Z + at * (size_t)h, *dz = work->dZ + at * (size_t)h;
    real *dh = work->dH + at * (size_t)d;
    collect(work, plan, g.first, g.first + n);
    nln_blas_tn_add(grad->out, d, z, h, dh, d, h, d, n);
    nln_blas_nn(dz, h, dh, d, t->out, h, n, h, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    nln_kernels_get()->relu_back(dz, grad->bias, z, 1 / (1 - jitter.hidden), n, h);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
    if (lends(work, g.module)) {
        project_back(work, net, plan, g);
        return;
    }
    nln_blas_tn_add(grad->in, h, x, 2 * d, dz, h, t->inputs * d, h, n);
    nln_blas_nn_skip(dx, 2 * d, dz, h, t->in, t->inputs * d, n, t->inputs * d, h, &work->spared);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}

static void leaves_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                            nln_perturbation jitter)
{
    size_t d = (size_t)net->dim;
    int32_t last = NLN_ROW_LEAF + plan->n_leaves;
    collect(work, plan, NLN_ROW_LEAF, last);
    drop_rows(work->dH, net->dim, jitter.variables, jitter.key, NLN_ROW_LEAF, last);
    if (net->vector)
        memcpy(work->yield->dvector, work->dH + NLN_ROW_LEAF * d,
               (size_t)plan->n_leaves * d * sizeof(real));
    for (int32_t r = NLN_ROW_LEAF; net->logit && r < last; r++)
        work->yield->dlogit[r - NLN_ROW_LEAF] =
            leaf_backward(work->dH + NLN_ROW_FALSE * d, work->dH + (size_t)r * d, net, work->H + d,
                          work->point[r]);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
}

/* ---- the whole plan ----------------------------------------------------------- */

void nln_propagation_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                             nln_perturbation jitter)
{
    ends_forward(work, net);
    leaves_forward(work, net, plan, jitter);
    for (int32_t i = 0; i < plan->n_groups; i++)
        group_forward(work, net, plan, plan->groups[i], jitter);
}

void nln_propagation_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                              nln_perturbation jitter)
{
    for (int32_t i = plan->n_groups; i-- > 0;)
        group_backward(work, net, plan, plan->groups[i], jitter);
    leaves_backward(work, net, plan, jitter);
    collect(work, plan, NLN_ROW_FALSE, NLN_ROW_FALSE + 1);
    falsehood_backward(work, net);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}
