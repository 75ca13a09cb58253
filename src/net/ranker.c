#include "net/ranker.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "net/propagation.h"
#include "net/target_cosine.h"

enum { TILE = 128 }; /* rows that stay in the cache */

struct nln_ranker {
    const nln_net *net;
    real *projection;      /* [n_variables, hidden] of each variable as second operand */
    nln_target_cosine aim; /* of OR at T, but for ... */
    real inverse;          /* ... 1 / |T| */
};

/* Projects the variables, a tile at a time. */
static nln_status project(nln_ranker *r, nln_error *err)
{
    const nln_net *net = r->net;
    int d = net->dim, h = net->hidden;
    const real *second = net->modules.of[NLN_MODULE_OR].in + (size_t)d * (size_t)h;
    real *vectors = nln_array_zeroed(TILE * (size_t)d + (size_t)(d + h), sizeof *vectors);
    if (!vectors)
        return nln_error_memory(err);
    for (int32_t at = 0; at < net->n_variables; at += TILE) {
        int n = net->n_variables - at < TILE ? net->n_variables - at : TILE;
        nln_propagation_variables(vectors, net, at, n, vectors + TILE * (size_t)d);
        nln_blas_nn(r->projection + (size_t)at * (size_t)h, h, vectors, d, second, h, n, h, d);
    }
    nln_free(vectors);
    return NLN_OK;
}

nln_status nln_ranker_create(nln_ranker **out, const nln_net *net, nln_error *err)
{
    size_t h = (size_t)net->hidden;
    nln_ranker *r = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->net = net;
    r->projection = nln_array_zeroed((size_t)net->n_variables * h, sizeof(real));
    r->aim.square = nln_array_zeroed(h * h, sizeof(real));
    r->aim.toward = nln_array_zeroed(h, sizeof(real));
    nln_status status =
        r->projection && r->aim.square && r->aim.toward ? project(r, err) : nln_error_memory(err);
    if (status) {
        nln_ranker_free(r);
        return status;
    }
    nln_target_cosine_set(r->aim, net, NLN_MODULE_OR, net->truth, 1);
    nln_kernels_get()->inverse_length(&r->inverse, net->truth, 1, net->dim);
    *out = r;
    return NLN_OK;
}

void nln_ranker_free(nln_ranker *r)
{
    if (!r)
        return;
    nln_free(r->projection);
    nln_free(r->aim.square);
    nln_free(r->aim.toward);
    nln_free(r);
}

size_t nln_ranker_scratch(const nln_ranker *r)
{
    return (2 * TILE + 1) * (size_t)r->net->hidden;
}

static void mark(nln_running_cost *toll, nln_phase phase)
{
    if (toll)
        nln_profile_mark(&toll->profile, phase);
}

/* The cosines of a tile of hidden layers; zs is scratch of the same size. */
static void tile_cosines(real *cosine, const nln_ranker *r, const real *z, real *zs, int rows,
                         nln_running_cost *toll)
{
    int width = r->net->hidden;
    real inverse[TILE];
    nln_blas_nn_skip(zs, width, z, width, r->aim.square, width, rows, width, width,
                     toll ? &toll->spared : NULL);
    mark(toll, NLN_PHASE_GEMM);
    nln_target_cosine_cosines(cosine, inverse, r->aim.toward, z, zs, rows, width);
    for (int i = 0; i < rows; i++)
        cosine[i] *= r->inverse;
    mark(toll, NLN_PHASE_ELEMENT);
}

void nln_ranker_cosines_of(real *cosine, const nln_ranker *r, const real *h, int32_t first,
                           const int32_t *item, int32_t n, real *scratch, nln_running_cost *toll)
{
    const nln_kernels *k = nln_kernels_get();
    const nln_module * or = &r->net->modules.of[NLN_MODULE_OR];
    int d = r->net->dim, width = r->net->hidden;
    real *constant = scratch, *z = constant + width, *zs = z + TILE * (size_t)width;
    if (toll)
        nln_profile_start(&toll->profile);
    for (int i = 0; i < width; i++)
        constant[i] = or->bias[i];
    nln_blas_nn_add(constant, width, h, d, or->in, width, 1, width, d);
    mark(toll, NLN_PHASE_GEMM);
    for (int32_t at = 0; at < n; at += TILE) {
        int rows = n - at < TILE ? n - at : TILE;
        if (!item)
            k->relu(z, r->projection + (size_t)(first + at) * (size_t)width, NULL, constant, rows,
                    width);
        for (int i = 0; item && i < rows; i++)
            k->relu(z + (size_t)i * (size_t)width,
                    r->projection + (size_t)(first + item[at + i]) * (size_t)width, NULL, constant,
                    1, width);
        mark(toll, NLN_PHASE_ELEMENT);
        tile_cosines(cosine + at, r, z, zs, rows, toll);
    }
}

void nln_ranker_cosines(real *cosine, const nln_ranker *r, const real *h, int32_t first, int32_t n,
                        real *scratch, nln_running_cost *toll)
{
    nln_ranker_cosines_of(cosine, r, h, first, NULL, n, scratch, toll);
}
