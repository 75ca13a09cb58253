#include "net/law_tile.h"

#include <string.h>

#include "math/blas.h"

typedef nln_law_tile tile;

/* ---- rows ------------------------------------------------------------------- */

/* Similar rows: the first of the pairs, their negations, and the others. */
enum { PART_FIRSTS, PART_NEGATIONS, PART_OTHERS, N_PARTS };

/* Rows first .. first + n - 1 of the tile. */
typedef struct run {
    int first, n;
} run;

static run part_of(const tile *t, int part)
{
    int start[] = {0, t->pairs, 2 * t->pairs, t->n};
    return (run){start[part], start[part + 1] - start[part]};
}

static real *row_of(real *x, int row, int width)
{
    return x + (size_t)row * (size_t)width;
}

static void gather(tile *t, const nln_workspace *work)
{
    size_t d = (size_t)t->d;
    for (int i = 0; i < t->n; i++)
        memcpy(t->w + (size_t)i * d, work->H + (size_t)t->rows->row[i] * d, d * sizeof(real));
    nln_kernels_get()->inverse_length(t->inverse, t->w, t->n, t->d);
}

/* Copies the shared projections of a module from the tree, or their gradients to it. */
static void copy_shared(const tile *t, nln_workspace *work, nln_module_id module, int gradients)
{
    size_t h = (size_t)t->h;
    for (int i = 0; i < t->n; i++) {
        nln_shared_projection s = t->rows->shared[i];
        int operand = s.projection % NLN_MOST_OPERANDS;
        if (s.projection != nln_projection(module, operand))
            continue;
        real *of_tree = work->P[operand] + (size_t)s.operation * h;
        if (gradients)
            memcpy(of_tree, t->dprojection[operand] + (size_t)i * h, h * sizeof(real));
        else
            memcpy(t->projection[operand] + (size_t)i * h, of_tree, h * sizeof(real));
    }
}

/* The next rows from `at` to before `end` that do not share a projection; at `end` if there are no
 * more. */
static run next_run(const tile *t, int projection, int at, int end)
{
    const nln_shared_projection *shared = t->rows->shared;
    while (at < end && shared[at].projection == projection)
        at++;
    run r = {at, 0};
    while (at + r.n < end && shared[at + r.n].projection != projection)
        r.n++;
    return r;
}

/* x of the first rows of the pairs = `from` of their negations ... */
static void copy_from_negations(real *x, const tile *t, const real *from, int width)
{
    size_t n = (size_t)t->pairs * (size_t)width;
    memcpy(x, from + n, n * sizeof(real));
}

/* ... and adds the gradient to that of the negations. */
static void add_to_negations(real *to, const tile *t, const real *dx, int width)
{
    size_t n = (size_t)t->pairs * (size_t)width;
    nln_kernels_get()->axpy(to + n, 1, dx, n);
}

/* ---- first layers ------------------------------------------------------------- */

/* Projects w as each operand, and NOT w as the second one: the second half of a matrix [2 d, h] is
 * for second operands. */
static void project_all(const tile *t, nln_module_id module)
{
    real *in = t->net->modules.of[module].in;
    int d = t->d, h = t->h;
    for (int i = 0; i < NLN_MOST_OPERANDS; i++) {
        int projection = nln_projection(module, i);
        for (run r = next_run(t, projection, 0, t->n); r.first < t->n;
             r = next_run(t, projection, r.first + r.n, t->n))
            nln_blas_nn(row_of(t->projection[i], r.first, h), h, row_of(t->w, r.first, d), d,
                        row_of(in, i * d, h), h, r.n, h, d);
    }
    copy_from_negations(t->negated, t, t->projection[1], h);
    nln_blas_nn(row_of(t->negated, t->pairs, h), h, row_of(t->not_w, t->pairs, d), d,
                row_of(in, d, h), h, t->n - t->pairs, h, d);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
}

/* Of a projection p = x A, for the rows of a run: dA += x' dp, and dx += dp A'. */
static void project_back(const tile *t, run r, real *dx, real *dA_transposed, real *dp, real *x,
                         const real *A_transposed, int ld)
{
    int d = t->d, h = t->h;
    const real *of_rows = row_of(dp, r.first, h);
    nln_blas_tn_skip_add(dA_transposed, d, of_rows, h, row_of(x, r.first, d), d, h, d, r.n,
                         &t->active->skipped_flop);
    nln_blas_nn_skip_add(row_of(dx, r.first, d), d, of_rows, h, A_transposed, ld, r.n, d, h,
                         &t->active->skipped_flop);
}

