#include "net/laws.h"

#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "net/aim.h"
#include "net/lawlist.h"

const nln_law nln_law_table[NLN_N_LAWS] = {
#define X(name, formula, far) {#name, formula, far},
    NLN_LAWS(X)
#undef X
};

enum {
#define X(name, formula, far) LAW_##name,
    NLN_LAWS(X)
#undef X
};

/* A binary module, with the unit that leaves w as it is and the other end, which swallows it:
 * T and F for AND, F and T for OR.  Its laws by their second operand. */
enum { WITH_UNIT, WITH_W, WITH_END, WITH_NOT, N_OPERANDS };
enum { N_MODULES = 2 };

static const struct {
    nln_kind kind;
    int unit, end; /* rows */
    int law[N_OPERANDS];
} binary_laws[N_MODULES] = {
    {NLN_KIND_AND,
     NLN_ROW_TRUE,
     NLN_ROW_FALSE,
     {LAW_and_identity, LAW_and_idempotence, LAW_and_annihilator, LAW_and_complementation}},
    {NLN_KIND_OR,
     NLN_ROW_FALSE,
     NLN_ROW_TRUE,
     {LAW_or_identity, LAW_or_idempotence, LAW_or_annihilator, LAW_or_complementation}},
};

/* What a binary module has on its way through the laws.  With w or its unit it should give w: these
 * results y are made, and compared with w.  With the end and with NOT w it should give the end, one
 * vector for all rows, to which an aim leads without y; nor does its gradient need y, which spares
 * one product in three. */
typedef struct binary {
    real *left, *right, *negated; /* [n, h] projections: of w first, w second, NOT w second */
    real *z;                      /* [4, n, h] hidden layers */
    real *y;                      /* [2, n, d] results with the unit and w, then their gradients */
    real *s;                      /* [2, n, h] z S with the end and NOT w, then what S is owed */
    real *dz;                     /* [2, n, h] with the unit and w */
    real *dnegated;               /* [n, h] */
} binary;

/* What all tiles share of a binary module; with gradients of the same shape. */
typedef struct base {
    real *unit, *end; /* [h] the two ends as second operands, with the bias */
    nln_aim aim;      /* at the end */
} base;

/* n rows on their way through the laws; all memory is scratch. */
typedef struct tile {
    const nln_net *net;
    nln_modules *grad;    /* or NULL: forward only */
    nln_profile *profile; /* likewise */
    unsigned active;      /* laws */
    int n, d, h;
    int pairs;                          /* row pairs + i is NOT of row i, for i < pairs */
    int32_t row[NLN_LAW_TILE];          /* of the plan */
    real weight[NLN_LAW_TILE];          /* of the terms */
    int32_t loan[NLN_LAW_TILE];         /* see lawlist.h */
    base of[N_MODULES], dof[N_MODULES]; /* of AND and OR, and their gradients */
    real *inverse;                      /* [n] 1 / |w| */
    real *w, *dw;                       /* [n, d] */
    real *z_not, *z_twice;              /* [n, h] hidden layers of NOT w and NOT NOT w */
    real *not_w, *d_not;                /* [n, d] NOT w and its gradient */
    real *twice;                        /* [n, d] NOT NOT w, then its gradient */
    real *dz;                           /* [n, h] */
    binary op[N_MODULES];               /* AND, OR */
} tile;

static real *take(real **from, size_t rows, int width)
{
    real *block = *from;
    *from += rows * (size_t)width;
    return block;
}

static size_t base_size(int h)
{
    return (3 + (size_t)h) * (size_t)h;
}

/* At the start of the scratch: the bases, then their gradients. */
static base base_at(real *scratch, int h, int module, int gradient)
{
    scratch += (size_t)(gradient * N_MODULES + module) * base_size(h);
    base b;
    b.unit = take(&scratch, 1, h);
    b.end = take(&scratch, 1, h);
    b.aim.toward = take(&scratch, 1, h);
    b.aim.square = take(&scratch, (size_t)h, h);
    return b;
}

