#include "net/ranker.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "net/propagation.h"

enum { TILE = NLN_RANKER_TILE }; /* rows that stay in the cache */

/* The part of OR's first layer that belongs to the second operand. */
static const real *second_operand(const nln_net *net)
{
    return net->modules.of[NLN_MODULE_CANDIDATE].in + (size_t)net->dim * (size_t)net->hidden;
}

static nln_status project_all(nln_ranker *r, nln_error *err)
{
    const nln_net *net = r->net;
    int d = net->dim, h = net->hidden;
    real *vectors = nln_array_zeroed(TILE * (size_t)d + (size_t)(d + h), sizeof *vectors);
    r->projection = nln_array_zeroed((size_t)net->n_variables * (size_t)h, sizeof(real));
    if (!vectors || !r->projection) {
        nln_free(vectors);
        return nln_error_memory(err);
    }
    for (int32_t at = 0; at < net->n_variables; at += TILE) {
        int n = net->n_variables - at < TILE ? net->n_variables - at : TILE;
        nln_propagation_variables(vectors, net, at, NULL, n, vectors + TILE * (size_t)d);
        nln_blas_nn(r->projection + (size_t)at * (size_t)h, h, vectors, d, second_operand(net), h,
                    n, h, d);
    }
    nln_free(vectors);
    return NLN_OK;
}

nln_status nln_ranker_create_within(nln_ranker **out, const nln_net *net, size_t most_bytes,
                                    nln_error *err)
{
    size_t h = (size_t)net->hidden;
    nln_ranker *r = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->net = net;
    r->cosine.square = nln_array_zeroed(h * h, sizeof(real));
    r->cosine.toward = nln_array_zeroed(h, sizeof(real));
    nln_status status = r->cosine.square && r->cosine.toward ? NLN_OK : nln_error_memory(err);
    if (!status && (size_t)net->n_variables * h * sizeof(real) <= most_bytes)
        status = project_all(r, err);
    if (status) {
        nln_ranker_free(r);
        return status;
    }
    nln_hidden_cosine_set(r->cosine, net, NLN_MODULE_CANDIDATE, net->truth, 1);
    nln_kernels_get()->inverse_length(&r->inverse, net->truth, 1, net->dim);
    *out = r;
    return NLN_OK;
}

nln_status nln_ranker_create(nln_ranker **out, const nln_net *net, nln_error *err)
{
    return nln_ranker_create_within(out, net, NLN_RANKER_MOST_BYTES, err);
}

void nln_ranker_free(nln_ranker *r)
{
    if (!r)
        return;
    nln_free(r->projection);
    nln_free(r->cosine.square);
    nln_free(r->cosine.toward);
    nln_free(r);
}

/* The parts of the scratch, in numbers: constant, z, z S; then vectors, their projections, and what
 * nln_propagation_variables needs. */
size_t nln_ranker_scratch(const nln_ranker *r)
{
    size_t d = (size_t)r->net->dim, h = (size_t)r->net->hidden;
    return (2 * TILE + 1) * h + (r->projection ? 0 : TILE * (d + h) + d + h);
}

void nln_ranker_first_operand(real *out, const nln_ranker *r, const real *h)
{
    const nln_module *join = &r->net->modules.of[NLN_MODULE_CANDIDATE];
    int d = r->net->dim, width = r->net->hidden;
    for (int i = 0; i < width; i++)
        out[i] = join->bias[i];
    nln_blas_nn_add(out, width, h, d, join->in, width, 1, width, d);
}

/* Computes the projections of n rows as second operands.  A row has the same bits in every place:
 * a library may sum the rows at the end of a product in another order. */
static const real *project(const nln_ranker *r, int32_t first, const int32_t *item, int32_t n,
                           real *scratch)
{
    size_t d = (size_t)r->net->dim, h = (size_t)r->net->hidden;
    real *vectors = scratch + (2 * TILE + 1) * h, *out = vectors + TILE * d, *rest = out + TILE * h;
    nln_propagation_variables(vectors, r->net, first, item, n, rest);
    nln_kernels_get()->nn_skip(out, (int)h, vectors, (int)d, second_operand(r->net), (int)h, n,
                               (int)h, (int)d, 0);
    return out;
}

const real *nln_ranker_projections(const nln_ranker *r, int32_t first, int32_t n, real *scratch)
{
    return r->projection ? r->projection + (size_t)first * (size_t)r->net->hidden
                         : project(r, first, NULL, n, scratch);
}

static void mark(nln_running_cost *cost, nln_phase phase)
{
    if (cost)
        nln_profile_mark(&cost->profile, phase);
}

/* The cosines of a tile of hidden layers; zs is scratch of the same size. */
static void tile_cosines(real *cosine, const nln_ranker *r, const real *z, real *zs, int rows,
                         nln_running_cost *cost)
{
    int width = r->net->hidden;
    real inverse[TILE];
    size_t used = nln_kernels_get()->nn_skip(zs, width, z, width, r->cosine.square, width, rows,
                                             width, width, 0);
    if (cost)
        cost->spared += 2.0 * width * ((double)rows * width - (double)used);
    mark(cost, NLN_PHASE_GEMM);
    nln_hidden_cosine_cosines(cosine, inverse, r->cosine.toward, z, zs, rows, width);
    for (int i = 0; i < rows; i++)
        cosine[i] *= r->inverse;
    mark(cost, NLN_PHASE_ELEMENT);
}

void nln_ranker_cosines(real *cosine, const nln_ranker *r, const real *h, int32_t first,
                        const int32_t *item, int32_t n, real *scratch, nln_running_cost *cost)
{
    const nln_kernels *k = nln_kernels_get();
    int width = r->net->hidden;
    size_t w = (size_t)width;
    real *constant = scratch, *z = constant + w, *zs = z + TILE * w;
    if (cost)
        nln_profile_start(&cost->profile);
    nln_ranker_first_operand(constant, r, h);
    mark(cost, NLN_PHASE_GEMM);
    for (int32_t at = 0; at < n; at += TILE) {
        int rows = n - at < TILE ? n - at : TILE;
        if (item && r->projection)
            for (int i = 0; i < rows; i++)
                k->relu(z + (size_t)i * w, r->projection + (size_t)(first + item[at + i]) * w, NULL,
                        constant, 1, width);
        else
            k->relu(z,
                    item ? project(r, first, item + at, rows, scratch)
                         : nln_ranker_projections(r, first + at, rows, scratch),
                    NULL, constant, rows, width);
        mark(cost, NLN_PHASE_ELEMENT);
        tile_cosines(cosine + at, r, z, zs, rows, cost);
    }
}
