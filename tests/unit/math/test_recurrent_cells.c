/* The kernels of recurrent cells, in every instruction set, against their formulas in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/kernels.h"

enum { ROWS = 5, TOKENS = 3, MOST_WIDTH = 70 };

/* Two rows have the same token, so that what they send back must be added. */
static const int32_t token[ROWS] = {2, 0, 2, 1, 0};

static nln_random random_stream;
static real *arrays[32];
static size_t n_arrays;

/* Exactly as large as it must be, so that a sanitizer sees what goes beyond. */
static real *draw(int n)
{
    real *x = malloc((size_t)n * sizeof *x);
    assert_true(x && n_arrays < sizeof arrays / sizeof *arrays);
    for (int i = 0; i < n; i++)
        x[i] = (real)nln_random_normal(&random_stream);
    return arrays[n_arrays++] = x;
}

static real *copy(const real *from, int n)
{
    real *x = draw(n);
    memcpy(x, from, (size_t)n * sizeof *x);
    return x;
}

static void near(const nln_kernels *k, const char *what, int at, real got, double wanted)
{
    if (!(fabs((double)got - wanted) <= 2e-6 * fmax(1, fabs(wanted))))
        fail_msg("%s, %s[%d] is %.9g instead of %.9g", k->name, what, at, (double)got, wanted);
}

