#include "net/propagation.h"

#include <math.h>
#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "math/scalar.h"

/* Dropout: scales the numbers that are kept by 1 / (1 - share), and zeroes the others. */
static void drop_rows(real *x, int width, real share, uint64_t key, int32_t first, int32_t last)
{
    const nln_kernels *k = nln_kernels_get();
    uint32_t threshold = (uint32_t)((double)share * 65536.0);
    for (int32_t r = first; share > 0 && r < last; r++)
        k->drop(x + (size_t)r * (size_t)width, nln_random_mix(key ^ (uint64_t)r), threshold,
                1 / (1 - share), width);
}

/* ---- T, F and the variables -------------------------------------------------- */

/* F = NOT(T), and its hidden layer z. */
static void false_forward(real *F, real *z, const nln_net *net)
{
    const nln_module *m = &net->modules.of[NLN_MODULE_NOT];
    int d = net->dim, h = net->hidden;
    nln_blas_nn(z, h, net->truth, d, m->in, h, 1, h, d);
    nln_kernels_get()->relu(z, z, NULL, m->bias, 1, h);
    nln_blas_nn(F, d, z, h, m->out, d, 1, d, h);
}

static void false_backward(nln_workspace *work, const nln_net *net)
{
    const nln_module *t = &net->transposed.of[NLN_MODULE_NOT];
    nln_module *g = &work->gradient->modules.of[NLN_MODULE_NOT];
    int d = net->dim, h = net->hidden;
    size_t at = (size_t)NLN_ROW_FALSE;
    real *dF = work->dH + at * (size_t)d, *z = work->Z + at * (size_t)h;
    real *dz = work->dZ + at * (size_t)h;
    nln_blas_tn_add(g->out, d, z, h, dF, d, h, d, 1);
    nln_blas_nn(dz, h, dF, d, t->out, h, 1, h, d);
    nln_kernels_get()->relu_back(dz, g->bias, z, 1, 1, h);
    nln_blas_tn_add(g->in, h, net->truth, d, dz, h, d, h, 1);
}

/* x, or the nearer end of [-most, most]; NAN stays. */
static double within(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

/* The number of a solved value, by the mean vote of the members, each with log-odds
 * alpha cos(v, T). */
static real settled_number(const nln_net *net, int32_t variable, nln_noise noise)
{
    const double solved = 6;
    double vote = 0;
    for (int i = 0; i < noise.settled; i++)
        vote += nln_sigmoid((double)net->alpha *
                            tanh((double)net->logit[variable + i * noise.stride] / 3));
    return (real)(vote / noise.settled > 0.5 ? solved : -solved);
}

/* A point on the curve is v = a P + b Q: on the line P = T and Q = F, on the arc P = T and Q = U.
 * da and db are the derivatives by the variable's number t. */
static nln_curve_point point_of(const nln_net *net, int32_t variable, nln_noise noise)
{
    real t = noise.settled ? settled_number(net, variable, noise) : net->logit[variable];
    real shift = 0;
    if (noise.logit > 0) {
        nln_random random = nln_random_seed(noise.key, (uint64_t)variable);
        shift = noise.logit * (real)nln_random_normal(&random);
    }
    t += shift;
    if (!nln_embedding_is_arc(net->embedding)) {
        real s = (real)nln_sigmoid((double)t);
        return (nln_curve_point){s, 1 - s, s * (1 - s), -s * (1 - s)};
    }
    /* With c = tanh(x), sqrt(1 - c^2) = 1 / cosh(x). */
    double x = (double)t / 3, c = tanh(x), r = 1 / cosh(x);
    return (nln_curve_point){(real)c, (real)r, (real)(r * r / 3), (real)(-r * c / 3)};
}

static const real *curve_end(const nln_net *net, const real *F)
{
    return nln_embedding_is_arc(net->embedding) ? net->axis : F;
}

/* Returns the variable's place, if it is on a curve. */
static nln_curve_point leaf_forward(real *v, const nln_net *net, const real *F, int32_t variable,
                                    nln_noise noise)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)net->dim;
    nln_curve_point at = {0};
    if (net->vector)
        memcpy(v, net->vector + (size_t)variable * d, d * sizeof(real));
    else
        memset(v, 0, d * sizeof(real));
    if (net->logit) {
        at = point_of(net, variable, noise);
        k->axpy(v, at.a, net->truth, d);
        k->axpy(v, at.b, curve_end(net, F), d);
    }
    return at;
}

/* Returns the gradient of t; adds that of F to dF, if F is an end of the curve. */
static real leaf_backward(real *dF, const real *dv, const nln_net *net, const real *F,
                          nln_curve_point at)
{
    const nln_kernels *k = nln_kernels_get();
    const real *Q = curve_end(net, F);
    if (Q == F)
        k->axpy(dF, at.b, dv, (size_t)net->dim);
    return at.da * k->dot(dv, net->truth, net->dim) + at.db * k->dot(dv, Q, net->dim);
}