/* In parts, which have the same active units; without the rows whose projections are shared. */
static void project_all_back(const tile *t, nln_module_id module)
{
    const real *back = t->net->transposed.of[module].in; /* [h, 2 d] */
    real *const *din = t->din + nln_projection(module, 0);
    int d = t->d;
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        for (int part = PART_FIRSTS; part < N_PARTS; part++) {
            int at = part_of(t, part).first, end = at + part_of(t, part).n;
            for (run r = next_run(t, nln_projection(module, i), at, end); r.first < end;
                 r = next_run(t, nln_projection(module, i), r.first + r.n, end))
                project_back(t, r, t->dw, din[i], t->dprojection[i], t->w, back + i * d, 2 * d);
        }
    for (int part = PART_NEGATIONS; part < N_PARTS; part++)
        project_back(t, part_of(t, part), t->d_not, din[1], t->dnegated, t->not_w, back + d, 2 * d);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
}

/* The active units of n rows of z; of unsorted rows all units. */
static nln_active_units *active_units(const tile *t, const real *z, int n)
{
    nln_active_units *a = &t->active->list[t->rows->sorted ? 0 : 1];
    if (t->rows->sorted)
        nln_active_units_find(a, z, n);
    return a;
}

/* Writes dz [n, h], the gradient before relu of a hidden layer z whose result has the gradient dy,
 * and adds its sum to a vector [h]. */
static void hidden_back(const tile *t, real *dz, real *sum, const real *dy, const real *z,
                        const real *W_transposed, int n)
{
    nln_active_units *a = active_units(t, z, n);
    real *packed = a->n < a->width ? t->packed : dz;
    nln_active_units_into(t->active, a, packed, dy, W_transposed, n, t->d);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
    if (packed != dz)
        nln_active_units_unpack(dz, a, packed, n);
    nln_kernels_get()->relu_back(dz, sum, z, 1, n, t->h);
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
}

/* ---- NOT --------------------------------------------------------------------- */

/* y = NOT x, with its hidden layer z.  For the first of a pair it is the second's x. */
static void not_forward(real *y, real *z, real *x, const tile *t)
{
    const nln_module *m = &t->net->modules.of[NLN_MODULE_NOT];
    int n = t->n - t->pairs, d = t->d, h = t->h;
    copy_from_negations(y, t, x, d);
    z = row_of(z, t->pairs, h);
    nln_blas_nn(z, h, row_of(x, t->pairs, d), d, m->in, h, n, h, d);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
    nln_kernels_get()->relu(z, z, NULL, m->bias, n, h);
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
    nln_blas_nn_skip(row_of(y, t->pairs, d), d, z, h, m->out, d, n, d, h, &t->active->skipped_flop);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
}

/* dx += the gradient through y = NOT x, given dy. */
static void not_backward(real *dx, real *dy, real *z, real *x, const tile *t)
{
    const nln_module *transposed = &t->net->transposed.of[NLN_MODULE_NOT];
    nln_module *g = &t->grad->of[NLN_MODULE_NOT];
    int d = t->d, h = t->h;
    add_to_negations(dx, t, dy, d);
    for (int part = PART_NEGATIONS; part < N_PARTS; part++) {
        run r = part_of(t, part);
        real *z_part = row_of(z, r.first, h), *dy_part = row_of(dy, r.first, d);
        if (r.n == 0)
            continue;
        nln_blas_tn_skip_add(g->out, d, z_part, h, dy_part, d, h, d, r.n, &t->active->skipped_flop);
        hidden_back(t, row_of(t->dz, r.first, h), g->bias, dy_part, z_part, transposed->out, r.n);
        project_back(t, r, dx, t->din[nln_projection(NLN_MODULE_NOT, 0)], t->dz, x, transposed->in,
                     d);
    }
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
}

/* ---- terms ------------------------------------------------------------------- */

double nln_law_terms(real *slope, const real *cosine, const real *weight, real alpha, int n)
{
    real unlike[NLN_LAW_TILE], like[NLN_LAW_TILE];
    double loss = 0;
    nln_kernels_get()->odds(unlike, like, cosine, -alpha, n);
    for (int i = 0; i < n; i++) {
        loss += (double)weight[i] * (double)unlike[i];
        slope[i] = -alpha * weight[i] * unlike[i] * like[i];
    }
    return loss;
}

