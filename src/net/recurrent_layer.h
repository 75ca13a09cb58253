/* A recurrent layer over token sequences of different lengths, without padding.
 *
 * Sequences are sorted, the longest first, so that the sequences that are still being read at a
 * step are the first ones: a step is one slice of rows, one product with the state's matrix and one
 * pass over the gates.  A token's part of the gates does not depend on the step; it is computed
 * once for each distinct token of the batch, in one product, and its gradient is summed in the
 * same way.
 *
 * A layer for both directions is two of these, which share nothing that changes. */
#ifndef NLN_NET_RECURRENT_LAYER_H
#define NLN_NET_RECURRENT_LAYER_H

#include <stdint.h>

#include "base/error.h"
#include "net/cell_weights.h"

/* In any order; a sequence may be empty. */
typedef struct nln_sequences {
    int32_t n;
    int32_t n_tokens;     /* distinct ones: the rows of x */
    const int32_t *start; /* [n + 1] */
    const int32_t *token; /* [start[n]] rows of x */
} nln_sequences;

/* A plan and its working memory, which grows to the largest batch seen and is then reused. */
typedef struct nln_recurrent nln_recurrent;

/* Without training there is no backward pass, and less memory. */
nln_status nln_recurrent_create(nln_recurrent **out, nln_cell_shape shape, int training,
                                nln_error *err);
void nln_recurrent_free(nln_recurrent *r);

/* Plans a batch, to be read from the end to the beginning if `reverse`; it is not needed
 * afterwards.  Only this can fail. */
nln_status nln_recurrent_fit(nln_recurrent *r, const nln_sequences *sequences, int reverse,
                             nln_error *err);

/* last[i], of `hidden` numbers, is the state after the whole of sequence i, or 0 if that is
 * empty; rows are `stride` apart, so that two directions can share them.  x is [n_tokens, dim]. */
void nln_recurrent_forward(real *last, int stride, nln_recurrent *r,
                           const nln_cell_weights *weights, const real *x);

/* After forward, once: adds to the gradient dx [n_tokens, dim] and to those of the weights, given
 * that of last and what nln_cell_transpose has made of the weights. */
void nln_recurrent_backward(real *dx, const nln_cell_weights *dweights, nln_recurrent *r,
                            const nln_cell_weights *transposed, const real *x, const real *dlast,
                            int stride);

#endif
