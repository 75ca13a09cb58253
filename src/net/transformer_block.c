#include "net/transformer_block.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "net/layer_norm.h"

/* ---- memory ------------------------------------------------------------------------------- */

void nln_transformer_block_free(nln_transformer_block *b)
{
    nln_causal_attention_free(&b->attention);
    nln_free(b->block);
    nln_free(b->gradients);
    *b = (nln_transformer_block){0};
}

typedef struct region {
    real **at;
    size_t size;
} region;

static size_t place(const region *regions, int n, real *block)
{
    size_t size = 0;
    for (int i = 0; i < n; i++) {
        if (block)
            *regions[i].at = block + size;
        size += (regions[i].size + 15) / 16 * 16;
    }
    return size;
}

nln_status nln_transformer_block_fit(nln_transformer_block *b, int dim, int hidden, int32_t n,
                                     const int32_t *start, int learns, nln_error *err)
{
    size_t d = (size_t)dim, h = (size_t)hidden, rows = n ? (size_t)start[n] : 0;
    region of_rows[] = {
        {&b->x, rows * d},         {&b->out, rows * d},      {&b->a, rows * d},
        {&b->b, rows * d},         {&b->y, rows * d},        {&b->qkv, 3 * rows * d},
        {&b->z, rows * h},         {&b->inverse[0], rows},   {&b->inverse[1], rows},
        {&b->scaled[0], rows * d}, {&b->scaled[1], rows * d}};
    region of_gradients[] = {{&b->dout, rows * d},   {&b->dx, rows * d},
                             {&b->da, rows * d},     {&b->db, rows * d},
                             {&b->copy, rows * d},   {&b->dqkv, 3 * rows * d},
                             {&b->dz, rows * h},     {&b->turned[0], 3 * d * d},
                             {&b->turned[1], d * h}, {&b->turned[2], d * h}};
    enum {
        N_ROWS = sizeof of_rows / sizeof *of_rows,
        N_GRADIENTS = sizeof of_gradients / sizeof *of_gradients
    };
    b->dim = dim;
    b->hidden = hidden;
    b->n_rows = (int32_t)rows;
    if (!NLN_ARRAY_RESERVE(b->block, b->room, place(of_rows, N_ROWS, NULL)) ||
        (learns && !NLN_ARRAY_RESERVE(b->gradients, b->gradients_room,
                                      place(of_gradients, N_GRADIENTS, NULL))))
        return nln_error_memory(err);
    place(of_rows, N_ROWS, b->block);
    if (learns)
        place(of_gradients, N_GRADIENTS, b->gradients);
    return nln_causal_attention_fit(&b->attention, dim, n, start, err);
}

/* ---- forward ------------------------------------------------------------------------------ */

static void drop_rows(real *x, int n, int width, nln_attention_dropout dropout, uint64_t which)
{
    uint32_t threshold = (uint32_t)(dropout.share * 65536);
    real scale = (real)(1 / (1 - threshold / 65536.0));
    uint64_t key = nln_random_mix(dropout.key + which);
    for (int i = 0; dropout.share > 0 && i < n; i++)
        nln_kernels_get()->drop(x + (size_t)i * (size_t)width,
                                nln_random_mix(key ^ nln_random_mix((uint64_t)i)), threshold, scale,
                                width);
}

static void fill_rows(real *x, int stride, const real *bias, int n, int width)
{
    for (int i = 0; i < n; i++)
        memcpy(x + (size_t)i * (size_t)stride, bias, (size_t)width * sizeof *x);
}

enum { OF_HIDDEN = 1, OF_ADDED = 2 };

void nln_transformer_block_forward(nln_transformer_block *b, const nln_block_weights *w,
                                   nln_attention_dropout dropout)
{
    int n = b->n_rows, d = b->dim, h = b->hidden;
    size_t size = (size_t)n * (size_t)d;
    nln_layer_norm_forward(b->a, b->scaled[0], b->inverse[0], b->x, w->gain[0], w->offset[0], n, d);
    fill_rows(b->qkv, 3 * d, w->attention_bias, n, 3 * d);
    nln_blas_nn_add(b->qkv, 3 * d, b->a, d, w->attention, w->attention_stride, n, d, d);
    nln_blas_nn_add(b->qkv + d, 3 * d, b->x, d, w->attention + d, w->attention_stride, n, 2 * d, d);
    nln_causal_attention_forward(b->y, &b->attention, b->qkv, dropout);
    nln_kernels_get()->axpy(b->y, 1, b->a, size);
    nln_layer_norm_forward(b->b, b->scaled[1], b->inverse[1], b->y, w->gain[1], w->offset[1], n, d);
    nln_blas_nn(b->z, h, b->b, d, w->inner, w->inner_stride, n, h, d);
    nln_kernels_get()->relu(b->z, b->z, NULL, w->inner_bias, n, h);
    drop_rows(b->z, n, h, dropout, OF_HIDDEN);
    fill_rows(b->out, d, w->outer_bias, n, d);
    nln_blas_nn_add(b->out, d, b->z, h, w->outer, w->outer_stride, n, d, h);
    drop_rows(b->out, n, d, dropout, OF_ADDED);
    nln_kernels_get()->axpy(b->out, 1, b->b, size);
}

