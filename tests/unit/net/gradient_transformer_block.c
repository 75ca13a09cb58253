/* A block of SASRec: its gradients against central differences in double, with and without
 * dropout.  What it computes is compared with PyTorch in models/gradient_factors_golden.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "net/transformer_block.h"

enum { DIM = 4, HIDDEN = 6, SEQUENCES = 3, ROWS = 7, BLOCKS = 2 };
enum { A = BLOCKS * DIM * 3 * DIM, I = BLOCKS * DIM * HIDDEN, O = BLOCKS * HIDDEN * DIM };
enum { SIZE = A + I + O + 3 * DIM + HIDDEN + DIM + 4 * DIM };

static const int32_t start[] = {0, 4, 4, 7};

typedef struct fixture {
    nln_transformer_block block;
    nln_attention_dropout dropout;
    real weights[SIZE], gradients[SIZE], x[ROWS * DIM], dout[ROWS * DIM];
} fixture;

/* The second of two blocks that lie side by side. */
static nln_block_weights view(real *at)
{
    nln_block_weights w = {.attention = at + 3 * DIM,
                           .inner = at + A + HIDDEN,
                           .outer = at + A + I + DIM,
                           .attention_stride = BLOCKS * 3 * DIM,
                           .inner_stride = BLOCKS * HIDDEN,
                           .outer_stride = BLOCKS * DIM};
    at += A + I + O;
    w.attention_bias = at;
    w.inner_bias = at + 3 * DIM;
    w.outer_bias = at + 3 * DIM + HIDDEN;
    at += 4 * DIM + HIDDEN;
    for (int i = 0; i < 2; i++) {
        w.gain[i] = at + 2 * i * DIM;
        w.offset[i] = at + (2 * i + 1) * DIM;
    }
    return w;
}

static void set_up(fixture *f, double share)
{
    nln_random random = nln_random_seed(12, 5);
    real *drawn[] = {f->weights, f->x, f->dout};
    memset(f, 0, sizeof *f);
    f->dropout = (nln_attention_dropout){share, 99};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k ? ROWS * DIM : SIZE); i++)
            drawn[k][i] = (real)nln_random_normal(&random);
    assert_int_equal(nln_transformer_block_fit(&f->block, DIM, HIDDEN, SEQUENCES, start, 1, NULL),
                     NLN_OK);
}

static double loss(fixture *f)
{
    nln_block_weights w = view(f->weights);
    double sum = 0;
    memcpy(f->block.x, f->x, sizeof f->x);
    nln_transformer_block_forward(&f->block, &w, f->dropout);
    for (int i = 0; i < ROWS * DIM; i++)
        sum += f->block.out[i] * f->dout[i];
    return sum;
}

static void check(fixture *f, const char *what, real *x, const real *dx, int n)
{
    const double step = 1e-6;
    for (int i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + step;
        double above = loss(f);
        x[i] = old - step;
        double slope = (above - loss(f)) / (2 * step);
        x[i] = old;
        if (!(fabs(slope - dx[i]) <= 1e-6 * fmax(1, fabs(slope))))
            fail_msg("%s[%d]: %.9g instead of %.9g", what, i, dx[i], slope);
    }
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int dropped = 0; dropped < 2; dropped++) {
        fixture f;
        real dx[ROWS * DIM];
        set_up(&f, dropped ? 0.3 : 0);
        nln_block_weights w = view(f.weights), dw = view(f.gradients);
        loss(&f);
        memcpy(f.block.dout, f.dout, sizeof f.dout);
        nln_transformer_block_backward(&f.block, &dw, &w, f.dropout);
        memcpy(dx, f.block.dx, sizeof dx);
        check(&f, "x", f.x, dx, ROWS * DIM);
        check(&f, "weights", f.weights, f.gradients, SIZE);
        nln_transformer_block_free(&f.block);
    }
}

/* A smaller batch after a larger one, and none at all. */
static void memory_is_used_again(void **state)
{
    (void)state;
    static const int32_t less[] = {0, 2}, none[] = {0};
    fixture f;
    set_up(&f, 0);
    nln_block_weights w = view(f.weights);
    loss(&f);
    real first[2 * DIM];
    memcpy(first, f.block.out, sizeof first);
    assert_int_equal(nln_transformer_block_fit(&f.block, DIM, HIDDEN, 0, none, 1, NULL), NLN_OK);
    nln_transformer_block_forward(&f.block, &w, f.dropout);
    assert_int_equal(nln_transformer_block_fit(&f.block, DIM, HIDDEN, 1, less, 0, NULL), NLN_OK);
    memcpy(f.block.x, f.x, sizeof first);
    nln_transformer_block_forward(&f.block, &w, f.dropout);
    for (int i = 0; i < 2 * DIM; i++)
        assert_true(fabs(f.block.out[i] - first[i]) < 1e-12);
    nln_transformer_block_free(&f.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(memory_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
