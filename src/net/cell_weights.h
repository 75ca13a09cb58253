/* The weights of a recurrent cell, in one block.
 *
 * A token's vector x and the state h before it send x in + bias and h state to the gates:
 *
 *     RNN    h' = tanh(a)
 *     LSTM   i, f, g, o;  c' = f c + i g,  h' = o tanh(c')
 *     GRU    r, z, m = tanh(x in + bias + r (h state + inner));  h' = (1 - z) m + z h
 *
 * with sigmoids for i, f, o, r and z, and tanh for g.  Gates are in the order of PyTorch, whose
 * two biases are one here but for GRU's m.  Matrices are stored [inputs, outputs]. */
#ifndef NLN_NET_CELL_WEIGHTS_H
#define NLN_NET_CELL_WEIGHTS_H

#include <stddef.h>

#include "math/real.h"

typedef enum nln_cell { NLN_CELL_RNN, NLN_CELL_LSTM, NLN_CELL_GRU } nln_cell;

typedef struct nln_cell_shape {
    nln_cell cell;
    int dim, hidden; /* of a token's vector; of the state */
} nln_cell_shape;

typedef struct nln_cell_weights {
    real *in;    /* [dim, gates * hidden] */
    real *state; /* [hidden, gates * hidden] */
    real *bias;  /* [gates * hidden] */
    real *inner; /* [hidden] GRU only */
} nln_cell_weights;

int nln_cell_gates(nln_cell cell); /* 1, 4 or 3 */

size_t nln_cell_size(nln_cell_shape shape); /* numbers in a block */
nln_cell_weights nln_cell_view(real *block, nln_cell_shape shape);

/* Both matrices transposed into a block of the same size, for backward: in becomes
 * [gates * hidden, dim], state [gates * hidden, hidden].  The biases are not copied. */
void nln_cell_transpose(const nln_cell_weights *out, const nln_cell_weights *weights,
                        nln_cell_shape shape);

#endif
