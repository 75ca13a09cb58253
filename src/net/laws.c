#include "net/laws.h"

#include <math.h>
#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"

const nln_law nln_law_table[NLN_N_LAWS] = {
#define X(name, formula, target, far) {#name, formula, target, far},
    NLN_LAWS(X)
#undef X
};

enum { WITH_T, WITH_F, WITH_W, WITH_NOT, N_OPERANDS };

/* The four results of one binary module: block i has the second operand i. */
typedef struct binary {
    real *left, *right, *negated; /* [n, h] projections: of w first, w second, NOT w second */
    real *z;                      /* [4, n, h] hidden layers */
    real *y;                      /* [4, n, d] results, then their gradients */
    real *dz;                     /* [4, n, h] */
} binary;

/* n rows on their way through the laws; all memory is scratch. */
typedef struct tile {
    int n, d, h;
    real *inverse;         /* [n] 1 / |w| */
    nln_profile *profile;  /* or NULL */
    real *w, *dw;          /* [n, d] */
    real *z_not, *z_twice; /* [n, h] hidden layers of NOT w and NOT NOT w */
    real *not_w, *d_not;   /* [n, d] NOT w and its gradient */
    real *twice;           /* [n, d] NOT NOT w, then its gradient */
    real *dz;              /* [n, h] */
    binary op[2];          /* AND, OR */
} tile;

static real *take(real **from, size_t rows, int width)
{
    real *block = *from;
    *from += rows * (size_t)width;
    return block;
}

static tile lay_out(real *scratch, int n, int d, int h)
{
    size_t r = (size_t)n;
    tile t = {.n = n, .d = d, .h = h};
    t.inverse = take(&scratch, NLN_LAW_TILE, 1);
    t.w = take(&scratch, r, d);
    t.dw = take(&scratch, r, d);
    t.not_w = take(&scratch, r, d);
    t.d_not = take(&scratch, r, d);
    t.twice = take(&scratch, r, d);
    t.z_not = take(&scratch, r, h);
    t.z_twice = take(&scratch, r, h);
    t.dz = take(&scratch, r, h);
    for (int i = 0; i < 2; i++) {
        t.op[i].left = take(&scratch, r, h);
        t.op[i].right = take(&scratch, r, h);
        t.op[i].negated = take(&scratch, r, h);
        t.op[i].z = take(&scratch, N_OPERANDS * r, h);
        t.op[i].y = take(&scratch, N_OPERANDS * r, d);
        t.op[i].dz = take(&scratch, N_OPERANDS * r, h);
    }
    return t;
}

static void mark(const tile *t, nln_phase phase)
{
    if (t->profile)
        nln_profile_mark(t->profile, phase);
}

size_t nln_laws_scratch(int dim, int hidden)
{
    size_t d = (size_t)dim, h = (size_t)hidden;
    return NLN_LAW_TILE * (1 + 5 * d + 3 * h + 2 * (3 * h + 2 * h * N_OPERANDS + N_OPERANDS * d));
}

/* ---- forward ---------------------------------------------------------------- */

static void project_constant(real *out, const nln_module *m, const real *constant, int d, int h)
{
    memcpy(out, m->bias, (size_t)h * sizeof(real));
    nln_blas_nn_add(out, h, constant, d, m->in + (size_t)d * (size_t)h, h, 1, h, d);
}

void nln_laws_begin(nln_work *work, const nln_net *net)
{
    int d = net->dim, h = net->hidden;
    for (int i = 0; i < 4; i++)
        project_constant(work->project + (size_t)i * (size_t)h,
                         &net->modules.kind[NLN_KIND_AND + i / 2],
                         work->H + (size_t)(i % 2) * (size_t)d, d, h);
}

static void gather(tile *t, const nln_work *work, const int32_t *rows)
{
    size_t d = (size_t)t->d;
    for (int i = 0; i < t->n; i++)
        memcpy(t->w + (size_t)i * d, work->H + (size_t)rows[i] * d, d * sizeof(real));
    nln_kernels_get()->inverse_length(t->inverse, t->w, t->n, t->d);
}

