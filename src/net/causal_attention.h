/* Self-attention that looks back: every row of a sequence is a mean of the values of itself and of
 * the rows before it, weighed by a softmax of how well its query matches their keys.
 *
 *     out_i = sum over j <= i of p_ij value_j,    p_i = softmax of query_i . key_j / sqrt(dim)
 *
 * Sequences lie end to end; nothing is padded.  Query, key and value are side by side in a row. */
#ifndef NLN_NET_CAUSAL_ATTENTION_H
#define NLN_NET_CAUSAL_ATTENTION_H

#include <stdint.h>

#include "base/error.h"
#include "math/real.h"

/* Dropout of weights p in training: the key says which. */
typedef struct nln_attention_dropout {
    double share; /* 0: none */
    uint64_t key;
} nln_attention_dropout;

/* Working memory, which grows to the largest batch.  Zero-initialise it. */
typedef struct nln_causal_attention {
    int dim;
    int32_t n;            /* sequences */
    const int32_t *start; /* [n + 1], borrowed from fit on */
    size_t *square;       /* [n] where the weights of each sequence begin in p */
    real *p;              /* [length, length] of each sequence */
    real *dropped, *dp;   /* [longest, longest] */
    real *turned;         /* [dim, longest] */
    size_t square_room, p_room, dropped_room, dp_room, turned_room;
} nln_causal_attention;

void nln_causal_attention_free(nln_causal_attention *a);
/* Takes sequences, which stay the caller's; the last thing that can fail. */
nln_status nln_causal_attention_fit(nln_causal_attention *a, int dim, int32_t n,
                                    const int32_t *start, nln_error *err);

/* out [rows, dim] of x [rows, 3 dim]: query, key, value. */
void nln_causal_attention_forward(real *out, nln_causal_attention *a, const real *x,
                                  nln_attention_dropout dropout);
/* After forward, with the same dropout: dx [rows, 3 dim], given dout. */
void nln_causal_attention_backward(real *dx, nln_causal_attention *a, const real *x,
                                   const real *dout, nln_attention_dropout dropout);

#endif
