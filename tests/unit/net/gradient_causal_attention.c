/* Attention that looks back: against its formula, what it may not see, and its gradients against
 * central differences in double, with and without dropout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "net/causal_attention.h"

enum { DIM = 5, SEQUENCES = 5, ROWS = 12, WIDTH = 3 * DIM };

/* Of 3, 1, 0, 6 and 2 rows. */
static const int32_t start[] = {0, 3, 4, 4, 10, 12};

typedef struct fixture {
    nln_causal_attention attention;
    nln_attention_dropout dropout;
    real x[ROWS * WIDTH], dx[ROWS * WIDTH], out[ROWS * DIM], dout[ROWS * DIM];
} fixture;

static void set_up(fixture *f, double share)
{
    nln_random random = nln_random_seed(9, 1);
    memset(f, 0, sizeof *f);
    f->dropout = (nln_attention_dropout){share, 17};
    for (int i = 0; i < ROWS * WIDTH; i++)
        f->x[i] = (real)nln_random_normal(&random);
    for (int i = 0; i < ROWS * DIM; i++)
        f->dout[i] = (real)nln_random_normal(&random);
    assert_int_equal(nln_causal_attention_fit(&f->attention, DIM, SEQUENCES, start, NULL), NLN_OK);
}

static double inner(const real *a, const real *b)
{
    double sum = 0;
    for (int k = 0; k < DIM; k++)
        sum += a[k] * b[k];
    return sum;
}

static void rows_are_means_of_values(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 0);
    nln_causal_attention_forward(f.out, &f.attention, f.x, f.dropout);
    for (int s = 0; s < SEQUENCES; s++)
        for (int i = start[s]; i < start[s + 1]; i++) {
            double mean[DIM] = {0}, sum = 0;
            for (int j = start[s]; j <= i; j++) {
                double weight =
                    exp(inner(f.x + i * WIDTH, f.x + j * WIDTH + DIM) / sqrt((double)DIM));
                sum += weight;
                for (int k = 0; k < DIM; k++)
                    mean[k] += weight * f.x[j * WIDTH + 2 * DIM + k];
            }
            for (int k = 0; k < DIM; k++)
                assert_true(fabs(f.out[i * DIM + k] - mean[k] / sum) < 1e-9);
        }
    nln_causal_attention_free(&f.attention);
}

static void later_rows_and_other_sequences_change_nothing(void **state)
{
    (void)state;
    fixture f;
    real before[ROWS * DIM];
    set_up(&f, 0);
    nln_causal_attention_forward(before, &f.attention, f.x, f.dropout);
    for (int k = 0; k < WIDTH; k++)
        f.x[7 * WIDTH + k] += 1; /* the fourth row of the fourth sequence */
    nln_causal_attention_forward(f.out, &f.attention, f.x, f.dropout);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(memcmp(f.out + i * DIM, before + i * DIM, DIM * sizeof(real)) != 0,
                         i >= 7 && i < 10);
    nln_causal_attention_free(&f.attention);
}

static double loss(fixture *f)
{
    double sum = 0;
    nln_causal_attention_forward(f->out, &f->attention, f->x, f->dropout);
    for (int i = 0; i < ROWS * DIM; i++)
        sum += f->out[i] * f->dout[i];
    return sum;
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int dropped = 0; dropped < 2; dropped++) {
        const double step = 1e-5;
        fixture f;
        set_up(&f, dropped ? 0.4 : 0);
        loss(&f);
        nln_causal_attention_backward(f.dx, &f.attention, f.x, f.dout, f.dropout);
        for (int i = 0; i < ROWS * WIDTH; i++) {
            double old = f.x[i];
            f.x[i] = old + step;
            double above = loss(&f);
            f.x[i] = old - step;
            double slope = (above - loss(&f)) / (2 * step);
            f.x[i] = old;
            if (!(fabs(slope - f.dx[i]) <= 1e-7 * fmax(1, fabs(slope))))
                fail_msg("dropout %d, x[%d]: %.9g instead of %.9g", dropped, i, f.dx[i], slope);
        }
        nln_causal_attention_free(&f.attention);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_means_of_values),
        cmocka_unit_test(later_rows_and_other_sequences_change_nothing),
        cmocka_unit_test(gradients_are_slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