static void not_forward(real *y, real *z, const real *x, const nln_module *m, const tile *t)
{
    nln_blas_nn(z, t->h, x, t->d, m->in, t->h, t->n, t->h, t->d);
    mark(t, NLN_PHASE_GEMM);
    nln_kernels_get()->relu(z, z, NULL, m->bias, t->n, t->h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_nn(y, t->d, z, t->h, m->out, t->d, t->n, t->d, t->h);
    mark(t, NLN_PHASE_GEMM);
}

/* constants: [2, h], the projections of T and F with the bias. */
static void binary_forward(binary *op, const nln_module *m, const real *constants, const tile *t)
{
    const nln_kernels *k = nln_kernels_get();
    int n = t->n, d = t->d, h = t->h;
    size_t block = (size_t)n * (size_t)h;
    const real *second = m->in + (size_t)d * (size_t)h;
    nln_blas_nn(op->left, h, t->w, d, m->in, h, n, h, d);
    nln_blas_nn(op->right, h, t->w, d, second, h, n, h, d);
    nln_blas_nn(op->negated, h, t->not_w, d, second, h, n, h, d);
    mark(t, NLN_PHASE_GEMM);
    k->relu(op->z + WITH_T * block, op->left, NULL, constants, n, h);
    k->relu(op->z + WITH_F * block, op->left, NULL, constants + h, n, h);
    k->relu(op->z + WITH_W * block, op->left, op->right, m->bias, n, h);
    k->relu(op->z + WITH_NOT * block, op->left, op->negated, m->bias, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_nn(op->y, d, op->z, h, m->out, d, N_OPERANDS * n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

static void tile_forward(tile *t, const nln_work *work, const nln_net *net)
{
    const nln_module *kinds = net->modules.kind;
    not_forward(t->not_w, t->z_not, t->w, &kinds[NLN_KIND_NOT], t);
    not_forward(t->twice, t->z_twice, t->not_w, &kinds[NLN_KIND_NOT], t);
    for (int i = 0; i < 2; i++)
        binary_forward(&t->op[i], &kinds[NLN_KIND_AND + i],
                       work->project + (size_t)(2 * i) * (size_t)t->h, t);
}

/* ---- terms ------------------------------------------------------------------ */

/* The left side of a law, which becomes its gradient. */
static real *left_side(const tile *t, int law)
{
    if (law == 0)
        return t->d_not; /* a copy of NOT w */
    if (law == 1)
        return t->twice;
    size_t block = (size_t)t->n * (size_t)t->d;
    return t->op[(law - 2) / N_OPERANDS].y + (size_t)((law - 2) % N_OPERANDS) * block;
}

typedef struct side {
    const real *x, *inverse; /* the vectors and 1 / their lengths */
    real *dx;
    int stride;
} side;

static side right_side(const tile *t, const nln_work *work, nln_law_target target)
{
    if (target == NLN_LAW_W)
        return (side){t->w, t->inverse, t->dw, t->d};
    if (target == NLN_LAW_F)
        return (side){work->H + t->d, &work->end_inverse[NLN_ROW_FALSE],
                      work->dH ? work->dH + t->d : NULL, 0};
    return (side){work->H, &work->end_inverse[NLN_ROW_TRUE], NULL, 0};
}

/* sum of weight * (1 - Sim), or weight * Sim where the sides should be far apart;
 * slope[i] is its derivative by cosine[i]. */
static double terms(real *slope, const real *cosine, const real *weight, int n, int far_apart,
                    double alpha)
{
    double loss = 0;
    for (int i = 0; i < n; i++) {
        double sim = 1 / (1 + exp(-alpha * (double)cosine[i]));
        double sign = far_apart ? 1 : -1;
        loss += (double)weight[i] * (far_apart ? sim : 1 - sim);
        slope[i] = (real)(sign * (double)weight[i] * alpha * sim * (1 - sim));
    }
    return loss;
}

static double tile_terms(tile *t, nln_work *work, const nln_net *net, const real *weight,
                         unsigned active)
{
    const nln_kernels *k = nln_kernels_get();
    size_t bytes = (size_t)t->n * (size_t)t->d * sizeof(real);
    real cosine[NLN_LAW_TILE], inverse[NLN_LAW_TILE], slope[NLN_LAW_TILE];
    memcpy(t->d_not, t->not_w, bytes);
    memset(t->dw, 0, bytes);
    double loss = 0;
    for (int law = 0; law < NLN_N_LAWS; law++) {
        real *y = left_side(t, law);
        if (!(active >> law & 1)) {
            memset(y, 0, bytes);
            continue;
        }
        side right = right_side(t, work, nln_law_table[law].target);
        k->cosine(cosine, inverse, y, right.x, right.inverse, right.stride, t->n, t->d);
        loss +=
            terms(slope, cosine, weight, t->n, nln_law_table[law].far_apart, (double)net->alpha);
        k->cosine_back(y, right.dx, slope, cosine, inverse, right.x, right.inverse, right.stride,
                       t->n, t->d);
    }
    return loss;
}

/* ---- backward --------------------------------------------------------------- */

/* dx += the gradient through y = NOT(x), given dy. */
static void not_backward(real *dx, nln_module *g, const real *dy, const real *z, const real *x,
                         const nln_module *transposed, const tile *t)
{
    int n = t->n, d = t->d, h = t->h;
    nln_blas_tn_add(g->out, d, z, h, dy, d, h, d, n);
    nln_blas_nn(t->dz, h, dy, d, transposed->out, h, n, h, d);
    mark(t, NLN_PHASE_GEMM);
    nln_kernels_get()->relu_back(t->dz, g->bias, z, 1, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_tn_add(g->in, h, x, d, t->dz, h, d, h, n);
    nln_blas_nn_add(dx, d, t->dz, h, transposed->in, d, n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

/* The hidden layers' gradients, from those of the results.  The bias of T's and F's
 * blocks sits in their projection and is added to dproject. */
static void binary_hidden_backward(binary *op, nln_module *g, real *dproject, const tile *t,
                                   const nln_module *transposed)
{
    const nln_kernels *k = nln_kernels_get();
    int n = t->n, d = t->d, h = t->h;
    size_t block = (size_t)n * (size_t)h;
    real *sums[N_OPERANDS] = {dproject, dproject + h, g->bias, g->bias};
    nln_blas_tn_add(g->out, d, op->z, h, op->y, d, h, d, N_OPERANDS * n);
    nln_blas_nn(op->dz, h, op->y, d, transposed->out, h, N_OPERANDS * n, h, d);
    mark(t, NLN_PHASE_GEMM);
    for (int i = 0; i < N_OPERANDS; i++)
        k->relu_back(op->dz + (size_t)i * block, sums[i], op->z + (size_t)i * block, 1, n, h);
}

static void binary_backward(binary *op, nln_module *g, real *dproject, tile *t,
                            const nln_module *transposed)
{
    const nln_kernels *k = nln_kernels_get();
    int n = t->n, d = t->d, h = t->h;
    size_t block = (size_t)n * (size_t)h;
    binary_hidden_backward(op, g, dproject, t, transposed);
    real *dright = op->dz + WITH_W * block, *dnegated = op->dz + WITH_NOT * block;
    real *dleft = op->dz; /* the block of T becomes the sum of all four */
    for (int i = 1; i < N_OPERANDS; i++)
        k->axpy(dleft, 1, op->dz + (size_t)i * block, block);
    mark(t, NLN_PHASE_ELEMENT);
    real *second = g->in + (size_t)d * (size_t)h;
    nln_blas_tn_add(g->in, h, t->w, d, dleft, h, d, h, n);
    nln_blas_tn_add(second, h, t->w, d, dright, h, d, h, n);
    nln_blas_tn_add(second, h, t->not_w, d, dnegated, h, d, h, n);
    nln_blas_nn_add(t->dw, d, dleft, h, transposed->in, 2 * d, n, d, h);
    nln_blas_nn_add(t->dw, d, dright, h, transposed->in + d, 2 * d, n, d, h);
    nln_blas_nn_add(t->d_not, d, dnegated, h, transposed->in + d, 2 * d, n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

static void tile_backward(tile *t, nln_work *work, const nln_net *net)
{
    const nln_module *transposed = net->transposed.kind;
    nln_module *g = work->grad.kind;
    for (int i = 0; i < 2; i++)
        binary_backward(&t->op[i], &g[NLN_KIND_AND + i],
                        work->dproject + (size_t)(2 * i) * (size_t)t->h, t,
                        &transposed[NLN_KIND_AND + i]);
    not_backward(t->d_not, &g[NLN_KIND_NOT], t->twice, t->z_twice, t->not_w,
                 &transposed[NLN_KIND_NOT], t);
    not_backward(t->dw, &g[NLN_KIND_NOT], t->d_not, t->z_not, t->w, &transposed[NLN_KIND_NOT], t);
}

static double tile_gradient(nln_work *work, const nln_net *net, unsigned active, int32_t at, int n)
{
    size_t d = (size_t)net->dim;
    const int32_t *rows = work->law_row + at;
    tile t = lay_out(work->tile, n, net->dim, net->hidden);
    t.profile = &work->profile;
    nln_profile_start(t.profile);
    gather(&t, work, rows);
    mark(&t, NLN_PHASE_GATHER);
    tile_forward(&t, work, net);
    double loss = tile_terms(&t, work, net, work->law_weight + at, active);
    mark(&t, NLN_PHASE_LAWS);
    tile_backward(&t, work, net);
    for (int i = 0; i < n; i++)
        nln_kernels_get()->axpy(work->dH + (size_t)rows[i] * d, 1, t.dw + (size_t)i * d, d);
    mark(&t, NLN_PHASE_GATHER);
    return loss;
}

/* The gradients of the shared projections go on to the modules and to F. */
static void projections_backward(nln_work *work, const nln_net *net)
{
    int d = net->dim, h = net->hidden;
    for (int i = 0; i < 4; i++) {
        const real *dprojection = work->dproject + (size_t)i * (size_t)h;
        int kind = NLN_KIND_AND + i / 2, end = i % 2;
        nln_module *g = &work->grad.kind[kind];
        real *second = g->in + (size_t)d * (size_t)h;
        nln_kernels_get()->axpy(g->bias, 1, dprojection, (size_t)h);
        nln_blas_tn_add(second, h, work->H + (size_t)end * (size_t)d, d, dprojection, h, d, h, 1);
        if (end == NLN_ROW_FALSE)
            nln_blas_nn_add(work->dH + d, d, dprojection, h, net->transposed.kind[kind].in + d,
                            2 * d, 1, d, h);
    }
}

double nln_laws_gradient(nln_work *work, const nln_net *net, unsigned active)
{
    double loss = 0;
    nln_laws_begin(work, net);
    memset(work->dproject, 0, 4 * (size_t)net->hidden * sizeof(real));
    for (int32_t at = 0; at < work->n_law_rows; at += NLN_LAW_TILE) {
        int32_t rest = work->n_law_rows - at;
        loss += tile_gradient(work, net, active, at, rest < NLN_LAW_TILE ? rest : NLN_LAW_TILE);
    }
    projections_backward(work, net);
    return loss;
}

void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE], nln_work *work, real *scratch,
                      const nln_net *net, const int32_t *rows, int32_t n)
{
    tile t = lay_out(scratch, n, net->dim, net->hidden);
    gather(&t, work, rows);
    tile_forward(&t, work, net);
    memcpy(t.d_not, t.not_w, (size_t)n * (size_t)t.d * sizeof(real));
    for (int law = 0; law < NLN_N_LAWS; law++) {
        real inverse[NLN_LAW_TILE];
        side right = right_side(&t, work, nln_law_table[law].target);
        nln_kernels_get()->cosine(cosine[law], inverse, left_side(&t, law), right.x, right.inverse,
                                  right.stride, n, t.d);
    }
}