/* ---- backward ----------------------------------------------------------------------------- */

static void add_rows(real *sum, const real *x, int n, int width)
{
    for (int i = 0; i < n; i++)
        nln_kernels_get()->axpy(sum, 1, x + (size_t)i * (size_t)width, (size_t)width);
}

/* turned [columns, rows] of w [rows, columns]. */
static void turn(real *turned, const real *w, int stride, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            turned[(size_t)j * (size_t)rows + (size_t)i] =
                w[(size_t)i * (size_t)stride + (size_t)j];
}

/* db = the gradient of b. */
static void layers_back(nln_transformer_block *b, const nln_block_weights *dw,
                        nln_attention_dropout dropout)
{
    int n = b->n_rows, d = b->dim, h = b->hidden;
    size_t size = (size_t)n * (size_t)d;
    uint32_t threshold = (uint32_t)(dropout.share * 65536);
    real scale = dropout.share > 0 ? (real)(1 / (1 - threshold / 65536.0)) : 1;
    memcpy(b->db, b->dout, size * sizeof(real));
    memcpy(b->copy, b->dout, size * sizeof(real));
    drop_rows(b->copy, n, d, dropout, OF_ADDED);
    add_rows(dw->outer_bias, b->copy, n, d);
    nln_blas_tn_add(dw->outer, dw->outer_stride, b->z, h, b->copy, d, h, d, n);
    nln_blas_nn(b->dz, h, b->copy, d, b->turned[2], h, n, h, d);
    /* A dropped unit is 0, as one that relu has cut. */
    nln_kernels_get()->relu_back(b->dz, dw->inner_bias, b->z, scale, n, h);
    nln_blas_tn_add(dw->inner, dw->inner_stride, b->b, d, b->dz, h, d, h, n);
    nln_blas_nn_add(b->db, d, b->dz, h, b->turned[1], d, n, d, h);
}

void nln_transformer_block_backward(nln_transformer_block *b, const nln_block_weights *dw,
                                    const nln_block_weights *w, nln_attention_dropout dropout)
{
    int n = b->n_rows, d = b->dim, h = b->hidden;
    size_t size = (size_t)n * (size_t)d * sizeof(real);
    turn(b->turned[0], w->attention, w->attention_stride, d, 3 * d);
    turn(b->turned[1], w->inner, w->inner_stride, d, h);
    turn(b->turned[2], w->outer, w->outer_stride, h, d);
    layers_back(b, dw, dropout);
    memset(b->y, 0, size);
    nln_layer_norm_backward(b->y, dw->gain[1], dw->offset[1], b->db, b->scaled[1], b->inverse[1],
                            w->gain[1], n, d);
    memcpy(b->da, b->y, size);
    nln_causal_attention_backward(b->dqkv, &b->attention, b->qkv, b->y, dropout);
    add_rows(dw->attention_bias, b->dqkv, n, 3 * d);
    nln_blas_tn_add(dw->attention, dw->attention_stride, b->a, d, b->dqkv, 3 * d, d, d, n);
    nln_blas_tn_add(dw->attention + d, dw->attention_stride, b->x, d, b->dqkv + d, 3 * d, d, 2 * d,
                    n);
    nln_blas_nn_add(b->da, d, b->dqkv, 3 * d, b->turned[0], d, n, d, d);
    nln_blas_nn(b->dx, d, b->dqkv + d, 3 * d, b->turned[0] + (size_t)d * (size_t)d, d, n, d, 2 * d);
    nln_layer_norm_backward(b->dx, dw->gain[0], dw->offset[0], b->da, b->scaled[0], b->inverse[0],
                            w->gain[0], n, d);
}
