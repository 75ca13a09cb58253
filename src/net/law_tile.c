#include "net/law_tile.h"

#include <string.h>

#include "math/blas.h"
#include "net/laws.h"

enum {
#define X(name, formula, far) LAW_##name,
    NLN_LAWS(X)
#undef X
};

/* The laws of a module by their second operand. */
enum { WITH_UNIT, WITH_W, WITH_END, WITH_NOT, N_OPERANDS };

static const int law_of[NLN_N_LAW_MODULES][N_OPERANDS] = {
    {LAW_and_identity, LAW_and_idempotence, LAW_and_annihilator, LAW_and_complementation},
    {LAW_or_identity, LAW_or_idempotence, LAW_or_annihilator, LAW_or_complementation},
};

/* Rows that are alike: the first of the pairs, their negations, and the others. */
enum { PART_FIRSTS, PART_NEGATIONS, PART_OTHERS, N_PARTS };

typedef nln_law_tile tile;

/* Rows that are not sorted have all units awake. */
static nln_active_units *list_of(const tile *t)
{
    return &t->awake->list[t->rows->sorted ? NLN_LAW_LIST_LAYER : NLN_LAW_LIST_ALL];
}

static void mark(const tile *t, nln_phase phase)
{
    if (t->profile)
        nln_profile_mark(t->profile, phase);
}

/* ---- rows ------------------------------------------------------------------- */

/* The rows from first to before last. */
typedef struct run {
    int first, last;
} run;

static int count(run r)
{
    return r.last - r.first;
}

static run part_of(const tile *t, int part)
{
    switch (part) {
    case PART_FIRSTS:
        return (run){0, t->pairs};
    case PART_NEGATIONS:
        return (run){t->pairs, 2 * t->pairs};
    default:
        return (run){2 * t->pairs, t->n};
    }
}

static real *row_of(real *x, int row, int width)
{
    return x + (size_t)row * (size_t)width;
}

/* Where the projection of a kind lies, or its gradient. */
static real *projection_of(const tile *t, int kind)
{
    return kind % NLN_MOST_OPERANDS ? t->right : t->left;
}

static real *gradient_of(const tile *t, int kind)
{
    return kind % NLN_MOST_OPERANDS ? t->dright : t->dleft;
}

static void gather(tile *t, const nln_workspace *work)
{
    size_t d = (size_t)t->d;
    for (int i = 0; i < t->n; i++)
        memcpy(t->w + (size_t)i * d, work->H + (size_t)t->rows->row[i] * d, d * sizeof(real));
    nln_kernels_get()->inverse_length(t->inverse, t->w, t->n, t->d);
}

static void scatter(const tile *t, nln_workspace *work)
{
    size_t d = (size_t)t->d;
    for (int i = 0; i < t->n; i++)
        nln_kernels_get()->axpy(work->dH + (size_t)t->rows->row[i] * d, 1, t->dw + (size_t)i * d,
                                d);
}

/* The kind of what a row borrows from operations of the module's kind, else NLN_N_LOANS. */
static int loan_of(const tile *t, int row, int module)
{
    int kind = nln_loan_kind(t->rows->loan[row]);
    return kind / NLN_MOST_OPERANDS == (int)nln_law_module[module].module ? kind : NLN_N_LOANS;
}

static void take_loans(const tile *t, const nln_workspace *work, int module)
{
    size_t h = (size_t)t->h;
    for (int i = 0; i < t->n; i++) {
        int kind = loan_of(t, i, module);
        if (kind != NLN_N_LOANS)
            memcpy(projection_of(t, kind) + (size_t)i * h,
                   work->P[kind % NLN_MOST_OPERANDS] +
                       (size_t)nln_loan_operation(t->rows->loan[i]) * h,
                   h * sizeof(real));
    }
}

static void return_loans(const tile *t, nln_workspace *work, int module)
{
    size_t h = (size_t)t->h;
    for (int i = 0; i < t->n; i++) {
        int kind = loan_of(t, i, module);
        if (kind != NLN_N_LOANS)
            memcpy(work->P[kind % NLN_MOST_OPERANDS] +
                       (size_t)nln_loan_operation(t->rows->loan[i]) * h,
                   gradient_of(t, kind) + (size_t)i * h, h * sizeof(real));
    }
}

/* The next rows from `at` to before `end` that have not borrowed their projection of a kind; none
 * are left if first is `end`. */