/* Runs a check for every instruction set and all widths. */
static void each(void (*check)(const nln_kernels *k, int width))
{
    const nln_kernels *all[3];
    int n_sets = nln_kernels_all(all);
    random_stream = nln_random_seed(3, 0);
    for (int s = 0; s < n_sets; s++)
        for (int width = 1; width <= MOST_WIDTH; width++) {
            check(all[s], width);
            while (n_arrays)
                free(arrays[--n_arrays]);
        }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Block b of row r, number i. */
static int at(int r, int b, int i, int n_blocks, int width)
{
    return (r * n_blocks + b) * width + i;
}

/* ---- tanh ------------------------------------------------------------------------- */

static real tanh_by(const nln_kernels *k, real x)
{
    const real s[16] = {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}, zero[16] = {0};
    const int32_t first = 0;
    real h[16];
    k->rnn(h, s, zero, &first, 1, 16);
    return h[5];
}

static void tanh_is_as_exact_as_a_float(void **state)
{
    (void)state;
    const nln_kernels *all[3];
    int n_sets = nln_kernels_all(all);
    for (int s = 0; s < n_sets; s++) {
        for (double size = 1e-30; size < 1e30; size *= 1.00037)
            for (int sign = -1; sign <= 1; sign += 2) {
                real x = (real)(sign * size), got = tanh_by(all[s], x);
                double wanted = tanh((double)x), off = fabs((double)got - wanted);
                if (!(off <= 1e-7 && off <= 2.5e-7 * fabs(wanted) && fabsf(got) <= 1))
                    fail_msg("%s: tanh(%.9g) is off by %g", all[s]->name, (double)x, off);
            }
        assert_true(tanh_by(all[s], 0) == 0);
        assert_true(tanh_by(all[s], INFINITY) == 1 && tanh_by(all[s], -INFINITY) == -1);
        assert_true(isnan(tanh_by(all[s], NAN)));
    }
}

/* ---- the cells -------------------------------------------------------------------- */

static void check_rnn(const nln_kernels *k, int w)
{
    real *h = draw(ROWS * w), *ds = draw(ROWS * w), *dx = draw(TOKENS * w);
    const real *s = draw(ROWS * w), *x = draw(TOKENS * w), *dh = draw(ROWS * w);
    double dx_wanted[TOKENS * MOST_WIDTH];
    for (int i = 0; i < TOKENS * w; i++)
        dx_wanted[i] = (double)dx[i];
    k->rnn(h, s, x, token, ROWS, w);
    k->rnn_back(ds, dx, dh, h, token, ROWS, w);
    for (int i = 0; i < ROWS * w; i++) {
        int of_token = token[i / w] * w + i % w;
        double y = tanh((double)s[i] + (double)x[of_token]), d = (double)dh[i] * (1 - y * y);
        near(k, "h", i, h[i], y);
        near(k, "ds", i, ds[i], d);
        dx_wanted[of_token] += d;
    }
    for (int i = 0; i < TOKENS * w; i++)
        near(k, "dx", i, dx[i], dx_wanted[i]);
}

/* Checks what a row sends to the gates, ds, of which dx is the sum over the token's rows. */
static void check_sums(const nln_kernels *k, const real *dx, const real *before, const double *ds,
                       int n_blocks, int w)
{
    for (int t = 0; t < TOKENS; t++)
        for (int j = 0; j < n_blocks * w; j++) {
            double sum = (double)before[t * n_blocks * w + j];
            for (int r = 0; r < ROWS; r++)
                sum += token[r] == t ? ds[r * n_blocks * w + j] : 0;
            near(k, "dx", t * n_blocks * w + j, dx[t * n_blocks * w + j], sum);
        }
}

static void check_lstm(const nln_kernels *k, int w)
{
    real *h = draw(ROWS * w), *c = draw(ROWS * w), *gate = draw(4 * ROWS * w);
    const real *before = draw(ROWS * w), *x = draw(4 * TOKENS * w), *s = copy(gate, 4 * ROWS * w);
    k->lstm(h, c, gate, before, x, token, ROWS, w);
    real *ds = copy(gate, 4 * ROWS * w), *dc = draw(ROWS * w), *dx = draw(4 * TOKENS * w);
    const real *dh = draw(ROWS * w), *dc0 = copy(dc, ROWS * w), *dx0 = copy(dx, 4 * TOKENS * w);
    k->lstm_back(ds, dc, dx, dh, c, before, token, ROWS, w);
    double wanted[4 * ROWS * MOST_WIDTH];
    for (int n = 0; n < ROWS * w; n++) {
        int r = n / w, i = n % w;
        double a[4];
        for (int b = 0; b < 4; b++)
            a[b] = (double)s[at(r, b, i, 4, w)] + (double)x[at(token[r], b, i, 4, w)];
        double in = sigmoid(a[0]), forget = sigmoid(a[1]), g = tanh(a[2]), out = sigmoid(a[3]);
        double cell = forget * (double)before[n] + in * g, t = tanh(cell);
        double dcell = (double)dc0[n] + (double)dh[n] * out * (1 - t * t);
        double activated[4] = {in, forget, g, out};
        double d[4] = {dcell * g * in * (1 - in), dcell * (double)before[n] * forget * (1 - forget),
                       dcell * in * (1 - g * g), (double)dh[n] * t * out * (1 - out)};
        near(k, "c", n, c[n], cell);
        near(k, "h", n, h[n], out * t);
        near(k, "dc", n, dc[n], dcell * forget);
        for (int b = 0; b < 4; b++) {
            near(k, "gate", at(r, b, i, 4, w), gate[at(r, b, i, 4, w)], activated[b]);
            near(k, "ds", at(r, b, i, 4, w), ds[at(r, b, i, 4, w)], d[b]);
            wanted[at(r, b, i, 4, w)] = d[b];
        }
    }
    check_sums(k, dx, dx0, wanted, 4, w);
}

static void check_gru(const nln_kernels *k, int w)
{
    real *h = draw(ROWS * w), *gate = draw(4 * ROWS * w);
    const real *before = draw(ROWS * w), *x = draw(3 * TOKENS * w), *inner = draw(w);
    const real *s = copy(gate, 4 * ROWS * w);
    k->gru(h, gate, before, x, inner, token, ROWS, w);
    real *ds = copy(gate, 4 * ROWS * w), *dh = draw(ROWS * w), *dx = draw(3 * TOKENS * w);
    real *dinner = draw(w);
    const real *dh0 = copy(dh, ROWS * w), *dx0 = copy(dx, 3 * TOKENS * w);
    double of_inner[MOST_WIDTH], wanted[3 * ROWS * MOST_WIDTH];
    for (int i = 0; i < w; i++)
        of_inner[i] = (double)dinner[i];
    k->gru_back(ds, dh, dx, dinner, before, token, ROWS, w);
    for (int n = 0; n < ROWS * w; n++) {
        int row = n / w, i = n % w;
        const real *to = x + at(token[row], 0, i, 3, w), *from = s + at(row, 0, i, 4, w);
        double r = sigmoid((double)from[0] + (double)to[0]);
        double z = sigmoid((double)from[w] + (double)to[w]);
        double q = (double)from[2 * w] + (double)inner[i], m = tanh((double)to[2 * w] + r * q);
        double d = (double)dh0[n], dm = d * (1 - z) * (1 - m * m), dr = dm * q * r * (1 - r);
        double dz = d * ((double)before[n] - m) * z * (1 - z);
        near(k, "h", n, h[n], (1 - z) * m + z * (double)before[n]);
        near(k, "dh", n, dh[n], d * z);
        near(k, "dr", n, ds[at(row, 0, i, 4, w)], dr);
        near(k, "dz", n, ds[at(row, 1, i, 4, w)], dz);
        near(k, "dq", n, ds[at(row, 2, i, 4, w)], dm * r);
        of_inner[i] += dm * r;
        wanted[at(row, 0, i, 3, w)] = dr;
        wanted[at(row, 1, i, 3, w)] = dz;
        wanted[at(row, 2, i, 3, w)] = dm;
    }
    check_sums(k, dx, dx0, wanted, 3, w);
    for (int i = 0; i < w; i++)
        near(k, "dinner", i, dinner[i], of_inner[i]);
}

static void rnn(void **state)
{
    (void)state;
    each(check_rnn);
}

static void lstm(void **state)
{
    (void)state;
    each(check_lstm);
}

static void gru(void **state)
{
    (void)state;
    each(check_gru);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tanh_is_as_exact_as_a_float),
        cmocka_unit_test(rnn),
        cmocka_unit_test(lstm),
        cmocka_unit_test(gru),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
