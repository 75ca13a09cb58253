#include "net/laws.h"

#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "net/law_list.h"
#include "net/law_tile.h"

const nln_law nln_law_table[NLN_N_LAWS] = {
#define X(name, formula, far) {#name, formula, far},
    NLN_LAWS(X)
#undef X
};

static void project_constant(real *out, const nln_module *m, const real *constant, int d, int h)
{
    memcpy(out, m->bias, (size_t)h * sizeof(real));
    nln_blas_nn_add(out, h, constant, d, m->in + (size_t)d * (size_t)h, h, 1, h, d);
}

void nln_laws_begin(nln_law_workspace *room, const nln_workspace *work, const nln_net *net)
{
    int d = net->dim, h = net->hidden;
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        nln_law_base b = nln_law_base_of(room, h, i, 0);
        const nln_module *m = &net->modules.of[nln_law_module[i].module];
        const real *end = work->H + (size_t)nln_law_module[i].end * (size_t)d;
        project_constant(b.unit, m, work->H + (size_t)nln_law_module[i].unit * (size_t)d, d, h);
        project_constant(b.end, m, end, d, h);
        nln_target_cosine_set(b.aim, net, nln_law_module[i].module, end,
                              work->end_inverse[nln_law_module[i].end]);
    }
}

/* A tile of the list: some pairs, from number `pair` on, and others, from number `other` on. */
static nln_law_rows cut_tile(const nln_law_list *l, int32_t pair, int32_t other)
{
    int32_t most = l->lending ? NLN_LAW_TILE : NLN_LAW_TILE_UNSORTED;
    int32_t pairs = l->n_pairs - pair, others = l->n - other;
    pairs = pairs < most / 2 ? pairs : most / 2;
    others = others < most - 2 * pairs ? others : most - 2 * pairs;
    nln_law_rows t = {.n = 2 * pairs + others, .pairs = pairs, .sorted = l->lending};
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

/* dA[d, h] += the transposed of what tiles have summed up. */
static void transpose_add(real *dA, const real *transposed, int d, int h)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < h; j++)
            dA[(size_t)i * (size_t)h + (size_t)j] += transposed[(size_t)j * (size_t)d + (size_t)i];
}

static void first_layers_back(nln_workspace *work, const nln_net *net)
{
    const nln_modules *g = &work->yield->grad;
    int d = net->dim, h = net->hidden;
    size_t half = (size_t)d * (size_t)h;
    transpose_add(g->of[NLN_MODULE_NOT].in, work->laws.din[NLN_LAW_NOT_IN], d, h);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++)
        for (int side = 0; side < 2; side++)
            transpose_add(g->of[nln_law_module[i].module].in + (size_t)side * half,
                          work->laws.din[NLN_LAW_MODULES_IN + 2 * i + side], d, h);
}

/* The gradient of an end as second operand goes on to the module and to F. */
static void constant_back(const real *dprojection, nln_workspace *work, const nln_net *net,
                          nln_module_id kind, int end)
{
    int d = net->dim, h = net->hidden;
    nln_module *g = &work->yield->grad.of[kind];
    real *second = g->in + (size_t)d * (size_t)h;
    nln_kernels_get()->axpy(g->bias, 1, dprojection, (size_t)h);
    nln_blas_tn_add(second, h, work->H + (size_t)end * (size_t)d, d, dprojection, h, d, h, 1);
    if (end == NLN_ROW_FALSE)
        nln_blas_nn_add(work->dH + d, d, dprojection, h, net->transposed.of[kind].in + d, 2 * d, 1,
                        d, h);
}

/* The gradient of the aim goes on to the module and, where the end is F, with a = W F / |F|:
 * dF += (da W - (da . a) F / |F|) / |F|. */
static void base_back(nln_workspace *work, const nln_net *net, nln_law_base b, nln_law_base db,
                      nln_module_id kind, int end)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden;
    const real *W = net->modules.of[kind].out, *E = work->H + (size_t)end * (size_t)d;
    real inverse = work->end_inverse[end];
    nln_blas_mirror(db.aim.square, h, h);
    nln_target_cosine_back(work->yield->grad.of[kind].out, db.aim, net, kind, E, inverse);
    if (end != NLN_ROW_FALSE)
        return;
    real *dF = work->dH + (size_t)end * (size_t)d, along = k->dot(db.aim.toward, b.aim.toward, h);
    for (int i = 0; i < h; i++)
        k->axpy(dF, db.aim.toward[i] * inverse, W + (size_t)i * (size_t)d, (size_t)d);
    k->axpy(dF, -along * inverse * inverse, E, (size_t)d);
}

double nln_laws_gradient(nln_workspace *work, const nln_net *net, unsigned active)
{
    int h = net->hidden;
    double loss = 0;
    nln_laws_begin(&work->laws, work, net);
    nln_law_clear_gradients(&work->laws, net->dim, h);
    int32_t pair = 0, other = 2 * work->law.n_pairs;
    while (pair < work->law.n_pairs || other < work->law.n) {
        nln_law_rows t = cut_tile(&work->law, pair, other);
        loss += nln_law_tile_gradient(work, net, &t, active);
        pair += t.pairs;
        other += t.n - 2 * t.pairs;
    }
    first_layers_back(work, net);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        nln_law_base b = nln_law_base_of(&work->laws, h, i, 0);
        nln_law_base db = nln_law_base_of(&work->laws, h, i, 1);
        nln_law_ends m = nln_law_module[i];
        constant_back(db.unit, work, net, m.module, m.unit);
        constant_back(db.end, work, net, m.module, m.end);
        base_back(work, net, b, db, m.module, m.end);
    }
    return loss;
}

void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *room,
                      const nln_workspace *work, const nln_net *net, const int32_t *rows, int32_t n)
{
    nln_law_rows t = {.n = n};
    for (int i = 0; i < n; i++) {
        t.row[i] = rows[i];
        t.loan[i] = -1;
    }
    nln_law_tile_cosines(cosine, room, work, net, &t);
}
