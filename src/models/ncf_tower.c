#include "models/ncf_tower.h"

#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"

int nln_ncf_tower_width(int dim, int layer)
{
    return dim >> layer ? dim >> layer : 1;
}

/* ---- setting up --------------------------------------------------------------------------- */

static nln_status allocate(nln_ncf_tower *t, int learns, nln_error *err)
{
    int ok = 1;
    for (int k = 0; k < NLN_TOWER_LAYERS; k++) {
        size_t width = (size_t)t->width[k];
        t->z[k] = nln_array_zeroed(t->most * width, sizeof(real));
        ok = ok && t->z[k];
        if (!learns)
            continue;
        t->dz[k] = nln_array_zeroed(t->most * width, sizeof(real));
        t->turned[k] = k ? nln_array_zeroed((size_t)t->width[k - 1] * width, sizeof(real)) : NULL;
        ok = ok && t->dz[k] && (!k || t->turned[k]);
    }
    return ok ? NLN_OK : nln_error_memory(err);
}

nln_status nln_ncf_tower_create(nln_ncf_tower *t, const nln_model *model, int first,
                                const real *out, size_t most, int learns, nln_error *err)
{
    *t = (nln_ncf_tower){.model = model, .first = first, .out = out, .most = most};
    for (int k = 0; k < NLN_TOWER_LAYERS; k++)
        t->width[k] = nln_ncf_tower_width(model->config.dimension, k);
    return allocate(t, learns, err);
}

void nln_ncf_tower_free(nln_ncf_tower *t)
{
    for (int k = 0; k < NLN_TOWER_LAYERS; k++) {
        nln_free(t->z[k]);
        nln_free(t->dz[k]);
        nln_free(t->turned[k]);
    }
    *t = (nln_ncf_tower){0};
}

/* ---- forward -------------------------------------------------------------------------------- */

static const real *weight(const nln_ncf_tower *t, int layer)
{
    return t->model->weights.data[t->first + 2 * layer];
}

static const real *bias(const nln_ncf_tower *t, int layer)
{
    return t->model->weights.data[t->first + 2 * layer + 1];
}

/* The same numbers of a layer, or of its gradient. */
static void drop(real *x, const nln_ncf_tower *t, size_t n, const nln_table_learner *b,
                 uint64_t key, int layer)
{
    if (b)
        nln_table_learner_drop(x, b, n, t->width[layer], nln_random_mix(key + (uint64_t)layer));
}

void nln_ncf_tower_enter(nln_ncf_tower *t, size_t r, const real *user, const real *item)
{
    nln_kernels_get()->relu(t->z[0] + r * (size_t)t->width[0], user, item, bias(t, 0), 1,
                            t->width[0]);
}

void nln_ncf_tower_forward(real *score, nln_ncf_tower *t, size_t n, const nln_table_learner *b,
                           uint64_t key)
{
    const nln_kernels *kernels = nln_kernels_get();
    int last = NLN_TOWER_LAYERS - 1;
    drop(t->z[0], t, n, b, key, 0);
    for (int k = 1; k <= last; k++) {
        int width = t->width[k], before = t->width[k - 1];
        nln_blas_nn(t->z[k], width, t->z[k - 1], before, weight(t, k), width, (int)n, width,
                    before);
        kernels->relu(t->z[k], t->z[k], NULL, bias(t, k), (int)n, width);
        drop(t->z[k], t, n, b, key, k);
    }
    for (size_t r = 0; r < n; r++)
        score[r] = kernels->dot(t->z[last] + r * (size_t)t->width[last], t->out, t->width[last]);
}

/* ---- back ------------------------------------------------------------------------------------ */

void nln_ncf_tower_turn(nln_ncf_tower *t)
{
    for (int k = 1; k < NLN_TOWER_LAYERS; k++)
        for (int i = 0; i < t->width[k - 1]; i++)
            for (int j = 0; j < t->width[k]; j++)
                t->turned[k][j * t->width[k - 1] + i] = weight(t, k)[i * t->width[k] + j];
}

/* From the numbers that come out of layer k to those that go into its relu.  A number that was
 * dropped is 0, as is one that relu has cut. */
static void relu_back(nln_ncf_tower *t, int k, size_t n, nln_table_learner *b, uint64_t key)
{
    drop(t->dz[k], t, n, b, key, k);
    nln_kernels_get()->relu_back(t->dz[k], nln_table_learner_gradient(b, t->first + 2 * k + 1, 0),
                                 t->z[k], 1, (int)n, t->width[k]);
}

static void out_back(real *dout, nln_ncf_tower *t, const real *dscore, size_t n)
{
    const nln_kernels *kernels = nln_kernels_get();
    int last = NLN_TOWER_LAYERS - 1;
    size_t width = (size_t)t->width[last];
    memset(t->dz[last], 0, n * width * sizeof(real));
    for (size_t r = 0; r < n; r++) {
        kernels->axpy(t->dz[last] + r * width, dscore[r], t->out, width);
        kernels->axpy(dout, dscore[r], t->z[last] + r * width, width);
    }
}

void nln_ncf_tower_back(real *dout, nln_ncf_tower *t, const real *dscore, size_t n,
                        nln_table_learner *b, uint64_t key)
{
    out_back(dout, t, dscore, n);
    for (int k = NLN_TOWER_LAYERS - 1; k > 0; k--) {
        int width = t->width[k], before = t->width[k - 1];
        relu_back(t, k, n, b, key);
        nln_blas_tn_add(nln_table_learner_gradient(b, t->first + 2 * k, 0), width, t->z[k - 1],
                        before, t->dz[k], width, before, width, (int)n);
        nln_blas_nn(t->dz[k - 1], before, t->dz[k], width, t->turned[k], before, (int)n, before,
                    width);
    }
    relu_back(t, 0, n, b, key);
}