void nln_propagation_variables(real *out, const nln_net *net, int32_t first, const int32_t *item,
                               int32_t n, real *scratch)
{
    size_t d = (size_t)net->dim;
    false_forward(scratch, scratch + d, net);
    for (int32_t i = 0; i < n; i++)
        leaf_forward(out + (size_t)i * d, net, scratch, first + (item ? item[i] : i),
                     (nln_noise){0});
}

static void leaves_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                           nln_noise noise)
{
    size_t d = (size_t)net->dim;
    int32_t last = NLN_ROW_LEAF + plan->n_leaves;
    nln_profile_start(&work->profile);
    for (int32_t r = NLN_ROW_LEAF; r < last; r++) {
        nln_curve_point at =
            leaf_forward(work->H + (size_t)r * d, net, work->H + d, plan->operand[0][r], noise);
        if (work->point)
            work->point[r] = at;
    }
    drop_rows(work->H, net->dim, noise.variables, noise.key, NLN_ROW_LEAF, last);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
}

/* ---- groups of operations ----------------------------------------------------- */

/* Whether the projections of the operands are kept apart, for the laws. */
static int keeps_projections(const nln_workspace *work, nln_module_id module)
{
    return work->law.sharing && nln_module_table[module].arity > 1;
}

/* relu([a|b|...] in + bias) out: gathers the operands, multiplies, adds the bias, takes relu and
 * dropout in one sweep (a row that has dropout is finished while it is in the innermost cache), and
 * multiplies again. */
static void mlp_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan, nln_group g,
                        nln_noise noise)
{
    const nln_kernels *k = nln_kernels_get();
    const nln_module *m = &net->modules.of[g.module];
    int d = net->dim, h = net->hidden, n = g.count, ld = NLN_MOST_OPERANDS * d;
    int kept = keeps_projections(work, g.module), few = noise.hidden > 0 ? 1 : n;
    size_t width = (size_t)d, at = (size_t)g.first;
    real *x = work->X + at * (size_t)ld, *z = work->Z + at * (size_t)h;
    nln_profile_start(&work->profile);
    for (int32_t r = g.first; r < g.first + n; r++)
        for (int i = 0; i < m->inputs; i++)
            memcpy(work->X + ((size_t)r * NLN_MOST_OPERANDS + (size_t)i) * width,
                   work->H + (size_t)plan->operand[i][r] * width, width * sizeof(real));
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
    if (!kept)
        nln_blas_nn(z, h, x, ld, m->in, h, n, h, m->inputs * d);
    for (int i = 0; kept && i < m->inputs; i++)
        nln_blas_nn(work->P[i] + at * (size_t)h, h, x + i * d, ld,
                    m->in + (size_t)i * width * (size_t)h, h, n, h, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    for (int32_t r = g.first; r < g.first + n; r += few) {
        size_t row = (size_t)r * (size_t)h;
        if (kept)
            k->relu(work->Z + row, work->P[0] + row, work->P[1] + row, m->bias, few, h);
        else
            k->relu(work->Z + row, work->Z + row, NULL, m->bias, few, h);
        drop_rows(work->Z, h, noise.hidden, noise.key ^ 0x5bd1e995u, r, r + few);
    }
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
    nln_blas_nn_skip(work->H + at * width, d, z, h, m->out, d, n, d, h, &work->skipped_flop);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}

/* Adds to dH of each row the gradients that its users left in dX. */
static void add_user_gradients(nln_workspace *work, const nln_plan *plan, int32_t first,
                               int32_t last)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)work->dim;
    nln_profile_start(&work->profile);
    for (int32_t r = first; r < last; r++)
        for (int32_t u = plan->user_start[r]; u < plan->user_start[r + 1]; u++)
            k->axpy(work->dH + (size_t)r * d, 1, work->dX + (size_t)plan->user[u] * d, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
}

/* P becomes its gradient: dz, plus the gradient that the laws of the operand have left there. */
static void add_law_gradients(nln_workspace *work, const nln_plan *plan, nln_group g, int operand)
{
    size_t h = (size_t)work->hidden;
    for (int32_t u = g.first; u < g.first + g.count; u++) {
        nln_shared_projection s = work->law.shared[plan->operand[operand][u]];
        const real *dz = work->dZ + (size_t)u * h;
        real *dp = work->P[operand] + (size_t)u * h;
        if (s.operation == u && s.projection == nln_projection(g.module, operand))
            nln_kernels_get()->axpy(dp, 1, dz, h);
        else
            memcpy(dp, dz, h * sizeof(real));
    }
}

