#include "net/laws.h"

#include <string.h>

#include "math/blas.h"
#include "math/kernels.h"
#include "net/law_tile.h"

const nln_law nln_law_table[NLN_N_LAWS] = {
#define X(name, formula, far) {#name, formula, far},
    NLN_LAWS(X)
#undef X
};

const nln_compound_law nln_compound_law_table[NLN_N_COMPOUND_LAWS] = {
#define X(name, formula, left, right) {#name, formula, left, right},
    NLN_COMPOUND_LAWS(X)
#undef X
};

const nln_law_module nln_law_modules[NLN_N_LAW_MODULES] = {
    {NLN_MODULE_AND,
     NLN_ROW_TRUE,
     NLN_ROW_FALSE,
     {NLN_LAW_and_identity, NLN_LAW_and_idempotence, NLN_LAW_and_annihilator,
      NLN_LAW_and_complementation}},
    {NLN_MODULE_OR,
     NLN_ROW_FALSE,
     NLN_ROW_TRUE,
     {NLN_LAW_or_identity, NLN_LAW_or_idempotence, NLN_LAW_or_annihilator,
      NLN_LAW_or_complementation}},
};

static void project_constant(real *out, const nln_module *m, const real *constant, int d, int h)
{
    memcpy(out, m->bias, (size_t)h * sizeof(real));
    nln_blas_nn_add(out, h, constant, d, m->in + (size_t)d * (size_t)h, h, 1, h, d);
}

void nln_laws_begin(nln_law_workspace *space, const nln_workspace *work, const nln_net *net)
{
    int d = net->dim, h = net->hidden;
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        const nln_law_module *laws = &nln_law_modules[i];
        const nln_module *m = &net->modules.of[laws->module];
        nln_law_constants c = nln_law_workspace_constants(space, h, i, 0);
        const real *annihilator = work->H + (size_t)laws->annihilator * (size_t)d;
        project_constant(c.identity, m, work->H + (size_t)laws->identity * (size_t)d, d, h);
        project_constant(c.annihilator, m, annihilator, d, h);
        nln_hidden_cosine_set(c.target, net, laws->module, annihilator,
                              work->inverse_length[laws->annihilator]);
    }
}

/* A tile of the list: some pairs, from number `pair` on, and others, from number `other` on. */
static nln_law_rows cut_tile(const nln_law_list *l, int32_t pair, int32_t other)
{
    int32_t most = l->sharing ? NLN_LAW_TILE : NLN_LAW_TILE_UNSORTED;
    int32_t pairs = l->n_pairs - pair, others = l->n - other;
    pairs = pairs < most / 2 ? pairs : most / 2;
    others = others < most - 2 * pairs ? others : most - 2 * pairs;
    nln_law_rows t = {.n = 2 * pairs + others, .pairs = pairs, .sorted = l->sharing};
    for (int i = 0; i < t.n; i++) {
        int32_t at = i < pairs       ? pair + i
                     : i < 2 * pairs ? l->n_pairs + pair + i - pairs
                                     : other + i - 2 * pairs;
        t.row[i] = l->row[at];
        t.weight[i] = l->weight[at];
        t.shared[i] =
            l->sharing ? l->shared[l->row[at]] : (nln_shared_projection){-1, NLN_N_PROJECTIONS};
    }
    return t;
}

/* Adds the gradients of first layers, which the tiles have summed up transposed. */
static void first_layers_back(nln_workspace *work, const nln_net *net)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden;
    for (int id = 0; id < NLN_N_MODULES; id++)
        for (int operand = 0; operand < nln_module_table[id].arity; operand++) {
            const real *transposed = work->laws.din[nln_projection((nln_module_id)id, operand)];
            real *din = work->gradient->modules.of[id].in + (size_t)operand * d * h;
            for (size_t i = 0; i < d; i++)
                for (size_t j = 0; j < h; j++)
                    din[i * h + j] += transposed[j * d + i];
        }
}

/* From the projection of T or F as second operand to the module and to F. */
static void constant_back(const real *dprojection, nln_workspace *work, const nln_net *net,
                          nln_module_id module, int row)
{
    int d = net->dim, h = net->hidden;
    nln_module *g = &work->gradient->modules.of[module];
    real *second = g->in + (size_t)d * (size_t)h;
    nln_kernels_get()->axpy(g->bias, 1, dprojection, (size_t)h);
    nln_blas_tn_add(second, h, work->H + (size_t)row * (size_t)d, d, dprojection, h, d, h, 1);
    if (row == NLN_ROW_FALSE)
        nln_blas_nn_add(work->dH + d, d, dprojection, h, net->transposed.of[module].in + d, 2 * d,
                        1, d, h);
}

/* From the cosine to the annihilator E to the module and, if E is F, with a = W F / |F|, to F:
 * dF += (da W - (da . a) F / |F|) / |F|. */
static void target_back(nln_workspace *work, const nln_net *net, nln_hidden_cosine target,
                        nln_hidden_cosine gradient, nln_module_id module, int row)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden;
    const real *W = net->modules.of[module].out, *E = work->H + (size_t)row * (size_t)d;
    real inverse = work->inverse_length[row];
    nln_blas_mirror(gradient.square, h, h);
    nln_hidden_cosine_back(work->gradient->modules.of[module].out, gradient, net, module, E,
                           inverse);
    if (row != NLN_ROW_FALSE)
        return;
    real *dF = work->dH + (size_t)row * (size_t)d,
         along = k->dot(gradient.toward, target.toward, h);
    for (int i = 0; i < h; i++)
        k->axpy(dF, gradient.toward[i] * inverse, W + (size_t)i * (size_t)d, (size_t)d);
    k->axpy(dF, -along * inverse * inverse, E, (size_t)d);
}

double nln_laws_gradient(nln_workspace *work, const nln_net *net, unsigned laws)
{
    int h = net->hidden;
    double loss = 0;
    nln_laws_begin(&work->laws, work, net);
    nln_law_workspace_clear(&work->laws, h);
    int32_t pair = 0, other = 2 * work->law.n_pairs;
    while (pair < work->law.n_pairs || other < work->law.n) {
        nln_law_rows t = cut_tile(&work->law, pair, other);
        loss += nln_law_tile_gradient(work, net, &t, laws);
        pair += t.pairs;
        other += t.n - 2 * t.pairs;
    }
    first_layers_back(work, net);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        nln_law_constants c = nln_law_workspace_constants(&work->laws, h, i, 0);
        nln_law_constants dc = nln_law_workspace_constants(&work->laws, h, i, 1);
        const nln_law_module *m = &nln_law_modules[i];
        constant_back(dc.identity, work, net, m->module, m->identity);
        constant_back(dc.annihilator, work, net, m->module, m->annihilator);
        target_back(work, net, c.target, dc.target, m->module, m->annihilator);
    }
    return loss;
}

void nln_laws_cosines(real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED], nln_law_workspace *space,
                      const nln_workspace *work, const nln_net *net, const int32_t *rows, int32_t n)
{
    nln_law_rows t = {.n = n};
    for (int i = 0; i < n; i++) {
        t.row[i] = rows[i];
        t.shared[i] = (nln_shared_projection){-1, NLN_N_PROJECTIONS};
    }
    nln_law_tile_cosines(cosine, space, work, net, &t);
}
