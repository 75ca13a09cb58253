#include "net/cell_weights.h"

int nln_cell_gates(nln_cell cell)
{
    static const int gates[] = {[NLN_CELL_RNN] = 1, [NLN_CELL_LSTM] = 4, [NLN_CELL_GRU] = 3};
    return gates[cell];
}

static size_t n_outputs(nln_cell_shape shape)
{
    return (size_t)nln_cell_gates(shape.cell) * (size_t)shape.hidden;
}

size_t nln_cell_size(nln_cell_shape shape)
{
    size_t d = (size_t)shape.dim, h = (size_t)shape.hidden;
    return (d + h + 1) * n_outputs(shape) + (shape.cell == NLN_CELL_GRU ? h : 0);
}

nln_cell_weights nln_cell_view(real *block, nln_cell_shape shape)
{
    size_t d = (size_t)shape.dim, h = (size_t)shape.hidden, outputs = n_outputs(shape);
    nln_cell_weights w;
    w.in = block;
    w.state = w.in + d * outputs;
    w.bias = w.state + h * outputs;
    w.inner = shape.cell == NLN_CELL_GRU ? w.bias + outputs : NULL;
    return w;
}

static void transpose(real *out, const real *in, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[j * rows + i] = in[i * columns + j];
}

void nln_cell_transpose(const nln_cell_weights *out, const nln_cell_weights *weights,
                        nln_cell_shape shape)
{
    transpose(out->in, weights->in, (size_t)shape.dim, n_outputs(shape));
    transpose(out->state, weights->state, (size_t)shape.hidden, n_outputs(shape));
}