static double terms(real *slope, const real *cosine, const real *weight, int n, const tile *t,
                    int law)
{
    real alpha = nln_law_table[law].far_apart ? -t->net->alpha : t->net->alpha;
    return nln_law_terms(slope, cosine, weight, alpha, n);
}

/* A law whose left side y should be like w, or far from it, for the rows of a run; y begins with
 * the first of them.  y becomes its own gradient, and that of w is added to dw.  One sweep over the
 * rows, a few at a time, which stay in the innermost cache from their cosines to their gradients.
 */
static double term_of_w(real *y, const tile *t, run r, int law)
{
    enum { FEW = 16 };
    const nln_kernels *k = nln_kernels_get();
    int d = t->d;
    double loss = 0;
    if (!(t->laws >> law & 1)) {
        memset(y, 0, (size_t)r.n * (size_t)d * sizeof(real));
        return 0;
    }
    for (int i = r.first; i < r.first + r.n; i += FEW, y += (size_t)FEW * (size_t)d) {
        int n = r.first + r.n - i < FEW ? r.first + r.n - i : FEW;
        const real *w = row_of(t->w, i, d), *of_w = t->inverse + i;
        real cosine[FEW], inverse[FEW], slope[FEW];
        k->cosine(cosine, inverse, y, w, of_w, d, n, d);
        loss += terms(slope, cosine, t->rows->weight + i, n, t, law);
        k->cosine_back(y, row_of(t->dw, i, d), slope, cosine, inverse, w, of_w, d, n, d);
    }
    return loss;
}

/* ---- laws of AND and OR ------------------------------------------------------- */

/* Laws of one module with the same right side, for similar rows; their hidden layers lie one after
 * the other.  A block is one law of a part or, for unsorted rows, two laws of all rows, for larger
 * products. */
typedef struct block {
    int module; /* of nln_law_modules */
    int with;   /* the second operand of the first law */
    int n_laws;
    run rows;
} block;

/* Computes the hidden layers of the block, and returns the number of their rows. */
static int block_hidden(const tile *t, block b)
{
    const nln_kernels *k = nln_kernels_get();
    const real *bias = t->net->modules.of[nln_law_modules[b.module].module].bias;
    int n = b.rows.n, first = b.rows.first, h = t->h;
    for (int i = 0; i < b.n_laws; i++) {
        real *second = NULL;
        const real *constant = bias;
        switch (b.with + i) {
        case NLN_WITH_IDENTITY:
            constant = t->constants[b.module].identity;
            break;
        case NLN_WITH_W:
            second = row_of(t->projection[1], first, h);
            break;
        case NLN_WITH_ANNIHILATOR:
            constant = t->constants[b.module].annihilator;
            break;
        default:
            second = row_of(t->negated, first, h);
        }
        k->relu(row_of(t->z, i * n, h), row_of(t->projection[0], first, h), second, constant, n, h);
    }
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
    return b.n_laws * n;
}

/* y = z W should be w.  Returns the rows of y. */
static int block_of_w_forward(const tile *t, block b)
{
    const real *W = t->net->modules.of[nln_law_modules[b.module].module].out;
    int n = block_hidden(t, b);
    nln_blas_nn_skip(t->y, t->d, t->z, t->h, W, t->d, n, t->d, t->h, &t->active->skipped_flop);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
    return n;
}

static double block_of_w(const tile *t, block b)
{
    const nln_law_module *laws = &nln_law_modules[b.module];
    const real *back = t->net->transposed.of[laws->module].out;
    nln_module *g = &t->grad->of[laws->module];
    int n = b.rows.n, d = t->d, h = t->h, height = block_of_w_forward(t, b);
    real *dfirst = row_of(t->dprojection[0], b.rows.first, h);
    real *dsecond = row_of(t->dprojection[1], b.rows.first, h);
    double loss = 0;
    for (int i = 0; i < b.n_laws; i++)
        loss += term_of_w(row_of(t->y, i * n, d), t, b.rows, laws->law[b.with + i]);
    nln_profile_mark(t->profile, NLN_PHASE_LAWS);
    nln_blas_tn_skip_add(g->out, d, t->z, h, t->y, d, h, d, height, &t->active->skipped_flop);
    for (int i = 0; i < b.n_laws; i++) {
        int constant = b.with + i == NLN_WITH_IDENTITY;
        hidden_back(t, constant ? dfirst : dsecond,
                    constant ? t->dconstants[b.module].identity : g->bias, row_of(t->y, i * n, d),
                    row_of(t->z, i * n, h), back, n);
        if (!constant)
            nln_kernels_get()->axpy(dfirst, 1, dsecond, (size_t)n * (size_t)h);
    }
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
    return loss;
}

