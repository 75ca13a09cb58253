/* The block of a recurrent cell: its size, its views, and its transposed matrices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/cell_weights.h"

enum { DIM = 3, HIDDEN = 4, ROOM = 200 };

static const nln_cell cells[] = {NLN_CELL_RNN, NLN_CELL_LSTM, NLN_CELL_GRU};
enum { N_CELLS = 3 };

/* PyTorch's weight_ih, weight_hh and one bias; GRU has a second bias for its candidate. */
static void sizes_are_those_of_pytorch(void **state)
{
    (void)state;
    static const int gates[] = {1, 4, 3};
    for (int i = 0; i < N_CELLS; i++) {
        nln_cell_shape shape = {cells[i], DIM, HIDDEN};
        int expected = gates[i] * HIDDEN * (DIM + HIDDEN + 1) + (cells[i] == NLN_CELL_GRU) * HIDDEN;
        assert_int_equal(nln_cell_gates(cells[i]), gates[i]);
        assert_int_equal(nln_cell_size(shape), expected);
    }
}

/* The tensors fill the block without a gap. */
static void views_fill_the_block(void **state)
{
    (void)state;
    for (int i = 0; i < N_CELLS; i++) {
        real block[ROOM] = {0};
        nln_cell_shape shape = {cells[i], DIM, HIDDEN};
        nln_cell_weights w = nln_cell_view(block, shape);
        int outputs = nln_cell_gates(cells[i]) * HIDDEN;
        assert_int_equal(w.inner != NULL, cells[i] == NLN_CELL_GRU);
        for (int j = 0; j < DIM * outputs; j++)
            w.in[j] += 1;
        for (int j = 0; j < HIDDEN * outputs; j++)
            w.state[j] += 1;
        for (int j = 0; j < outputs; j++)
            w.bias[j] += 1;
        for (int j = 0; w.inner && j < HIDDEN; j++)
            w.inner[j] += 1;
        for (size_t j = 0; j < ROOM; j++)
            assert_true(block[j] == (j < nln_cell_size(shape) ? 1 : 0));
    }
}

static void matrices_are_transposed(void **state)
{
    (void)state;
    for (int i = 0; i < N_CELLS; i++) {
        real block[ROOM], other[ROOM] = {0};
        nln_cell_shape shape = {cells[i], DIM, HIDDEN};
        nln_cell_weights w = nln_cell_view(block, shape), t = nln_cell_view(other, shape);
        int outputs = nln_cell_gates(cells[i]) * HIDDEN;
        for (int j = 0; j < ROOM; j++)
            block[j] = (real)(j + 1);
        nln_cell_transpose(&t, &w, shape);
        for (int row = 0; row < DIM; row++)
            for (int column = 0; column < outputs; column++)
                assert_true(t.in[column * DIM + row] == w.in[row * outputs + column]);
        for (int row = 0; row < HIDDEN; row++)
            for (int column = 0; column < outputs; column++)
                assert_true(t.state[column * HIDDEN + row] == w.state[row * outputs + column]);
        assert_true(t.bias[0] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_those_of_pytorch),
        cmocka_unit_test(views_fill_the_block),
        cmocka_unit_test(matrices_are_transposed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
