/* A block of SASRec (Kang and McAuley, 2018): what each row of a sequence makes of itself and of
 * the rows before it.
 *
 *     a = norm(x)
 *     y = a + attention(query of a, key and value of x)
 *     b = norm(y)
 *     out = b + relu(b inner + bias) outer + bias
 *
 * The sums take the normalized rows, as in the authors' code.  In training, attention weights,
 * hidden units and what the layers add are dropped. */
#ifndef NLN_NET_TRANSFORMER_BLOCK_H
#define NLN_NET_TRANSFORMER_BLOCK_H

#include "net/causal_attention.h"

/* Rows of matrices are `stride` apart, so that blocks can lie side by side. */
typedef struct nln_block_weights {
    real *attention, *inner, *outer;                /* [dim, 3 dim], [dim, hidden], [hidden, dim] */
    real *attention_bias, *inner_bias, *outer_bias; /* [3 dim], [hidden], [dim] */
    real *gain[2], *offset[2];                      /* [dim] of the two norms */
    int attention_stride, inner_stride, outer_stride;
} nln_block_weights;

/* Working memory, which grows to the largest batch.  Zero-initialise it. */
typedef struct nln_transformer_block {
    int dim, hidden;
    int32_t n_rows;
    nln_causal_attention attention;
    real *x;          /* [rows, dim] input, to be filled in */
    real *out;        /* [rows, dim] */
    real *scaled[2];  /* [rows, dim] of the norms ... */
    real *inverse[2]; /* [rows] */
    real *a, *b;      /* [rows, dim] ... and their results */
    real *y;          /* [rows, dim], and in backward its gradient */
    real *qkv;        /* [rows, 3 dim] */
    real *z;          /* [rows, hidden] after relu and dropout */
    real *block;      /* that all of these are in */
    size_t room;

    /* In training alone; the gradient of out is filled in, that of x comes out. */
    real *dout, *dx;                    /* [rows, dim] */
    real *da, *db, *dqkv, *dz;          /* as without d */
    real *turned[3], *gradients, *copy; /* transposed weights; the rest is scratch */
    size_t gradients_room;
} nln_transformer_block;

void nln_transformer_block_free(nln_transformer_block *b);
/* Takes sequences, which stay the caller's; the last thing that can fail. */
nln_status nln_transformer_block_fit(nln_transformer_block *b, int dim, int hidden, int32_t n,
                                     const int32_t *start, int learns, nln_error *err);

/* Fills in out. */
void nln_transformer_block_forward(nln_transformer_block *b, const nln_block_weights *w,
                                   nln_attention_dropout dropout);
/* After forward, with the same dropout: fills in dx and adds to the gradients of the weights. */
void nln_transformer_block_backward(nln_transformer_block *b, const nln_block_weights *dw,
                                    const nln_block_weights *w, nln_attention_dropout dropout);

#endif