/* The hidden layers z of a block and the vector a of its target, packed. */
typedef struct packed_block {
    nln_active_units *list;
    const real *z, *a;
    int n; /* rows of z */
} packed_block;

/* y should be the annihilator, one vector for all rows: neither its cosine nor its gradient needs
 * y, which saves one product in three (hidden_cosine.h).  Leaves z S in s. */
static packed_block block_of_annihilator_forward(const tile *t, block b)
{
    nln_hidden_cosine target = t->constants[b.module].target;
    packed_block x = {.n = block_hidden(t, b)};
    x.list = active_units(t, t->z, x.n);
    x.z = nln_active_units_pack(t->packed, x.list, t->z, x.n);
    x.a = nln_active_units_pack(t->a, x.list, target.toward, 1);
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
    nln_active_units_form(t->active, x.list, t->s, x.z, target.square, x.n);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
    return x;
}

/* One law of the block, the i-th: dz becomes the gradient before relu, whose sum is added to a
 * vector [h], and s becomes s' with dS = z' s'; all packed. */
static double term_of_annihilator(const tile *t, block b, packed_block x, int i, real *sum)
{
    real cosine[NLN_LAW_TILE], inverse[NLN_LAW_TILE], slope[NLN_LAW_TILE];
    int n = b.rows.n, width = x.list->stride, law = nln_law_modules[b.module].law[b.with + i];
    size_t row = (size_t)width * sizeof(real), at = (size_t)(i * n) * (size_t)width;
    memset(t->dz + at, 0, (size_t)n * row);
    if (!(t->laws >> law & 1)) {
        memset(t->s + at, 0, (size_t)n * row);
        return 0;
    }
    nln_hidden_cosine_cosines(cosine, inverse, x.a, x.z + at, t->s + at, n, width);
    double loss = terms(slope, cosine, t->rows->weight + b.rows.first, n, t, law);
    for (int r = 0; r < n; r++) {
        slope[r] *= inverse[r];
        cosine[r] *= slope[r] * inverse[r];
    }
    memset(t->dsum, 0, row);
    memset(t->da, 0, row);
    nln_kernels_get()->form_back(t->s + at, t->dz + at, t->dsum, t->da, slope, cosine, x.z + at,
                                 x.a, n, width);
    nln_active_units_unpack_add(sum, x.list, t->dsum, 1);
    nln_active_units_unpack_add(t->dconstants[b.module].target.toward, x.list, t->da, 1);
    return loss;
}

/* The bias of the annihilator's layer is in its projection. */
static double block_of_annihilator(const tile *t, block b)
{
    packed_block x = block_of_annihilator_forward(t, b);
    nln_law_constants dconstants = t->dconstants[b.module];
    int n = b.rows.n;
    double loss = 0;
    for (int i = 0; i < b.n_laws; i++)
        loss += term_of_annihilator(t, b, x, i,
                                    b.with + i == NLN_WITH_ANNIHILATOR
                                        ? dconstants.annihilator
                                        : t->grad->of[nln_law_modules[b.module].module].bias);
    nln_profile_mark(t->profile, NLN_PHASE_LAWS);
    nln_active_units_symmetric_add(t->active, x.list, dconstants.target.square, x.z, t->s, x.n);
    nln_profile_mark(t->profile, NLN_PHASE_GEMM);
    for (int i = 0; i < b.n_laws; i++) {
        const real *dz = row_of(t->dz, i * n, x.list->stride);
        nln_active_units_unpack_add(row_of(t->dprojection[0], b.rows.first, t->h), x.list, dz, n);
        if (b.with + i == NLN_WITH_NOT_W)
            nln_active_units_unpack(row_of(t->dnegated, b.rows.first, t->h), x.list, dz, n);
    }
    nln_profile_mark(t->profile, NLN_PHASE_ELEMENT);
    return loss;
}