static tile lay_out(real *scratch, const nln_net *net, int n)
{
    int d = net->dim, h = net->hidden;
    size_t r = (size_t)n;
    tile t = {.net = net, .n = n, .d = d, .h = h};
    for (int i = 0; i < N_MODULES; i++) {
        t.of[i] = base_at(scratch, h, i, 0);
        t.dof[i] = base_at(scratch, h, i, 1);
    }
    scratch += (size_t)2 * N_MODULES * base_size(h);
    t.inverse = take(&scratch, NLN_LAW_TILE, 1);
    t.w = take(&scratch, r, d);
    t.dw = take(&scratch, r, d);
    t.not_w = take(&scratch, r, d);
    t.d_not = take(&scratch, r, d);
    t.twice = take(&scratch, r, d);
    t.z_not = take(&scratch, r, h);
    t.z_twice = take(&scratch, r, h);
    t.dz = take(&scratch, r, h);
    for (int i = 0; i < N_MODULES; i++) {
        t.op[i].left = take(&scratch, r, h);
        t.op[i].right = take(&scratch, r, h);
        t.op[i].negated = take(&scratch, r, h);
        t.op[i].z = take(&scratch, N_OPERANDS * r, h);
        t.op[i].y = take(&scratch, 2 * r, d);
        t.op[i].s = take(&scratch, 2 * r, h);
        t.op[i].dz = take(&scratch, 2 * r, h);
        t.op[i].dnegated = take(&scratch, r, h);
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
    size_t row = 1 + 5 * d + 3 * h + N_MODULES * (2 * d + (3 + N_OPERANDS + 2 + 2 + 1) * h);
    return (size_t)2 * N_MODULES * base_size(hidden) + NLN_LAW_TILE * row;
}

/* ---- forward ---------------------------------------------------------------- */

static void project_constant(real *out, const nln_module *m, const real *constant, int d, int h)
{
    memcpy(out, m->bias, (size_t)h * sizeof(real));
    nln_blas_nn_add(out, h, constant, d, m->in + (size_t)d * (size_t)h, h, 1, h, d);
}

void nln_laws_begin(real *scratch, const nln_work *work, const nln_net *net)
{
    int d = net->dim, h = net->hidden;
    for (int i = 0; i < N_MODULES; i++) {
        base b = base_at(scratch, h, i, 0);
        const nln_module *m = &net->modules.kind[binary_laws[i].kind];
        const real *end = work->H + (size_t)binary_laws[i].end * (size_t)d;
        project_constant(b.unit, m, work->H + (size_t)binary_laws[i].unit * (size_t)d, d, h);
        project_constant(b.end, m, end, d, h);
        nln_aim_set(b.aim, net, binary_laws[i].kind, end, work->end_inverse[binary_laws[i].end]);
    }
}

/* Where the projection of a kind lies, or its gradient. */
static real *projection_of(const tile *t, int kind)
{
    const binary *op = &t->op[kind / 2];
    return kind % 2 ? op->right : op->left;
}

static real *gradient_of(const tile *t, int kind)
{
    return t->op[kind / 2].dz + (size_t)(kind % 2) * (size_t)t->n * (size_t)t->h;
}

static void gather(tile *t, const nln_work *work)
{
    size_t d = (size_t)t->d, h = (size_t)t->h;
    for (int i = 0; i < t->n; i++) {
        int kind = nln_loan_kind(t->loan[i]);
        memcpy(t->w + (size_t)i * d, work->H + (size_t)t->row[i] * d, d * sizeof(real));
        if (kind != NLN_N_LOANS)
            memcpy(projection_of(t, kind) + (size_t)i * h,
                   work->P[kind % 2] + (size_t)nln_loan_operation(t->loan[i]) * h,
                   h * sizeof(real));
    }
    nln_kernels_get()->inverse_length(t->inverse, t->w, t->n, t->d);
}

static void scatter(const tile *t, nln_work *work)
{
    size_t d = (size_t)t->d, h = (size_t)t->h;
    for (int i = 0; i < t->n; i++) {
        int kind = nln_loan_kind(t->loan[i]);
        nln_kernels_get()->axpy(work->dH + (size_t)t->row[i] * d, 1, t->dw + (size_t)i * d, d);
        if (kind != NLN_N_LOANS)
            memcpy(work->P[kind % 2] + (size_t)nln_loan_operation(t->loan[i]) * h,
                   gradient_of(t, kind) + (size_t)i * h, h * sizeof(real));
    }
}

/* The rows from first to before last. */
typedef struct run {
    int first, last;
} run;

/* The next rows from `at` on that have not borrowed their projection of a kind; none are left if
 * first is n. */
static run next_run(const tile *t, int kind, int at)
{
    run r = {at, at};
    while (r.first < t->n && nln_loan_kind(t->loan[r.first]) == kind)
        r.first++;
    for (r.last = r.first; r.last < t->n && nln_loan_kind(t->loan[r.last]) != kind;)
        r.last++;
    return r;
}

/* The second half of a matrix [2 d, h] is for right operands. */
static void project(const tile *t, int kind)
{
    int d = t->d, h = t->h;
    const real *in =
        t->net->modules.kind[binary_laws[kind / 2].kind].in + (size_t)(kind % 2 * d) * (size_t)h;
    for (run r = next_run(t, kind, 0); r.first < t->n; r = next_run(t, kind, r.last))
        nln_blas_nn(projection_of(t, kind) + (size_t)r.first * (size_t)h, h,
                    t->w + (size_t)r.first * (size_t)d, d, in, h, r.last - r.first, h, d);
}

static void project_back(const tile *t, int kind)
{
    int d = t->d, h = t->h, side = kind % 2 * d;
    nln_kind module = binary_laws[kind / 2].kind;
    real *din = t->grad->kind[module].in + (size_t)side * (size_t)h;
    for (run r = next_run(t, kind, 0); r.first < t->n; r = next_run(t, kind, r.last)) {
        const real *dp = gradient_of(t, kind) + (size_t)r.first * (size_t)h;
        size_t at = (size_t)r.first * (size_t)d;
        nln_blas_tn_add(din, h, t->w + at, d, dp, h, d, h, r.last - r.first);
        nln_blas_nn_add(t->dw + at, d, dp, h, t->net->transposed.kind[module].in + side, 2 * d,
                        r.last - r.first, d, h);
    }
}

/* What the first of a pair needs and its second has, copied from the one to the other ... */
static void borrow(real *x, const tile *t, const real *from, int width)
{
    size_t n = (size_t)t->pairs * (size_t)width;
    memcpy(x, from + n, n * sizeof(real));
}

/* ... and its gradient, given back. */
static void give_back(real *to, const tile *t, const real *dx, int width)
{
    size_t n = (size_t)t->pairs * (size_t)width;
    nln_kernels_get()->axpy(to + n, 1, dx, n);
}

/* y = NOT x of the rows that are not the first of a pair. */
static void not_forward(real *y, real *z, const real *x, const tile *t)
{
    const nln_module *m = &t->net->modules.kind[NLN_KIND_NOT];
    int n = t->n - t->pairs, d = t->d, h = t->h;
    size_t at = (size_t)t->pairs;
    z += at * (size_t)h;
    nln_blas_nn(z, h, x + at * (size_t)d, d, m->in, h, n, h, d);
    mark(t, NLN_PHASE_GEMM);
    nln_kernels_get()->relu(z, z, NULL, m->bias, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_nn(y + at * (size_t)d, d, z, h, m->out, d, n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

static void binary_forward(tile *t, int module)
{
    const nln_kernels *k = nln_kernels_get();
    const nln_module *m = &t->net->modules.kind[binary_laws[module].kind];
    const binary *op = &t->op[module];
    const base *b = &t->of[module];
    int n = t->n, d = t->d, h = t->h;
    size_t block = (size_t)n * (size_t)h, at = (size_t)t->pairs;
    project(t, 2 * module);
    project(t, 2 * module + 1);
    borrow(op->negated, t, op->right, h);
    nln_blas_nn(op->negated + at * (size_t)h, h, t->not_w + at * (size_t)d, d,
                m->in + (size_t)d * (size_t)h, h, n - t->pairs, h, d);
    mark(t, NLN_PHASE_GEMM);
    k->relu(op->z + WITH_UNIT * block, op->left, NULL, b->unit, n, h);
    k->relu(op->z + WITH_W * block, op->left, op->right, m->bias, n, h);
    k->relu(op->z + WITH_END * block, op->left, NULL, b->end, n, h);
    k->relu(op->z + WITH_NOT * block, op->left, op->negated, m->bias, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_nn(op->y, d, op->z, h, m->out, d, 2 * n, d, h);
    nln_blas_nn(op->s, h, op->z + WITH_END * block, h, b->aim.square, h, 2 * n, h, h);
    mark(t, NLN_PHASE_GEMM);
}

static void tile_forward(tile *t)
{
    borrow(t->not_w, t, t->w, t->d);
    not_forward(t->not_w, t->z_not, t->w, t);
    borrow(t->twice, t, t->not_w, t->d);
    not_forward(t->twice, t->z_twice, t->not_w, t);
    for (int i = 0; i < N_MODULES; i++)
        binary_forward(t, i);
}

/* ---- terms ------------------------------------------------------------------ */

/* sum of weight * (1 - Sim), or weight * Sim where the sides should be far apart;
 * slope[i] is its derivative by cosine[i]. */
static double terms(real *slope, const real *cosine, const real *weight, int n, const tile *t,
                    int law)
{
    real alpha = nln_law_table[law].far_apart ? t->net->alpha : -t->net->alpha;
    real yes[NLN_LAW_TILE], no[NLN_LAW_TILE];
    double loss = 0;
    nln_kernels_get()->odds(yes, no, cosine, alpha, n);
    for (int i = 0; i < n; i++) {
        loss += (double)weight[i] * (double)yes[i];
        slope[i] = alpha * weight[i] * yes[i] * no[i];
    }
    return loss;
}

/* A law whose left side y should be like w, or far from it: y becomes its own gradient, and w's
 * is added to dw.  One sweep over the rows, a few at a time, which stay in the innermost cache from
 * their cosines to their gradients. */
static double term_of_w(real *y, const tile *t, int law)
{
    enum { FEW = 16 };
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)t->d;
    double loss = 0;
    if (!(t->active >> law & 1)) {
        memset(y, 0, (size_t)t->n * d * sizeof(real));
        return 0;
    }
    for (int i = 0; i < t->n; i += FEW) {
        int n = t->n - i < FEW ? t->n - i : FEW;
        const real *w = t->w + (size_t)i * d, *of_w = t->inverse + i;
        real *yi = y + (size_t)i * d, cosine[FEW], inverse[FEW], slope[FEW];
        k->cosine(cosine, inverse, yi, w, of_w, t->d, n, t->d);
        loss += terms(slope, cosine, t->weight + i, n, t, law);
        k->cosine_back(yi, t->dw + (size_t)i * d, slope, cosine, inverse, w, of_w, t->d, n, t->d);
    }
    return loss;
}

/* The cosines with the end of what comes of the hidden layers with operand `with`, and 1 / |y|. */
static void end_cosines(real *cosine, real *inverse, const tile *t, int module, int with)
{
    const binary *op = &t->op[module];
    size_t block = (size_t)t->n * (size_t)t->h;
    const real *z = op->z + (size_t)with * block, *s = op->s + (size_t)(with - WITH_END) * block;
    nln_aim_cosines(cosine, inverse, t->of[module].aim, z, s, t->n, t->h);
}

/* A law whose left side should be the end: adds the gradient of its hidden layer to that of the
 * projection of w and its sum to dsum, leaves it in dz too unless that is NULL, and in s what S is
 * owed. */
static double term_of_end(real *dz, real *dsum, const tile *t, int module, int with)
{
    const binary *op = &t->op[module];
    size_t block = (size_t)t->n * (size_t)t->h;
    real *s = op->s + (size_t)(with - WITH_END) * block;
    real cosine[NLN_LAW_TILE], inverse[NLN_LAW_TILE], slope[NLN_LAW_TILE];
    int law = binary_laws[module].law[with];
    if (!(t->active >> law & 1)) {
        memset(s, 0, block * sizeof(real));
        if (dz)
            memset(dz, 0, block * sizeof(real));
        return 0;
    }
    end_cosines(cosine, inverse, t, module, with);
    double loss = terms(slope, cosine, t->weight, t->n, t, law);
    for (int i = 0; i < t->n; i++) {
        slope[i] *= inverse[i];
        cosine[i] *= slope[i] * inverse[i];
    }
    nln_kernels_get()->form_back(s, op->dz, dz, dsum, t->dof[module].aim.toward, slope, cosine,
                                 op->z + (size_t)with * block, t->of[module].aim.toward, t->n,
                                 t->h);
    return loss;
}

/* ---- backward --------------------------------------------------------------- */

/* dx += the gradient through y = NOT(x), given dy.  For the first of a pair y is the second's x,
 * and dy goes there. */
static void not_backward(real *dx, const real *dy, const real *z, const real *x, const tile *t)
{
    const nln_module *transposed = &t->net->transposed.kind[NLN_KIND_NOT];
    nln_module *g = &t->grad->kind[NLN_KIND_NOT];
    int n = t->n - t->pairs, d = t->d, h = t->h;
    size_t at = (size_t)t->pairs;
    give_back(dx, t, dy, d);
    dx += at * (size_t)d;
    dy += at * (size_t)d;
    x += at * (size_t)d;
    z += at * (size_t)h;
    nln_blas_tn_add(g->out, d, z, h, dy, d, h, d, n);
    nln_blas_nn(t->dz, h, dy, d, transposed->out, h, n, h, d);
    mark(t, NLN_PHASE_GEMM);
    nln_kernels_get()->relu_back(t->dz, g->bias, z, 1, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_tn_add(g->in, h, x, d, t->dz, h, d, h, n);
    nln_blas_nn_add(dx, d, t->dz, h, transposed->in, d, n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

/* The terms, and the hidden layers' gradients: dz with the unit becomes the sum of all four, which
 * is that of the projection of w as first operand.  The bias of the ends' layers sits in their
 * projection. */
static double binary_hidden(tile *t, int module)
{
    const nln_kernels *k = nln_kernels_get();
    const int *law = binary_laws[module].law;
    const nln_module *transposed = &t->net->transposed.kind[binary_laws[module].kind];
    nln_module *g = &t->grad->kind[binary_laws[module].kind];
    const binary *op = &t->op[module];
    const base *db = &t->dof[module];
    int n = t->n, d = t->d, h = t->h;
    size_t block = (size_t)n * (size_t)h;
    real *dleft = op->dz, *dright = op->dz + block;
    double loss = term_of_w(op->y, t, law[WITH_UNIT]);
    loss += term_of_w(op->y + (size_t)n * (size_t)d, t, law[WITH_W]);
    mark(t, NLN_PHASE_LAWS);
    nln_blas_tn_add(g->out, d, op->z, h, op->y, d, h, d, 2 * n);
    nln_blas_nn(op->dz, h, op->y, d, transposed->out, h, 2 * n, h, d);
    mark(t, NLN_PHASE_GEMM);
    k->relu_back(dleft, db->unit, op->z, 1, n, h);
    k->relu_back(dright, g->bias, op->z + block, 1, n, h);
    k->axpy(dleft, 1, dright, block);
    mark(t, NLN_PHASE_ELEMENT);
    loss += term_of_end(NULL, db->end, t, module, WITH_END);
    loss += term_of_end(op->dnegated, g->bias, t, module, WITH_NOT);
    mark(t, NLN_PHASE_LAWS);
    nln_blas_symmetric_add(db->aim.square, h, op->z + WITH_END * block, h, op->s, h, h, 2 * n);
    mark(t, NLN_PHASE_GEMM);
    return loss;
}

static void binary_backward(tile *t, int module)
{
    const nln_module *transposed = &t->net->transposed.kind[binary_laws[module].kind];
    const nln_module *g = &t->grad->kind[binary_laws[module].kind];
    int n = t->n - t->pairs, d = t->d, h = t->h;
    size_t at = (size_t)t->pairs;
    const real *dnegated = t->op[module].dnegated;
    give_back(gradient_of(t, 2 * module + 1), t, dnegated, h);
    dnegated += at * (size_t)h;
    project_back(t, 2 * module);
    project_back(t, 2 * module + 1);
    nln_blas_tn_add(g->in + (size_t)d * (size_t)h, h, t->not_w + at * (size_t)d, d, dnegated, h, d,
                    h, n);
    nln_blas_nn_add(t->d_not + at * (size_t)d, d, dnegated, h, transposed->in + d, 2 * d, n, d, h);
    mark(t, NLN_PHASE_GEMM);
}

/* The terms of all laws and their way back to dw. */
static double tile_backward(tile *t)
{
    size_t bytes = (size_t)t->n * (size_t)t->d * sizeof(real);
    memcpy(t->d_not, t->not_w, bytes);
    memset(t->dw, 0, bytes);
    double loss = term_of_w(t->d_not, t, LAW_negation);
    loss += term_of_w(t->twice, t, LAW_double_negation);
    for (int i = 0; i < N_MODULES; i++) {
        loss += binary_hidden(t, i);
        binary_backward(t, i);
    }
    not_backward(t->d_not, t->twice, t->z_twice, t->not_w, t);
    not_backward(t->dw, t->d_not, t->z_not, t->w, t);
    return loss;
}

/* A tile of the list: some pairs, from number `pair` on, and others, from number `other` on. */
static tile cut_tile(const nln_work *work, const nln_net *net, int32_t pair, int32_t other)
{
    const nln_law_list *l = &work->law;
    int32_t pairs = l->n_pairs - pair, others = l->n - other;
    pairs = pairs < NLN_LAW_TILE / 2 ? pairs : NLN_LAW_TILE / 2;
    others = others < NLN_LAW_TILE - 2 * pairs ? others : NLN_LAW_TILE - 2 * pairs;
    tile t = lay_out(work->laws, net, 2 * pairs + others);
    t.pairs = pairs;
    for (int i = 0; i < t.n; i++) {
        int32_t at = i < pairs       ? pair + i
                     : i < 2 * pairs ? l->n_pairs + pair + i - pairs
                                     : other + i - 2 * pairs;
        t.row[i] = l->row[at];
        t.weight[i] = l->weight[at];
        t.loan[i] = l->lending ? l->loan[l->row[at]] : -1;
    }
    return t;
}

static double tile_gradient(tile *t, nln_work *work, unsigned active)
{
    t->grad = &work->yield->grad;
    t->profile = &work->profile;
    t->active = active;
    nln_profile_start(t->profile);
    gather(t, work);
    mark(t, NLN_PHASE_GATHER);
    tile_forward(t);
    double loss = tile_backward(t);
    scatter(t, work);
    mark(t, NLN_PHASE_GATHER);
    return loss;
}

/* The gradient of an end as second operand goes on to the module and to F. */
static void constant_back(const real *dprojection, nln_work *work, const nln_net *net,
                          nln_kind kind, int end)
{
    int d = net->dim, h = net->hidden;
    nln_module *g = &work->yield->grad.kind[kind];
    real *second = g->in + (size_t)d * (size_t)h;
    nln_kernels_get()->axpy(g->bias, 1, dprojection, (size_t)h);
    nln_blas_tn_add(second, h, work->H + (size_t)end * (size_t)d, d, dprojection, h, d, h, 1);
    if (end == NLN_ROW_FALSE)
        nln_blas_nn_add(work->dH + d, d, dprojection, h, net->transposed.kind[kind].in + d, 2 * d,
                        1, d, h);
}

/* The gradient of the aim goes on to the module and, where the end is F, with a = W F / |F|:
 * dF += (da W - (da . a) F / |F|) / |F|. */
static void base_back(nln_work *work, const nln_net *net, base b, base db, nln_kind kind, int end)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden;
    const real *W = net->modules.kind[kind].out, *E = work->H + (size_t)end * (size_t)d;
    real inverse = work->end_inverse[end];
    nln_blas_mirror(db.aim.square, h, h);
    nln_aim_back(work->yield->grad.kind[kind].out, db.aim, net, kind, E, inverse);
    if (end != NLN_ROW_FALSE)
        return;
    real *dF = work->dH + (size_t)end * (size_t)d, along = k->dot(db.aim.toward, b.aim.toward, h);
    for (int i = 0; i < h; i++)
        k->axpy(dF, db.aim.toward[i] * inverse, W + (size_t)i * (size_t)d, (size_t)d);
    k->axpy(dF, -along * inverse * inverse, E, (size_t)d);
}

double nln_laws_gradient(nln_work *work, const nln_net *net, unsigned active)
{
    int h = net->hidden;
    double loss = 0;
    nln_laws_begin(work->laws, work, net);
    memset(base_at(work->laws, h, 0, 1).unit, 0, N_MODULES * base_size(h) * sizeof(real));
    int32_t pair = 0, other = 2 * work->law.n_pairs;
    while (pair < work->law.n_pairs || other < work->law.n) {
        tile t = cut_tile(work, net, pair, other);
        loss += tile_gradient(&t, work, active);
        pair += t.pairs;
        other += t.n - 2 * t.pairs;
    }
    for (int i = 0; i < N_MODULES; i++) {
        base b = base_at(work->laws, h, i, 0), db = base_at(work->laws, h, i, 1);
        constant_back(db.unit, work, net, binary_laws[i].kind, binary_laws[i].unit);
        constant_back(db.end, work, net, binary_laws[i].kind, binary_laws[i].end);
        base_back(work, net, b, db, binary_laws[i].kind, binary_laws[i].end);
    }
    return loss;
}

void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE], real *scratch, const nln_work *work,
                      const nln_net *net, const int32_t *rows, int32_t n)
{
    const nln_kernels *k = nln_kernels_get();
    real inverse[NLN_LAW_TILE];
    tile t = lay_out(scratch, net, n);
    for (int i = 0; i < n; i++) {
        t.row[i] = rows[i];
        t.loan[i] = -1;
    }
    gather(&t, work);
    tile_forward(&t);
    k->cosine(cosine[LAW_negation], inverse, t.not_w, t.w, t.inverse, t.d, n, t.d);
    k->cosine(cosine[LAW_double_negation], inverse, t.twice, t.w, t.inverse, t.d, n, t.d);
    for (int i = 0; i < N_MODULES; i++) {
        const int *law = binary_laws[i].law;
        for (int with = WITH_UNIT; with <= WITH_W; with++)
            k->cosine(cosine[law[with]], inverse,
                      t.op[i].y + (size_t)with * (size_t)n * (size_t)t.d, t.w, t.inverse, t.d, n,
                      t.d);
        for (int with = WITH_END; with <= WITH_NOT; with++)
            end_cosines(cosine[law[with]], inverse, &t, i, with);
    }
}