static run next_run(const tile *t, int kind, int at, int end)
{
    run r = {at, at};
    while (r.first < end && nln_loan_kind(t->rows->loan[r.first]) == kind)
        r.first++;
    for (r.last = r.first; r.last < end && nln_loan_kind(t->rows->loan[r.last]) != kind;)
        r.last++;
    return r;
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

/* ---- first layers ------------------------------------------------------------- */

/* The second half of a matrix [2 d, h] is for right operands. */
static void project(const tile *t, int kind)
{
    int d = t->d, h = t->h;
    const nln_module *m = &t->net->modules.of[kind / NLN_MOST_OPERANDS];
    for (run r = next_run(t, kind, 0, t->n); r.first < t->n; r = next_run(t, kind, r.last, t->n))
        nln_blas_nn(row_of(projection_of(t, kind), r.first, h), h, row_of(t->w, r.first, d), d,
                    row_of(m->in, kind % NLN_MOST_OPERANDS * d, h), h, count(r), h, d);
}

static void project_all(const tile *t, int module)
{
    const nln_module *m = &t->net->modules.of[nln_law_module[module].module];
    int d = t->d, h = t->h;
    for (int side = 0; side < NLN_MOST_OPERANDS; side++)
        project(t, NLN_MOST_OPERANDS * (int)nln_law_module[module].module + side);
    borrow(t->negated, t, t->right, h);
    nln_blas_nn(row_of(t->negated, t->pairs, h), h, row_of(t->not_w, t->pairs, d), d,
                row_of(m->in, d, h), h, t->n - t->pairs, h, d);
}

/* Of a first layer x A, for the rows of a run: dA += x' dp, and dx += dp A'. */
static void project_back(const tile *t, run r, real *dx, real *dA_transposed, real *dp, real *x,
                         const real *A_transposed, int ld)
{
    int n = count(r), d = t->d, h = t->h;
    const real *of_rows = row_of(dp, r.first, h);
    nln_blas_tn_skip_add(dA_transposed, d, of_rows, h, row_of(x, r.first, d), d, h, d, n,
                         &t->awake->spared);
    nln_blas_nn_skip_add(row_of(dx, r.first, d), d, of_rows, h, A_transposed, ld, n, d, h,
                         &t->awake->spared);
}

/* In parts, which have the same units asleep; without the rows that have borrowed. */
static void project_all_back(const tile *t, int module)
{
    const real *back = t->net->transposed.of[nln_law_module[module].module].in; /* [h, 2 d] */
    real *const *din = t->din + NLN_LAW_MODULES_IN + 2 * module;
    int d = t->d;
    for (int side = 0; side < 2; side++)
        for (int part = PART_FIRSTS; part < N_PARTS; part++) {
            run p = part_of(t, part);
            int kind = NLN_MOST_OPERANDS * (int)nln_law_module[module].module + side;
            for (run r = next_run(t, kind, p.first, p.last); r.first < p.last;
                 r = next_run(t, kind, r.last, p.last))
                project_back(t, r, t->dw, din[side], gradient_of(t, kind), t->w, back + side * d,
                             2 * d);
        }
    for (int part = PART_NEGATIONS; part < N_PARTS; part++)
        project_back(t, part_of(t, part), t->d_not, din[1], t->dnegated, t->not_w, back + d, 2 * d);
}

/* dz [n, h], the gradient before relu of a hidden layer z whose result has the gradient dy, is
 * written, and its sum added to a vector [h]. */
static void hidden_back(const tile *t, real *dz, real *sum, const real *dy, const real *z,
                        const real *W_transposed, int n)
{
    nln_active_units *a = list_of(t);
    if (t->rows->sorted)
        nln_active_units_find(a, z, n);
    real *packed = a->n < a->width ? t->packed : dz;
    nln_active_units_into(t->awake, a, packed, dy, W_transposed, n, t->d);
    mark(t, NLN_PHASE_GEMM);
    if (packed != dz)
        nln_active_units_unpack(dz, a, packed, n);
    nln_kernels_get()->relu_back(dz, sum, z, 1, n, t->h);
    mark(t, NLN_PHASE_ELEMENT);
}

/* ---- NOT --------------------------------------------------------------------- */

/* y = NOT x of the rows that are not the first of a pair. */
static void not_forward(real *y, real *z, real *x, const tile *t)
{
    const nln_module *m = &t->net->modules.of[NLN_MODULE_NOT];
    int n = t->n - t->pairs, d = t->d, h = t->h;
    z = row_of(z, t->pairs, h);
    nln_blas_nn(z, h, row_of(x, t->pairs, d), d, m->in, h, n, h, d);
    mark(t, NLN_PHASE_GEMM);
    nln_kernels_get()->relu(z, z, NULL, m->bias, n, h);
    mark(t, NLN_PHASE_ELEMENT);
    nln_blas_nn_skip(row_of(y, t->pairs, d), d, z, h, m->out, d, n, d, h, &t->awake->spared);
    mark(t, NLN_PHASE_GEMM);
}

static void nots_forward(const tile *t)
{
    borrow(t->not_w, t, t->w, t->d);
    not_forward(t->not_w, t->z_not, t->w, t);
    borrow(t->twice, t, t->not_w, t->d);
    not_forward(t->twice, t->z_twice, t->not_w, t);
}

/* dx += the gradient through y = NOT(x), given dy.  For the first of a pair y is the second's x,
 * and dy goes there. */
static void not_backward(real *dx, real *dy, real *z, real *x, const tile *t)
{
    const nln_module *transposed = &t->net->transposed.of[NLN_MODULE_NOT];
    nln_module *g = &t->grad->of[NLN_MODULE_NOT];
    int d = t->d, h = t->h;
    give_back(dx, t, dy, d);
    for (int part = PART_NEGATIONS; part < N_PARTS; part++) {
        run r = part_of(t, part);
        real *z_part = row_of(z, r.first, h), *dy_part = row_of(dy, r.first, d);
        real *dz = row_of(t->dz, r.first, h);
        if (count(r) == 0)
            continue;
        nln_blas_tn_skip_add(g->out, d, z_part, h, dy_part, d, h, d, count(r), &t->awake->spared);
        hidden_back(t, dz, g->bias, dy_part, z_part, transposed->out, count(r));
        project_back(t, r, dx, t->din[NLN_LAW_NOT_IN], t->dz, x, transposed->in, d);
    }
    mark(t, NLN_PHASE_GEMM);
}

/* ---- terms ------------------------------------------------------------------- */

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

static int is_active(const tile *t, int law)
{
    return (int)(t->active >> law & 1);
}

/* A law whose left side y should be like w, or far from it, for the rows of a run, the first of
 * which is the first of y: y becomes its own gradient, and w's is added to dw.  One sweep over the
 * rows, a few at a time, which stay in the innermost cache from their cosines to their gradients.
 */
static double term_of_w(real *y, const tile *t, run r, int law)
{
    enum { FEW = 16 };
    const nln_kernels *k = nln_kernels_get();
    double loss = 0;
    if (!is_active(t, law)) {
        memset(y, 0, (size_t)count(r) * (size_t)t->d * sizeof(real));
        return 0;
    }
    for (int i = r.first; i < r.last; i += FEW, y += (size_t)FEW * (size_t)t->d) {
        int n = r.last - i < FEW ? r.last - i : FEW;
        const real *w = row_of(t->w, i, t->d), *of_w = t->inverse + i;
        real cosine[FEW], inverse[FEW], slope[FEW];
        k->cosine(cosine, inverse, y, w, of_w, t->d, n, t->d);
        loss += terms(slope, cosine, t->rows->weight + i, n, t, law);
        k->cosine_back(y, row_of(t->dw, i, t->d), slope, cosine, inverse, w, of_w, t->d, n, t->d);
    }
    return loss;
}

/* ---- laws of AND and OR ------------------------------------------------------- */

/* Laws that have the second layer in common, for rows that are alike: with the unit and with w a
 * module should give w, with the end and with NOT w the end.  Their hidden layers lie one after the
 * other.  A block is one law of a part or, where rows are not sorted, two laws of all rows, for
 * larger products. */
typedef struct block {
    int module;
    int with, n_laws; /* the second operand of the first law, and how many laws */
    run rows;
} block;

/* Rows of all the block's laws. */
static int height(block b)
{
    return b.n_laws * count(b.rows);
}

/* The hidden layers of the block. */
static void block_hidden(const tile *t, block b)
{
    const nln_kernels *k = nln_kernels_get();
    const real *bias = t->net->modules.of[nln_law_module[b.module].module].bias;
    int n = count(b.rows), h = t->h;
    const real *left = row_of(t->left, b.rows.first, h);
    for (int i = 0; i < b.n_laws; i++) {
        real *z = row_of(t->z, i * n, h);
        switch (b.with + i) {
        case WITH_UNIT:
            k->relu(z, left, NULL, t->of[b.module].unit, n, h);
            break;
        case WITH_W:
            k->relu(z, left, row_of(t->right, b.rows.first, h), bias, n, h);
            break;
        case WITH_END:
            k->relu(z, left, NULL, t->of[b.module].end, n, h);
            break;
        default:
            k->relu(z, left, row_of(t->negated, b.rows.first, h), bias, n, h);
        }
    }
    mark(t, NLN_PHASE_ELEMENT);
}

/* y = z W should be w. */
static void block_of_w_forward(const tile *t, block b)
{
    const nln_module *m = &t->net->modules.of[nln_law_module[b.module].module];
    block_hidden(t, b);
    nln_blas_nn_skip(t->y, t->d, t->z, t->h, m->out, t->d, height(b), t->d, t->h,
                     &t->awake->spared);
    mark(t, NLN_PHASE_GEMM);
}

static double block_of_w(const tile *t, block b)
{
    nln_module_id kind = nln_law_module[b.module].module;
    nln_module *g = &t->grad->of[kind];
    real *sum[] = {t->dof[b.module].unit, g->bias};
    int n = count(b.rows), d = t->d, h = t->h;
    double loss = 0;
    block_of_w_forward(t, b);
    for (int i = 0; i < b.n_laws; i++)
        loss += term_of_w(row_of(t->y, i * n, d), t, b.rows, law_of[b.module][b.with + i]);
    mark(t, NLN_PHASE_LAWS);
    nln_blas_tn_skip_add(g->out, d, t->z, h, t->y, d, h, d, height(b), &t->awake->spared);
    for (int i = 0; i < b.n_laws; i++) {
        real *dleft = row_of(t->dleft, b.rows.first, h),
             *dright = row_of(t->dright, b.rows.first, h);
        real *dz = b.with + i == WITH_UNIT ? dleft : dright;
        hidden_back(t, dz, sum[b.with + i - WITH_UNIT], row_of(t->y, i * n, d),
                    row_of(t->z, i * n, h), t->net->transposed.of[kind].out, n);
        if (dz == dright)
            nln_kernels_get()->axpy(dleft, 1, dright, (size_t)n * (size_t)h);
    }
    mark(t, NLN_PHASE_ELEMENT);
    return loss;
}

/* What a block whose results should be the end works with: hidden layers z and the vector a of the
 * aim, packed. */
typedef struct aimed {
    nln_active_units *list;
    const real *z, *a;
} aimed;

/* y should be the end, one vector for all rows, to which an aim leads without y; nor does its
 * gradient need y, which spares one product in three.  Leaves z S in s. */
static aimed block_of_end_forward(const tile *t, block b)
{
    nln_target_cosine aim = t->of[b.module].aim;
    aimed x = {.list = list_of(t)};
    block_hidden(t, b);
    if (t->rows->sorted)
        nln_active_units_find(x.list, t->z, height(b));
    x.z = nln_active_units_pack(t->packed, x.list, t->z, height(b));
    x.a = nln_active_units_pack(t->a, x.list, aim.toward, 1);
    mark(t, NLN_PHASE_ELEMENT);
    nln_active_units_form(t->awake, x.list, t->s, x.z, aim.square, height(b));
    mark(t, NLN_PHASE_GEMM);
    return x;
}

/* One law of the block, the i-th: dz becomes the gradient before relu, whose sum is added to a
 * vector [h], and s what S is owed; all packed. */
static double term_of_end(const tile *t, block b, aimed x, int i, real *sum)
{
    real cosine[NLN_LAW_TILE], inverse[NLN_LAW_TILE], slope[NLN_LAW_TILE];
    int n = count(b.rows), width = x.list->stride, law = law_of[b.module][b.with + i];
    size_t row = (size_t)width * sizeof(real), at = (size_t)(i * n) * (size_t)width;
    memset(t->dz + at, 0, (size_t)n * row);
    if (!is_active(t, law)) {
        memset(t->s + at, 0, (size_t)n * row);
        return 0;
    }
    nln_target_cosine_cosines(cosine, inverse, x.a, x.z + at, t->s + at, n, width);
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
    nln_active_units_unpack_add(t->dof[b.module].aim.toward, x.list, t->da, 1);
    return loss;
}

/* The bias of the end's layer sits in its projection. */
static double block_of_end(const tile *t, block b)
{
    real *sum[] = {t->dof[b.module].end, t->grad->of[nln_law_module[b.module].module].bias};
    aimed x = block_of_end_forward(t, b);
    int n = count(b.rows);
    double loss = 0;
    for (int i = 0; i < b.n_laws; i++)
        loss += term_of_end(t, b, x, i, sum[b.with + i - WITH_END]);
    mark(t, NLN_PHASE_LAWS);
    nln_active_units_symmetric_add(t->awake, x.list, t->dof[b.module].aim.square, x.z, t->s,
                                   height(b));
    mark(t, NLN_PHASE_GEMM);
    for (int i = 0; i < b.n_laws; i++) {
        const real *dz = row_of(t->dz, i * n, x.list->stride);
        nln_active_units_unpack_add(row_of(t->dleft, b.rows.first, t->h), x.list, dz, n);
        if (b.with + i == WITH_NOT)
            nln_active_units_unpack(row_of(t->dnegated, b.rows.first, t->h), x.list, dz, n);
    }
    mark(t, NLN_PHASE_ELEMENT);
    return loss;
}

/* Two laws, from `with` on, of all rows. */
static double two_laws(const tile *t, int module, int with,
                       double (*run_block)(const tile *, block))
{
    double loss = 0;
    if (!t->rows->sorted)
        return run_block(t, (block){module, with, 2, {0, t->n}});
    for (int i = 0; i < 2; i++)
        for (int part = PART_FIRSTS; part < N_PARTS; part++) {
            block b = {module, with + i, 1, part_of(t, part)};
            if (count(b.rows) > 0)
                loss += run_block(t, b);
        }
    return loss;
}

static double laws_of_module(const tile *t, int module)
{
    project_all(t, module);
    mark(t, NLN_PHASE_GEMM);
    double loss = two_laws(t, module, WITH_UNIT, block_of_w);
    loss += two_laws(t, module, WITH_END, block_of_end);
    give_back(t->dright, t, t->dnegated, t->h);
    return loss;
}

/* ---- the whole tile ----------------------------------------------------------- */

double nln_law_tile_gradient(nln_workspace *work, const nln_net *net, const nln_law_rows *rows,
                             unsigned active)
{
    tile t = nln_law_tile_of(&work->laws, net, rows);
    size_t bytes = (size_t)t.n * (size_t)t.d * sizeof(real);
    run all = {0, t.n};
    t.grad = &work->yield->grad;
    t.profile = &work->profile;
    t.active = active;
    nln_profile_start(t.profile);
    gather(&t, work);
    mark(&t, NLN_PHASE_GATHER);
    nots_forward(&t);
    memcpy(t.d_not, t.not_w, bytes);
    memset(t.dw, 0, bytes);
    double loss = term_of_w(t.d_not, &t, all, LAW_negation);
    loss += term_of_w(t.twice, &t, all, LAW_double_negation);
    mark(&t, NLN_PHASE_LAWS);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        take_loans(&t, work, i);
        mark(&t, NLN_PHASE_GATHER);
        loss += laws_of_module(&t, i);
        return_loans(&t, work, i);
        mark(&t, NLN_PHASE_GATHER);
        project_all_back(&t, i);
        mark(&t, NLN_PHASE_GEMM);
    }
    not_backward(t.d_not, t.twice, t.z_twice, t.not_w, &t);
    not_backward(t.dw, t.d_not, t.z_not, t.w, &t);
    scatter(&t, work);
    mark(&t, NLN_PHASE_GATHER);
    return loss;
}

