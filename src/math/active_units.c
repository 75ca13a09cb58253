#include "math/active_units.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/blas.h"

void nln_active_units_free(nln_active_units_workspace *w)
{
    nln_free(w->list);
    nln_free(w->units);
    nln_free(w->lanes);
    nln_free(w->matrix);
    nln_free(w->product);
    *w = (nln_active_units_workspace){0};
}

nln_status nln_active_units_create(nln_active_units_workspace *w, int n_lists, int dim, int width,
                                   nln_error *err)
{
    size_t lists = (size_t)n_lists, columns = (size_t)width, lanes = (columns + 15) / 16;
    size_t side = (size_t)(dim > width ? dim : width), size = side * columns + NLN_PACKED_SLACK;
    *w = (nln_active_units_workspace){0};
    w->list = nln_array_zeroed(lists, sizeof *w->list);
    w->units = nln_array_zeroed(lists * (columns + 16), sizeof *w->units);
    w->lanes = nln_array_zeroed(lists * lanes, sizeof *w->lanes);
    w->matrix = nln_array_zeroed(size, sizeof *w->matrix);
    w->product = nln_array_zeroed(size, sizeof *w->product);
    if (!w->list || !w->units || !w->lanes || !w->matrix || !w->product) {
        nln_active_units_free(w);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < lists; i++)
        w->list[i] = (nln_active_units){.width = width,
                                        .n = width,
                                        .stride = width,
                                        .unit = w->units + i * (columns + 16),
                                        .lanes = w->lanes + i * lanes};
    return NLN_OK;
}

static int is_whole(const nln_active_units *a)
{
    return a->n == a->width;
}

/* BLAS needs at least one unit. */
void nln_active_units_find(nln_active_units *a, const real *z, int n)
{
    nln_kernels_get()->find_active(a, z, n);
    if (a->n == 0) {
        a->unit[a->n++] = 0;
        a->lanes[0] = 1;
        a->stride = a->width < NLN_PACKED_LANES ? a->width : NLN_PACKED_LANES;
    }
    if (a->n > a->width - a->width / 8)
        a->n = a->stride = a->width;
}

const real *nln_active_units_pack(real *packed, const nln_active_units *a, const real *x, int n)
{
    if (is_whole(a))
        return x;
    nln_kernels_get()->pack(packed, a, x, n);
    return packed;
}

void nln_active_units_unpack(real *x, const nln_active_units *a, const real *packed, int n)
{
    if (is_whole(a))
        memcpy(x, packed, (size_t)n * (size_t)a->width * sizeof *x);
    else
        nln_kernels_get()->unpack(x, a, packed, n);
}

void nln_active_units_unpack_add(real *x, const nln_active_units *a, const real *packed, int n)
{
    if (is_whole(a))
        nln_kernels_get()->axpy(x, 1, packed, (size_t)n * (size_t)a->width);
    else
        nln_kernels_get()->unpack_add(x, a, packed, n);
}

/* A product of n rows with m others was made with the active units alone. */
static void count(nln_active_units_workspace *w, const nln_active_units *a, int n, int m)
{
    w->skipped_flop += 2.0 * n * m * (a->width - a->n);
}

void nln_active_units_into(nln_active_units_workspace *w, const nln_active_units *a, real *dz,
                           const real *A, const real *B, int n, int k)
{
    if (!is_whole(a)) {
        nln_kernels_get()->pack(w->matrix, a, B, k);
        B = w->matrix;
        count(w, a, n, k);
    }
    nln_blas_nn(dz, a->stride, A, k, B, a->stride, n, a->n, k);
}

void nln_active_units_form(nln_active_units_workspace *w, const nln_active_units *a, real *s,
                           const real *z, const real *S, int n)
{
    if (!is_whole(a)) {
        for (int i = 0; i < a->n; i++)
            nln_kernels_get()->pack(w->matrix + (size_t)i * (size_t)a->stride, a,
                                    S + (size_t)a->unit[i] * (size_t)a->width, 1);
        S = w->matrix;
        count(w, a, n, a->width + a->n);
    }
    nln_blas_nn(s, a->stride, z, a->stride, S, a->stride, n, a->stride, a->n);
}

/* Adds whatever the last product has left below the diagonal: nln_blas_mirror does not read it. */
void nln_active_units_symmetric_add(nln_active_units_workspace *w, const nln_active_units *a,
                                    real *C, const real *z, const real *s, int n)
{
    if (is_whole(a)) {
        nln_blas_symmetric_add(C, a->width, z, a->width, s, a->width, a->width, n);
        return;
    }
    int upper = 0; /* units in the upper half of C, which nln_blas_mirror reads whole */
    while (upper < a->n && a->unit[upper] < a->width / 2)
        upper++;
    int lower = a->n - upper, ld = a->stride;
    real *corner = w->product + (size_t)upper * (size_t)ld + (size_t)upper;
    if (upper)
        nln_blas_tn(w->product, ld, z, ld, s, ld, upper, a->n, n);
    if (lower)
        nln_blas_tn(corner, ld, z + upper, ld, s + upper, ld, lower, lower, n);
    for (int i = 0; i < a->n; i++)
        nln_kernels_get()->unpack_add(C + (size_t)a->unit[i] * (size_t)a->width, a,
                                      w->product + (size_t)i * (size_t)ld, 1);
    w->skipped_flop += 1.5 * n * a->width * a->width - 2.0 * n * (upper * a->n + lower * lower);
}
