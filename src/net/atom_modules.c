#include "net/atom_modules.h"

#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"

/* ---- memory ------------------------------------------------------------------ */

size_t nln_atom_block_size(nln_atom_module module, int dim, int hidden, int positions)
{
    size_t d = (size_t)dim, h = (size_t)hidden;
    return module == NLN_ATOM_MLP ? (size_t)positions * d * h + h * d : 0;
}

int nln_atom_width(nln_atom_module module, int dim, int hidden)
{
    return module == NLN_ATOM_MLP ? hidden : dim;
}

nln_status nln_atom_workspace_fit(nln_atom_workspace *w, const nln_net *net, const nln_plan *plan,
                                  nln_error *err)
{
    size_t n = (size_t)plan->atoms.n_entities, d = (size_t)net->dim, h = (size_t)net->hidden;
    size_t wide = d > h ? d : h;
    if (!plan->n_atoms)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(w->E, w->E_room, n * d) ||
        !NLN_ARRAY_RESERVE(w->dE, w->dE_room, n * d) ||
        !NLN_ARRAY_RESERVE(w->P, w->P_room, n * wide) ||
        !NLN_ARRAY_RESERVE(w->prefix, w->prefix_room, ((size_t)net->n_positions + 2) * d))
        return nln_error_memory(err);
    return NLN_OK;
}

void nln_atom_workspace_free(nln_atom_workspace *w)
{
    nln_free(w->E);
    nln_free(w->dE);
    nln_free(w->P);
    nln_free(w->prefix);
    *w = (nln_atom_workspace){0};
}

nln_status nln_atom_gradient_fit(nln_atom_gradient *g, const nln_net *net, const nln_plan *plan,
                                 nln_error *err)
{
    size_t d = (size_t)net->dim;
    if (!net->entity)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(g->block, g->block_room, net->atom_block_size + 1) ||
        !NLN_ARRAY_RESERVE(g->dentity, g->dentity_room, (size_t)plan->atoms.n_entities * d + 1) ||
        !NLN_ARRAY_RESERVE(g->dpredicate, g->dpredicate_room,
                           (size_t)plan->atoms.n_predicates * (size_t)net->predicate_width + 1))
        return nln_error_memory(err);
    return NLN_OK;
}

void nln_atom_gradient_free(nln_atom_gradient *g)
{
    nln_free(g->block);
    nln_free(g->dentity);
    nln_free(g->dpredicate);
    *g = (nln_atom_gradient){0};
}

/* ---- mlp ---------------------------------------------------------------------- */

static const real *predicate_vector(const nln_net *net, const nln_plan *plan, int32_t atom)
{
    int32_t row = plan->atoms.predicate[plan->atoms.predicate_of[atom]];
    return net->predicate + (size_t)row * (size_t)net->predicate_width;
}

static int32_t arity_of(const nln_plan *plan, int32_t atom)
{
    return plan->atoms.start[atom + 1] - plan->atoms.start[atom];
}

/* The hidden layer is a sum over the arguments, so each entity is projected once for each place
 * that it may stand at. */
static void mlp_forward(real *H, real *Z, nln_atom_workspace *w, const nln_net *net,
                        const nln_plan *plan)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden, n = plan->n_atoms;
    const real *U = net->atom_weights, *W = U + (size_t)(net->n_positions * d) * (size_t)h;
    for (int32_t i = 0; i < n; i++)
        memcpy(Z + (size_t)i * (size_t)h, predicate_vector(net, plan, i), (size_t)h * sizeof *Z);
    for (int at = 0; at < net->n_positions; at++, U += (size_t)d * (size_t)h) {
        nln_blas_nn(w->P, h, w->E, d, U, h, plan->atoms.n_entities, h, d);
        for (int32_t i = 0; i < n; i++)
            if (at < arity_of(plan, i))
                k->axpy(Z + (size_t)i * (size_t)h, 1,
                        w->P + (size_t)plan->atoms.argument[plan->atoms.start[i] + at] * (size_t)h,
                        (size_t)h);
    }
    for (size_t j = 0; j < (size_t)n * (size_t)h; j++)
        Z[j] = Z[j] > 0 ? Z[j] : 0;
    nln_blas_nn(H, d, Z, h, W, d, n, d, h);
}

static void mlp_backward(nln_atom_gradient *g, const real *dH, const real *Z, real *dZ,
                         nln_atom_workspace *w, const nln_net *net, const nln_plan *plan)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden, n = plan->n_atoms, n_e = plan->atoms.n_entities;
    size_t each = (size_t)d * (size_t)h, behind = (size_t)net->n_positions * each;
    real *dP = w->P;
    nln_blas_tn_add(g->block + behind, d, Z, h, dH, d, h, d, n);
    nln_blas_nn(dZ, h, dH, d, net->atom_transposed + behind, h, n, h, d);
    for (size_t j = 0; j < (size_t)n * (size_t)h; j++)
        dZ[j] = Z[j] > 0 ? dZ[j] : 0;
    for (int32_t i = 0; i < n; i++)
        k->axpy(g->dpredicate + (size_t)plan->atoms.predicate_of[i] * (size_t)h, 1,
                dZ + (size_t)i * (size_t)h, (size_t)h);
    for (int at = 0; at < net->n_positions; at++) {
        memset(dP, 0, (size_t)n_e * (size_t)h * sizeof *dP);
        for (int32_t i = 0; i < n; i++)
            if (at < arity_of(plan, i))
                k->axpy(dP + (size_t)plan->atoms.argument[plan->atoms.start[i] + at] * (size_t)h, 1,
                        dZ + (size_t)i * (size_t)h, (size_t)h);
        nln_blas_tn_add(g->block + (size_t)at * each, h, w->E, d, dP, h, d, h, n_e);
        nln_blas_nn(w->dE, d, dP, h, net->atom_transposed + (size_t)at * each, d, n_e, d, h);
        k->axpy(g->dentity, 1, w->dE, (size_t)n_e * (size_t)d);
    }
}