/* ---- looking ------------------------------------------------------------------ */

void nln_law_tile_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *room,
                          const nln_workspace *work, const nln_net *net, const nln_law_rows *rows)
{
    const nln_kernels *k = nln_kernels_get();
    real inverse[NLN_LAW_TILE_UNSORTED];
    tile t = nln_law_tile_of(room, net, rows);
    gather(&t, work);
    nots_forward(&t);
    k->cosine(cosine[LAW_negation], inverse, t.not_w, t.w, t.inverse, t.d, t.n, t.d);
    k->cosine(cosine[LAW_double_negation], inverse, t.twice, t.w, t.inverse, t.d, t.n, t.d);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        block b = {i, WITH_UNIT, 2, {0, t.n}};
        project_all(&t, i);
        block_of_w_forward(&t, b);
        for (int j = 0; j < b.n_laws; j++)
            k->cosine(cosine[law_of[i][b.with + j]], inverse, row_of(t.y, j * t.n, t.d), t.w,
                      t.inverse, t.d, t.n, t.d);
        b.with = WITH_END;
        aimed x = block_of_end_forward(&t, b);
        for (int j = 0; j < b.n_laws; j++) {
            size_t layer = (size_t)j * (size_t)t.n * (size_t)t.h;
            nln_target_cosine_cosines(cosine[law_of[i][b.with + j]], inverse, x.a, x.z + layer,
                                      t.s + layer, t.n, t.h);
        }
    }
}
