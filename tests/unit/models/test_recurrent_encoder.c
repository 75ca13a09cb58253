/* Words in, states out: the tensors of every cell, and its states against a loop over the words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/recurrent_encoder.h"

enum { WORDS = 9, DIM = 5, HIDDEN = 7, LONGEST = 6, MOST_GATES = 4, UNUSED = 0, TABLE, READER };

static nln_reading reading; /* of the model under test */

/* One tensor more than the encoder reads, so that `table` and `first` matter. */
static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    if (index >= READER)
        return nln_recurrent_encoder_tensor(out, s->config, reading, index - READER);
    *out = index == TABLE
               ? (nln_shape){"words", s->n_variables, (size_t)s->config->dimension, 0, 1, 0}
               : (nln_shape){"unused", 3, 2, 0, 0, 0};
    return 1;
}

static nln_model make(nln_cell cell, int n_directions)
{
    nln_model m = {.config = {.dimension = DIM, .hidden = HIDDEN}};
    nln_sizes sizes = {&m.config, WORDS, 0};
    nln_random random = nln_random_seed(4, (uint64_t)cell);
    reading = (nln_reading){cell, n_directions, TABLE, READER};
    nln_weights_list(&m.weights, tensor, &sizes);
    assert_int_equal(nln_weights_allocate(&m.weights, NULL), NLN_OK);
    for (int i = 0; i < m.weights.n; i++)
        for (size_t k = 0; k < m.weights.shape[i].rows * m.weights.shape[i].columns; k++)
            m.weights.data[i][k] = (real)(0.5 * nln_random_normal(&random));
    return m;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* One step of a cell as net/cell_weights.h defines it; w is in, state, bias and inner. */
static void step(double *h, double *c, nln_cell cell, real *const *w, const real *x)
{
    int gates = cell == NLN_CELL_RNN ? 1 : cell == NLN_CELL_LSTM ? 4 : 3, n = gates * HIDDEN;
    double of_x[MOST_GATES * HIDDEN], of_h[MOST_GATES * HIDDEN], a[MOST_GATES * HIDDEN];
    for (int j = 0; j < n; j++) {
        of_x[j] = (double)w[2][j];
        of_h[j] = 0;
        for (int i = 0; i < DIM; i++)
            of_x[j] += (double)x[i] * (double)w[0][i * n + j];
        for (int i = 0; i < HIDDEN; i++)
            of_h[j] += h[i] * (double)w[1][i * n + j];
        a[j] = of_x[j] + of_h[j];
    }
    for (int k = 0; k < HIDDEN; k++) {
        int second = k + HIDDEN, third = k + 2 * HIDDEN;
        if (cell == NLN_CELL_RNN) {
            h[k] = tanh(a[k]);
        } else if (cell == NLN_CELL_LSTM) {
            c[k] = sigmoid(a[second]) * c[k] + sigmoid(a[k]) * tanh(a[third]);
            h[k] = sigmoid(a[k + 3 * HIDDEN]) * tanh(c[k]);
        } else {
            double m = tanh(of_x[third] + sigmoid(a[k]) * (of_h[third] + (double)w[3][k]));
            double z = sigmoid(a[second]);
            h[k] = (1 - z) * m + z * h[k];
        }
    }
}

/* The state after n words, the last of which is read first if `reverse`. */
static void naive(double *h, const nln_model *m, const int32_t *word, size_t n, int reverse)
{
    double c[HIDDEN] = {0};
    int first = READER + reverse * (reading.cell == NLN_CELL_GRU ? 4 : 3);
    memset(h, 0, HIDDEN * sizeof *h);
    for (size_t i = 0; i < n; i++)
        step(h, c, reading.cell, m->weights.data + first,
             m->weights.data[TABLE] + word[reverse ? n - 1 - i : i] * DIM);
}

/* Sequences of all lengths, among them none at all, words that repeat and words that none has. */
static const int32_t text[][LONGEST] = {{3, 8, 3, 0}, {5}, {0}, {8, 7, 6, 5, 3, 3}, {0, 8}};
static const size_t length[] = {4, 1, 0, LONGEST, 2};
enum { TEXTS = sizeof length / sizeof *length };

/* Texts first .. last - 1 in one batch. */
static void expect_states(nln_recurrent_encoder *r, const nln_model *m, int first, int last)
{
    nln_word_sequences_clear(&r->words);
    for (int i = first; i < last; i++)
        assert_int_equal(nln_word_sequences_append(&r->words, text[i], length[i], NULL), NLN_OK);
    assert_int_equal(nln_recurrent_encoder_plan(r, NULL, NULL), NLN_OK);
    nln_recurrent_encoder_forward(r, NULL, 0);
    for (int i = first; i < last; i++)
        for (int d = 0; d < reading.n_directions; d++) {
            double wanted[HIDDEN];
            const real *got = r->last + (i - first) * r->width + d * HIDDEN;
            naive(wanted, m, text[i], length[i], d);
            for (int k = 0; k < HIDDEN; k++)
                if (!(fabs((double)got[k] - wanted[k]) < 1e-5))
                    fail_msg("cell %d, text %d, direction %d: %g, not %g", reading.cell, i, d,
                             (double)got[k], wanted[k]);
        }
}

static void states_are_those_of_a_loop_over_the_words(void **state)
{
    (void)state;
    for (int cell = NLN_CELL_RNN; cell <= NLN_CELL_GRU; cell++)
        for (int directions = 1; directions <= 2; directions++)
            for (int learns = 0; learns < 2; learns++) {
                nln_model m = make((nln_cell)cell, directions);
                nln_recurrent_encoder r;
                assert_int_equal(nln_recurrent_encoder_create(&r, &m, reading, learns, NULL),
                                 NLN_OK);
                assert_int_equal(r.width, directions * HIDDEN);
                expect_states(&r, &m, 1, 3); /* its memory grows, and is then reused */
                expect_states(&r, &m, 0, TEXTS);
                expect_states(&r, &m, 4, TEXTS);
                nln_recurrent_encoder_free(&r);
                nln_recurrent_encoder_free(&r);
                nln_weights_free(&m.weights);
            }
}

static void each_direction_has_the_tensors_of_its_cell(void **state)
{
    (void)state;
    static const char *const names[] = {"in", "state", "bias", "inner"};
    static const int gates[] = {1, 4, 3}, n_tensors[] = {3, 3, 4};
    nln_config c = {.dimension = DIM, .hidden = HIDDEN};
    for (int cell = NLN_CELL_RNN; cell <= NLN_CELL_GRU; cell++)
        for (int directions = 1; directions <= 2; directions++) {
            nln_reading of = {(nln_cell)cell, directions, 0, 1};
            size_t outputs = (size_t)gates[cell] * HIDDEN;
            nln_shape s;
            for (int i = 0; i < directions * n_tensors[cell]; i++) {
                int which = i % n_tensors[cell];
                const size_t rows[] = {DIM, HIDDEN, 1, 1};
                assert_true(nln_recurrent_encoder_tensor(&s, &c, of, i));
                assert_int_equal(strncmp(s.name, i == which ? "forward." : "reverse.", 8), 0);
                assert_string_equal(s.name + 8, names[which]);
                assert_int_equal(s.rows, rows[which]);
                assert_int_equal(s.columns, which == 3 ? HIDDEN : outputs);
                assert_int_equal(s.no_l2, which >= 2); /* of biases */
            }
            assert_false(nln_recurrent_encoder_tensor(&s, &c, of, directions * n_tensors[cell]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_those_of_a_loop_over_the_words),
        cmocka_unit_test(each_direction_has_the_tensors_of_its_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