/* The two laws from `with` on, of all rows. */
static double two_laws(const tile *t, int module, int with,
                       double (*run_block)(const tile *, block))
{
    double loss = 0;
    if (!t->rows->sorted)
        return run_block(t, (block){module, with, 2, {0, t->n}});
    for (int i = 0; i < 2; i++)
        for (int part = PART_FIRSTS; part < N_PARTS; part++) {
            block b = {module, with + i, 1, part_of(t, part)};
            if (b.rows.n > 0)
                loss += run_block(t, b);
        }
    return loss;
}

/* ---- the whole tile ----------------------------------------------------------- */

double nln_law_tile_gradient(nln_workspace *work, const nln_net *net, const nln_law_rows *rows,
                             unsigned laws)
{
    tile t = nln_law_workspace_tile(&work->laws, net, rows, &work->profile);
    size_t d = (size_t)t.d, bytes = (size_t)t.n * d * sizeof(real);
    run all = {0, t.n};
    t.grad = &work->gradient->modules;
    t.laws = laws;
    nln_profile_start(t.profile);
    gather(&t, work);
    nln_profile_mark(t.profile, NLN_PHASE_GATHER);
    not_forward(t.not_w, t.z_not, t.w, &t);
    not_forward(t.twice, t.z_twice, t.not_w, &t);
    memcpy(t.d_not, t.not_w, bytes);
    memset(t.dw, 0, bytes);
    double loss = term_of_w(t.d_not, &t, all, NLN_LAW_negation);
    loss += term_of_w(t.twice, &t, all, NLN_LAW_double_negation);
    nln_profile_mark(t.profile, NLN_PHASE_LAWS);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        nln_module_id module = nln_law_modules[i].module;
        copy_shared(&t, work, module, 0);
        nln_profile_mark(t.profile, NLN_PHASE_GATHER);
        project_all(&t, module);
        double of_module = two_laws(&t, i, NLN_WITH_IDENTITY, block_of_w);
        loss += of_module + two_laws(&t, i, NLN_WITH_ANNIHILATOR, block_of_annihilator);
        add_to_negations(t.dprojection[1], &t, t.dnegated, t.h);
        copy_shared(&t, work, module, 1);
        nln_profile_mark(t.profile, NLN_PHASE_GATHER);
        project_all_back(&t, module);
    }
    not_backward(t.d_not, t.twice, t.z_twice, t.not_w, &t);
    not_backward(t.dw, t.d_not, t.z_not, t.w, &t);
    for (int i = 0; i < t.n; i++)
        nln_kernels_get()->axpy(work->dH + (size_t)rows->row[i] * d, 1, t.dw + (size_t)i * d, d);
    nln_profile_mark(t.profile, NLN_PHASE_GATHER);
    return loss;
}

void nln_law_tile_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *space,
                          const nln_workspace *work, const nln_net *net, const nln_law_rows *rows)
{
    const nln_kernels *k = nln_kernels_get();
    nln_profile no_profile = {0};
    real inverse[NLN_LAW_TILE_UNSORTED];
    tile t = nln_law_workspace_tile(space, net, rows, &no_profile);
    gather(&t, work);
    not_forward(t.not_w, t.z_not, t.w, &t);
    not_forward(t.twice, t.z_twice, t.not_w, &t);
    k->cosine(cosine[NLN_LAW_negation], inverse, t.not_w, t.w, t.inverse, t.d, t.n, t.d);
    k->cosine(cosine[NLN_LAW_double_negation], inverse, t.twice, t.w, t.inverse, t.d, t.n, t.d);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        const int *law = nln_law_modules[i].law;
        project_all(&t, nln_law_modules[i].module);
        block_of_w_forward(&t, (block){i, NLN_WITH_IDENTITY, 2, {0, t.n}});
        for (int j = 0; j < 2; j++)
            k->cosine(cosine[law[NLN_WITH_IDENTITY + j]], inverse, row_of(t.y, j * t.n, t.d), t.w,
                      t.inverse, t.d, t.n, t.d);
        packed_block x =
            block_of_annihilator_forward(&t, (block){i, NLN_WITH_ANNIHILATOR, 2, {0, t.n}});
        for (int j = 0; j < 2; j++) {
            size_t layer = (size_t)j * (size_t)t.n * (size_t)t.h;
            nln_hidden_cosine_cosines(cosine[law[NLN_WITH_ANNIHILATOR + j]], inverse, x.a,
                                      x.z + layer, t.s + layer, t.n, t.h);
        }
    }
}