static void mlp_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan, nln_group g,
                         nln_noise noise)
{
    const nln_module *t = &net->transposed.of[g.module];
    nln_module *grad = &work->gradient->modules.of[g.module];
    int d = net->dim, h = net->hidden, n = g.count, ld = NLN_MOST_OPERANDS * d;
    int inputs = t->inputs * d;
    size_t at = (size_t)g.first;
    real *x = work->X + at * (size_t)ld, *dx = work->dX + at * (size_t)ld;
    real *z = work->Z + at * (size_t)h, *dz = work->dZ + at * (size_t)h;
    real *dh = work->dH + at * (size_t)d;
    add_user_gradients(work, plan, g.first, g.first + n);
    nln_blas_tn_add(grad->out, d, z, h, dh, d, h, d, n);
    nln_blas_nn(dz, h, dh, d, t->out, h, n, h, d);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    nln_kernels_get()->relu_back(dz, grad->bias, z, 1 / (1 - noise.hidden), n, h);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
    if (!keeps_projections(work, g.module)) {
        nln_blas_tn_add(grad->in, h, x, ld, dz, h, inputs, h, n);
        nln_blas_nn_skip(dx, ld, dz, h, t->in, inputs, n, inputs, h, &work->skipped_flop);
        nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
        return;
    }
    for (int i = 0; i < t->inputs; i++)
        add_law_gradients(work, plan, g, i);
    nln_profile_mark(&work->profile, NLN_PHASE_GATHER);
    for (int i = 0; i < t->inputs; i++) {
        const real *dp = work->P[i] + at * (size_t)h;
        nln_blas_tn_add(grad->in + (size_t)(i * d) * (size_t)h, h, x + i * d, ld, dp, h, d, h, n);
        nln_blas_nn_skip(dx + i * d, ld, dp, h, t->in + i * d, inputs, n, d, h,
                         &work->skipped_flop);
    }
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}

/* How the groups of a module are computed. */
typedef void group_pass(nln_workspace *work, const nln_net *net, const nln_plan *plan, nln_group g,
                        nln_noise noise);
static const struct {
    group_pass *forward, *backward;
} passes[NLN_N_MODULES] = {
    [NLN_MODULE_NOT] = {mlp_forward, mlp_backward},
    [NLN_MODULE_AND] = {mlp_forward, mlp_backward},
    [NLN_MODULE_OR] = {mlp_forward, mlp_backward},
};

/* ---- the whole plan ----------------------------------------------------------- */

/* Replaces the results of a group by the points of the arc with the same truth, but twice as sure:
 * with cos(y, T) = tanh(x), the point of 2 x. */
static void pull_to_arc(nln_workspace *work, const nln_net *net, nln_group g)
{
    const nln_kernels *k = nln_kernels_get();
    const double surest = 0.99999;
    size_t d = (size_t)net->dim;
    real inverse_truth;
    k->inverse_length(&inverse_truth, net->truth, 1, net->dim);
    for (int32_t r = g.first; r < g.first + g.count; r++) {
        real *y = work->H + (size_t)r * d, inverse;
        k->inverse_length(&inverse, y, 1, net->dim);
        double cosine = (double)(k->dot(y, net->truth, net->dim) * inverse * inverse_truth);
        double x = 2 * atanh(within(cosine, surest));
        memset(y, 0, d * sizeof *y);
        k->axpy(y, (real)tanh(x), net->truth, d);
        k->axpy(y, (real)(1 / cosh(x)), net->axis, d);
    }
}

void nln_propagation_forward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                             nln_noise noise)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden;
    memcpy(work->H, net->truth, d * sizeof(real));
    false_forward(work->H + NLN_ROW_FALSE * d, work->Z + NLN_ROW_FALSE * h, net);
    nln_kernels_get()->inverse_length(work->inverse_length, work->H, 2, net->dim);
    leaves_forward(work, net, plan, noise);
    size_t atoms = (size_t)(NLN_ROW_LEAF + plan->n_leaves);
    nln_atoms_forward(work->H + atoms * d, work->Z + atoms * h, &work->atoms, net, plan);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        passes[g.module].forward(work, net, plan, g, noise);
        if (noise.settled && g.level >= 4)
            pull_to_arc(work, net, g);
    }
}

void nln_propagation_backward(nln_workspace *work, const nln_net *net, const nln_plan *plan,
                              nln_noise noise)
{
    size_t d = (size_t)net->dim;
    int32_t last = NLN_ROW_LEAF + plan->n_leaves;
    for (int32_t i = plan->n_groups; i-- > 0;)
        passes[plan->groups[i].module].backward(work, net, plan, plan->groups[i], noise);
    add_user_gradients(work, plan, NLN_ROW_LEAF, last + plan->n_atoms);
    size_t atoms = (size_t)last, h = (size_t)net->hidden;
    nln_atoms_backward(&work->gradient->atoms, work->dH + atoms * d, work->Z + atoms * h,
                       work->dZ + atoms * h, &work->atoms, net, plan);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
    drop_rows(work->dH, net->dim, noise.variables, noise.key, NLN_ROW_LEAF, last);
    if (net->vector)
        memcpy(work->gradient->dvector, work->dH + NLN_ROW_LEAF * d,
               (size_t)plan->n_leaves * d * sizeof(real));
    for (int32_t r = NLN_ROW_LEAF; net->logit && r < last; r++)
        work->gradient->dlogit[r - NLN_ROW_LEAF] =
            leaf_backward(work->dH + NLN_ROW_FALSE * d, work->dH + (size_t)r * d, net, work->H + d,
                          work->point[r]);
    nln_profile_mark(&work->profile, NLN_PHASE_ELEMENT);
    add_user_gradients(work, plan, NLN_ROW_FALSE, NLN_ROW_FALSE + 1);
    false_backward(work, net);
    nln_profile_mark(&work->profile, NLN_PHASE_GEMM);
}
