#include "math/active_units.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/blas.h"

void nln_active_units_free(nln_active_units_room *room)
{
    nln_free(room->list);
    nln_free(room->units);
    nln_free(room->lanes);
    nln_free(room->matrix);
    nln_free(room->product);
    *room = (nln_active_units_room){0};
}

nln_status nln_active_units_create(nln_active_units_room *room, int n_lists, int dim, int width,
                                   nln_error *err)
{
    size_t lists = (size_t)n_lists, w = (size_t)width, lanes = (w + 15) / 16;
    size_t side = (size_t)(dim > width ? dim : width), size = side * w + NLN_PACKED_SLACK;
    *room = (nln_active_units_room){0};
    room->list = nln_array_zeroed(lists, sizeof *room->list);
    room->units = nln_array_zeroed(lists * (w + 16), sizeof *room->units);
    room->lanes = nln_array_zeroed(lists * lanes, sizeof *room->lanes);
    room->matrix = nln_array_zeroed(size, sizeof *room->matrix);
    room->product = nln_array_zeroed(size, sizeof *room->product);
    if (!room->list || !room->units || !room->lanes || !room->matrix || !room->product) {
        nln_active_units_free(room);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < lists; i++)
        room->list[i] = (nln_active_units){.width = width,
                                           .n = width,
                                           .stride = width,
                                           .unit = room->units + i * (w + 16),
                                           .lanes = room->lanes + i * lanes};
    return NLN_OK;
}

static int is_whole(const nln_active_units *a)
{
    return a->n == a->width;
}

/* BLAS wants a unit at least. */
void nln_active_units_find(nln_active_units *a, const real *z, int n)
{
    nln_kernels_get()->awake(a, z, n);
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

/* A product of n rows with m others was made with the units that are awake alone. */
static void count(nln_active_units_room *room, const nln_active_units *a, int n, int m)
{
    room->spared += 2.0 * n * m * (a->width - a->n);
}

void nln_active_units_into(nln_active_units_room *room, const nln_active_units *a, real *dz,
                           const real *A, const real *B, int n, int k)
{
    if (!is_whole(a)) {
        nln_kernels_get()->pack(room->matrix, a, B, k);
        B = room->matrix;
        count(room, a, n, k);
    }
    nln_blas_nn(dz, a->stride, A, k, B, a->stride, n, a->n, k);
}

void nln_active_units_form(nln_active_units_room *room, const nln_active_units *a, real *s,
                           const real *z, const real *S, int n)
{
    if (!is_whole(a)) {
        for (int i = 0; i < a->n; i++)
            nln_kernels_get()->pack(room->matrix + (size_t)i * (size_t)a->stride, a,
                                    S + (size_t)a->unit[i] * (size_t)a->width, 1);
        S = room->matrix;
        count(room, a, n, a->width + a->n);
    }
    nln_blas_nn(s, a->stride, z, a->stride, S, a->stride, n, a->stride, a->n);
}

/* What lies below the diagonal is added as the last product has left it: nln_blas_mirror does not
 * look at it. */
void nln_active_units_symmetric_add(nln_active_units_room *room, const nln_active_units *a, real *C,
                                    const real *z, const real *s, int n)
{
    if (is_whole(a)) {
        nln_blas_symmetric_add(C, a->width, z, a->width, s, a->width, a->width, n);
        return;
    }
    int upper = 0; /* units above the middle of C, of which nln_blas_mirror wants all */
    while (upper < a->n && a->unit[upper] < a->width / 2)
        upper++;
    int lower = a->n - upper, ld = a->stride;
    real *corner = room->product + (size_t)upper * (size_t)ld + (size_t)upper;
    if (upper)
        nln_blas_tn(room->product, ld, z, ld, s, ld, upper, a->n, n);
    if (lower)
        nln_blas_tn(corner, ld, z + upper, ld, s + upper, ld, lower, lower, n);
    for (int i = 0; i < a->n; i++)
        nln_kernels_get()->unpack_add(C + (size_t)a->unit[i] * (size_t)a->width, a,
                                      room->product + (size_t)i * (size_t)ld, 1);
    room->spared += 1.5 * n * a->width * a->width - 2.0 * n * (upper * a->n + lower * lower);
}