/* ---- product -------------------------------------------------------------------- */

/* out = x * y or x * conj(y), in complex pairs; the last of an odd number is real.  out may be x.
 */
static void multiply(real *out, const real *x, const real *y, int conjugate, int d)
{
    real sign = conjugate ? -1 : 1;
    for (int j = 0; j + 1 < d; j += 2) {
        real re = x[j] * y[j] - sign * x[j + 1] * y[j + 1];
        out[j + 1] = sign * x[j] * y[j + 1] + x[j + 1] * y[j];
        out[j] = re;
    }
    if (d % 2)
        out[d - 1] = x[d - 1] * y[d - 1];
}

static const real *argument_vector(const nln_atom_workspace *w, const nln_plan *plan, int32_t atom,
                                   int32_t at, size_t d)
{
    return w->E + (size_t)plan->atoms.argument[plan->atoms.start[atom] + at] * d;
}

static void product_forward(real *H, real *Z, nln_atom_workspace *w, const nln_net *net,
                            const nln_plan *plan)
{
    size_t d = (size_t)net->dim;
    (void)Z;
    for (int32_t i = 0; i < plan->n_atoms; i++) {
        real *out = H + (size_t)i * d;
        memcpy(out, predicate_vector(net, plan, i), d * sizeof *out);
        for (int32_t at = 0; at < arity_of(plan, i); at++)
            multiply(out, out, argument_vector(w, plan, i, at, d), at % 2, net->dim);
    }
}

/* With y = p c, the gradients of p and c are dy conj(c) and dy conj(p), and where c = conj(a) that
 * of a is the conjugate of that of c. */
static void product_backward(nln_atom_gradient *g, const real *dH, const real *Z, real *dZ,
                             nln_atom_workspace *w, const nln_net *net, const nln_plan *plan)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)net->dim;
    real *dy = w->prefix + (size_t)net->n_positions * d, *da = dy + d;
    (void)Z;
    (void)dZ;
    for (int32_t i = 0; i < plan->n_atoms; i++) {
        int32_t n = arity_of(plan, i);
        memcpy(w->prefix, predicate_vector(net, plan, i), d * sizeof *dy);
        for (int32_t at = 0; at + 1 < n; at++)
            multiply(w->prefix + (size_t)(at + 1) * d, w->prefix + (size_t)at * d,
                     argument_vector(w, plan, i, at, d), at % 2, net->dim);
        memcpy(dy, dH + (size_t)i * d, d * sizeof *dy);
        for (int32_t at = n - 1; at >= 0; at--) {
            int32_t entity = plan->atoms.argument[plan->atoms.start[i] + at];
            multiply(da, dy, w->prefix + (size_t)at * d, 1, net->dim);
            for (size_t j = 1; at % 2 && j < d; j += 2)
                da[j] = -da[j];
            k->axpy(g->dentity + (size_t)entity * d, 1, da, d);
            multiply(dy, dy, w->E + (size_t)entity * d, at % 2 == 0, net->dim);
        }
        k->axpy(g->dpredicate + (size_t)plan->atoms.predicate_of[i] * d, 1, dy, d);
    }
}

/* ---- the table -------------------------------------------------------------------- */

static const struct {
    void (*forward)(real *H, real *Z, nln_atom_workspace *w, const nln_net *net,
                    const nln_plan *plan);
    void (*backward)(nln_atom_gradient *g, const real *dH, const real *Z, real *dZ,
                     nln_atom_workspace *w, const nln_net *net, const nln_plan *plan);
} modules[] = {
    [NLN_ATOM_MLP] = {mlp_forward, mlp_backward},
    [NLN_ATOM_PRODUCT] = {product_forward, product_backward},
};

void nln_atoms_forward(real *H, real *Z, nln_atom_workspace *w, const nln_net *net,
                       const nln_plan *plan)
{
    size_t d = (size_t)net->dim;
    if (!plan->n_atoms)
        return;
    for (int32_t i = 0; i < plan->atoms.n_entities; i++)
        memcpy(w->E + (size_t)i * d, net->entity + (size_t)plan->atoms.entity[i] * d,
               d * sizeof *w->E);
    modules[net->atom_module].forward(H, Z, w, net, plan);
}

void nln_atoms_backward(nln_atom_gradient *g, const real *dH, const real *Z, real *dZ,
                        nln_atom_workspace *w, const nln_net *net, const nln_plan *plan)
{
    if (!net->entity)
        return;
    memset(g->block, 0, net->atom_block_size * sizeof *g->block);
    if (!plan->n_atoms)
        return;
    memset(g->dentity, 0, (size_t)plan->atoms.n_entities * (size_t)net->dim * sizeof *g->dentity);
    memset(g->dpredicate, 0,
           (size_t)plan->atoms.n_predicates * (size_t)net->predicate_width * sizeof *g->dpredicate);
    modules[net->atom_module].backward(g, dH, Z, dZ, w, net, plan);
}
